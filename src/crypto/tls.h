/* tls.h - the client's side of TLS, by OpenSSL, which is loaded with the first context.
 *
 * A client verifies certificates against the system's authorities or a file of the caller's, and
 * the name against the host. Threads: a context serves all; a session belongs to one. */
#ifndef GRAMME_CRYPTO_TLS_H
#define GRAMME_CRYPTO_TLS_H

#include "base/error.h"

struct tls_context;
struct tls;

/* What came of an attempt to go on. */
enum io_result {
    IO_DONE,
    IO_READ,   /* again when the socket is readable */
    IO_WRITE,  /* again when it is writable */
    IO_FAILED, /* the connection is lost */
};

/* `ca_file` may be NULL: the system's. */
struct error *tls_context_new_client(struct arena *arena, const char *ca_file,
                                     struct tls_context **ret_context);
void tls_context_free(struct tls_context *context);

/* The socket stays the caller's. */
struct tls *tls_new_client(struct tls_context *context, const char *host, int fd);
void tls_free(struct tls *tls);

enum io_result tls_handshake(struct tls *tls);
/* At least one byte when it is done. */
enum io_result tls_send(struct tls *tls, const void *data, size_t len, size_t *ret_len);
enum io_result tls_receive(struct tls *tls, void *data, size_t size, size_t *ret_len);
/* Why it failed. */
void tls_failure(struct tls *tls, char *ret_text, size_t size);

#endif
