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

static void write_line(struct buffer *out, struct slice text) {
    buffer_append_slice(out, text);
    buffer_append_byte(out, '\n');
}

static void write_hash(struct buffer *out, const uint8_t hash[SHA256_BYTES]) {
    char hex[SHA256_HEX];
    hex_print(hash, SHA256_BYTES, hex);
    buffer_append(out, hex, sizeof(hex));
}

/* Without blanks around it, and with one blank where there are several. */
static void write_value(struct buffer *out, struct slice value) {
    bool first = true;
    while (value.len > 0) {
        const uint8_t *blank = memchr(value.data, ' ', value.len);
        size_t len = blank == NULL ? value.len : (size_t)(blank - value.data);
        if (len > 0 && !first)
            buffer_append_byte(out, ' ');
        buffer_append(out, value.data, len);
        first = first && len == 0;
        value = slice_skip(value, blank == NULL ? len : len + 1);
    }
}

static bool is_repeated(const struct sigv4_request *request, size_t index) {
    return index > 0 && slice_equal(request->headers[index].name, request->headers[index - 1].name);
}

static void write_headers(struct buffer *out, const struct sigv4_request *request) {
    for (size_t i = 0; i < request->header_count; i++) {
        if (is_repeated(request, i)) {
            buffer_append_byte(out, ',');
        } else {
            if (i > 0)
                buffer_append_byte(out, '\n');
            buffer_append_slice(out, request->headers[i].name);
            buffer_append_byte(out, ':');
        }
        write_value(out, request->headers[i].value);
    }
    buffer_append_byte(out, '\n');
}

void sigv4_write_names(struct buffer *out, const struct sigv4_request *request) {
    for (size_t i = 0; i < request->header_count; i++) {
        if (is_repeated(request, i))
            continue;
        if (i > 0)
            buffer_append_byte(out, ';');
        buffer_append_slice(out, request->headers[i].name);
    }
}

void sigv4_write_canonical(struct buffer *out, const struct sigv4_request *request) {
    write_line(out, request->method);
    write_line(out, request->path);
    write_line(out, request->query);
    write_headers(out, request);
    buffer_append_byte(out, '\n');
    sigv4_write_names(out, request);
    buffer_append_byte(out, '\n');
    write_hash(out, request->body_hash);
}

/* ---- the text to sign ---- */

void sigv4_write_scope(struct buffer *out, const struct sigv4_scope *scope) {
    const struct slice parts[] = {scope->day, scope->region, scope->service};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        buffer_append_slice(out, parts[i]);
        buffer_append_byte(out, '/');
    }
    buffer_append_slice(out, terminator);
}

void sigv4_write_text(struct buffer *out, const struct sigv4_request *request,
                      const uint8_t canonical_hash[SHA256_BYTES]) {
    write_line(out, SLICE_LITERAL(SIGV4_ALGORITHM));
    write_line(out, request->date);
    sigv4_write_scope(out, &request->scope);
    buffer_append_byte(out, '\n');
    write_hash(out, canonical_hash);
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
