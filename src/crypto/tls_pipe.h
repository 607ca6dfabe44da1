/* tls_pipe.h - how OpenSSL reads and writes: from a slice, to a buffer; for tls*.c. */
#ifndef GRAMME_CRYPTO_TLS_PIPE_H
#define GRAMME_CRYPTO_TLS_PIPE_H

#include "base/buffer.h"
#include "crypto/tls_library.h"

struct tls_pipe {
    struct slice input;    /* what has not been read */
    struct buffer *output; /* of the call that is under way */
};

/* Freed with BIO_meth_free(). */
BIO_METHOD *tls_pipe_method_new(const struct tls_library *library);
/* The pipe stays the caller's, and must stay as long as this. */
BIO *tls_pipe_bio_new(const struct tls_library *library, const BIO_METHOD *method,
                      struct tls_pipe *pipe);

#endif
