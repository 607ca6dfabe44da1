/* transport_curl.c - HTTP by libcurl, which keeps connections.
 *
 * libcurl repeats a request on a fresh connection when a kept one turns out to be closed. That is
 * seen by the callback before each sending, which stops it where twice is not once.
 * Threads: one at a time. libcurl is loaded with the first client. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "base/container.h"
#include "client/transport.h"
#include "client/tree.h"
#include "libcurl/libcurl.h"

enum { HEAD_MAX = 64 * 1024 };

struct curl_transport {
    struct transport transport;
    const struct settings *settings;
    struct signer signer;
    CURL *curl;
    /* Of the exchange that goes on: */
    struct buffer *body;
    struct answer *answer;
    bool repeatable;
    int sendings;
    char error_text[CURL_ERROR_SIZE];
};

/* ---- callbacks ---- */

static size_t on_body(char *data, size_t size, size_t count, void *context) {
    struct curl_transport *t = context;
    buffer_append(t->body, data, size * count);
    return t->body->overflow ? 0 : size * count;
}

static size_t on_header(char *data, size_t size, size_t count, void *context) {
    struct curl_transport *t = context;
    struct slice line = slice_of(data, size * count), name = SLICE_LITERAL("x-amzn-requestid:");
    if (line.len <= name.len || !slice_equal_ignoring_case(slice_first(line, name.len), name))
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

/* ---- failures ---- */

static enum answer_kind kind_of_failure(const struct curl_transport *t, CURLcode code) {
    switch ((int)code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_FUNCTION_ARGUMENT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM:
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

/* ---- what is sent ---- */

static const char *endpoint_of(const struct curl_transport *t, const struct exchange *exchange) {
    bool streams = strncmp(exchange->target, "DynamoDBStreams_", 16) == 0;
    return streams ? t->settings->streams_endpoint : t->settings->endpoint;
}

static struct signer_request signed_parts(const struct curl_transport *t,
                                          const struct exchange *exchange) {
    const char *host = strstr(endpoint_of(t, exchange), "//") + 2;
    const char *path = host + strcspn(host, "/");
    return (struct signer_request){.host = slice_of(host, (size_t)(path - host)),
                                   .path = slice_text(path[0] == '\0' ? "/" : path),
                                   .target = slice_text(exchange->target),
                                   .body = exchange->body};
}

static void add_header(struct curl_slist **headers, const char *name, struct slice value) {
    struct buffer line CLEANUP(buffer_release);
    buffer_init(&line, HEAD_MAX);
    buffer_printf(&line, "%s %.*s", name, SLICE_ARGS(value));
    buffer_append_byte(&line, 0);
    *headers = libcurl.slist_append(*headers, (const char *)line.data);
    CHECK(*headers != NULL);
}

/* Signed anew for each attempt. NULL: they are too long. */
static struct curl_slist *make_headers(struct curl_transport *t, const struct exchange *exchange) {
    const struct credentials *credentials = t->signer.credentials;
    struct signer_request parts = signed_parts(t, exchange);
    char signature[SIGV4_SIGNATURE_CHARS];
    struct buffer authorization CLEANUP(buffer_release);
    buffer_init(&authorization, HEAD_MAX);
    signer_set_time(&t->signer, (int64_t)time(NULL));
    bool whole = signer_sign(&t->signer, &parts, signature);
    signer_write_authorization(&authorization, credentials, t->signer.date, signature);
    if (!whole || authorization.overflow)
        return NULL;
    struct curl_slist *headers = NULL;
    add_header(&headers, "Host:", parts.host);
    add_header(&headers, "Content-Type:", SLICE_LITERAL(SIGNER_CONTENT_TYPE));
    add_header(&headers, "X-Amz-Target:", parts.target);
    add_header(&headers, "X-Amz-Date:", slice_text(t->signer.date));
    if (credentials->token != NULL)
        add_header(&headers, "X-Amz-Security-Token:", slice_text(credentials->token));
    add_header(&headers, "Authorization:", buffer_slice(&authorization));
    add_header(&headers, "Expect:", SLICE_LITERAL("")); /* that is, not to wait for consent */
    return headers;
}

/* ---- one exchange ---- */

static void exchange_by_curl(struct transport *transport, const struct exchange *exchange,
                             struct buffer *body, struct answer *ret_answer) {
    struct curl_transport *t = container_of(transport, struct curl_transport, transport);
    *ret_answer = (struct answer){.kind = ANSWER_REPLY};
    t->body = body;
    t->answer = ret_answer;
    t->repeatable = exchange->repeatable;
    t->sendings = 0;
    t->error_text[0] = '\0';
    struct curl_slist *headers = make_headers(t, exchange);
    if (headers == NULL) {
        ret_answer->kind = ANSWER_NEVER;
        snprintf(ret_answer->detail, sizeof(ret_answer->detail), "the request's head is too long");
        return;
    }
    libcurl.easy_setopt(t->curl, CURLOPT_HTTPHEADER, headers);
    libcurl.easy_setopt(t->curl, CURLOPT_URL, endpoint_of(t, exchange));
    libcurl.easy_setopt(t->curl, CURLOPT_TIMEOUT_MS, (long)exchange->timeout_ms);
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

/* ---- time ---- */

static void sleep_for_real(struct transport *transport, int64_t duration_ms) {
    (void)transport;
    struct timespec rest = {.tv_sec = (time_t)(duration_ms / 1000),
                            .tv_nsec = (long)(duration_ms % 1000) * 1000000};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

static int64_t monotonic_ms(struct transport *transport) {
    (void)transport;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- life ---- */

static void sign_as(struct transport *transport, const struct credentials *credentials) {
    struct curl_transport *t = container_of(transport, struct curl_transport, transport);
    signer_set_credentials(&t->signer, credentials);
}

static void free_curl(struct transport *transport) {
    struct curl_transport *t = container_of(transport, struct curl_transport, transport);
    libcurl.easy_cleanup(t->curl);
    signer_release(&t->signer);
    free(t);
}

static void set_options(struct curl_transport *t) {
    const struct settings *settings = t->settings;
    CURL *curl = t->curl;
    libcurl.easy_setopt(curl, CURLOPT_USERAGENT, "gramme-client/" DDB_VERSION);
    libcurl.easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    libcurl.easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    libcurl.easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    libcurl.easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)settings->connect_timeout_ms);
    libcurl.easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (settings->ca_file != NULL)
        libcurl.easy_setopt(curl, CURLOPT_CAINFO, settings->ca_file);
    if (settings->client_cert_file != NULL)
        libcurl.easy_setopt(curl, CURLOPT_SSLCERT, settings->client_cert_file);
    if (settings->client_key_file != NULL)
        libcurl.easy_setopt(curl, CURLOPT_SSLKEY, settings->client_key_file);
    libcurl.easy_setopt(curl, CURLOPT_ERRORBUFFER, t->error_text);
    libcurl.easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    libcurl.easy_setopt(curl, CURLOPT_WRITEDATA, t);
    libcurl.easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    libcurl.easy_setopt(curl, CURLOPT_HEADERDATA, t);
    libcurl.easy_setopt(curl, CURLOPT_PREREQFUNCTION, on_sending);
    libcurl.easy_setopt(curl, CURLOPT_PREREQDATA, t);
}

static bool start_signer(struct curl_transport *t) {
    struct arena arena;
    arena_init(&arena);
    bool started_well = signer_init(&t->signer, &arena, &t->settings->credentials) == NULL;
    arena_release(&arena);
    return started_well;
}

struct transport *transport_curl_new(const struct settings *settings) {
    CURL *curl = libcurl_load() ? libcurl.easy_init() : NULL;
    if (curl == NULL)
        return NULL;
    struct curl_transport *t = tree_alloc(sizeof(*t));
    t->transport = (struct transport){.sign_as = sign_as,
                                      .exchange = exchange_by_curl,
                                      .sleep_ms = sleep_for_real,
                                      .now_ms = monotonic_ms,
                                      .free = free_curl};
    t->settings = settings;
    t->curl = curl;
    if (!start_signer(t)) {
        free_curl(&t->transport);
        return NULL;
    }
    set_options(t);
    return &t->transport;
}
