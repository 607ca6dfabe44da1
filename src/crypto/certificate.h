/* certificate.h - a private authority, and the certificates that it signs for servers and clients.
 *
 * For laptops and test clusters, where nobody else signs: keys on P-256, and the extensions that
 * the strictest clients ask for. Threads: any. */
#ifndef GRAMME_CRYPTO_CERTIFICATE_H
#define GRAMME_CRYPTO_CERTIFICATE_H

#include "base/error.h"

enum certificate_use { CERTIFICATE_AUTHORITY, CERTIFICATE_SERVER, CERTIFICATE_CLIENT };

enum { CERTIFICATE_NAME_BYTES_MAX = 253, CERTIFICATE_SUBJECT_BYTES_MAX = 64 };

struct certificate_pem {
    struct slice certificate;
    struct slice key;
};

struct certificate_wish {
    enum certificate_use use;
    const char *subject;                  /* its common name */
    const char *const *names;             /* of a server: hosts and addresses */
    size_t name_count;                    /* at least 1 for a server */
    unsigned days;                        /* how long it holds, from now on */
    const struct certificate_pem *issuer; /* NULL: it signs itself */
};

/* A host's name, "*." in front of one, or an address. */
bool certificate_is_name(const char *text);

/* The PEM texts are in the arena; who is done with the key wipes it. */
struct error *certificate_make(struct arena *arena, const struct certificate_wish *wish,
                               struct certificate_pem *ret_pem);

#endif
