/* test_certificate.c - names that a certificate may have, and who may sign one. What clients make
 * of them is in test_tls.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "crypto/certificate.h"

static void test_names(void **state) {
    (void)state;
    static const char *const good[] = {"localhost", "a.b", "*.a.b", "under_score",
                                       "10.0.0.1",  "::1", "A-1",   "x"};
    static const char *const bad[] = {"",  ".",  "a..b", ".a", "a.",  "a,DNS:b", "a b",
                                      "*", "*a", "a:b",  "é",  "a/b", "a\nb",    "IP:1"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(certificate_is_name(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(certificate_is_name(bad[i]));
    char label[65];
    memset(label, 'a', 64);
    label[64] = '\0';
    assert_false(certificate_is_name(label));
    label[63] = '\0';
    assert_true(certificate_is_name(label));
}

static void test_issuers(void **state) {
    (void)state;
    struct arena arena;
    struct certificate_pem one, other, client;
    struct certificate_wish wish = {.use = CERTIFICATE_AUTHORITY, .subject = "ca", .days = 1};
    arena_init(&arena);
    assert_null(certificate_make(&arena, &wish, &one));
    assert_null(certificate_make(&arena, &wish, &other));
    assert_true(slice_starts_with(one.certificate, SLICE_LITERAL("-----BEGIN CERTIFICATE-----")));
    assert_true(slice_starts_with(one.key, SLICE_LITERAL("-----BEGIN PRIVATE KEY-----")));
    const struct certificate_pem bad[] = {{one.certificate, other.key},
                                          {one.key, one.key},
                                          {one.certificate, SLICE_LITERAL("")},
                                          {SLICE_LITERAL("nonsense"), one.key}};
    wish = (struct certificate_wish){.use = CERTIFICATE_CLIENT, .subject = "alice", .days = 1};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        wish.issuer = &bad[i];
        assert_non_null(certificate_make(&arena, &wish, &client));
    }
    wish.issuer = &one;
    assert_null(certificate_make(&arena, &wish, &client));
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_issuers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
