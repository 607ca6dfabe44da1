/* signer.c - see signer.h. */
#include "crypto/signer.h"

enum { HEADERS_MAX = 5, HEAD_MAX = 64 * 1024 };

struct error *signer_init(struct signer *signer, struct arena *arena,
                          const struct credentials *credentials) {
    *signer = (struct signer){.credentials = credentials, .second = -1};
    buffer_init(&signer->scratch, HEAD_MAX);
    return digest_new(arena, &signer->digest);
}

void signer_release(struct signer *signer) {
    digest_free(signer->digest);
    signer->digest = NULL;
    buffer_release(&signer->scratch);
}

void signer_set_credentials(struct signer *signer, const struct credentials *credentials) {
    signer->credentials = credentials;
    signer->second = -1;
    memset(signer->date, 0, sizeof(signer->date)); /* the key is of another day, and made anew */
}

static struct sigv4_scope scope_of(const struct credentials *credentials, const char *date) {
    const char *service = credentials->service;
    return (struct sigv4_scope){.day = slice_of(date, SIGV4_DAY_CHARS),
                                .region = slice_text(credentials->region),
                                .service = slice_text(service == NULL ? "dynamodb" : service)};
}

void signer_set_time(struct signer *signer, int64_t now_s) {
    if (now_s == signer->second)
        return;
    char date[SIGV4_DATE_CHARS + 1];
    sigv4_print_date(now_s, date);
    bool same_day = memcmp(signer->date, date, SIGV4_DAY_CHARS) == 0;
    memcpy(signer->date, date, sizeof(date));
    signer->second = now_s;
    if (same_day)
        return;
    uint8_t key[SHA256_BYTES];
    struct sigv4_scope scope = scope_of(signer->credentials, signer->date);
    sigv4_derive_key(signer->digest, slice_text(signer->credentials->secret), &scope, key);
}

/* The headers are in order of their names, as they must be. */
static struct sigv4_request parts_of(const struct credentials *credentials, const char *date,
                                     const struct signer_request *request,
                                     struct sigv4_header headers[HEADERS_MAX]) {
    struct sigv4_request parts = {.method = SLICE_LITERAL("POST"),
                                  .path = request->path,
                                  .headers = headers,
                                  .date = slice_of(date, SIGV4_DATE_CHARS),
                                  .scope = scope_of(credentials, date)};
    size_t *count = &parts.header_count;
    headers[(*count)++] =
        (struct sigv4_header){SLICE_LITERAL("content-type"), SLICE_LITERAL(SIGNER_CONTENT_TYPE)};
    headers[(*count)++] = (struct sigv4_header){SLICE_LITERAL("host"), request->host};
    headers[(*count)++] = (struct sigv4_header){SLICE_LITERAL("x-amz-date"), parts.date};
    if (credentials->token != NULL)
        headers[(*count)++] = (struct sigv4_header){SLICE_LITERAL("x-amz-security-token"),
                                                    slice_text(credentials->token)};
    headers[(*count)++] = (struct sigv4_header){SLICE_LITERAL("x-amz-target"), request->target};
    return parts;
}

bool signer_sign(struct signer *signer, const struct signer_request *request,
                 char ret_signature[SIGV4_SIGNATURE_CHARS]) {
    struct sigv4_header headers[HEADERS_MAX];
    struct sigv4_request parts = parts_of(signer->credentials, signer->date, request, headers);
    digest_sha256(signer->digest, request->body, parts.body_hash);
    return sigv4_sign(signer->digest, &parts, &signer->scratch, ret_signature);
}

void signer_write_authorization(struct buffer *out, const struct credentials *credentials,
                                const char date[SIGV4_DATE_CHARS],
                                const char signature[SIGV4_SIGNATURE_CHARS]) {
    struct sigv4_header headers[HEADERS_MAX];
    struct sigv4_request parts = parts_of(credentials, date, &(struct signer_request){0}, headers);
    sigv4_write_authorization(out, slice_text(credentials->id), &parts, signature);
}
