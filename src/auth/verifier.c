/* verifier.c - see verifier.h.
 *
 * What is signed is written from the request as it came: its method, path, query, the headers that
 * SignedHeaders names, and the hash of the body that is really there, whatever a header says of it.
 * The names must be in order and different, as every signer writes them: so the text is not much
 * longer than the request, whoever sent it. */
#include "auth/verifier.h"

#include <stdlib.h>

#include "auth/canonical.h"
#include "auth/signing_keys.h"
#include "base/check.h"
#include "base/date.h"
#include "base/secret.h"
#include "crypto/sigv4.h"

enum { TEXT_MAX = 512 * 1024, EXPIRES_MAX_S = 604800 };

struct verifier {
    struct verifier_options options;
    struct signing_keys *keys;
    struct buffer text; /* what is hashed */
};

struct error *verifier_new(struct arena *arena, const struct verifier_options *options,
                           struct verifier **ret_verifier) {
    struct signing_keys *keys;
    TRY(signing_keys_new(arena, &keys));
    struct verifier *verifier = calloc(1, sizeof(*verifier));
    CHECK(verifier != NULL);
    verifier->options = *options;
    verifier->keys = keys;
    buffer_init(&verifier->text, TEXT_MAX);
    *ret_verifier = verifier;
    return NULL;
}

void verifier_free(struct verifier *verifier) {
    if (verifier == NULL)
        return;
    signing_keys_free(verifier->keys);
    buffer_release(&verifier->text);
    free(verifier);
}

/* ---- the time ---- */

/* How long after its date a request is good: X-Amz-Expires, or `otherwise`. */
static int64_t good_for_s(const struct http_request *request, const struct auth_identity *identity,
                          int64_t otherwise) {
    struct slice text = SLICE_NONE;
    if (identity->in_query)
        text = http_request_query(request, SLICE_LITERAL("X-Amz-Expires"));
    int64_t seconds = 0;
    for (size_t i = 0; i < text.len && seconds <= EXPIRES_MAX_S; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return otherwise;
        seconds = seconds * 10 + (text.data[i] - '0');
    }
    return seconds == 0 || seconds > EXPIRES_MAX_S ? otherwise : seconds;
}

static struct error *expired(struct arena *arena, struct slice date, int64_t now_s,
                             int64_t good_s) {
    char now[SIGV4_DATE_CHARS + 1], limit[SIGV4_DATE_CHARS + 1];
    sigv4_print_date(now_s, now);
    sigv4_print_date(now_s - good_s, limit);
    return error_new(arena, ERROR_INVALID_SIGNATURE,
                     "Signature expired: %.*s is now earlier than %s (%s - %lld min.)",
                     SLICE_ARGS(date), limit, now, (long long)(good_s / 60));
}

static struct error *not_yet(struct arena *arena, struct slice date, int64_t now_s,
                             unsigned skew_minutes) {
    char now[SIGV4_DATE_CHARS + 1], limit[SIGV4_DATE_CHARS + 1];
    sigv4_print_date(now_s, now);
    sigv4_print_date(now_s + (int64_t)skew_minutes * 60, limit);
    return error_new(arena, ERROR_INVALID_SIGNATURE,
                     "Signature not yet current: %.*s is still later than %s (%s + %u min.)",
                     SLICE_ARGS(date), limit, now, skew_minutes);
}

struct error *verifier_check_time(const struct verifier *verifier, struct arena *arena,
                                  const struct http_request *request,
                                  const struct auth_identity *identity) {
    int64_t now_s = clock_now_ms(verifier->options.clock) / 1000;
    int64_t skew_s = (int64_t)verifier->options.skew_minutes * 60;
    int64_t signed_s = date_seconds(identity->timestamp);
    int64_t good_s = good_for_s(request, identity, skew_s);
    if (signed_s < now_s - good_s)
        return expired(arena, identity->timestamp, now_s, good_s);
    if (signed_s > now_s + skew_s)
        return not_yet(arena, identity->timestamp, now_s, verifier->options.skew_minutes);
    return NULL;
}

/* ---- what was signed ---- */

static bool next_name(struct slice *rest, struct slice *ret_name) {
    if (rest->len == 0)
        return false;
    const uint8_t *end = memchr(rest->data, ';', rest->len);
    *ret_name = slice_first(*rest, end == NULL ? rest->len : (size_t)(end - rest->data));
    *rest = slice_skip(*rest, end == NULL ? rest->len : ret_name->len + 1);
    return true;
}

/* Several headers of one name in order of arrival; one that is not there is empty. False: they do
 * not fit. */
static bool add_header(const struct http_request *request, struct slice name,
                       struct sigv4_header headers[HTTP_HEADERS_MAX], size_t *count) {
    size_t before = *count;
    for (uint32_t i = 0; i < request->header_count; i++) {
        if (request->headers[i].name_len != name.len)
            continue;
        struct http_header header = http_request_header_at(request, i);
        if (!slice_equal_ignoring_case(header.name, name))
            continue;
        if (*count == HTTP_HEADERS_MAX)
            return false;
        headers[(*count)++] = (struct sigv4_header){name, header.value};
    }
    if (*count > before)
        return true;
    if (*count == HTTP_HEADERS_MAX)
        return false;
    headers[(*count)++] = (struct sigv4_header){name, SLICE_LITERAL("")};
    return true;
}

static bool collect_headers(const struct http_request *request, struct slice names,
                            struct sigv4_header headers[HTTP_HEADERS_MAX], size_t *ret_count) {
    struct slice name, before = SLICE_LITERAL("");
    *ret_count = 0;
    for (struct slice rest = names; next_name(&rest, &name); before = name)
        if (slice_compare(before, name) >= 0 || !add_header(request, name, headers, ret_count))
            return false;
    return true;
}

static struct error *mismatch(struct arena *arena) {
    return error_new(arena, ERROR_INVALID_SIGNATURE,
                     "The request signature we calculated does not match the signature you "
                     "provided. Check your AWS Secret Access Key and signing method. Consult the "
                     "service documentation for details.");
}

/* With what should have been signed. The second text holds only the hash of the first. */
static struct error *explained(struct verifier *verifier, struct arena *arena,
                               struct digest *digest, const struct sigv4_request *request) {
    uint8_t hash[SHA256_BYTES];
    struct buffer *text = &verifier->text;
    buffer_reset(text);
    sigv4_write_canonical(text, request);
    struct slice canonical = arena_slice(arena, buffer_slice(text));
    digest_sha256(digest, canonical, hash);
    buffer_reset(text);
    sigv4_write_text(text, request, hash);
    struct slice first = auth_quotable(arena, canonical);
    struct slice second = auth_quotable(arena, buffer_slice(text));
    struct error *error = mismatch(arena);
    error->message =
        arena_printf(arena,
                     "%.*s\n\nThe Canonical String for this request should have been\n'%.*s'\n\n"
                     "The String-to-Sign should have been\n'%.*s'\n",
                     SLICE_ARGS(error->message), SLICE_ARGS(first), SLICE_ARGS(second));
    return error;
}

struct error *verifier_check_signature(struct verifier *verifier, struct arena *arena,
                                       const struct http_request *request,
                                       const struct auth_identity *identity, struct slice secret) {
    struct sigv4_header headers[HTTP_HEADERS_MAX];
    struct sigv4_request wanted = {
        .method = request->method,
        .path = canonical_path(arena, request->path),
        .query = canonical_query(arena, request->query),
        .headers = headers,
        .date = identity->timestamp,
        .scope = {identity->date, identity->region, identity->service},
    };
    if (!collect_headers(request, identity->signed_headers, headers, &wanted.header_count))
        return mismatch(arena);
    struct digest *digest = signing_keys_get(verifier->keys, secret, &wanted.scope);
    digest_sha256(digest, slice_present(request->packed) ? request->packed : request->body,
                  wanted.body_hash);
    char signature[SIGV4_SIGNATURE_CHARS];
    if (!sigv4_sign(digest, &wanted, &verifier->text, signature))
        return mismatch(arena);
    if (secret_equal(identity->signature, slice_of(signature, sizeof(signature))))
        return NULL;
    return explained(verifier, arena, digest, &wanted);
}
