/* tls_library.h - OpenSSL's libssl, loaded with the first context; for tls*.c. */
#ifndef GRAMME_CRYPTO_TLS_LIBRARY_H
#define GRAMME_CRYPTO_TLS_LIBRARY_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "base/error.h"

struct tls_library {
#define TLS(name) __typeof__(name) *name;
#include "crypto/tls_library.def"
#undef TLS
};

/* Loaded once, and for good. From any thread. */
struct error *tls_library_load(struct arena *arena, const struct tls_library **ret_library);

/* The same, for callbacks of the library itself. */
const struct tls_library *tls_library_loaded(void);

/* Why the last call on this thread failed, in OpenSSL's words; absent when it gave no reason. Lives
 * as long as the library. */
struct slice tls_library_reason(const struct tls_library *library);

#endif
