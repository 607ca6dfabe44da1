/* transport_curl.c - HTTP by libcurl, which signs with Signature Version 4 and keeps connections.
 *
 * What to know about libcurl's signing (7.88 and near):
 *   - it signs every header of our list, so the session token goes there and is covered;
 *   - it signs headers that we only list to switch them off ("Expect:"), and then does not send
 *     them, so we list none. Bodies above a megabyte do announce themselves with Expect; we wait
 *     only a millisecond for the server's consent;
 *   - it repeats a request on a fresh connection when a kept one turns out to be closed. That is
 *     seen by the callback before each sending, which stops it where twice is not once.
 * Threads: one at a time. libcurl is loaded with the first client (base/library.h), and its global
 * state is set up once for the process. */
#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "base/library.h"
#include "base/random.h"
#include "client/transport.h"
#include "client/tree.h"

enum { HEADER_MAX = 1024, EXPECT_TIMEOUT_MS = 1 };

struct curl_transport {
    struct transport transport;
    const struct settings *settings;
    CURL *curl;
    /* Of the exchange that goes on: */
    struct buffer *body;
    struct answer *answer;
    bool repeatable;
    int sendings;
    char error_text[CURL_ERROR_SIZE];
};

/* ---- the library ---- */

#define LIBCURL_FUNCTIONS(F) \
    F(easy_cleanup)          \
    F(easy_getinfo)          \
    F(easy_init)             \
    F(easy_perform)          \
    F(easy_setopt)           \
    F(easy_strerror)         \
    F(global_init)           \
    F(slist_append)          \
    F(slist_free_all)

#define MEMBER(name) __typeof__(curl_##name) *name;
static struct { LIBCURL_FUNCTIONS(MEMBER) } libcurl;
#undef MEMBER

#define SYMBOL(name) {"curl_" #name, &libcurl.name},
static const struct library_symbol symbols[] = {LIBCURL_FUNCTIONS(SYMBOL)};
#undef SYMBOL

static pthread_once_t started = PTHREAD_ONCE_INIT;
static bool usable;

static void start_curl(void) {
    struct arena arena;
    arena_init(&arena);
    usable = library_load(&arena, GRAMME_CURL_LIBRARY, symbols,
                          sizeof(symbols) / sizeof(symbols[0])) == NULL &&
             libcurl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    arena_release(&arena);
}

/* ---- callbacks ---- */

static size_t on_body(char *data, size_t size, size_t count, void *context) {
    struct curl_transport *t = context;
    buffer_append(t->body, data, size * count);
    return t->body->overflow ? 0 : size * count;
}

static size_t on_header(char *data, size_t size, size_t count, void *context) {
    struct curl_transport *t = context;
    struct slice line = slice_of(data, size * count), name = SLICE_LITERAL("x-amzn-requestid:");
    if (line.len <= name.len || !slice_equal_ignoring_case(slice_of(line.data, name.len), name))
        return line.len;
    struct slice value = slice_skip(line, name.len);
    while (value.len > 0 && value.data[0] == ' ')
        value = slice_skip(value, 1);
    while (value.len > 0 && value.data[value.len - 1] <= ' ')
        value.len--;
    snprintf(t->answer->request_id, sizeof(t->answer->request_id), "%.*s", SLICE_ARGS(value));
    return line.len;
}

static int on_sending(void *context, char *their_ip, char *our_ip, int their_port, int our_port) {
    (void)their_ip, (void)our_ip, (void)their_port, (void)our_port;
    struct curl_transport *t = context;
    t->sendings++;
    return t->sendings == 1 || t->repeatable ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/* ---- one exchange ---- */

static enum answer_kind kind_of_failure(const struct curl_transport *t, CURLcode code) {
    switch ((int)code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_FUNCTION_ARGUMENT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return ANSWER_NEVER;
    case CURLE_WRITE_ERROR:
        return t->body->overflow ? ANSWER_TOO_LARGE : ANSWER_BROKEN;
    case CURLE_OPERATION_TIMEDOUT:
        return t->sendings == 0 ? ANSWER_NOT_SENT : ANSWER_TIMEOUT;
    default:
        return t->sendings == 0 ? ANSWER_NOT_SENT : ANSWER_BROKEN;
    }
}

static void describe_failure(const struct curl_transport *t, CURLcode code, struct answer *answer) {
    const char *text = t->error_text[0] != '\0' ? t->error_text : libcurl.easy_strerror(code);
    answer->kind = kind_of_failure(t, code);
    if (answer->kind == ANSWER_TOO_LARGE)
        snprintf(answer->detail, sizeof(answer->detail), "the reply has more than %zu bytes",
                 t->body->size_max);
    else if (code == CURLE_ABORTED_BY_CALLBACK)
        snprintf(answer->detail, sizeof(answer->detail), "the server closed the connection");
    else
        snprintf(answer->detail, sizeof(answer->detail), "%s", text);
}

static struct curl_slist *add_header(struct curl_slist *headers, const char *name,
                                     const char *value) {
    struct slice line = {0};
    struct arena arena;
    arena_init(&arena);
    line = arena_printf(&arena, "%s: %s", name, value);
    struct curl_slist *longer = libcurl.slist_append(headers, (const char *)line.data);
    CHECK(longer != NULL);
    arena_release(&arena);
    return longer;
}

static struct curl_slist *make_headers(const struct settings *settings, const char *target) {
    struct curl_slist *headers = NULL;
    headers = add_header(headers, "Content-Type", "application/x-amz-json-1.0");
    headers = add_header(headers, "X-Amz-Target", target);
    if (settings->session_token != NULL)
        headers = add_header(headers, "X-Amz-Security-Token", settings->session_token);
    return headers;
}

static void exchange_by_curl(struct transport *transport, const struct exchange *exchange,
                             struct buffer *body, struct answer *ret_answer) {
    struct curl_transport *t = (struct curl_transport *)transport;
    *ret_answer = (struct answer){.kind = ANSWER_REPLY};
    t->body = body;
    t->answer = ret_answer;
    t->repeatable = exchange->repeatable;
    t->sendings = 0;
    t->error_text[0] = '\0';
    struct curl_slist *headers = make_headers(t->settings, exchange->target);
    libcurl.easy_setopt(t->curl, CURLOPT_HTTPHEADER, headers);
    libcurl.easy_setopt(t->curl, CURLOPT_POSTFIELDS, (const char *)exchange->body.data);
    libcurl.easy_setopt(t->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->body.len);
    CURLcode code = libcurl.easy_perform(t->curl);
    long status = 0;
    libcurl.easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    ret_answer->status = (int)status;
    if (code != CURLE_OK)
        describe_failure(t, code, ret_answer);
    libcurl.easy_setopt(t->curl, CURLOPT_HTTPHEADER, NULL);
    libcurl.slist_free_all(headers);
}

/* ---- time and chance ---- */

static void sleep_for_real(struct transport *transport, int64_t duration_ms) {
    (void)transport;
    struct timespec rest = {.tv_sec = (time_t)(duration_ms / 1000),
                            .tv_nsec = (long)(duration_ms % 1000) * 1000000};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

static int64_t random_for_real(struct transport *transport, int64_t most) {
    (void)transport;
    uint64_t bits;
    random_fill(&system_random, &bits, sizeof(bits));
    return (int64_t)(bits % ((uint64_t)most + 1));
}

/* ---- life ---- */

static void free_curl(struct transport *transport) {
    struct curl_transport *t = (struct curl_transport *)transport;
    libcurl.easy_cleanup(t->curl);
    free(t);
}

static void set_options(struct curl_transport *t) {
    const struct settings *settings = t->settings;
    CURL *curl = t->curl;
    char scope[HEADER_MAX];
    snprintf(scope, sizeof(scope), "aws:amz:%s:dynamodb", settings->region);
    libcurl.easy_setopt(curl, CURLOPT_URL, settings->endpoint);
    libcurl.easy_setopt(curl, CURLOPT_AWS_SIGV4, scope);
    libcurl.easy_setopt(curl, CURLOPT_USERNAME, settings->access_key_id);
    libcurl.easy_setopt(curl, CURLOPT_PASSWORD, settings->secret_access_key);
    libcurl.easy_setopt(curl, CURLOPT_USERAGENT, "gramme-client/" GRAMME_VERSION);
    libcurl.easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    libcurl.easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    libcurl.easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    libcurl.easy_setopt(curl, CURLOPT_EXPECT_100_TIMEOUT_MS, (long)EXPECT_TIMEOUT_MS);
    libcurl.easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)settings->connect_timeout_ms);
    libcurl.easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)settings->request_timeout_ms);
    if (settings->ca_file != NULL)
        libcurl.easy_setopt(curl, CURLOPT_CAINFO, settings->ca_file);
    libcurl.easy_setopt(curl, CURLOPT_ERRORBUFFER, t->error_text);
    libcurl.easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    libcurl.easy_setopt(curl, CURLOPT_WRITEDATA, t);
    libcurl.easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    libcurl.easy_setopt(curl, CURLOPT_HEADERDATA, t);
    libcurl.easy_setopt(curl, CURLOPT_PREREQFUNCTION, on_sending);
    libcurl.easy_setopt(curl, CURLOPT_PREREQDATA, t);
}

struct transport *transport_curl_new(const struct settings *settings) {
    pthread_once(&started, start_curl);
    CURL *curl = usable ? libcurl.easy_init() : NULL;
    if (curl == NULL)
        return NULL;
    struct curl_transport *t = tree_alloc(sizeof(*t));
    t->transport = (struct transport){.exchange = exchange_by_curl,
                                      .sleep_ms = sleep_for_real,
                                      .random = random_for_real,
                                      .free = free_curl};
    t->settings = settings;
    t->curl = curl;
    set_options(t);
    return &t->transport;
}
