/* test_certificates.c - reload of a server's certificate, and that a failed reload keeps the
 * current one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "server/certificates.h"
#include "support/certificate_fixture.h"

enum { DAY_S = 24 * 3600, WAIT_MS = 20 * 1000 };

static struct certificate_fixture fixture; /* its certificate expires in 10 days */
static struct certificates *certificates;

static int set_up(void **state) {
    (void)state;
    certificates = NULL;
    certificate_fixture_init(&fixture);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    certificates_close(certificates);
    certificate_fixture_release(&fixture);
    return 0;
}

static struct tls_server_files files(void) {
    return (struct tls_server_files){fixture.certificate, fixture.key, NULL};
}

static void open_all(void) {
    struct tls_server_files all = files();
    assert_null(certificates_open(&fixture.arena, &all, &certificates));
}

static int64_t expiry_s(void) {
    return tls_server_expiry_s(certificates_tls(certificates));
}

/* A new certificate with a new key. */
static struct certificate_pem make(unsigned days) {
    const char *names[] = {"localhost"};
    struct certificate_wish wish = {.use = CERTIFICATE_SERVER,
                                    .subject = "localhost",
                                    .names = names,
                                    .name_count = 1,
                                    .days = days,
                                    .issuer = &fixture.authority};
    struct certificate_pem pem;
    assert_null(certificate_make(&fixture.arena, &wish, &pem));
    return pem;
}

static void renew(unsigned days) {
    struct certificate_pem pem = make(days);
    certificate_fixture_write(fixture.certificate, pem.certificate);
    certificate_fixture_write(fixture.key, pem.key);
}

static void unusable_files_are_an_error(void **state) {
    (void)state;
    struct tls_server_files all = files();
    certificate_fixture_write(fixture.key, make(5).key);
    assert_non_null(certificates_open(&fixture.arena, &all, &certificates));
    unlink(fixture.key);
    struct error *error = certificates_open(&fixture.arena, &all, &certificates);
    assert_non_null(error);
    assert_non_null(strstr((const char *)error->message.data, fixture.key));
    assert_null(certificates);
    certificates_close(NULL);
}

static void reload_uses_the_new_certificate(void **state) {
    (void)state;
    open_all();
    int64_t before = expiry_s();
    renew(5);
    assert_true(expiry_s() == before);
    certificates_reload(certificates);
    assert_true(expiry_s() < before - 4 * DAY_S);
    assert_true(expiry_s() > before - 6 * DAY_S);
}

static void failed_reload_keeps_the_certificate(void **state) {
    (void)state;
    open_all();
    int64_t before = expiry_s();
    certificate_fixture_write(fixture.certificate, make(5).certificate);
    certificates_reload(certificates);
    assert_true(expiry_s() == before);
    certificate_fixture_write(fixture.certificate, SLICE_LITERAL("nothing"));
    certificates_reload(certificates);
    assert_true(expiry_s() == before);
    renew(5);
    certificates_reload(certificates);
    assert_true(expiry_s() < before);
}

/* A change is loaded once the files have not changed from one look to the next. */
static void changed_files_are_reloaded(void **state) {
    (void)state;
    open_all();
    int64_t before = expiry_s();
    renew(5);
    for (int waited_ms = 0; waited_ms < WAIT_MS && expiry_s() == before; waited_ms++) {
        certificates_look(certificates);
        usleep(1000);
    }
    assert_true(expiry_s() < before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(unusable_files_are_an_error),
        TEST(reload_uses_the_new_certificate),
        TEST(failed_reload_keeps_the_certificate),
        TEST(changed_files_are_reloaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
