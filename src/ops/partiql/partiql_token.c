/* partiql_token.c - tokens to bytes and back. */
#include "ops/partiql/partiql_token.h"

#include "base/base64.h"
#include "base/bytes.h"
#include "base/siphash.h"
#include "model/limits.h"

enum {
    TOKEN_VERSION = 1,
    AT_HASH = 1,
    AT_FINGERPRINT = AT_HASH + SIPHASH_BYTES,
    AT_RANGE = AT_FINGERPRINT + SIPHASH_BYTES,
    AT_KEY = AT_RANGE + 4,
    KEY_DEPTH_MAX = 2,
};

static const uint8_t token_key[SIPHASH_KEY_BYTES + 1] = "statement tokens";

static void append_part(struct buffer *to, struct slice part) {
    uint8_t len[4];
    store_u32(len, (uint32_t)part.len);
    buffer_append(to, len, sizeof(len));
    buffer_append_slice(to, part);
}

void partiql_fingerprint(const struct partiql_call *statement, uint8_t ret_fingerprint[16]) {
    struct buffer all;
    buffer_init(&all, 2 * LIMIT_BODY_BYTES);
    append_part(&all, statement->text);
    append_part(&all, statement->table->definition.uuid);
    for (size_t i = 0; i < statement->parameter_count; i++)
        append_part(&all, value_slice(statement->parameters[i]));
    siphash128(token_key, buffer_slice(&all), ret_fingerprint);
    buffer_release(&all);
}

struct slice partiql_token_encode(struct arena *arena, const struct partiql_token *token) {
    size_t len = AT_KEY + token->last_key.len;
    uint8_t *bytes = arena_alloc(arena, len);
    bytes[0] = TOKEN_VERSION;
    memcpy(bytes + AT_FINGERPRINT, token->fingerprint, SIPHASH_BYTES);
    store_u32(bytes + AT_RANGE, token->range);
    memcpy(bytes + AT_KEY, token->last_key.bytes, token->last_key.len);
    siphash128(token_key, slice_of(bytes + AT_FINGERPRINT, len - AT_FINGERPRINT), bytes + AT_HASH);
    uint8_t *text = arena_alloc(arena, base64_encoded_len(len));
    base64_encode(slice_of(bytes, len), text);
    return slice_of(text, base64_encoded_len(len));
}

struct error *partiql_token_invalid(struct arena *arena) {
    return error_validation(arena, "Invalid NextToken");
}

struct error *partiql_token_decode(struct arena *arena, struct slice text,
                                   struct partiql_token *token) {
    uint8_t *bytes = arena_alloc(arena, base64_decoded_max(text.len) + 1);
    uint8_t hash[SIPHASH_BYTES];
    size_t len;
    if (base64_decode(text, bytes, &len) != BASE64_OK || len <= AT_KEY || bytes[0] != TOKEN_VERSION)
        return partiql_token_invalid(arena);
    siphash128(token_key, slice_of(bytes + AT_FINGERPRINT, len - AT_FINGERPRINT), hash);
    struct slice key = slice_of(bytes + AT_KEY, len - AT_KEY);
    if (memcmp(hash, bytes + AT_HASH, SIPHASH_BYTES) != 0 || !value_check(key, KEY_DEPTH_MAX) ||
        value_type(value_from_slice(key)) != VALUE_M)
        return partiql_token_invalid(arena);
    if (memcmp(token->fingerprint, bytes + AT_FINGERPRINT, SIPHASH_BYTES) != 0)
        return error_validation(arena, "NextToken does not match request");
    token->range = load_u32(bytes + AT_RANGE);
    token->last_key = value_from_slice(key);
    return NULL;
}
