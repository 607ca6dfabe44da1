/* test_request.c - texts with places become requests, and the places are filled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/request.h"

static const struct credentials nobody = {"id", "secret", NULL, "us-east-1", NULL};

struct built {
    struct arena arena;
    struct key_space keys;
    struct filler filler;
    struct key_state state;
    struct request *request;
};

static struct error *build(struct built *built, enum key_order order, const char *body) {
    arena_init(&built->arena);
    key_space_init(&built->keys, order, 1000);
    built->filler = (struct filler){.keys = &built->keys,
                                    .random = bench_random_seeded(1),
                                    .pool = payload_pool_new(&built->arena, 2),
                                    .payload_bytes = 5,
                                    .group = 100};
    built->state = (struct key_state){0};
    struct request_settings settings = {
        .host = "h", .credentials = &nobody, .payload_bytes = 5, .group = 100};
    struct request_text text = {"PutItem", body};
    return request_build(&built->arena, &text, &settings, &built->request);
}

static void fill(struct built *built) {
    request_fill(built->request, &built->filler, &built->state);
}

static const char *body_of(const struct built *built) {
    return (const char *)arena_printf(&((struct built *)(uintptr_t)built)->arena, "%.*s",
                                      (int)(built->request->len - built->request->head_len),
                                      built->request->bytes + built->request->head_len)
        .data;
}

static void the_head_tells_the_length(void **state) {
    (void)state;
    struct built built;
    assert_null(build(&built, KEYS_SEQUENTIAL, "{\"k\":\"%n\",\"p\":\"%p\"}"));
    const char *head = (const char *)arena_printf(
                           &built.arena, "%.*s", (int)built.request->head_len, built.request->bytes)
                           .data;
    assert_non_null(strstr(head, "POST / HTTP/1.1\r\nHost: h\r\n"));
    assert_non_null(strstr(head, "\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\n"));
    assert_non_null(strstr(head, "\r\nContent-Length: 28\r\n"));
    assert_string_equal(head + strlen(head) - 4, "\r\n\r\n");
    assert_int_equal(built.request->len - built.request->head_len, 28);
    arena_release(&built.arena);
}

static void places_are_filled(void **state) {
    (void)state;
    struct built built;
    assert_null(build(&built, KEYS_SEQUENTIAL, "%n %k %g %s %k %n %h %i %k%%"));
    assert_int_equal(built.request->turns, 3);
    built.state.turn = 1;
    fill(&built);
    uint64_t a = key_at_turn(&built.keys, 1), b = key_at_turn(&built.keys, 2),
             c = key_at_turn(&built.keys, 3), next = (a + 1) % 1000;
    char expected[200];
    snprintf(expected, sizeof(expected), "%08u %08u %08u %08u %08u %08u %08u 00001000 00001000%%",
             (unsigned)a, (unsigned)a, (unsigned)a / 100, (unsigned)next, (unsigned)next,
             (unsigned)b, (unsigned)c / 100);
    assert_string_equal(body_of(&built), expected);
    assert_int_equal(built.state.key, 1000);
    arena_release(&built.arena);
}

static void payloads_and_limits_vary(void **state) {
    (void)state;
    struct built built;
    assert_null(build(&built, KEYS_UNIFORM, "%p|%l|"));
    bool limits[101] = {false};
    char last[6] = "";
    int seen = 0, same = 0;
    for (int i = 0; i < 5000; i++) {
        unsigned limit;
        char payload[6], bar;
        fill(&built);
        assert_int_equal(sscanf(body_of(&built), "%5[A-Za-z0-9+-]|%u %c", payload, &limit, &bar),
                         3);
        assert_true(limit >= 1 && limit <= 100 && bar == '|');
        limits[limit] = true;
        same += strcmp(payload, last) == 0;
        strcpy(last, payload);
    }
    for (int i = 1; i <= 100; i++)
        seen += limits[i];
    assert_int_equal(seen, 100);
    assert_true(same < 3);
    arena_release(&built.arena);
}

static void wrong_places_are_refused(void **state) {
    (void)state;
    static const char *const bodies[] = {"%x", "100 %", "a%", "%N"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct built built;
        struct error *error = build(&built, KEYS_UNIFORM, bodies[i]);
        assert_non_null(error);
        assert_non_null(memmem(error->message.data, error->message.len, "no place", 8));
        arena_release(&built.arena);
    }
}

static void there_is_a_limit_to_places(void **state) {
    (void)state;
    struct built built;
    char body[2 * (REQUEST_PLACES_MAX + 1) + 1] = "";
    for (size_t i = 0; i <= REQUEST_PLACES_MAX; i++)
        memcpy(body + 2 * i, "%n", 3);
    struct error *error = build(&built, KEYS_UNIFORM, body);
    assert_non_null(error);
    assert_true(slice_is(error->message, "the body has more than 1024 places"));
    arena_release(&built.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_tells_the_length),  cmocka_unit_test(places_are_filled),
        cmocka_unit_test(payloads_and_limits_vary),   cmocka_unit_test(wrong_places_are_refused),
        cmocka_unit_test(there_is_a_limit_to_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
