/* test_base.c - buffer, SipHash, randomness and the error type. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/container.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/random.h"
#include "base/secret.h"
#include "base/siphash.h"

static void buffer_stops_at_its_maximum(void **state) {
    (void)state;
    struct buffer buffer;
    buffer_init(&buffer, 10);
    buffer_append_text(&buffer, "12345678");
    assert_false(buffer.overflow);
    buffer_append_text(&buffer, "abc");
    assert_true(buffer.overflow);
    assert_int_equal(buffer.len, 8);
    buffer_append_text(&buffer, "9");
    buffer_reset(&buffer);
    buffer_append_text(&buffer, "1234567890");
    assert_false(buffer.overflow);
    buffer_release(&buffer);
}

/* From the reference implementation: key 00..0f, input of i bytes 00, 01, ... */
static void siphash_matches_the_reference(void **state) {
    (void)state;
    static const struct {
        size_t len;
        uint8_t hash[SIPHASH_BYTES];
    } vectors[] = {
        {0,
         {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02,
          0x93}},
        {1,
         {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc,
          0x45}},
        {2,
         {0x81, 0x77, 0x22, 0x8d, 0xa4, 0xa4, 0x5d, 0xc7, 0xfc, 0xa3, 0x8b, 0xde, 0xf6, 0x0a, 0xff,
          0xe4}},
        {8,
         {0x3b, 0x62, 0xa9, 0xba, 0x62, 0x58, 0xf5, 0x61, 0x0f, 0x83, 0xe2, 0x64, 0xf3, 0x14, 0x97,
          0xb4}},
        {17,
         {0x47, 0x3d, 0x06, 0xe8, 0x73, 0x8d, 0xb8, 0x98, 0x54, 0xc0, 0x66, 0xc4, 0x7a, 0xe4, 0x77,
          0x40}},
        {63,
         {0x51, 0x50, 0xd1, 0x77, 0x2f, 0x50, 0x83, 0x4a, 0x50, 0x3e, 0x06, 0x9a, 0x97, 0x3f, 0xbd,
          0x7c}},
    };
    uint8_t key[16], input[64], hash[SIPHASH_BYTES];
    for (uint8_t i = 0; i < 64; i++)
        input[i] = i;
    memcpy(key, input, sizeof(key));
    for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
        siphash128(key, slice_of(input, vectors[i].len), hash);
        assert_memory_equal(hash, vectors[i].hash, SIPHASH_BYTES);
    }
}

static void varints_round_trip_and_refuse_what_is_cut(void **state) {
    (void)state;
    static const uint32_t numbers[] = {0, 1, 127, 128, 300, 16383, 16384, 1u << 28, UINT32_MAX};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        uint8_t bytes[VARINT_BYTES_MAX];
        size_t len = varint_encode(bytes, numbers[i]);
        uint32_t n = 7;
        assert_int_equal(varint_decode(bytes, &n), len);
        assert_int_equal(n, numbers[i]);
        assert_int_equal(varint_decode_checked(bytes, len, &n), len);
        assert_int_equal(varint_decode_checked(bytes, len - 1, &n), 0);
    }
    uint32_t n;
    static const uint8_t too_big[] = {0xff, 0xff, 0xff, 0xff, 0x7f};
    assert_int_equal(varint_decode_checked(too_big, 5, &n), 0);
}

/* Every byte at every place of a group of four, and what is left over. */
static void bytes_are_printed_as_hex(void **state) {
    (void)state;
    for (unsigned n = 0; n < 256; n++) {
        const uint8_t bytes[6] = {(uint8_t)n, 0xff, (uint8_t)(n ^ 0x5a), 0, (uint8_t)n, 0x0a};
        char got[13] = {0}, wanted[13];
        hex_print(bytes, sizeof(bytes), got);
        snprintf(wanted, sizeof(wanted), "%02x%02x%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2],
                 bytes[3], bytes[4], bytes[5]);
        assert_string_equal(got, wanted);
    }
}

static void secrets_are_compared_whole(void **state) {
    (void)state;
    uint8_t a[40], b[40];
    memset(a, 7, sizeof(a));
    memset(b, 7, sizeof(b));
    assert_true(secret_equal(slice_of(a, 40), slice_of(b, 40)));
    assert_false(secret_equal(slice_of(a, 40), slice_of(b, 39)));
    for (size_t i = 0; i < sizeof(b); i++) {
        b[i] ^= (uint8_t)(1 << i % 8);
        assert_false(secret_equal(slice_of(a, 40), slice_of(b, 40)));
        b[i] = 7;
    }
}

static void error_carries_its_row(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct error *error = error_request(&arena, PVI "%d", 7);
    assert_true(error->request_level);
    assert_true(slice_is(error->message, "One or more parameter values were invalid: 7"));
    assert_string_equal(error_kind(error->code)->type, "ValidationException");
    assert_int_equal(error_kind(ERROR_INTERNAL_SERVER_ERROR)->http_status, 500);
    arena_release(&arena);
}

/* A client hears that something failed, not what this machine said about it. */
static void local_failures_stay_here(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct error *local = error_local(&arena, "cannot open %s", "/data");
    assert_int_equal(local->code, ERROR_LOCAL);
    assert_true(slice_is(local->message, "cannot open /data"));
    const struct error *told = error_for_client(&arena, local);
    assert_string_equal(error_kind(told->code)->type, "InternalServerError");
    assert_int_equal(error_kind(told->code)->http_status, 500);
    assert_true(slice_is(told->message, "Internal server error"));
    struct error *other = error_validation(&arena, "no");
    assert_ptr_equal(error_for_client(&arena, other), other);
    arena_release(&arena);
}

static void the_machine_has_memory(void **state) {
    (void)state;
    uint64_t physical = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t bytes = machine_memory_bytes();
    assert_true(bytes >= (uint64_t)16 << 20); /* or this test would not run */
    assert_true(bytes <= physical);
}

struct given_random {
    struct random random;
    uint64_t bits;
};

static void give(const struct random *random, void *bytes, size_t size) {
    assert_int_equal(size, sizeof(uint64_t));
    memcpy(bytes, &container_of(random, const struct given_random, random)->bits, size);
}

static void random_numbers_span_their_range(void **state) {
    (void)state;
    struct given_random given = {{give}, 0};
    assert_true(random_below(&given.random, 10) == 0);
    given.bits = UINT64_MAX;
    assert_true(random_below(&given.random, 10) == 9);
    assert_true(random_below(&given.random, UINT64_MAX) == UINT64_MAX - 1);
    given.bits = UINT64_MAX / 2;
    assert_true(random_below(&given.random, 10) == 4);
    assert_true(random_below(&given.random, 1) == 0);
}

/* ---- slices ---- */

/* As compilers may not: the bounds are known only when it runs. */
static volatile size_t bound;

static void skip_too_much(struct slice text) {
    slice_skip(text, bound);
}

static void take_too_much(struct slice text) {
    slice_first(text, bound);
}

static void take_a_part_too_much(struct slice text) {
    slice_part(text, 2, bound - 2);
}

/* The signal that ends a child which does this; 0 when it survives. */
static int signal_after(void (*act)(struct slice text), size_t number) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        close(STDERR_FILENO);
        bound = number;
        act(SLICE_LITERAL("abc"));
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void no_part_of_a_slice_leads_out_of_it(void **state) {
    (void)state;
    static void (*const acts[])(struct slice text) = {skip_too_much, take_too_much,
                                                      take_a_part_too_much};
    for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
        assert_int_equal(signal_after(acts[i], 3), 0);
        assert_int_equal(signal_after(acts[i], 4), SIGABRT);
        assert_int_equal(signal_after(acts[i], SIZE_MAX), SIGABRT);
    }
    assert_true(slice_is(slice_part(SLICE_LITERAL("abc"), 1, 1), "b"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffer_stops_at_its_maximum),
        cmocka_unit_test(no_part_of_a_slice_leads_out_of_it),
        cmocka_unit_test(siphash_matches_the_reference),
        cmocka_unit_test(random_numbers_span_their_range),
        cmocka_unit_test(varints_round_trip_and_refuse_what_is_cut),
        cmocka_unit_test(bytes_are_printed_as_hex),
        cmocka_unit_test(secrets_are_compared_whole),
        cmocka_unit_test(error_carries_its_row),
        cmocka_unit_test(local_failures_stay_here),
        cmocka_unit_test(the_machine_has_memory),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
