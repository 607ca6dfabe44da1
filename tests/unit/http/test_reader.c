/* test_reader.c - requests from bytes, however the reads split them.
 *
 * Every case is fed whole, cut in two at every offset, and byte by byte; each time all bytes move
 * to fresh memory of the exact size, so that a view that points to the old place or past the end is
 * caught by the sanitiser. What the reader found is written as text and compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/check.h"
#include "http/head.h"

static const struct http_reader_limits limits = {.header_bytes_max = 1024, .body_bytes_max = 64};

static const char *verb_name(enum http_verb verb) {
    static const char *const names[] = {"OTHER", "GET", "HEAD", "POST", "OPTIONS"};
    return names[verb];
}

static void describe(const struct http_request *request, struct buffer *out) {
    buffer_printf(out, "%s %.*s path=%.*s", verb_name(request->verb), SLICE_ARGS(request->method),
                  SLICE_ARGS(request->path));
    if (slice_present(request->query))
        buffer_printf(out, " query=%.*s", SLICE_ARGS(request->query));
    buffer_printf(out, " 1.%d %s", request->version_minor, request->keep_alive ? "keep" : "close");
    for (uint32_t i = 0; i < request->header_count; i++) {
        struct http_header header = http_request_header_at(request, i);
        buffer_printf(out, " [%.*s:%.*s]", SLICE_ARGS(header.name), SLICE_ARGS(header.value));
    }
    for (unsigned id = 0; id < HTTP_HEADER_COUNT; id++)
        if (slice_present(request->known[id]))
            buffer_printf(out, " %u=%.*s", id, SLICE_ARGS(request->known[id]));
    buffer_printf(out, " body=%.*s\n", SLICE_ARGS(request->body));
}

/* The bytes of a connection, fed in pieces. */
struct feeder {
    struct http_reader reader;
    struct http_request request;
    uint8_t *data;
    size_t len;
    struct buffer log;
    bool stopped;
};

static void feeder_move(struct feeder *feeder, const char *more, size_t more_len) {
    uint8_t *data = malloc(feeder->len + more_len + 1);
    CHECK(data != NULL);
    if (feeder->len > 0)
        memcpy(data, feeder->data, feeder->len);
    if (more_len > 0)
        memcpy(data + feeder->len, more, more_len);
    free(feeder->data);
    feeder->len += more_len;
    feeder->data = realloc(data, feeder->len == 0 ? 1 : feeder->len);
    CHECK(feeder->data != NULL);
}

static void feeder_add(struct feeder *feeder, const char *more, size_t more_len) {
    feeder_move(feeder, more, more_len);
    while (!feeder->stopped && feeder->len > 0) {
        enum http_read_result result =
            http_reader_read(&feeder->reader, feeder->data, &feeder->len);
        if (result == HTTP_READ_MORE)
            return;
        if (result == HTTP_READ_ERROR) {
            buffer_printf(&feeder->log, "error %d\n", feeder->reader.error_status);
            feeder->stopped = true;
            return;
        }
        describe(&feeder->request, &feeder->log);
        feeder->len -= feeder->reader.parsed;
        memmove(feeder->data, feeder->data + feeder->reader.parsed, feeder->len);
        http_reader_init(&feeder->reader, limits, &feeder->request);
    }
}

static void feeder_init(struct feeder *feeder) {
    memset(feeder, 0, sizeof(*feeder));
    buffer_init(&feeder->log, 1 << 20);
    http_reader_init(&feeder->reader, limits, &feeder->request);
}

static void feeder_check(struct feeder *feeder, const char *expected) {
    buffer_append_byte(&feeder->log, 0);
    assert_string_equal((const char *)feeder->log.data, expected);
    buffer_release(&feeder->log);
    free(feeder->data);
}

static void expect_bytes(const char *bytes, size_t len, const char *expected) {
    struct feeder feeder;
    feeder_init(&feeder);
    feeder_add(&feeder, bytes, len);
    feeder_check(&feeder, expected);
    for (size_t cut = 1; cut < len; cut++) {
        feeder_init(&feeder);
        feeder_add(&feeder, bytes, cut);
        feeder_add(&feeder, bytes + cut, len - cut);
        feeder_check(&feeder, expected);
    }
    feeder_init(&feeder);
    for (size_t i = 0; i < len; i++)
        feeder_add(&feeder, bytes + i, 1);
    feeder_check(&feeder, expected);
}

static void expect(const char *bytes, const char *expected) {
    expect_bytes(bytes, strlen(bytes), expected);
}

static void a_plain_request(void **state) {
    (void)state;
    expect("POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\n"
           "Content-Type: application/x-amz-json-1.0\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
           "POST POST path=/ 1.1 keep [Host:h] [X-Amz-Target:DynamoDB_20120810.GetItem] "
           "[Content-Type:application/x-amz-json-1.0] [Content-Length:7] 0=h "
           "6=application/x-amz-json-1.0 7=DynamoDB_20120810.GetItem 9=7 body={\"a\":1}\n");
}

static void headers_are_trimmed_and_match_in_any_case(void **state) {
    (void)state;
    expect("GET /x?a=b&c HTTP/1.1\r\nHOST:  \t h \t\r\nempty:\r\nblank:   \r\nX-AMZ-DATE:d e \r\n"
           "hosts: second\r\nlast:\r\n\r\n",
           "GET GET path=/x query=a=b&c 1.1 keep [HOST:h] [empty:] [blank:] [X-AMZ-DATE:d e] "
           "[hosts:second] [last:] 0=h 5=d e body=\n");
}

static void every_known_header_is_found(void **state) {
    (void)state;
    expect(
        "OPTIONS / HTTP/1.1\r\nhost: 0\r\ndate: 1\r\nexpect: 2\r\norigin: 3\r\nconnection: 4\r\n"
        "x-amz-date: 5\r\ncontent-type: 6\r\nx-amz-target: 7\r\nauthorization: 8\r\n"
        "content-length: 0\r\naccept-encoding: 10\r\nproxy-connection: 11\r\n"
        "content-encoding: 12\r\nx-amz-security-token: 14\r\nx-amz-content-sha256: 15\r\n"
        "access-control-request-method: 16\r\naccess-control-request-headers: 17\r\n\r\n",
        "OPTIONS OPTIONS path=/ 1.1 keep [host:0] [date:1] [expect:2] [origin:3] [connection:4] "
        "[x-amz-date:5] [content-type:6] [x-amz-target:7] [authorization:8] [content-length:0] "
        "[accept-encoding:10] [proxy-connection:11] [content-encoding:12] "
        "[x-amz-security-token:14] [x-amz-content-sha256:15] [access-control-request-method:16] "
        "[access-control-request-headers:17] 0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=0 10=10 11=11 "
        "12=12 14=14 15=15 16=16 17=17 body=\n");
}

/* A plain request: its names are compared by other means than the library's. */
static void names_that_only_look_like_known_ones(void **state) {
    (void)state;
    expect("POST / HTTP/1.1\r\nHOST: 0\r\ndata: a\r\nX-Amz-DatE: 5\r\nX-Amz-Data: b\r\n"
           "AUTHORIZATION: 8\r\nAuthorizatiom: c\r\nCONTENT-LENGTH: 0\r\n"
           "Content-Encoding: 12\r\nContent-Encodinh: d\r\n"
           "X-Amz-Content-SHA256: 15\r\nX-Amz-Content-SHA255: d\r\n"
           "a-name-of-many-bytes.and_others: e\r\n\r\n",
           "POST POST path=/ 1.1 keep [HOST:0] [data:a] [X-Amz-DatE:5] [X-Amz-Data:b] "
           "[AUTHORIZATION:8] [Authorizatiom:c] [CONTENT-LENGTH:0] [Content-Encoding:12] "
           "[Content-Encodinh:d] [X-Amz-Content-SHA256:15] [X-Amz-Content-SHA255:d] "
           "[a-name-of-many-bytes.and_others:e] 0=0 5=5 8=8 9=0 12=12 15=15 "
           "body=\n");
}

static void versions_and_connection_decide_who_stays(void **state) {
    (void)state;
    expect("GET / HTTP/1.0\r\n\r\n", "GET GET path=/ 1.0 close body=\n");
    expect("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
           "GET GET path=/ 1.0 keep [Connection:Keep-Alive] 4=Keep-Alive body=\n");
    expect("GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
           "GET GET path=/ 1.1 close [Host:] [Connection:close] 0= 4=close body=\n");
    expect("GET / HTTP/2.0\r\nHost: h\r\n\r\n", "error 505\n");
    expect("GET / HTTP/3.0\r\nHost: h\r\n\r\n", "error 505\n");
    expect("GET / HTTP/0.9\r\nHost: h\r\n\r\n", "error 505\n");
}

static void other_methods_and_targets(void **state) {
    (void)state;
    expect("HEAD / HTTP/1.0\r\n\r\n", "HEAD HEAD path=/ 1.0 close body=\n");
    expect("DELETE /a/b HTTP/1.0\r\n\r\n", "OTHER DELETE path=/a/b 1.0 close body=\n");
    expect("POST http://host:8000/p?q=1 HTTP/1.0\r\n\r\n",
           "POST POST path=/p query=q=1 1.0 close body=\n");
    expect("POST HTTP://host HTTP/1.0\r\n\r\n", "POST POST path=/ 1.0 close body=\n");
    expect("POST /? HTTP/1.0\r\n\r\n", "POST POST path=/ query= 1.0 close body=\n");
    expect("\r\n\r\nGET / HTTP/1.0\r\n\r\n", "GET GET path=/ 1.0 close body=\n");
}

static void an_upgrade_is_declined_by_answering(void **state) {
    (void)state;
    expect("POST / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
           "Content-Length: 2\r\n\r\nabGET / HTTP/1.0\r\n\r\n",
           "POST POST path=/ 1.1 keep [Host:h] [Connection:Upgrade, HTTP2-Settings] [Upgrade:h2c] "
           "[Content-Length:2] 0=h 4=Upgrade, HTTP2-Settings 9=2 body=ab\n"
           "GET GET path=/ 1.0 close body=\n");
}

static void chunks_are_joined(void **state) {
    (void)state;
    expect("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
           "1\r\na\r\n4;ext=\"x\"\r\nbcde\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"
           "GET / HTTP/1.0\r\n\r\n",
           "POST POST path=/ 1.1 keep [Host:h] [Transfer-Encoding:chunked] 0=h 13=chunked "
           "body=abcde0123456789\n"
           "GET GET path=/ 1.0 close body=\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST POST path=/ 1.1 keep [Host:h] [Transfer-Encoding:chunked] 0=h 13=chunked body=\n");
}

static void pipelined_requests_come_one_by_one(void **state) {
    (void)state;
    expect("POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\none"
           "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n\r\n"
           "POST /3 HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
           "POST POST path=/1 1.1 keep [Host:h] [Content-Length:3] 0=h 9=3 body=one\n"
           "GET GET path=/2 1.1 keep [Host:h] 0=h body=\n"
           "POST POST path=/3 1.1 keep [Host:h] [Content-Length:0] 0=h 9=0 body=\n");
}

static void what_is_no_request_is_refused(void **state) {
    (void)state;
    expect("hello\r\n\r\n", "error 400\n");
    expect("POST /\r\n\r\n", "error 400\n");
    expect("FROB / HTTP/1.1\r\nHost: h\r\n\r\n", "error 400\n");
    expect("GET / HTTP/1.1\r\n\r\n", "error 400\n");
    expect("GET / HTTP/1.1\r\nHost: h\r\nbad header: x\r\n\r\n", "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n", "error 400\n");
    expect("GET / HTTP/1.1\r\nHost: h\r\nfolded: a\r\n b\r\n\r\n", "error 400\n");
    expect("GET / HTTP/1.1\r\nHost: h\r\nx: a\x01z\r\n\r\n", "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\rxab\r\n\r\n", "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1x\r\n\r\n", "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
           "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "error 400\n");
}

/* Of each, one of the two libraries would make a request. */
static void what_only_one_library_takes_is_refused(void **state) {
    (void)state;
    expect("GET / HTTP/1.1\nHost: h\r\n\r\n", "error 400\n");
    expect("GET / HTTP/1.1\r\nHost: h\n\r\n", "error 400\n");
    expect("GET / HTTP/1.1\r\nHost: h\r\n\n", "error 400\n");
    expect("GET / HTTP/1.1\r\nHost: h\r\nx: \ry: z\r\n\r\n", "error 400\n");
    expect("GET / HTTP/1.1\r\nHost: \x0bh\r\n\r\n", "error 400\n");
    expect("GET /\t HTTP/1.1\r\nHost: h\r\n\r\n", "error 400\n");
    expect("GET /\xc3\xa9 HTTP/1.1\r\nHost: h\r\n\r\n", "error 400\n");
    expect("GET / RTSP/1.0\r\n\r\n", "error 400\n");
    expect("GET / HTTQ/1.0\r\n\r\n", "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\r\n\r\n", "error 400\n");
}

/* The fast reader of whole requests and the library must agree. */
static void targets_with_a_blank_or_a_hash(void **state) {
    (void)state;
    static const struct {
        const char *target;
        const char *path; /* NULL: refused */
    } cases[] = {
        {"/ ", "/"},    {"/x ", "/x"},  {"/x  ", "/x"},   {"/#", "/#"},
        {"/x#", "/x#"}, {"/#x", "/#x"}, {"/a#b", "/a#b"}, {"/# ", "/#"},
        {"/ #", NULL},  {"/ x", NULL},  {"/a b", NULL},   {"# ", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char bytes[128], expected[128];
        snprintf(bytes, sizeof(bytes), "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx",
                 cases[i].target);
        if (cases[i].path == NULL)
            snprintf(expected, sizeof(expected), "error 400\n");
        else
            snprintf(expected, sizeof(expected),
                     "POST POST path=%s 1.1 keep [Host:h] [Content-Length:1] 0=h 9=1 body=x\n",
                     cases[i].path);
        expect(bytes, expected);
    }
}

/* Two framings in one request are how requests are smuggled past a proxy. */
static void two_lengths_are_refused(void **state) {
    (void)state;
    expect("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
           "0\r\n\r\n",
           "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity, gzip\r\n\r\n0\r\n\r\n",
           "error 400\n");
}

/* To one server on the way they mean this, to another that. */
static void what_is_ambiguous_is_refused(void **state) {
    (void)state;
    expect("GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nhost: b\r\n\r\nx", "error 400\n");
    expect("POST / HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\nContent-Length: 1\r\n"
           "AUTHORIZATION: b\r\n\r\nx",
           "error 400\n");
    expect("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "error 400\n");
}

static void chunks_end_as_they_must(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "1\r\nabc0\r\n\r\n",
        "1\r\na\n0\r\n\r\n",
        "1\r\na\rx0\r\n\r\n",
        "1\na\r\n0\r\n\r\n",
        "1\rxa\r\n0\r\n\r\n",
        "1x\r\na\r\n0\r\n\r\n",
        "\r\n0\r\n\r\n",
        "0\r\n\rx",
        "0\r\n\n\r\n\r\n",
        "0\r\na: b\n\r\n",
        "1;\x01\r\na\r\n0\r\n\r\n",
        "0000000000000001\r\na\r\n0\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char bytes[256];
        snprintf(bytes, sizeof(bytes),
                 "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%s", wrong[i]);
        expect(bytes, "error 400\n");
    }
}

static void bodies_stop_at_their_limit(void **state) {
    (void)state;
    char bytes[512], text[65];
    memset(text, 'x', 64);
    text[64] = '\0';
    snprintf(bytes, sizeof(bytes), "POST / HTTP/1.0\r\nContent-Length: 64\r\n\r\n%s", text);
    char expected[512];
    snprintf(expected, sizeof(expected),
             "POST POST path=/ 1.0 close [Content-Length:64] 9=64 body=%s\n", text);
    expect(bytes, expected);
    expect("POST / HTTP/1.0\r\nContent-Length: 65\r\n\r\n", "error 413\n");
    expect("POST / HTTP/1.0\r\nContent-Length: 99999999999999999\r\n\r\n", "error 413\n");
    snprintf(
        bytes, sizeof(bytes),
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n%s\r\n1\r\nx\r\n"
        "0\r\n\r\n",
        text);
    expect(bytes, "error 413\n");
}

/* Feeds `prefix`, then `piece` again and again, up to `bytes` in all. */
static void expect_refused_while_it_goes_on(const char *prefix, const char *piece, size_t bytes,
                                            int status) {
    struct feeder feeder;
    feeder_init(&feeder);
    feeder_add(&feeder, prefix, strlen(prefix));
    for (size_t sent = 0; sent < bytes && !feeder.stopped; sent += strlen(piece))
        feeder_add(&feeder, piece, strlen(piece));
    char expected[32];
    snprintf(expected, sizeof(expected), "error %d\n", status);
    feeder_check(&feeder, expected);
}

static void heads_stop_at_their_limit(void **state) {
    (void)state;
    expect_refused_while_it_goes_on("GET /", "aaaaaaaa", 1100, 400);
    expect_refused_while_it_goes_on("GET / HTTP/1.1\r\nx: ", "aaaaaaaa", 1100, 400);
    expect_refused_while_it_goes_on("GET / HTTP/1.1\r\n", "a:b\r\n", 1100, 400);
    expect_refused_while_it_goes_on("", "\r\n\r\n\r\n", 1100, 400);
    const char *chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;e";
    expect_refused_while_it_goes_on(chunked, "xtension", 1100, 400);
    chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    expect_refused_while_it_goes_on(chunked, "trailer: 1\r\n", 1100, 400);
}

static void a_head_of_exactly_the_limit_passes(void **state) {
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        char bytes[1100] = "GET / HTTP/1.0\r\nx: ";
        size_t at = strlen(bytes), end = 1024 + over - 4;
        memset(bytes + at, 'y', end - at);
        memcpy(bytes + end, "\r\n\r\n", 5);
        struct feeder feeder;
        feeder_init(&feeder);
        feeder_add(&feeder, bytes, strlen(bytes));
        assert_int_equal(feeder.reader.error_status, over == 0 ? 0 : 400);
        assert_int_equal(feeder.log.len > 100, over == 0);
        buffer_release(&feeder.log);
        free(feeder.data);
    }
}

static void headers_stop_at_their_number(void **state) {
    (void)state;
    for (int count = HTTP_HEADERS_MAX; count <= HTTP_HEADERS_MAX + 1; count++) {
        struct feeder feeder;
        feeder_init(&feeder);
        feeder_add(&feeder, "GET / HTTP/1.0\r\n", 16);
        for (int i = 0; i < count; i++)
            feeder_add(&feeder, "a:b\r\n", 5);
        feeder_add(&feeder, "\r\n", 2);
        assert_int_equal(feeder.reader.error_status, count > HTTP_HEADERS_MAX ? 400 : 0);
        buffer_release(&feeder.log);
        free(feeder.data);
    }
}

/* A chunked body needs no more room than the body, however small the chunks. */
static void small_chunks_take_no_extra_room(void **state) {
    (void)state;
    struct feeder feeder;
    feeder_init(&feeder);
    const char *head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    feeder_add(&feeder, head, strlen(head));
    for (int i = 0; i < 64; i++)
        feeder_add(&feeder, "1\r\nx\r\n", 6);
    assert_int_equal(feeder.len, strlen(head) + 64);
    buffer_release(&feeder.log);
    free(feeder.data);
}

static void expectations_are_noticed_when_the_head_is_there(void **state) {
    (void)state;
    struct feeder feeder;
    feeder_init(&feeder);
    const char *head =
        "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n";
    feeder_add(&feeder, head, strlen(head) - 1);
    assert_false(feeder.reader.head_complete);
    feeder_add(&feeder, "\n", 1);
    assert_true(feeder.reader.head_complete);
    assert_true(feeder.reader.expects_continue);
    assert_int_equal(feeder.reader.head_len, strlen(head));
    assert_int_equal(feeder.reader.content_length, 2);
    buffer_release(&feeder.log);
    free(feeder.data);
}

static struct http_request parse_one(const char *bytes, uint8_t **ret_data) {
    static struct http_request request;
    struct http_reader reader;
    size_t len = strlen(bytes);
    *ret_data = (uint8_t *)strdup(bytes);
    http_reader_init(&reader, limits, &request);
    assert_int_equal(http_reader_read(&reader, *ret_data, &len), HTTP_READ_COMPLETE);
    return request;
}

static void headers_and_parameters(void **state) {
    (void)state;
    uint8_t *data;
    struct http_request request =
        parse_one("GET /?a=1&b&X-Amz-Algorithm=AWS4%2B&a=2 HTTP/1.0\r\nFoo: bar\r\n\r\n", &data);
    assert_int_equal(request.header_count, 1);
    assert_true(slice_is(http_request_header_at(&request, 0).name, "Foo"));
    assert_true(slice_is(http_request_header_at(&request, 0).value, "bar"));
    assert_true(slice_is(http_request_query(&request, SLICE_LITERAL("a")), "1"));
    assert_true(slice_present(http_request_query(&request, SLICE_LITERAL("b"))));
    assert_int_equal(http_request_query(&request, SLICE_LITERAL("b")).len, 0);
    assert_true(
        slice_is(http_request_query(&request, SLICE_LITERAL("X-Amz-Algorithm")), "AWS4%2B"));
    assert_false(slice_present(http_request_query(&request, SLICE_LITERAL("c"))));
    free(data);
}

/* What the service was seen to choose. */
static void replies_are_packed_as_the_client_likes(void **state) {
    (void)state;
    static const struct {
        const char *value;
        enum http_coding coding;
    } cases[] = {
        {"gzip", HTTP_CODING_GZIP},
        {"deflate", HTTP_CODING_DEFLATE},
        {"", HTTP_CODING_NONE},
        {"identity", HTTP_CODING_NONE},
        {"br", HTTP_CODING_NONE},
        {"x-gzip", HTTP_CODING_NONE},
        {"gzipped", HTTP_CODING_NONE},
        /* the first of several */
        {"gzip, deflate", HTTP_CODING_GZIP},
        {"br, identity, deflate, gzip", HTTP_CODING_DEFLATE},
        {"GZIP, identity", HTTP_CODING_GZIP},
        {"dog, gzip ,, cat", HTTP_CODING_GZIP},
        /* the highest q */
        {"gzip;q=0.8, deflate;q=0.5", HTTP_CODING_GZIP},
        {"deflate;q=0.5, gzip;q=0.2", HTTP_CODING_DEFLATE},
        {"deflate;q=0.2, gzip;q=0.21", HTTP_CODING_GZIP},
        {"br, gzip;q=0, deflate; q = 0.5 , identity;q=0", HTTP_CODING_DEFLATE},
        {"gzip;q=0, gzip;q=1, gzip;q=0", HTTP_CODING_GZIP},
        {"br,identity;q=0.5,gzip;q=0.0001", HTTP_CODING_GZIP},
        {"gzip;q=0.5,identity;q=0.8", HTTP_CODING_GZIP},
        {"gzip ;q=0", HTTP_CODING_NONE},
        {"gzip; q=0.00 , br", HTTP_CODING_NONE},
        {"identity;q=0", HTTP_CODING_NONE},
        /* "*" */
        {"*", HTTP_CODING_GZIP},
        {"*, deflate", HTTP_CODING_DEFLATE},
        {"*, deflate;q=0.5", HTTP_CODING_GZIP},
        {"*, gzip;q=0.5", HTTP_CODING_DEFLATE},
        {"*, gzip;q=0, deflate;q=0", HTTP_CODING_NONE},
        {"*, identity", HTTP_CODING_GZIP},
        {"*;q=0.5,identity", HTTP_CODING_GZIP},
        {"*;q=0", HTTP_CODING_NONE},
        {"br;q=0.8,identity;q=0.5,*;q=0", HTTP_CODING_NONE},
        /* what is not as the standard has it */
        {"\"gzip\"", HTTP_CODING_NONE},
        {"gzip br", HTTP_CODING_NONE},
        {"gzip:q=1", HTTP_CODING_NONE},
        {"deflate;q=0.5, gzip;q=31", HTTP_CODING_GZIP},
        {"gzip;q=31,deflate;q=51", HTTP_CODING_GZIP},
        {"deflate;q=0.5, gzip;q=1;q=0.2", HTTP_CODING_GZIP},
        {"deflate;q=0.5,gzip;q=0.", HTTP_CODING_DEFLATE},
        {"deflate;q=0.5,gzip;q=0.x", HTTP_CODING_GZIP},
        {"deflate;q=0.5,gzip;q=0. x", HTTP_CODING_GZIP},
        {"deflate;q=-0.5,gzip;q=0.2", HTTP_CODING_GZIP},
        {"gzip;q= 0;q=1", HTTP_CODING_NONE},
        {"gzip;q =0;q=1", HTTP_CODING_GZIP},
        {"gzip; q=0;q=1", HTTP_CODING_NONE},
        {"gzip;nq=0;q=1", HTTP_CODING_NONE},
        {"gzip;nq=1;q=0", HTTP_CODING_NONE},
        {"gzip;", HTTP_CODING_GZIP},
        {"gzip;q", HTTP_CODING_GZIP},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char bytes[128];
        uint8_t *data;
        snprintf(bytes, sizeof(bytes), "GET / HTTP/1.0\r\nAccept-Encoding: %s\r\n\r\n",
                 cases[i].value);
        struct http_request request = parse_one(bytes, &data);
        if (http_request_accepted_coding(&request) != cases[i].coding)
            fail_msg("Accept-Encoding: %s", cases[i].value);
        free(data);
    }
}

/* ---- the short way ---- */

#define PLAIN_LINE "POST / HTTP/1.1\r\n"
#define PLAIN_HEADERS "Host: h\r\nContent-Length: 2\r\n"

static bool takes_short_way(const char *text) {
    struct http_request request;
    struct http_reader reader;
    http_reader_init(&reader, (struct http_reader_limits){1024, 1024}, &request);
    reader.data = (uint8_t *)(uintptr_t)text;
    reader.len = strlen(text);
    bool taken = http_head_read(&reader);
    assert_int_equal(taken, reader.complete);
    assert_int_equal(taken ? strlen(text) : 0, reader.parsed);
    return taken;
}

static void plain_requests_need_no_library(void **state) {
    (void)state;
    assert_true(takes_short_way(PLAIN_LINE PLAIN_HEADERS "\r\n{}"));
    assert_true(takes_short_way("POST /a?b=c HTTP/1.1\r\n" PLAIN_HEADERS "\r\n{}"));
    assert_true(takes_short_way(PLAIN_LINE PLAIN_HEADERS "Connection: Keep-Alive\r\n\r\n{}"));
    assert_true(takes_short_way(PLAIN_LINE PLAIN_HEADERS "X-Empty:\r\nA:   b c  \r\n\r\n{}"));
}

static void what_is_not_plain_is_left_to_the_library(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "POST / HTTP/1.1",
        PLAIN_LINE PLAIN_HEADERS "\r\n{",  /* not all here */
        PLAIN_LINE PLAIN_HEADERS "\r\r{}", /* a wrong end */
        "GET / HTTP/1.1\r\n" PLAIN_HEADERS "\r\n{}",
        "POST / HTTP/1.0\r\n" PLAIN_HEADERS "\r\n{}",
        "POST /\x01 HTTP/1.1\r\n" PLAIN_HEADERS "\r\n{}",
        "POST / / HTTP/1.1\r\n" PLAIN_HEADERS "\r\n{}",
        "POST http://h/ HTTP/1.1\r\n" PLAIN_HEADERS "\r\n{}",
        PLAIN_LINE "Content-Length: 2\r\n\r\n{}",
        PLAIN_LINE "Host: h\r\n\r\n",
        PLAIN_LINE PLAIN_HEADERS "Content-Length: 2\r\n\r\n{}",
        PLAIN_LINE "Host: h\r\nContent-Length: +2\r\n\r\n{}",
        PLAIN_LINE "Host: h\r\nContent-Length: 00000000002\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "Connection: close\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "Proxy-Connection: keep-alive\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "Transfer-Encoding: identity\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "Expect: 100-continue\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "A : b\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "A: b\r\n c\r\n\r\n{}", /* a folded line */
        PLAIN_LINE PLAIN_HEADERS "A: b\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "A: \x7f\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "A: \xc3\xa9\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "A: \xff\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS ": b\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "A\r\nB: c\r\n\r\n{}",
        PLAIN_LINE PLAIN_HEADERS "a-name-of-many-bytes(and others): b\r\n\r\n{}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(takes_short_way(texts[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_request),
        cmocka_unit_test(headers_are_trimmed_and_match_in_any_case),
        cmocka_unit_test(every_known_header_is_found),
        cmocka_unit_test(names_that_only_look_like_known_ones),
        cmocka_unit_test(versions_and_connection_decide_who_stays),
        cmocka_unit_test(other_methods_and_targets),
        cmocka_unit_test(an_upgrade_is_declined_by_answering),
        cmocka_unit_test(chunks_are_joined),
        cmocka_unit_test(pipelined_requests_come_one_by_one),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(what_only_one_library_takes_is_refused),
        cmocka_unit_test(targets_with_a_blank_or_a_hash),
        cmocka_unit_test(two_lengths_are_refused),
        cmocka_unit_test(what_is_ambiguous_is_refused),
        cmocka_unit_test(chunks_end_as_they_must),
        cmocka_unit_test(bodies_stop_at_their_limit),
        cmocka_unit_test(heads_stop_at_their_limit),
        cmocka_unit_test(a_head_of_exactly_the_limit_passes),
        cmocka_unit_test(headers_stop_at_their_number),
        cmocka_unit_test(small_chunks_take_no_extra_room),
        cmocka_unit_test(expectations_are_noticed_when_the_head_is_there),
        cmocka_unit_test(headers_and_parameters),
        cmocka_unit_test(replies_are_packed_as_the_client_likes),
        cmocka_unit_test(plain_requests_need_no_library),
        cmocka_unit_test(what_is_not_plain_is_left_to_the_library),
    };
    return cmocka_run_group_tests_name("http_reader", tests, NULL, NULL);
}
