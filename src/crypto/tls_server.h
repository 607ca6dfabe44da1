/* tls_server.h - what a server speaks TLS with: its certificate, its rules, its tickets.
 *
 * TLS 1.2 and 1.3 with forward secrecy and authenticated ciphers, HTTP/1.1 by ALPN. Where there is
 * an authority of clients, each client needs a certificate of it.
 *
 * Servers of one cluster speak it with a secret that all of them have, and without certificates:
 * who does not have it gets no session, whichever side it is on.
 * Threads: sessions are begun on any, while one thread reads the files again. */
#ifndef GRAMME_CRYPTO_TLS_SERVER_H
#define GRAMME_CRYPTO_TLS_SERVER_H

#include "base/error.h"

struct tls_server_files {
    const char *certificate; /* PEM: the server's own, then those between it and its authority */
    const char *key;         /* PEM, without a passphrase */
    const char *client_ca;   /* PEM: who vouches for clients; NULL: they need no certificate */
};

struct tls_server;

/* The names of the files must stay. The error says which file and why. */
struct error *tls_server_new(struct arena *arena, const struct tls_server_files *files,
                             struct tls_server **ret_server);

enum { TLS_SECRET_BYTES = 32 };

/* By a secret, which is copied: TLS 1.3 only. Sessions are of either side. */
struct error *tls_server_new_by_secret(struct arena *arena, const uint8_t secret[TLS_SECRET_BYTES],
                                       struct tls_server **ret_server);
/* After its last session. */
void tls_server_free(struct tls_server *server);

/* Of one that has files: reads them again, for sessions that begin from now on; tickets of earlier
 * ones are not taken any more, because other clients may be welcome. After an error all is as it
 * was. */
struct error *tls_server_reload(struct arena *arena, struct tls_server *server);

struct tls_pipe;

/* For tls_session.c: a new session, which is fed through the pipe. Who connects has the first word.
 */
struct ssl_st *tls_server_begin(struct tls_server *server, struct tls_pipe *pipe, bool connects);

/* When its certificate ends, in seconds since 1970. On the thread that reloads. */
int64_t tls_server_expiry_s(const struct tls_server *server);

#endif
