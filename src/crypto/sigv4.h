/* sigv4.h - Signature Version 4 in the steps of its definition, for who signs and for who verifies.
 *
 *   canonical request   method, path, query, headers, names of the headers, hash of the body
 *   text to sign        algorithm, date, scope, hash of the canonical request
 *   key                 of the secret and the scope, good for a day
 *   signature           HMAC of the text with the key, in hexadecimal digits
 *
 * What is written goes to a buffer of the caller's, who looks at its `overflow`. Pure but for the
 * hashing, which is the caller's struct digest. */
#ifndef GRAMME_CRYPTO_SIGV4_H
#define GRAMME_CRYPTO_SIGV4_H

#include "base/buffer.h"
#include "crypto/digest.h"

#define SIGV4_ALGORITHM "AWS4-HMAC-SHA256"

enum {
    SIGV4_DATE_CHARS = 16, /* 20250101T000000Z */
    SIGV4_DAY_CHARS = 8,   /* what it begins with */
    SIGV4_SIGNATURE_CHARS = SHA256_HEX,
};

/* What a key is good for. */
struct sigv4_scope {
    struct slice day;
    struct slice region;
    struct slice service;
};

struct sigv4_header {
    struct slice name;  /* in small letters */
    struct slice value; /* as it was sent */
};

/* The headers are those that are signed, by their names in order; of one name in order of arrival.
 * Path and query are in their canonical form already. */
struct sigv4_request {
    struct slice method;
    struct slice path;
    struct slice query;
    const struct sigv4_header *headers;
    size_t header_count;
    uint8_t body_hash[SHA256_BYTES];
    struct slice date;
    struct sigv4_scope scope;
};

/* Ends with a NUL. */
void sigv4_print_date(int64_t time_s, char ret_date[SIGV4_DATE_CHARS + 1]);

void sigv4_write_canonical(struct buffer *out, const struct sigv4_request *request);
/* The headers' names with semicolons between. */
void sigv4_write_names(struct buffer *out, const struct sigv4_request *request);
void sigv4_write_scope(struct buffer *out, const struct sigv4_scope *scope);
void sigv4_write_text(struct buffer *out, const struct sigv4_request *request,
                      const uint8_t canonical_hash[SHA256_BYTES]);

/* Also sets it as the digest's key. */
void sigv4_derive_key(struct digest *digest, struct slice secret, const struct sigv4_scope *scope,
                      uint8_t ret_key[SHA256_BYTES]);
/* By the key that is set. False: the scratch buffer is too small for the request. */
bool sigv4_sign(struct digest *digest, const struct sigv4_request *request, struct buffer *scratch,
                char ret_signature[SIGV4_SIGNATURE_CHARS]);
/* The value of the header Authorization. Of the headers only the names count. */
void sigv4_write_authorization(struct buffer *out, struct slice key_id,
                               const struct sigv4_request *request,
                               const char signature[SIGV4_SIGNATURE_CHARS]);

#endif
