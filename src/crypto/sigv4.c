/* sigv4.c - see sigv4.h. */
#include "crypto/sigv4.h"

#include <time.h>

#include "base/bytes.h"
#include "base/check.h"

static const struct slice terminator = {(const uint8_t *)"aws4_request", 12};

void sigv4_print_date(int64_t time_s, char ret_date[SIGV4_DATE_CHARS + 1]) {
    struct tm utc;
    time_t time = (time_t)time_s;
    gmtime_r(&time, &utc);
    strftime(ret_date, SIGV4_DATE_CHARS + 1, "%Y%m%dT%H%M%SZ", &utc);
}

/* ---- the canonical request ---- */

static uint8_t *put(uint8_t *at, struct slice text) {
    if (text.len > 0)
        memcpy(at, text.data, text.len);
    return at + text.len;
}

static uint8_t *put_line(uint8_t *at, struct slice text) {
    at = put(at, text);
    *at++ = '\n';
    return at;
}

static uint8_t *put_hash(uint8_t *at, const uint8_t hash[SHA256_BYTES]) {
    hex_print(hash, SHA256_BYTES, (char *)at);
    return at + SHA256_HEX;
}

/* Without blanks around it, and with one blank where there are several. */
static uint8_t *put_value(uint8_t *at, struct slice value) {
    bool first = true;
    while (value.len > 0) {
        const uint8_t *blank = memchr(value.data, ' ', value.len);
        size_t len = blank == NULL ? value.len : (size_t)(blank - value.data);
        if (len > 0 && !first)
            *at++ = ' ';
        at = put(at, slice_first(value, len));
        first = first && len == 0;
        value = slice_skip(value, blank == NULL ? len : len + 1);
    }
    return at;
}

static bool is_repeated(const struct sigv4_request *request, size_t index) {
    return index > 0 && slice_equal(request->headers[index].name, request->headers[index - 1].name);
}

static uint8_t *put_headers(uint8_t *at, const struct sigv4_request *request) {
    for (size_t i = 0; i < request->header_count; i++) {
        if (is_repeated(request, i)) {
            *at++ = ',';
        } else {
            if (i > 0)
                *at++ = '\n';
            at = put(at, request->headers[i].name);
            *at++ = ':';
        }
        at = put_value(at, request->headers[i].value);
    }
    *at++ = '\n';
    return at;
}

static uint8_t *put_names(uint8_t *at, const struct sigv4_request *request) {
    for (size_t i = 0; i < request->header_count; i++) {
        if (is_repeated(request, i))
            continue;
        if (i > 0)
            *at++ = ';';
        at = put(at, request->headers[i].name);
    }
    return at;
}

static size_t names_max(const struct sigv4_request *request) {
    size_t len = 0;
    for (size_t i = 0; i < request->header_count; i++)
        len += request->headers[i].name.len + 1;
    return len;
}

/* Room for the whole is asked for once: what is written is most of what signing does besides
 * hashing. */
static size_t canonical_max(const struct sigv4_request *request) {
    size_t len = request->method.len + request->path.len + request->query.len + SHA256_HEX + 8 +
                 2 * names_max(request);
    for (size_t i = 0; i < request->header_count; i++)
        len += request->headers[i].value.len + 2;
    return len;
}

void sigv4_write_names(struct buffer *out, const struct sigv4_request *request) {
    if (buffer_reserve(out, names_max(request)))
        out->len = (size_t)(put_names(out->data + out->len, request) - out->data);
}

void sigv4_write_canonical(struct buffer *out, const struct sigv4_request *request) {
    if (!buffer_reserve(out, canonical_max(request)))
        return;
    uint8_t *at = out->data + out->len;
    at = put_line(at, request->method);
    at = put_line(at, request->path);
    at = put_line(at, request->query);
    at = put_headers(at, request);
    *at++ = '\n';
    at = put_names(at, request);
    *at++ = '\n';
    at = put_hash(at, request->body_hash);
    out->len = (size_t)(at - out->data);
}

/* ---- the text to sign ---- */

static size_t scope_max(const struct sigv4_scope *scope) {
    return scope->day.len + scope->region.len + scope->service.len + terminator.len + 3;
}

static uint8_t *put_scope(uint8_t *at, const struct sigv4_scope *scope) {
    const struct slice parts[] = {scope->day, scope->region, scope->service};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        at = put(at, parts[i]);
        *at++ = '/';
    }
    return put(at, terminator);
}

void sigv4_write_scope(struct buffer *out, const struct sigv4_scope *scope) {
    if (buffer_reserve(out, scope_max(scope)))
        out->len = (size_t)(put_scope(out->data + out->len, scope) - out->data);
}

void sigv4_write_text(struct buffer *out, const struct sigv4_request *request,
                      const uint8_t canonical_hash[SHA256_BYTES]) {
    const struct slice algorithm = SLICE_LITERAL(SIGV4_ALGORITHM);
    if (!buffer_reserve(out, algorithm.len + request->date.len + scope_max(&request->scope) +
                                 SHA256_HEX + 3))
        return;
    uint8_t *at = out->data + out->len;
    at = put_line(at, algorithm);
    at = put_line(at, request->date);
    at = put_scope(at, &request->scope);
    *at++ = '\n';
    at = put_hash(at, canonical_hash);
    out->len = (size_t)(at - out->data);
}

/* ---- key and signature ---- */

/* Each part of the scope is hashed with what came of the part before it. */
void sigv4_derive_key(struct digest *digest, struct slice secret, const struct sigv4_scope *scope,
                      uint8_t ret_key[SHA256_BYTES]) {
    const struct slice parts[] = {scope->day, scope->region, scope->service, terminator};
    struct slice prefix = SLICE_LITERAL("AWS4");
    struct buffer first CLEANUP(buffer_release);
    buffer_init(&first, prefix.len + secret.len);
    buffer_append_slice(&first, prefix);
    buffer_append_slice(&first, secret);
    digest_set_key(digest, buffer_slice(&first));
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        digest_hmac(digest, parts[i], ret_key);
        digest_set_key(digest, slice_of(ret_key, SHA256_BYTES));
    }
}

bool sigv4_sign(struct digest *digest, const struct sigv4_request *request, struct buffer *scratch,
                char ret_signature[SIGV4_SIGNATURE_CHARS]) {
    uint8_t hash[SHA256_BYTES];
    buffer_reset(scratch);
    sigv4_write_canonical(scratch, request);
    digest_sha256(digest, buffer_slice(scratch), hash);
    bool complete = !scratch->overflow;
    buffer_reset(scratch);
    sigv4_write_text(scratch, request, hash);
    digest_hmac(digest, buffer_slice(scratch), hash);
    hex_print(hash, sizeof(hash), ret_signature);
    return complete && !scratch->overflow;
}

void sigv4_write_authorization(struct buffer *out, struct slice key_id,
                               const struct sigv4_request *request,
                               const char signature[SIGV4_SIGNATURE_CHARS]) {
    buffer_append_text(out, SIGV4_ALGORITHM " Credential=");
    buffer_append_slice(out, key_id);
    buffer_append_byte(out, '/');
    sigv4_write_scope(out, &request->scope);
    buffer_append_text(out, ", SignedHeaders=");
    sigv4_write_names(out, request);
    buffer_append_text(out, ", Signature=");
    buffer_append(out, signature, SIGV4_SIGNATURE_CHARS);
}
