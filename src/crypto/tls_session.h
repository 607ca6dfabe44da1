/* tls_session.h - one session of TLS, mostly a server's with a client: bytes of the wire to bytes
 * of the application and back.
 *
 * A session never touches a socket. It is fed with what came, and what it has to send it appends to
 * the buffer that a call is given: text that was encrypted, but also its part of the handshake, new
 * tickets, alerts. All of it must be sent, in this order.
 * Memory: 34 KB for records from the first call to tls_session_rest(): to take and to give them for
 * each costs a twentieth of a small request. Threads: one at a time. */
#ifndef GRAMME_CRYPTO_TLS_SESSION_H
#define GRAMME_CRYPTO_TLS_SESSION_H

#include "base/buffer.h"
#include "crypto/tls_server.h"

struct tls_session;

struct tls_session *tls_session_new(struct tls_server *server);
/* The other side of one, by a secret. */
struct tls_session *tls_session_new_connecting(struct tls_server *server);
void tls_session_free(struct tls_session *session);

/* The next bytes of the wire, when those before are used up; or what is unused of those, at another
 * place. They stay the caller's, and stay where they are until they are used up. */
void tls_session_feed(struct tls_session *session, struct slice input);
/* What of them is not used up yet. */
struct slice tls_session_unused(const struct tls_session *session);

enum tls_outcome {
    TLS_DONE,
    TLS_MORE,   /* the input is used up */
    TLS_ENDED,  /* the client has said that nothing more comes */
    TLS_FAILED, /* it is over; tls_session_failure() says why */
};

enum tls_outcome tls_session_handshake(struct tls_session *session, struct buffer *output);
/* At least one byte when it is done. */
enum tls_outcome tls_session_receive(struct tls_session *session, struct buffer *output, void *data,
                                     size_t size, size_t *ret_len);
/* More can be received without more input. */
bool tls_session_has_text(const struct tls_session *session);
/* After the handshake. False: the session has failed before. */
bool tls_session_send(struct tls_session *session, struct slice text, struct buffer *output);
/* Says that nothing more comes; tls_session_send() is not called any more. */
void tls_session_end(struct tls_session *session, struct buffer *output);

/* Gives back what it holds for records, unless a part of one is in it. */
void tls_session_rest(struct tls_session *session);

/* Right after the call that failed, on the same thread. */
void tls_session_failure(const struct tls_session *session, char *ret_text, size_t size);

enum { TLS_NAME_CHARS = 65 }; /* with its NUL: what X.509 lets a common name have */

/* The common name in the certificate of a client that the server's authority vouches for. False:
 * there is none, or not exactly one, or it is not a text of that length. */
bool tls_session_client(const struct tls_session *session, char ret_name[TLS_NAME_CHARS]);

#endif
