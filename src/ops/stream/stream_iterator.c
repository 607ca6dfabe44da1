/* stream_iterator.c - see the header. */
#include "ops/stream/stream_iterator.h"

#include "base/base64.h"
#include "base/bytes.h"
#include "engine/write.h"

enum {
    ITERATOR_VERSION = 1,
    SIGNED_BYTES = 27,
    ITERATOR_BYTES = SIGNED_BYTES + 16,
    ITERATOR_CHARS = (ITERATOR_BYTES + 2) / 3 * 4,
    FROM_HORIZON = 1 << 0,
    CAUGHT_UP = 1 << 1,
};

static struct slice infix = {(const uint8_t *)"|1|", 3};

/* The name in front keeps these hashes apart from the others that the secret is used for. */
static void sign(const struct op_call *call, struct slice arn, const uint8_t *bytes,
                 uint8_t ret_hash[16]) {
    static const char name[] = "shard iterator";
    uint8_t *input = arena_alloc(call->arena, sizeof(name) + arn.len + SIGNED_BYTES);
    memcpy(input, name, sizeof(name));
    memcpy(input + sizeof(name), bytes, SIGNED_BYTES);
    memcpy(input + sizeof(name) + SIGNED_BYTES, arn.data, arn.len);
    engine_fingerprint(call->context->engine,
                       slice_of(input, sizeof(name) + SIGNED_BYTES + arn.len), ret_hash);
}

struct slice stream_iterator_print(const struct op_call *call,
                                   const struct stream_iterator *iterator) {
    struct slice arn = iterator->arn.text;
    uint8_t bytes[ITERATOR_BYTES];
    bytes[0] = ITERATOR_VERSION;
    bytes[1] = iterator->shard.number;
    bytes[2] = (uint8_t)((iterator->from_horizon ? FROM_HORIZON : 0) |
                         (iterator->caught_up ? CAUGHT_UP : 0));
    store_u32(bytes + 3, iterator->stream_id);
    store_u32(bytes + 7, iterator->shard.generation);
    store_u64(bytes + 11, iterator->position);
    store_u64(bytes + 19, (uint64_t)iterator->issued_ms);
    sign(call, arn, bytes, bytes + SIGNED_BYTES);
    uint8_t *text = arena_alloc(call->arena, arn.len + infix.len + ITERATOR_CHARS);
    memcpy(text, arn.data, arn.len);
    memcpy(text + arn.len, infix.data, infix.len);
    base64_encode(slice_of(bytes, sizeof(bytes)), text + arn.len + infix.len);
    return slice_of(text, arn.len + infix.len + ITERATOR_CHARS);
}

static struct error *invalid(struct arena *arena) {
    return error_validation(arena, "Invalid ShardIterator");
}

/* The bytes behind the ARN; false when the text has not the form of an iterator. */
static bool take_bytes(struct slice text, struct slice *ret_arn,
                       uint8_t ret_bytes[ITERATOR_BYTES]) {
    size_t tail = infix.len + ITERATOR_CHARS, len;
    if (text.len <= tail)
        return false;
    struct slice arn = slice_first(text, text.len - tail);
    struct slice rest = slice_skip(text, arn.len);
    uint8_t bytes[ITERATOR_CHARS / 4 * 3];
    if (!slice_starts_with(rest, infix) ||
        base64_decode(slice_skip(rest, infix.len), bytes, &len) != BASE64_OK ||
        len != ITERATOR_BYTES)
        return false;
    memcpy(ret_bytes, bytes, ITERATOR_BYTES);
    *ret_arn = arn;
    return true;
}

struct error *stream_iterator_parse(struct op_call *call, struct slice text,
                                    struct stream_iterator *ret_iterator) {
    struct slice arn;
    uint8_t bytes[ITERATOR_BYTES], hash[16];
    if (!take_bytes(text, &arn, bytes))
        return invalid(call->arena);
    sign(call, arn, bytes, hash);
    if (memcmp(hash, bytes + SIGNED_BYTES, sizeof(hash)) != 0 || bytes[0] != ITERATOR_VERSION)
        return invalid(call->arena);
    struct stream_iterator iterator = {
        .stream_id = load_u32(bytes + 3),
        .shard = {.generation = load_u32(bytes + 7), .number = bytes[1]},
        .from_horizon = (bytes[2] & FROM_HORIZON) != 0,
        .caught_up = (bytes[2] & CAUGHT_UP) != 0,
        .position = load_u64(bytes + 11),
        .issued_ms = (int64_t)load_u64(bytes + 19),
    };
    TRY(stream_arn_parse(call, arn, &iterator.arn));
    *ret_iterator = iterator;
    return NULL;
}
