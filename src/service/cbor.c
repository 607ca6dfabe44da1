/* cbor.c - see cbor.h. Every element takes at least a byte of the input, so that no length that is
 * told makes more than the input can hold. */
#include "service/cbor.h"

#include <math.h>

#include "base/base64.h"
#include "base/check.h"
#include "base/utf8.h"

enum major {
    MAJOR_UNSIGNED,
    MAJOR_NEGATIVE,
    MAJOR_BYTES,
    MAJOR_TEXT,
    MAJOR_ARRAY,
    MAJOR_MAP,
    MAJOR_TAG,
    MAJOR_SIMPLE
};

enum { SIMPLE_FALSE = 20, SIMPLE_TRUE, SIMPLE_NULL, SIMPLE_UNDEFINED };
enum { INFO_1 = 24, INFO_2, INFO_4, INFO_8, INFO_INDEFINITE = 31, BREAK = 0xFF };

struct cbor {
    struct arena *arena;
    struct slice rest;
    unsigned depth;
    uint32_t count; /* of values so far */
};

struct head {
    uint8_t major;
    uint8_t info;
    uint64_t argument; /* not with INFO_INDEFINITE */
};

static bool take_head(struct cbor *cbor, struct head *ret_head) {
    if (cbor->rest.len == 0)
        return false;
    const uint8_t *p = cbor->rest.data;
    struct head head = {.major = p[0] >> 5, .info = p[0] & 31, .argument = p[0] & 31};
    size_t more = head.info < INFO_1 || head.info == INFO_INDEFINITE ? 0
                  : head.info <= INFO_8                              ? 1u << (head.info - INFO_1)
                                                                     : SIZE_MAX;
    if (cbor->rest.len - 1 < more)
        return false;
    if (more > 0)
        head.argument = 0;
    for (size_t i = 0; i < more; i++)
        head.argument = head.argument << 8 | p[1 + i];
    cbor->rest = slice_skip(cbor->rest, 1 + more);
    *ret_head = head;
    return true;
}

static bool take_break(struct cbor *cbor) {
    if (cbor->rest.len == 0 || cbor->rest.data[0] != BREAK)
        return false;
    cbor->rest = slice_skip(cbor->rest, 1);
    return true;
}

/* ---- strings ---- */

static bool take_bytes(struct cbor *cbor, uint64_t len, struct slice *ret_bytes) {
    if (len > cbor->rest.len)
        return false;
    *ret_bytes = slice_first(cbor->rest, (size_t)len);
    cbor->rest = slice_skip(cbor->rest, (size_t)len);
    return true;
}

/* The next piece of a string of indefinite length, which is of the same kind. */
static bool take_piece(struct cbor *cbor, uint8_t major, struct slice *ret_piece) {
    struct head head;
    return take_head(cbor, &head) && head.major == major && head.info != INFO_INDEFINITE &&
           take_bytes(cbor, head.argument, ret_piece);
}

/* Up to the break, counted before there is memory for them: there may be many such strings. */
static bool take_pieces(struct cbor *cbor, uint8_t major, struct slice *ret_bytes) {
    struct cbor ahead = *cbor;
    struct slice piece;
    size_t total = 0, len = 0;
    for (; !take_break(&ahead); total += piece.len)
        if (!take_piece(&ahead, major, &piece))
            return false;
    uint8_t *joined = arena_alloc(cbor->arena, total + 1);
    for (; !take_break(cbor); len += piece.len) {
        CHECK(take_piece(cbor, major, &piece));
        if (piece.len > 0)
            memcpy(joined + len, piece.data, piece.len);
    }
    *ret_bytes = slice_of(joined, len);
    return true;
}

static bool take_string(struct cbor *cbor, const struct head *head, struct slice *ret_text) {
    struct slice text;
    if (head->info == INFO_INDEFINITE ? !take_pieces(cbor, head->major, &text)
                                      : !take_bytes(cbor, head->argument, &text))
        return false;
    if (head->major == MAJOR_BYTES) {
        size_t len = base64_encoded_len(text.len);
        uint8_t *base64 = arena_alloc(cbor->arena, len + 1);
        base64_encode(text, base64);
        text = slice_of(base64, len);
    }
    *ret_text = text;
    return head->major == MAJOR_BYTES || utf8_check(text);
}

/* ---- numbers ---- */

static double half_of(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double n = exponent == 0    ? ldexp(fraction, -24)
               : exponent == 31 ? (fraction == 0 ? (double)INFINITY : (double)NAN)
                                : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -n : n;
}

static bool read_float(struct cbor *cbor, const struct head *head, struct json_value *value) {
    double n;
    if (head->info == INFO_2) {
        n = half_of(head->argument);
    } else if (head->info == INFO_4) {
        uint32_t bits = (uint32_t)head->argument;
        float single;
        memcpy(&single, &bits, sizeof(single));
        n = (double)single;
    } else {
        memcpy(&n, &head->argument, sizeof(n));
    }
    value->kind = JSON_DECIMAL;
    value->text = isnan(n) ? SLICE_LITERAL("nan") : arena_printf(cbor->arena, "%.17g", n);
    return true;
}

static bool read_simple(struct cbor *cbor, const struct head *head, struct json_value *value) {
    if (head->info == INFO_2 || head->info == INFO_4 || head->info == INFO_8)
        return read_float(cbor, head, value);
    value->kind = head->argument == SIMPLE_FALSE  ? JSON_FALSE
                  : head->argument == SIMPLE_TRUE ? JSON_TRUE
                                                  : JSON_NULL;
    return head->info == SIMPLE_FALSE || head->info == SIMPLE_TRUE || head->info == SIMPLE_NULL ||
           head->info == SIMPLE_UNDEFINED;
}

/* ---- values ---- */

static bool read_value(struct cbor *cbor, struct json_value *value);

static bool read_name(struct cbor *cbor, struct slice *ret_name) {
    struct head head;
    return take_head(cbor, &head) && head.major == MAJOR_TEXT && take_string(cbor, &head, ret_name);
}

static bool read_container(struct cbor *cbor, const struct head *head, struct json_value *value) {
    const struct json_value **end = &value->first;
    bool map = head->major == MAJOR_MAP, open = head->info == INFO_INDEFINITE;
    value->kind = map ? JSON_OBJECT_BEGIN : JSON_ARRAY_BEGIN;
    if (cbor->depth == CBOR_DEPTH_MAX)
        return false;
    cbor->depth++;
    for (uint64_t i = 0; open ? !take_break(cbor) : i < head->argument; i++) {
        if (++cbor->count > CBOR_VALUES_MAX)
            return false;
        struct json_value *item = ARENA_NEW(cbor->arena, struct json_value);
        if ((map && !read_name(cbor, &item->name)) || !read_value(cbor, item))
            return false;
        *end = item;
        end = &item->next;
    }
    cbor->depth--;
    return true;
}

/* A tag says what a value means; here that is known. */
static bool read_tagged(struct cbor *cbor, struct json_value *value) {
    if (cbor->depth == CBOR_DEPTH_MAX)
        return false;
    cbor->depth++;
    bool fine = read_value(cbor, value);
    cbor->depth--;
    return fine;
}

static bool read_value(struct cbor *cbor, struct json_value *value) {
    struct head head;
    if (!take_head(cbor, &head))
        return false;
    bool definite = head.info != INFO_INDEFINITE;
    switch ((enum major)head.major) {
    case MAJOR_UNSIGNED:
    case MAJOR_NEGATIVE:
        value->kind = JSON_INTEGER;
        value->text = head.major == MAJOR_UNSIGNED
                          ? arena_printf(cbor->arena, "%llu", (unsigned long long)head.argument)
                          : arena_printf(cbor->arena, "-%.0f", (double)head.argument + 1);
        return definite;
    case MAJOR_BYTES:
    case MAJOR_TEXT:
        value->kind = JSON_STRING;
        return take_string(cbor, &head, &value->text);
    case MAJOR_ARRAY:
    case MAJOR_MAP:
        return read_container(cbor, &head, value);
    case MAJOR_TAG:
        return definite && read_tagged(cbor, value);
    case MAJOR_SIMPLE:
        break;
    }
    return definite && read_simple(cbor, &head, value);
}

const struct json_value *cbor_tree_read(struct arena *arena, struct slice input) {
    struct cbor cbor = {.arena = arena, .rest = input};
    struct json_value *root = ARENA_NEW(arena, struct json_value);
    return read_value(&cbor, root) && cbor.rest.len == 0 ? root : NULL;
}
