/* signer.h - signs what one caller sends to DynamoDB, or to a service that speaks as it does.
 *
 * The key is made once a day and the date's text once a second; what is left for each request is a
 * hash of its body, one of its canonical form, and an HMAC. Threads: one. */
#ifndef GRAMME_CRYPTO_SIGNER_H
#define GRAMME_CRYPTO_SIGNER_H

#include "crypto/sigv4.h"

#define SIGNER_CONTENT_TYPE "application/x-amz-json-1.0"

/* Who asks, and where. */
struct credentials {
    const char *id;
    const char *secret;
    const char *token; /* NULL: none */
    const char *region;
    const char *service; /* NULL: dynamodb */
};

/* A POST of JSON: what is signed of it, besides what the signer knows. */
struct signer_request {
    struct slice host; /* as in the header */
    struct slice path;
    struct slice target; /* as in X-Amz-Target */
    struct slice body;
};

struct signer {
    struct digest *digest;
    const struct credentials *credentials;
    int64_t second;                  /* that `date` tells */
    char date[SIGV4_DATE_CHARS + 1]; /* for X-Amz-Date; the key is that of its day */
    struct buffer scratch;
};

/* The credentials outlive the signer. An error when OpenSSL cannot be loaded. */
struct error *signer_init(struct signer *signer, struct arena *arena,
                          const struct credentials *credentials);
void signer_release(struct signer *signer);
/* Signs for somebody else from now on. */
void signer_set_credentials(struct signer *signer, const struct credentials *credentials);

void signer_set_time(struct signer *signer, int64_t now_s);
/* As of the time that was set. False: the head of the request is too long. */
bool signer_sign(struct signer *signer, const struct signer_request *request,
                 char ret_signature[SIGV4_SIGNATURE_CHARS]);

/* The value of the header Authorization. Its length is the same for every date and signature. */
void signer_write_authorization(struct buffer *out, const struct credentials *credentials,
                                const char date[SIGV4_DATE_CHARS],
                                const char signature[SIGV4_SIGNATURE_CHARS]);

#endif
