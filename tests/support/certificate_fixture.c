/* certificate_fixture.c - see certificate_fixture.h. */
#include "support/certificate_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"

void certificate_fixture_write(const char *path, struct slice text) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fwrite(text.data, 1, text.len, file) == text.len && fclose(file) == 0);
}

void certificate_fixture_renew(struct certificate_fixture *fixture) {
    static const char *const names[] = {"localhost", "127.0.0.1", "::1", "*.example.com"};
    struct certificate_wish wish = {.use = CERTIFICATE_SERVER,
                                    .subject = "a server",
                                    .names = names,
                                    .name_count = 4,
                                    .days = 10,
                                    .issuer = &fixture->authority};
    struct certificate_pem pem;
    CHECK(certificate_make(&fixture->arena, &wish, &pem) == NULL);
    certificate_fixture_write(fixture->certificate, pem.certificate);
    certificate_fixture_write(fixture->key, pem.key);
}

void certificate_fixture_init(struct certificate_fixture *fixture) {
    struct certificate_wish wish = {
        .use = CERTIFICATE_AUTHORITY, .subject = "an authority", .days = 10};
    *fixture = (struct certificate_fixture){.directory = "/tmp/gramme-tls-XXXXXX"};
    arena_init(&fixture->arena);
    CHECK(mkdtemp(fixture->directory) != NULL);
    snprintf(fixture->ca, sizeof(fixture->ca), "%s/ca.pem", fixture->directory);
    snprintf(fixture->ca_key, sizeof(fixture->ca_key), "%s/ca.key", fixture->directory);
    snprintf(fixture->certificate, sizeof(fixture->certificate), "%s/server.pem",
             fixture->directory);
    snprintf(fixture->key, sizeof(fixture->key), "%s/server.key", fixture->directory);
    CHECK(certificate_make(&fixture->arena, &wish, &fixture->authority) == NULL);
    certificate_fixture_write(fixture->ca, fixture->authority.certificate);
    certificate_fixture_write(fixture->ca_key, fixture->authority.key);
    certificate_fixture_renew(fixture);
}

void certificate_fixture_release(struct certificate_fixture *fixture) {
    unlink(fixture->ca);
    unlink(fixture->ca_key);
    unlink(fixture->certificate);
    unlink(fixture->key);
    CHECK(rmdir(fixture->directory) == 0);
    arena_release(&fixture->arena);
}
