/* tls_server.c - see tls_server.h.
 *
 * Each reading of the files makes a context of OpenSSL's, which counts who uses it: the old one
 * goes with its last session. A session can be taken up again only in the context that it began in,
 * whose random name is part of its ticket. */
#include "crypto/tls_server.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "base/random.h"
#include "base/secret.h"
#include "crypto/tls_pipe.h"
#include "crypto/tls_tickets.h"

/* What AWS's own endpoints offer, the cheaper one first; a client that puts ChaCha20 first has no
 * AES in its processor and gets it. */
#define CIPHERS_13 "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
#define CIPHERS_12                                                                             \
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:" \
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"

enum { CONTEXT_NAME_BYTES = 16 };

struct tls_server {
    const struct tls_library *library;
    struct tls_server_files files;
    struct tls_tickets *tickets;
    EVP_CIPHER *ticket_cipher;
    BIO_METHOD *pipe;
    pthread_mutex_t lock;
    SSL_CTX *context; /* under the lock; sessions hold the one that they began with */
    uint8_t secret[TLS_SECRET_BYTES]; /* instead of files */
    int64_t expiry_s;
};

static uint64_t monotonic_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec;
}

/* ---- what OpenSSL asks ---- */

/* A client that offers protocols and HTTP/1.1 is not among them is told so. */
static int choose_protocol(SSL *ssl, const unsigned char **ret_name, unsigned char *ret_len,
                           const unsigned char *offered, unsigned offered_len, void *user) {
    static const struct slice wanted = {(const uint8_t *)"http/1.1", 8};
    (void)ssl, (void)user;
    for (unsigned at = 0; at < offered_len; at += 1u + offered[at]) {
        if (offered[at] >= offered_len - at)
            break;
        if (slice_equal(slice_of(offered + at + 1, offered[at]), wanted)) {
            *ret_name = offered + at + 1;
            *ret_len = offered[at];
            return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static bool set_mac_key(const struct tls_library *library, EVP_MAC_CTX *mac,
                        struct tls_ticket_key *key) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        library->OSSL_PARAM_construct_octet_string("key", key->mac, sizeof(key->mac)),
        library->OSSL_PARAM_construct_utf8_string("digest", digest, 0),
        library->OSSL_PARAM_construct_end()};
    return library->EVP_MAC_CTX_set_params(mac, parameters) == 1;
}

/* In the slot that OpenSSL leaves to applications. */
static struct tls_server *server_of(const SSL *ssl) {
    const struct tls_library *library = tls_library_loaded();
    return library->SSL_CTX_get_ex_data(library->SSL_get_SSL_CTX(ssl), 0);
}

/* 1: the key is set. 0: the ticket is of no use. 2: it is, and the client gets a new one: with TLS
 * 1.3 each is used once, so that nobody sees which connections are the same client's. */
static int seal_ticket(SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher,
                       EVP_MAC_CTX *mac, int sealing) {
    struct tls_server *server = server_of(ssl);
    const struct tls_library *library = server->library;
    struct tls_ticket_key key;
    bool old = false;
    if (sealing) {
        tls_tickets_current(server->tickets, monotonic_s(), &key);
        memcpy(name, key.name, sizeof(key.name));
        random_fill(&system_random, iv, EVP_MAX_IV_LENGTH);
    } else if (!tls_tickets_find(server->tickets, monotonic_s(), name, &key, &old)) {
        return 0;
    }
    bool set = set_mac_key(library, mac, &key) &&
               library->EVP_CipherInit_ex(cipher, server->ticket_cipher, NULL, key.cipher, iv,
                                          sealing ? 1 : 0) == 1;
    secret_wipe(&key, sizeof(key));
    return !set ? -1 : old || library->SSL_version(ssl) == TLS1_3_VERSION ? 2 : 1;
}

/* ---- contexts ---- */

static struct error *refused(const struct tls_library *library, struct arena *arena,
                             const char *what, const char *file) {
    struct slice reason = tls_library_reason(library);
    return error_local(arena, "cannot read %s from %s%s%.*s", what, file,
                       slice_present(reason) ? ": " : "", SLICE_ARGS(reason));
}

static void set_rules(const struct tls_library *library, SSL_CTX *context) {
    static char passphrase[] = ""; /* nobody is there to type one in */
    uint8_t name[CONTEXT_NAME_BYTES];
    random_fill(&system_random, name, sizeof(name));
    library->SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                              SSL_OP_CIPHER_SERVER_PREFERENCE |
                                              SSL_OP_PRIORITIZE_CHACHA);
    library->SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    library->SSL_CTX_set_timeout(context, TLS_TICKET_SECONDS);
    library->SSL_CTX_set_num_tickets(context, 1);
    library->SSL_CTX_set_tlsext_ticket_key_evp_cb(context, seal_ticket);
    library->SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    library->SSL_CTX_set_default_passwd_cb_userdata(context, passphrase);
    CHECK(library->SSL_CTX_set_session_id_context(context, name, sizeof(name)) == 1);
}

static struct error *set_protocols(const struct tls_library *library, struct arena *arena,
                                   SSL_CTX *context) {
    if (library->SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL) == 1 &&
        library->SSL_CTX_set_ciphersuites(context, CIPHERS_13) == 1 &&
        library->SSL_CTX_set_cipher_list(context, CIPHERS_12) == 1)
        return NULL;
    return error_local(arena, "OpenSSL here has no TLS 1.2 with AES-GCM");
}

static struct error *load_certificate(const struct tls_library *library, struct arena *arena,
                                      const struct tls_server_files *files, SSL_CTX *context) {
    if (library->SSL_CTX_use_certificate_chain_file(context, files->certificate) != 1)
        return refused(library, arena, "the certificate", files->certificate);
    if (library->SSL_CTX_use_PrivateKey_file(context, files->key, SSL_FILETYPE_PEM) != 1)
        return refused(library, arena, "the key of the certificate", files->key);
    if (library->SSL_CTX_check_private_key(context) != 1)
        return error_local(arena, "the key in %s is not that of the certificate in %s", files->key,
                           files->certificate);
    return NULL;
}

static struct error *load_client_ca(const struct tls_library *library, struct arena *arena,
                                    const char *file, SSL_CTX *context) {
    if (file == NULL)
        return NULL;
    STACK_OF(X509_NAME) *names = library->SSL_load_client_CA_file(file);
    if (names == NULL)
        return refused(library, arena, "the authority of clients", file);
    library->SSL_CTX_set_client_CA_list(context, names);
    if (library->SSL_CTX_load_verify_locations(context, file, NULL) != 1)
        return refused(library, arena, "the authority of clients", file);
    library->SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return NULL;
}

static int64_t expiry_of(const struct tls_library *library, SSL_CTX *context) {
    struct tm when = {0};
    const X509 *certificate = library->SSL_CTX_get0_certificate(context);
    if (library->ASN1_TIME_to_tm(library->X509_get0_notAfter(certificate), &when) != 1)
        return INT64_MAX;
    return timegm(&when);
}

static struct error *load_files(const struct tls_server *server, struct arena *arena,
                                SSL_CTX *context) {
    const struct tls_library *library = server->library;
    library->ERR_clear_error();
    set_rules(library, context);
    TRY(set_protocols(library, arena, context));
    TRY(load_certificate(library, arena, &server->files, context));
    return load_client_ca(library, arena, server->files.client_ca, context);
}

/* ---- the server ---- */

struct error *tls_server_reload(struct arena *arena, struct tls_server *server) {
    const struct tls_library *library = server->library;
    SSL_CTX *context = library->SSL_CTX_new(library->TLS_server_method());
    CHECK(context != NULL && library->SSL_CTX_set_ex_data(context, 0, server) == 1);
    struct error *error = load_files(server, arena, context);
    if (error == NULL) {
        server->expiry_s = expiry_of(library, context);
        pthread_mutex_lock(&server->lock);
        SSL_CTX *before = server->context;
        server->context = context;
        pthread_mutex_unlock(&server->lock);
        context = before;
    }
    library->SSL_CTX_free(context);
    return error;
}

static struct tls_server *server_new(const struct tls_library *library) {
    struct tls_server *server = calloc(1, sizeof(*server));
    CHECK(server != NULL && pthread_mutex_init(&server->lock, NULL) == 0);
    server->library = library;
    server->pipe = tls_pipe_method_new(library);
    return server;
}

struct error *tls_server_new(struct arena *arena, const struct tls_server_files *files,
                             struct tls_server **ret_server) {
    const struct tls_library *library;
    TRY(tls_library_load(arena, &library));
    struct tls_server *server = server_new(library);
    server->files = *files;
    server->tickets = tls_tickets_new(monotonic_s());
    server->ticket_cipher = library->EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
    CHECK(server->ticket_cipher != NULL);
    struct error *error = tls_server_reload(arena, server);
    if (error != NULL) {
        tls_server_free(server);
        return error;
    }
    *ret_server = server;
    return NULL;
}

/* ---- by a secret ---- */

#define SECRET_NAME "gramme"

static unsigned give_secret(const struct tls_server *server, unsigned char *ret, unsigned size) {
    if (size < TLS_SECRET_BYTES)
        return 0;
    memcpy(ret, server->secret, TLS_SECRET_BYTES);
    return TLS_SECRET_BYTES;
}

static unsigned secret_to_connect(SSL *ssl, const char *hint, char *ret_name, unsigned name_size,
                                  unsigned char *ret_secret, unsigned size) {
    (void)hint;
    if (name_size < sizeof(SECRET_NAME))
        return 0;
    memcpy(ret_name, SECRET_NAME, sizeof(SECRET_NAME));
    return give_secret(server_of(ssl), ret_secret, size);
}

static unsigned secret_to_accept(SSL *ssl, const char *name, unsigned char *ret_secret,
                                 unsigned size) {
    return strcmp(name, SECRET_NAME) == 0 ? give_secret(server_of(ssl), ret_secret, size) : 0;
}

/* The cipher is that whose hash goes with secrets of this kind. Sessions last: no tickets. */
struct error *tls_server_new_by_secret(struct arena *arena, const uint8_t secret[TLS_SECRET_BYTES],
                                       struct tls_server **ret_server) {
    const struct tls_library *library;
    TRY(tls_library_load(arena, &library));
    struct tls_server *server = server_new(library);
    memcpy(server->secret, secret, TLS_SECRET_BYTES);
    SSL_CTX *context = server->context = library->SSL_CTX_new(library->TLS_method());
    CHECK(context != NULL && library->SSL_CTX_set_ex_data(context, 0, server) == 1);
    library->SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    library->SSL_CTX_set_num_tickets(context, 0);
    library->SSL_CTX_set_psk_client_callback(context, secret_to_connect);
    library->SSL_CTX_set_psk_server_callback(context, secret_to_accept);
    if (library->SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION, NULL) != 1 ||
        library->SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") != 1) {
        tls_server_free(server);
        return error_local(arena, "OpenSSL here has no TLS 1.3 with AES-GCM");
    }
    *ret_server = server;
    return NULL;
}

/* ---- both ---- */

void tls_server_free(struct tls_server *server) {
    if (server == NULL)
        return;
    server->library->SSL_CTX_free(server->context);
    server->library->EVP_CIPHER_free(server->ticket_cipher);
    server->library->BIO_meth_free(server->pipe);
    tls_tickets_free(server->tickets);
    secret_wipe(server->secret, sizeof(server->secret));
    pthread_mutex_destroy(&server->lock);
    free(server);
}

SSL *tls_server_begin(struct tls_server *server, struct tls_pipe *pipe, bool connects) {
    const struct tls_library *library = server->library;
    pthread_mutex_lock(&server->lock);
    SSL_CTX *context = server->context;
    CHECK(library->SSL_CTX_up_ref(context) == 1);
    pthread_mutex_unlock(&server->lock);
    SSL *ssl = library->SSL_new(context);
    CHECK(ssl != NULL);
    library->SSL_CTX_free(context); /* the session has it now */
    BIO *bio = tls_pipe_bio_new(library, server->pipe, pipe);
    library->SSL_set_bio(ssl, bio, bio);
    if (!connects) {
        library->SSL_set_accept_state(ssl);
        return ssl;
    }
    library->SSL_set_connect_state(ssl);
    library->SSL_set_verify(ssl, SSL_VERIFY_PEER, NULL); /* no certificate will do instead */
    return ssl;
}

int64_t tls_server_expiry_s(const struct tls_server *server) {
    return server->expiry_s;
}
