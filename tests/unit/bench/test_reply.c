/* test_reply.c - replies whole, and split at every byte; and what must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/reply.h"

struct reply_case {
    const char *text;
    int status;
    bool keep_alive;
    const char *body;
};

static const struct reply_case good[] = {
    {"HTTP/1.1 200 OK\r\nServer: Server\r\nContent-Length: 2\r\nx-amzn-RequestId: A\r\n\r\n{}", 200,
     true, "{}"},
    {"HTTP/1.1 400 Bad Request\r\ncontent-length:3 \r\nConnection: close\r\n\r\nabc", 400, false,
     "abc"},
    {"HTTP/1.1 503 \r\nCONTENT-LENGTH: 0\r\n\r\n", 503, true, ""},
    {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, false, "x"},
    {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx", 200, true, "x"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n,\r\n0\r\n\r\n", 200,
     true, "hello,"},
    {"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\nConnection: close\r\n\r\n00a;x=y\r\n"
     "0123456789\r\nA\r\nabcdefghij\r\n0\r\n\r\n",
     200, false, "0123456789abcdefghij"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, true, ""},
};

static void assert_read(const struct reply_case *wanted, const struct reply *reply,
                        const char *data, size_t len) {
    assert_int_equal(reply->status, wanted->status);
    assert_int_equal(reply->keep_alive, wanted->keep_alive);
    assert_int_equal(reply->body_len, strlen(wanted->body));
    assert_memory_equal(data + reply->head_len, wanted->body, reply->body_len);
    assert_int_equal(len, reply->head_len + reply->body_len);
}

static void replies_split_at_every_byte(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof(good) / sizeof(good[0]); c++) {
        size_t whole = strlen(good[c].text);
        for (size_t first = 1; first <= whole; first++) {
            struct reply reply;
            char data[400];
            size_t len = first;
            memcpy(data, good[c].text, first);
            reply_init(&reply);
            enum reply_result result = reply_read(&reply, data, &len);
            assert_int_equal(result, first == whole ? REPLY_COMPLETE : REPLY_MORE);
            memcpy(data + len, good[c].text + first, whole - first);
            len += whole - first;
            if (first < whole)
                result = reply_read(&reply, data, &len);
            assert_int_equal(result, REPLY_COMPLETE);
            assert_read(&good[c], &reply, data, len);
        }
    }
}

static void replies_byte_by_byte(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof(good) / sizeof(good[0]); c++) {
        struct reply reply;
        char data[400];
        size_t len = 0, whole = strlen(good[c].text);
        reply_init(&reply);
        for (size_t i = 0; i < whole; i++) {
            data[len++] = good[c].text[i];
            enum reply_result result = reply_read(&reply, data, &len);
            assert_int_equal(result, i + 1 == whole ? REPLY_COMPLETE : REPLY_MORE);
        }
        assert_read(&good[c], &reply, data, len);
    }
}

static void what_is_no_reply_is_refused(void **state) {
    (void)state;
    static const char *const cases[] = {
        "SSH-2.0-OpenSSH_9\r\n\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 33554433\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n123456789\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7ffffff\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct reply reply;
        char data[400];
        size_t len = strlen(cases[i]);
        memcpy(data, cases[i], len);
        reply_init(&reply);
        assert_int_equal(reply_read(&reply, data, &len), REPLY_BROKEN);
        assert_non_null(reply.fault);
    }
}

static void a_head_without_an_end_is_refused(void **state) {
    (void)state;
    struct reply reply;
    size_t len = REPLY_HEAD_MAX - 1;
    char *data = malloc(REPLY_HEAD_MAX);
    memset(data, 'x', REPLY_HEAD_MAX);
    reply_init(&reply);
    assert_int_equal(reply_read(&reply, data, &len), REPLY_MORE);
    len++;
    assert_int_equal(reply_read(&reply, data, &len), REPLY_BROKEN);
    free(data);
}

static void errors_tell_their_type(void **state) {
    (void)state;
    static const struct {
        const char *body, *type, *message;
    } cases[] = {
        {"{\"__type\":\"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException\","
         "\"message\":\"Requested resource not found\"}",
         "ResourceNotFoundException", "Requested resource not found"},
        {"{\"Message\":\"no\",\"more\":[{\"a\":1}],\"__type\":\"Throttling\"}", "Throttling", "no"},
        {"{\"__type\":\"a#B\"}", "B", NULL},
        {"{\"__type\":7}", NULL, NULL},
        {"<html>", NULL, NULL},
        {"", NULL, NULL},
        {"{\"__type\":\"a#B\",", "B", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena arena;
        arena_init(&arena);
        struct reply_error error = reply_read_error(slice_text(cases[i].body), &arena);
        assert_int_equal(slice_present(error.type), cases[i].type != NULL);
        assert_int_equal(slice_present(error.message), cases[i].message != NULL);
        if (cases[i].type != NULL)
            assert_true(slice_is(error.type, cases[i].type));
        if (cases[i].message != NULL)
            assert_true(slice_is(error.message, cases[i].message));
        arena_release(&arena);
    }
}

static void unprocessed_parts_are_noticed(void **state) {
    (void)state;
    static const struct {
        const char *body;
        bool unprocessed;
    } cases[] = {
        {"{}", false},
        {"{\"UnprocessedItems\":{}}", false},
        {"{\"UnprocessedKeys\": { }, \"Responses\":{}}", false},
        {"{\"Responses\":{},\"UnprocessedKeys\":{\"t\":{\"Keys\":[]}}}", true},
        {"{\"UnprocessedItems\" : {\"t\":[]}}", true},
        {"{\"UnprocessedItems\":{", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(reply_has_unprocessed(slice_text(cases[i].body)), cases[i].unprocessed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_split_at_every_byte),
        cmocka_unit_test(replies_byte_by_byte),
        cmocka_unit_test(what_is_no_reply_is_refused),
        cmocka_unit_test(a_head_without_an_end_is_refused),
        cmocka_unit_test(errors_tell_their_type),
        cmocka_unit_test(unprocessed_parts_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
