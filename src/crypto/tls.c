/* tls.c - see tls.h. */
#include "crypto/tls.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "crypto/tls_library.h"

struct tls_context {
    const struct tls_library *library;
    SSL_CTX *ssl;
};

struct tls {
    const struct tls_library *library;
    SSL *ssl;
};

struct error *tls_context_new_client(struct arena *arena, const char *ca_file,
                                     struct tls_context **ret_context) {
    const struct tls_library *library;
    TRY(tls_library_load(arena, &library));
    SSL_CTX *ssl = library->SSL_CTX_new(library->TLS_client_method());
    CHECK(ssl != NULL);
    library->SSL_CTX_ctrl(ssl, SSL_CTRL_MODE,
                          SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER,
                          NULL);
    library->SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER, NULL);
    int found = ca_file == NULL ? library->SSL_CTX_set_default_verify_paths(ssl)
                                : library->SSL_CTX_load_verify_locations(ssl, ca_file, NULL);
    if (found != 1) {
        library->SSL_CTX_free(ssl);
        return error_local(arena, "cannot read certificates from %s",
                           ca_file == NULL ? "the system" : ca_file);
    }
    struct tls_context *context = calloc(1, sizeof(*context));
    CHECK(context != NULL);
    *context = (struct tls_context){library, ssl};
    *ret_context = context;
    return NULL;
}

void tls_context_free(struct tls_context *context) {
    if (context == NULL)
        return;
    context->library->SSL_CTX_free(context->ssl);
    free(context);
}

static bool is_address(const char *host) {
    uint8_t bytes[16];
    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

struct tls *tls_new_client(struct tls_context *context, const char *host, int fd) {
    const struct tls_library *library = context->library;
    struct tls *tls = calloc(1, sizeof(*tls));
    CHECK(tls != NULL);
    *tls = (struct tls){library, library->SSL_new(context->ssl)};
    CHECK(tls->ssl != NULL && library->SSL_set_fd(tls->ssl, fd) == 1);
    library->SSL_set_connect_state(tls->ssl);
    X509_VERIFY_PARAM *parameters = library->SSL_get0_param(tls->ssl);
    if (is_address(host)) {
        CHECK(library->X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1);
        return tls;
    }
    /* The name is also told to the server, which may have several. */
    char name[256];
    snprintf(name, sizeof(name), "%s", host);
    CHECK(library->X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1);
    library->SSL_ctrl(tls->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name);
    return tls;
}

void tls_free(struct tls *tls) {
    if (tls == NULL)
        return;
    tls->library->SSL_free(tls->ssl);
    free(tls);
}

/* `status` is what the call returned, which must come right after ERR_clear_error(). */
static enum io_result result_of(struct tls *tls, int status) {
    if (status > 0)
        return IO_DONE;
    switch (tls->library->SSL_get_error(tls->ssl, status)) {
    case SSL_ERROR_WANT_READ:
        return IO_READ;
    case SSL_ERROR_WANT_WRITE:
        return IO_WRITE;
    default:
        return IO_FAILED;
    }
}

enum io_result tls_handshake(struct tls *tls) {
    tls->library->ERR_clear_error();
    return result_of(tls, tls->library->SSL_do_handshake(tls->ssl));
}

static int clamp(size_t size) {
    return size > INT_MAX ? INT_MAX : (int)size;
}

enum io_result tls_send(struct tls *tls, const void *data, size_t len, size_t *ret_len) {
    tls->library->ERR_clear_error();
    int sent = tls->library->SSL_write(tls->ssl, data, clamp(len));
    *ret_len = sent > 0 ? (size_t)sent : 0;
    return result_of(tls, sent);
}

enum io_result tls_receive(struct tls *tls, void *data, size_t size, size_t *ret_len) {
    tls->library->ERR_clear_error();
    int got = tls->library->SSL_read(tls->ssl, data, clamp(size));
    *ret_len = got > 0 ? (size_t)got : 0;
    return result_of(tls, got);
}

void tls_failure(struct tls *tls, char *ret_text, size_t size) {
    long verified = tls->library->SSL_get_verify_result(tls->ssl);
    unsigned long code = tls->library->ERR_get_error();
    if (verified != X509_V_OK)
        snprintf(ret_text, size, "the server's certificate is refused: %s",
                 tls->library->X509_verify_cert_error_string(verified));
    else if (code != 0)
        tls->library->ERR_error_string_n(code, ret_text, size);
    else
        snprintf(ret_text, size, "the server closed the connection");
}
