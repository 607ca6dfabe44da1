/* certificate.c - see certificate.h. A call of OpenSSL that fails here, other than the reading of
 * an issuer, is short of memory or a bug. */
#include "crypto/certificate.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/buffer.h"
#include "base/check.h"
#include "base/library.h"
#include "base/random.h"

struct certificate_library {
#define CERTIFICATE(name) __typeof__(name) *name;
#include "crypto/certificate.def"
#undef CERTIFICATE
};

enum {
    VERSION_3 = 2,
    /* Clocks differ: it holds from a little before now. */
    EARLIER_S = 3600,
    LABEL_BYTES_MAX = 63,
    NAMES_BYTES_MAX = 64 * 1024,
};

static struct error *load(struct arena *arena, struct certificate_library *ssl) {
    const struct library_symbol symbols[] = {
#define CERTIFICATE(name) {#name, &ssl->name},
#include "crypto/certificate.def"
#undef CERTIFICATE
    };
    return library_load(arena, GRAMME_CRYPTO_LIBRARY, symbols,
                        sizeof(symbols) / sizeof(symbols[0]));
}

/* ---- names ---- */

static bool is_address(const char *text) {
    uint8_t bytes[16];
    return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

static bool is_label_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

bool certificate_is_name(const char *text) {
    size_t len = strlen(text), label = 0;
    if (is_address(text))
        return true;
    if (len == 0 || len > CERTIFICATE_NAME_BYTES_MAX)
        return false;
    for (size_t i = strncmp(text, "*.", 2) == 0 ? 2 : 0; i < len; i++) {
        if (text[i] == '.' ? label == 0 : !is_label_byte(text[i]) || label == LABEL_BYTES_MAX)
            return false;
        label = text[i] == '.' ? 0 : label + 1;
    }
    return label > 0;
}

/* As OpenSSL reads them; none has a comma in it. */
static void print_names(const struct certificate_wish *wish, struct buffer *ret_text) {
    for (size_t i = 0; i < wish->name_count; i++) {
        CHECK(certificate_is_name(wish->names[i]));
        buffer_printf(ret_text, "%s%s:%s", i == 0 ? "" : ",",
                      is_address(wish->names[i]) ? "IP" : "DNS", wish->names[i]);
    }
    buffer_append_byte(ret_text, '\0');
    CHECK(!ret_text->overflow);
}

/* ---- a certificate ---- */

static void set_subject(const struct certificate_library *ssl, X509 *certificate,
                        const char *subject) {
    CHECK(ssl->X509_NAME_add_entry_by_txt(ssl->X509_get_subject_name(certificate), "CN",
                                          MBSTRING_UTF8, (const unsigned char *)subject, -1, -1,
                                          0) == 1);
}

static void set_head(const struct certificate_library *ssl, X509 *certificate,
                     const struct certificate_wish *wish) {
    uint64_t serial = random_below(&system_random, INT64_MAX) + 1;
    CHECK(ssl->X509_set_version(certificate, VERSION_3) == 1 &&
          ssl->ASN1_INTEGER_set_uint64(ssl->X509_get_serialNumber(certificate), serial) == 1 &&
          ssl->X509_time_adj_ex(ssl->X509_getm_notBefore(certificate), 0, -EARLIER_S, NULL) !=
              NULL &&
          ssl->X509_time_adj_ex(ssl->X509_getm_notAfter(certificate), (int)wish->days, 0, NULL) !=
              NULL);
    set_subject(ssl, certificate, wish->subject);
}

struct extension {
    int nid;
    const char *text;
};

static void add_extension(const struct certificate_library *ssl, X509 *certificate,
                          X509V3_CTX *context, struct extension wanted) {
    X509_EXTENSION *extension = ssl->X509V3_EXT_nconf_nid(NULL, context, wanted.nid, wanted.text);
    CHECK(extension != NULL && ssl->X509_add_ext(certificate, extension, -1) == 1);
    ssl->X509_EXTENSION_free(extension);
}

static void add_extensions(const struct certificate_library *ssl, X509 *certificate, X509 *issuer,
                           const struct certificate_wish *wish) {
    static const struct extension authority[] = {
        {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
        {NID_key_usage, "critical,keyCertSign,cRLSign"},
        {NID_subject_key_identifier, "hash"},
        {0}};
    static const struct extension others[] = {{NID_basic_constraints, "critical,CA:FALSE"},
                                              {NID_key_usage, "critical,digitalSignature"},
                                              {NID_subject_key_identifier, "hash"},
                                              {NID_authority_key_identifier, "keyid:always"},
                                              {0}};
    bool is_authority = wish->use == CERTIFICATE_AUTHORITY;
    X509V3_CTX context = {0};
    ssl->X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    for (const struct extension *one = is_authority ? authority : others; one->text != NULL; one++)
        add_extension(ssl, certificate, &context, *one);
    if (!is_authority)
        add_extension(ssl, certificate, &context,
                      (struct extension){NID_ext_key_usage, wish->use == CERTIFICATE_SERVER
                                                                ? "serverAuth"
                                                                : "clientAuth"});
    if (wish->use == CERTIFICATE_SERVER) {
        struct buffer names;
        buffer_init(&names, NAMES_BYTES_MAX);
        print_names(wish, &names);
        add_extension(ssl, certificate, &context,
                      (struct extension){NID_subject_alt_name, (const char *)names.data});
        buffer_release(&names);
    }
}

/* ---- PEM ---- */

static struct slice take_text(const struct certificate_library *ssl, struct arena *arena,
                              BIO *bio) {
    char *text = NULL;
    long len = ssl->BIO_ctrl(bio, BIO_CTRL_INFO, 0, &text);
    CHECK(len > 0);
    struct slice copy = arena_slice(arena, slice_of(text, (size_t)len));
    explicit_bzero(text, (size_t)len);
    ssl->BIO_free(bio);
    return copy;
}

static struct certificate_pem print_pem(const struct certificate_library *ssl, struct arena *arena,
                                        X509 *certificate, EVP_PKEY *key) {
    BIO *first = ssl->BIO_new(ssl->BIO_s_mem()), *second = ssl->BIO_new(ssl->BIO_s_mem());
    CHECK(first != NULL && second != NULL && ssl->PEM_write_bio_X509(first, certificate) == 1 &&
          ssl->PEM_write_bio_PrivateKey(second, key, NULL, NULL, 0, NULL, NULL) == 1);
    return (struct certificate_pem){take_text(ssl, arena, first), take_text(ssl, arena, second)};
}

static struct error *read_issuer(const struct certificate_library *ssl, struct arena *arena,
                                 const struct certificate_pem *pem, X509 **ret_certificate,
                                 EVP_PKEY **ret_key) {
    BIO *first = ssl->BIO_new_mem_buf(pem->certificate.data, (int)pem->certificate.len);
    BIO *second = ssl->BIO_new_mem_buf(pem->key.data, (int)pem->key.len);
    CHECK(first != NULL && second != NULL);
    char passphrase[] = ""; /* nobody is there to type one in */
    X509 *certificate = ssl->PEM_read_bio_X509(first, NULL, NULL, passphrase);
    EVP_PKEY *key = ssl->PEM_read_bio_PrivateKey(second, NULL, NULL, passphrase);
    ssl->BIO_free(first);
    ssl->BIO_free(second);
    if (certificate != NULL && key != NULL && ssl->X509_check_private_key(certificate, key) == 1) {
        *ret_certificate = certificate;
        *ret_key = key;
        return NULL;
    }
    ssl->ERR_clear_error();
    ssl->X509_free(certificate);
    ssl->EVP_PKEY_free(key);
    return error_local(arena, "the authority's certificate and its key cannot be read, or do not "
                              "belong together");
}

/* `issuer` is the certificate itself when it signs itself. */
static void fill_and_sign(const struct certificate_library *ssl, X509 *certificate, EVP_PKEY *key,
                          X509 *issuer, EVP_PKEY *issuer_key, const struct certificate_wish *wish) {
    set_head(ssl, certificate, wish);
    CHECK(ssl->X509_set_pubkey(certificate, key) == 1 &&
          ssl->X509_set_issuer_name(certificate, ssl->X509_get_subject_name(issuer)) == 1);
    add_extensions(ssl, certificate, issuer, wish);
    CHECK(ssl->X509_sign(certificate, issuer_key, ssl->EVP_sha256()) > 0);
}

struct error *certificate_make(struct arena *arena, const struct certificate_wish *wish,
                               struct certificate_pem *ret_pem) {
    struct certificate_library ssl;
    X509 *issuer = NULL;
    EVP_PKEY *issuer_key = NULL;
    TRY(load(arena, &ssl));
    if (wish->issuer != NULL)
        TRY(read_issuer(&ssl, arena, wish->issuer, &issuer, &issuer_key));
    X509 *certificate = ssl.X509_new();
    EVP_PKEY *key = ssl.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    CHECK(certificate != NULL && key != NULL);
    fill_and_sign(&ssl, certificate, key, issuer == NULL ? certificate : issuer,
                  issuer_key == NULL ? key : issuer_key, wish);
    *ret_pem = print_pem(&ssl, arena, certificate, key);
    ssl.X509_free(certificate);
    ssl.EVP_PKEY_free(key);
    ssl.X509_free(issuer);
    ssl.EVP_PKEY_free(issuer_key);
    return NULL;
}
