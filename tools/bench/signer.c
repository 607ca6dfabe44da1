/* signer.c - see signer.h. */
#include "bench/signer.h"

#include <stdio.h>
#include <time.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/check.h"

#define FIRST_LINE "AWS4-HMAC-SHA256\n"

enum { DATE_AT = sizeof(FIRST_LINE) - 1, SCOPE_AT = DATE_AT + DATE_CHARS + 1, SECRET_MAX = 1024 };

struct error *signer_init(struct signer *signer, struct arena *arena,
                          const struct credentials *credentials) {
    *signer = (struct signer){.credentials = credentials, .second = -1};
    int len = snprintf(signer->text, sizeof(signer->text),
                       FIRST_LINE "%16s\n%8s/%s/dynamodb/aws4_request\n%64s", "", "",
                       credentials->region, "");
    if (len < 0 || (size_t)len >= sizeof(signer->text) || strlen(credentials->secret) > SECRET_MAX)
        return error_new(arena, ERROR_VALIDATION, "the region or the secret key is too long");
    signer->text_len = (size_t)len;
    return digest_new(arena, &signer->digest);
}

void signer_release(struct signer *signer) {
    digest_free(signer->digest);
    signer->digest = NULL;
}

/* Each part of the scope is hashed with what came of the part before it. */
static void set_key_of_day(struct signer *signer) {
    const char *parts[] = {signer->day, signer->credentials->region, "dynamodb", "aws4_request"};
    uint8_t hash[SHA256_BYTES];
    struct buffer first CLEANUP(buffer_release);
    buffer_init(&first, SECRET_MAX + 16);
    buffer_printf(&first, "AWS4%s", signer->credentials->secret);
    digest_set_key(signer->digest, buffer_slice(&first));
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        digest_hmac(signer->digest, slice_text(parts[i]), hash);
        digest_set_key(signer->digest, slice_of(hash, sizeof(hash)));
    }
}

static void set_second(struct signer *signer, int64_t now_s) {
    struct tm utc;
    time_t time = (time_t)now_s;
    signer->second = now_s;
    gmtime_r(&time, &utc);
    strftime(signer->date, sizeof(signer->date), "%Y%m%dT%H%M%SZ", &utc);
    memcpy(signer->text + DATE_AT, signer->date, DATE_CHARS);
    if (memcmp(signer->day, signer->date, DAY_CHARS) == 0)
        return;
    memcpy(signer->day, signer->date, DAY_CHARS);
    memcpy(signer->text + SCOPE_AT, signer->day, DAY_CHARS);
    set_key_of_day(signer);
}

static void set_date(const struct signer *signer, struct request *request) {
    request->dated_s = signer->second;
    memcpy(request->bytes + request->date_at, signer->date, DATE_CHARS);
    memcpy(request->bytes + request->day_at, signer->day, DAY_CHARS);
    memcpy(request->canonical + request->canonical_date_at, signer->date, DATE_CHARS);
}

void signer_sign(struct signer *signer, struct request *request, int64_t now_s) {
    uint8_t hash[SHA256_BYTES];
    if (now_s != signer->second)
        set_second(signer, now_s);
    if (request->dated_s != now_s)
        set_date(signer, request);
    digest_sha256(signer->digest,
                  slice_of(request->bytes + request->head_len, request->len - request->head_len),
                  hash);
    hex_print(hash, sizeof(hash), request->canonical + request->canonical_len - SHA256_HEX);
    digest_sha256(signer->digest, slice_of(request->canonical, request->canonical_len), hash);
    hex_print(hash, sizeof(hash), signer->text + signer->text_len - SHA256_HEX);
    digest_hmac(signer->digest, slice_of(signer->text, signer->text_len), hash);
    hex_print(hash, sizeof(hash), request->bytes + request->signature_at);
}
