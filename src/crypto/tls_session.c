/* tls_session.c - see tls_session.h. */
#include "crypto/tls_session.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "crypto/tls_pipe.h"

struct tls_session {
    const struct tls_library *library;
    SSL *ssl;
    struct tls_pipe pipe;
};

static int clamp(size_t size) {
    return size > INT_MAX ? INT_MAX : (int)size;
}

static struct tls_session *session_new(struct tls_server *server, bool connects) {
    struct tls_session *session = calloc(1, sizeof(*session));
    CHECK(session != NULL);
    session->library = tls_library_loaded();
    session->ssl = tls_server_begin(server, &session->pipe, connects);
    return session;
}

struct tls_session *tls_session_new(struct tls_server *server) {
    return session_new(server, false);
}

struct tls_session *tls_session_new_connecting(struct tls_server *server) {
    return session_new(server, true);
}

void tls_session_free(struct tls_session *session) {
    if (session == NULL)
        return;
    session->library->SSL_free(session->ssl);
    free(session);
}

void tls_session_feed(struct tls_session *session, struct slice input) {
    session->pipe.input = input;
}

struct slice tls_session_unused(const struct tls_session *session) {
    return session->pipe.input;
}

/* `status` is what the call returned. SSL_get_error() would tell, but only who clears OpenSSL's
 * list of errors before each call, which is a good part of the cost of a short one. Here whoever
 * fails leaves none behind. */
static enum tls_outcome outcome_of(const struct tls_session *session, int status) {
    if (status > 0)
        return TLS_DONE;
    if (session->library->ERR_peek_error() != 0)
        return TLS_FAILED;
    if (session->library->SSL_want(session->ssl) == SSL_READING)
        return TLS_MORE;
    bool ended = (session->library->SSL_get_shutdown(session->ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
    return ended ? TLS_ENDED : TLS_FAILED;
}

enum tls_outcome tls_session_handshake(struct tls_session *session, struct buffer *output) {
    session->pipe.output = output;
    session->library->ERR_clear_error();
    return outcome_of(session, session->library->SSL_do_handshake(session->ssl));
}

enum tls_outcome tls_session_receive(struct tls_session *session, struct buffer *output, void *data,
                                     size_t size, size_t *ret_len) {
    session->pipe.output = output;
    int got = session->library->SSL_read(session->ssl, data, clamp(size));
    *ret_len = got > 0 ? (size_t)got : 0;
    return outcome_of(session, got);
}

bool tls_session_has_text(const struct tls_session *session) {
    return session->library->SSL_pending(session->ssl) > 0;
}

bool tls_session_send(struct tls_session *session, struct slice text, struct buffer *output) {
    CHECK(text.len <= INT_MAX);
    if (text.len == 0)
        return true;
    session->pipe.output = output;
    if (session->library->SSL_write(session->ssl, text.data, (int)text.len) == (int)text.len)
        return true;
    session->library->ERR_clear_error();
    return false;
}

void tls_session_end(struct tls_session *session, struct buffer *output) {
    session->pipe.output = output;
    session->library->SSL_shutdown(session->ssl);
    session->library->ERR_clear_error();
}

void tls_session_failure(const struct tls_session *session, char *ret_text, size_t size) {
    long verified = session->library->SSL_get_verify_result(session->ssl);
    struct slice reason = tls_library_reason(session->library);
    if (verified != X509_V_OK)
        snprintf(ret_text, size, "the client's certificate is refused: %s",
                 session->library->X509_verify_cert_error_string(verified));
    else
        snprintf(ret_text, size, "%.*s", SLICE_ARGS(reason));
    session->library->ERR_clear_error();
}

void tls_session_rest(struct tls_session *session) {
    session->library->SSL_free_buffers(session->ssl);
}

/* ---- who it is ---- */

static bool copy_name(const struct tls_library *library, const X509_NAME_ENTRY *entry,
                      char ret_name[TLS_NAME_CHARS]) {
    unsigned char *text = NULL;
    int len = library->ASN1_STRING_to_UTF8(&text, library->X509_NAME_ENTRY_get_data(entry));
    bool fits = len > 0 && len < TLS_NAME_CHARS && memchr(text, 0, (size_t)len) == NULL;
    if (fits) {
        memcpy(ret_name, text, (size_t)len);
        ret_name[len] = '\0';
    }
    if (len >= 0)
        library->CRYPTO_free(text, __FILE__, __LINE__);
    return fits;
}

bool tls_session_client(const struct tls_session *session, char ret_name[TLS_NAME_CHARS]) {
    const struct tls_library *library = session->library;
    const X509 *certificate = library->SSL_get0_peer_certificate(session->ssl);
    if (certificate == NULL || library->SSL_get_verify_result(session->ssl) != X509_V_OK)
        return false;
    X509_NAME *subject = library->X509_get_subject_name(certificate);
    int at = library->X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at < 0 || library->X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0)
        return false;
    return copy_name(library, library->X509_NAME_get_entry(subject, at), ret_name);
}
