/* post.c - see post.h. */
#include "notify/post.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/check.h"

struct post {
    CURLM *multi;
    CURL *curl;
    struct curl_slist *headers;
    char *url;
    char error_text[CURL_ERROR_SIZE];
};

static struct post *refuse(struct outcome *outcome, const char *text) {
    outcome->kind = OUTCOME_REFUSED;
    snprintf(outcome->text, sizeof(outcome->text), "%s", text);
    return NULL;
}

/* ---- whether it may be sent there ---- */

static bool is_listed(const char *const *hosts, const char *host) {
    for (; hosts != NULL && *hosts != NULL; hosts++)
        if (strcasecmp(*hosts, host) == 0)
            return true;
    return false;
}

/* By libcurl's own reading of the URL, so that no other host is checked than is sent to. */
static bool may_send_to(const char *url, const char *const *hosts) {
    char *host = NULL;
    CURLU *parts = libcurl.url();
    bool allowed = parts != NULL && libcurl.url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
                   libcurl.url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
                   (hosts == NULL || is_listed(hosts, host));
    libcurl.free(host);
    libcurl.url_cleanup(parts);
    return allowed;
}

/* ---- starting ---- */

static size_t forget(char *data, size_t size, size_t count, void *context) {
    (void)data, (void)context;
    return size * count;
}

static char *copy(struct slice text) {
    char *bytes = malloc(text.len + 1);
    CHECK(bytes != NULL);
    memcpy(bytes, text.data, text.len);
    bytes[text.len] = '\0';
    return bytes;
}

static void add_header(struct post *post, struct slice header) {
    char *line = copy(header);
    post->headers = libcurl.slist_append(post->headers, line);
    CHECK(post->headers != NULL);
    free(line);
}

static void limit(CURL *curl, const struct post_limits *limits) {
    libcurl.easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, limits->connect_ms);
    libcurl.easy_setopt(curl, CURLOPT_TIMEOUT_MS, limits->total_ms);
    libcurl.easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    libcurl.easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
    libcurl.easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    libcurl.easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    /* A name server that does not answer holds nobody up, neither at the time limit nor at the end.
     */
    libcurl.easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static void describe(struct post *post, const struct parcel *parcel) {
    CURL *curl = post->curl;
    for (size_t i = 0; i < PARCEL_HEADERS_MAX; i++)
        if (slice_present(parcel->headers[i]))
            add_header(post, parcel->headers[i]);
    add_header(post, SLICE_LITERAL("Expect:")); /* that is, not to wait for consent */
    libcurl.easy_setopt(curl, CURLOPT_URL, post->url);
    libcurl.easy_setopt(curl, CURLOPT_USERAGENT, "gramme");
    libcurl.easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    libcurl.easy_setopt(curl, CURLOPT_HTTPHEADER, post->headers);
    libcurl.easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)parcel->body.len);
    libcurl.easy_setopt(curl, CURLOPT_POSTFIELDS, (const char *)parcel->body.data);
    libcurl.easy_setopt(curl, CURLOPT_WRITEFUNCTION, forget);
    libcurl.easy_setopt(curl, CURLOPT_ERRORBUFFER, post->error_text);
}

struct post *post_start(CURLM *multi, const struct parcel *parcel, const struct post_limits *limits,
                        struct outcome *ret_outcome) {
    struct post *post = calloc(1, sizeof(*post));
    CHECK(post != NULL);
    *post = (struct post){.multi = multi, .url = copy(parcel->to)};
    if (!may_send_to(post->url, limits->hosts)) {
        post_free(post);
        return refuse(ret_outcome, limits->hosts == NULL ? "this is no URL to send to"
                                                         : "this host is none of those allowed");
    }
    post->curl = libcurl.easy_init();
    CHECK(post->curl != NULL);
    limit(post->curl, limits);
    describe(post, parcel);
    CHECK(libcurl.multi_add_handle(multi, post->curl) == CURLM_OK);
    return post;
}

CURL *post_handle(const struct post *post) {
    return post->curl;
}

/* ---- the end ---- */

/* What a server that has too much to do answers with, and what it did wrong itself. */
static bool may_do_better(long status) {
    return status == 408 || status == 429 || status >= 500;
}

static bool never_does_better(CURLcode code) {
    return code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
           code == CURLE_PEER_FAILED_VERIFICATION;
}

void post_finish(struct post *post, CURLcode code, struct outcome *ret_outcome) {
    long status = 0;
    libcurl.easy_getinfo(post->curl, CURLINFO_RESPONSE_CODE, &status);
    ret_outcome->kind = OUTCOME_DELIVERED;
    ret_outcome->text[0] = '\0';
    if (code != CURLE_OK) {
        const char *text = post->error_text[0] != '\0' ? post->error_text : NULL;
        ret_outcome->kind = never_does_better(code) ? OUTCOME_REFUSED : OUTCOME_FAILED;
        snprintf(ret_outcome->text, sizeof(ret_outcome->text), "%s",
                 text != NULL ? text : libcurl.easy_strerror(code));
    } else if (status < 200 || status > 299) {
        ret_outcome->kind = may_do_better(status) ? OUTCOME_FAILED : OUTCOME_REFUSED;
        snprintf(ret_outcome->text, sizeof(ret_outcome->text), "the answer was %ld%s", status,
                 status >= 300 && status < 400 ? ", and redirects are not followed" : "");
    }
}

void post_free(struct post *post) {
    if (post == NULL)
        return;
    if (post->curl != NULL) {
        libcurl.multi_remove_handle(post->multi, post->curl);
        libcurl.easy_cleanup(post->curl);
    }
    libcurl.slist_free_all(post->headers);
    free(post->url);
    free(post);
}
