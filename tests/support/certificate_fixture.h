/* certificate_fixture.h - a private authority and a server's certificate of it, in files. */
#ifndef GRAMME_TESTS_CERTIFICATE_FIXTURE_H
#define GRAMME_TESTS_CERTIFICATE_FIXTURE_H

#include "crypto/certificate.h"

struct certificate_fixture {
    struct arena arena;
    char directory[32];
    char ca[64], ca_key[64], certificate[64], key[64];
    struct certificate_pem authority;
};

/* With a certificate for localhost, 127.0.0.1, ::1 and *.example.com, which holds for 10 days. */
void certificate_fixture_init(struct certificate_fixture *fixture);
void certificate_fixture_release(struct certificate_fixture *fixture);
/* Another one, in the same files. */
void certificate_fixture_renew(struct certificate_fixture *fixture);

void certificate_fixture_write(const char *path, struct slice text);

#endif
