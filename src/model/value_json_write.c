/* value_json_write.c - flat values to JSON.
 *
 * Every reply with an item comes through here, so the writer follows the flat bytes by itself: what
 * writes a value returns where the next one starts. Nearly all entries of maps are short scalars
 * with nothing to escape, which lie before other bytes of the item and find room to spare in the
 * buffer. Those are copied in whole blocks, which read and write a little more than the text;
 * everything else is put piece by piece.
 *
 * Items are written as the store gives them, so this is where their bounds are checked (see
 * value_is_bounded(), which would be a second walk): nothing is read outside the value, and a part
 * that does not fit in the whole ends the writing. In a text that is copied in blocks that takes
 * nothing, since it is known to lie before the last block of the value.
 * Recursion is bounded by DEPTH_MAX. Memory: the buffer's. */
#include "base/base64.h"
#include "base/check.h"
#include "json/scan.h"
#include "model/value_json.h"

enum { DEPTH_MAX = LIMIT_CURRENT_NESTING + 1 };

struct output {
    struct buffer *out;
    /* The last block of the whole value: a text that ends before it may be read in whole blocks.
     * NULL: the value is shorter than a block. */
    const uint8_t *last_block;
};

static const uint8_t *put_value(const struct output *o, const uint8_t *at, const uint8_t *end,
                                uint32_t depth_left);

/* ---- texts, numbers and blobs ---- */

/* A text with what stands around it: room is asked for once, and most texts need no escape. */
static inline __attribute__((always_inline)) void put_text(struct buffer *out, struct slice before,
                                                           struct slice text, struct slice after) {
    if (!buffer_reserve(out, before.len + text.len + after.len))
        return;
    uint8_t *at = out->data + out->len;
    memcpy(at, before.data, before.len);
    at += before.len;
    size_t plain = json_copy_plain(at, text);
    if (plain == text.len) {
        memcpy(at + plain, after.data, after.len);
        out->len += before.len + plain + after.len;
        return;
    }
    out->len += before.len + plain;
    json_escape(out, slice_skip(text, plain));
    buffer_append_slice(out, after);
}

#define PUT_TEXT(out, before, text, after) \
    put_text((out), SLICE_LITERAL(before), (text), SLICE_LITERAL(after))

static void put_number(struct buffer *out, struct slice before, struct slice number,
                       struct slice after) {
    char text[NUMBER_TEXT_MAX + 16];
    memcpy(text, before.data, before.len);
    size_t len = before.len + number_format(number, text + before.len);
    memcpy(text + len, after.data, after.len);
    buffer_append(out, text, len + after.len);
}

#define PUT_NUMBER(out, before, number, after) \
    put_number((out), SLICE_LITERAL(before), (number), SLICE_LITERAL(after))

static void put_blob(struct buffer *out, struct slice bytes) {
    size_t len = base64_encoded_len(bytes.len);
    buffer_append_byte(out, '"');
    if (buffer_reserve(out, len)) {
        base64_encode(bytes, out->data + out->len);
        out->len += len;
    }
    buffer_append_byte(out, '"');
}

/* ---- containers: each returns where it ends, NULL when it does not fit before `end` ---- */

/* Where the container ends that starts at `at`. */
static const uint8_t *container_end(const uint8_t *at, const uint8_t *end) {
    if (end - at < CONTAINER_HEADER || load_u32(at + 1) > (size_t)(end - at) - CONTAINER_HEADER)
        return NULL;
    return at + CONTAINER_HEADER + load_u32(at + 1);
}

/* The bytes behind the length at `at`; absent when they do not fit before `end`. */
static inline struct slice bytes_before(const uint8_t *at, const uint8_t *end) {
    uint32_t len;
    size_t header = at < end ? varint_decode_checked(at, (size_t)(end - at), &len) : 0;
    if (header == 0 || len > (size_t)(end - at) - header)
        return SLICE_NONE;
    return slice_of(at + header, len);
}

static inline bool is_number(struct slice bytes) {
    return bytes.len - 1 < NUMBER_BYTES_MAX;
}

static bool put_member(const struct output *o, enum value_type type, struct slice bytes) {
    if (type == VALUE_S)
        PUT_TEXT(o->out, "\"", bytes, "\"");
    else if (type == VALUE_B)
        put_blob(o->out, bytes);
    else if (is_number(bytes))
        PUT_NUMBER(o->out, "\"", bytes, "\"");
    else
        return false;
    return true;
}

static const uint8_t *put_set(const struct output *o, const uint8_t *at, const uint8_t *outer_end) {
    enum value_type type = value_member_type((enum value_type)at[0]);
    const uint8_t *end = container_end(at, outer_end);
    uint8_t before = '[';
    if (end == NULL)
        return NULL;
    for (at += CONTAINER_HEADER; at < end; before = ',') {
        struct slice member = bytes_before(at, end);
        buffer_append_byte(o->out, before);
        if (!slice_present(member) || !put_member(o, type, member))
            return NULL;
        at = member.data + member.len;
    }
    buffer_append_byte(o->out, ']');
    return end;
}

static const uint8_t *put_list(const struct output *o, const uint8_t *at, const uint8_t *outer_end,
                               uint32_t depth_left) {
    const uint8_t *end = container_end(at, outer_end);
    const uint8_t *first = at + CONTAINER_HEADER;
    if (end == NULL)
        return NULL;
    buffer_append_byte(o->out, '[');
    for (at = first; at < end;) {
        if (at != first)
            buffer_append_byte(o->out, ',');
        at = put_value(o, at, end, depth_left);
        if (at == NULL)
            return NULL;
    }
    buffer_append_byte(o->out, ']');
    return end;
}

/* What a plain entry takes besides the bytes of its name and its value: what stands around them, a
 * number's digits, and what copying in blocks writes after a text. */
enum { PLAIN_SPARE = NUMBER_TEXT_MAX + BLOCK_BYTES + sizeof(",\"\":{\"BOOL\":false}") };

/* Room for more than may be needed; where the maximum forbids it that is no overflow yet. */
static inline bool make_room(struct buffer *out, size_t size) {
    return out->capacity - out->len >= size ||
           (out->size_max - out->len >= size && buffer_grow(out, size));
}

/* A text; what is to be escaped in it is added to `special`, and so is that it does not fit. */
static inline uint8_t *copy_text(uint8_t *to, struct slice text, const uint8_t *last_block,
                                 uint32_t *special) {
    const uint8_t *end = text.data + text.len;
    if (end <= last_block)
        *special |= scan_copy(to, text.data, text.len);
    else
        *special |= end > last_block + BLOCK_BYTES || json_copy_plain(to, text) < text.len;
    return to + text.len;
}

/* A name: behind one that lies before the last block, a tag and a length are there to be read. */
static inline uint8_t *copy_name(uint8_t *to, struct slice name, const uint8_t *last_block,
                                 uint32_t *special) {
    const uint8_t *value = name.data + name.len;
    if (value <= last_block)
        *special = scan_copy(to, name.data, name.len);
    else if (last_block + BLOCK_BYTES - value < 2 || (value[0] <= VALUE_B && value[1] >= 0x80))
        *special = 1;
    else
        *special = json_copy_plain(to, name) < name.len;
    return to + name.len;
}

/* What follows a name: the value, and what stands around it. */
static inline uint8_t *copy_scalar(uint8_t *to, const uint8_t *value, struct slice bytes,
                                   const uint8_t *last_block, uint32_t *special) {
    if (*value == VALUE_S) {
        memcpy(to, "\":{\"S\":\"", 8);
        to = copy_text(to + 8, bytes, last_block, special);
    } else if (*value == VALUE_N) {
        if (!is_number(bytes) || bytes.data + bytes.len > last_block + BLOCK_BYTES)
            return *special = 1, to;
        memcpy(to, "\":{\"N\":\"", 8);
        to += 8;
        to += number_format(bytes, (char *)to);
    } else {
        memcpy(to, value[1] ? "\":{\"BOOL\":true} " : "\":{\"BOOL\":false}", 16);
        return to + (value[1] ? 15 : 16);
    }
    memcpy(to, "\"}", 2);
    return to + 2;
}

/* The bytes of an S or an N; a BOOL has none after its truth. */
static inline struct slice scalar_bytes(const uint8_t *value) {
    if (*value == VALUE_BOOL)
        return slice_of(value + 2, 0);
    uint32_t len;
    size_t header = 1 + varint_decode(value + 1, &len);
    return slice_of(value + header, len);
}

/* Entries that are an S, an N or a BOOL with nothing to escape under a short name, one after
 * another, as long as the buffer has room to spare. Returns the first one that is another, or
 * `end`; or what lies behind it, when an entry does not fit. Of one that is only of another type
 * the name is put as well, and its value returned: then *ret_named. */
static const uint8_t *put_plain_entries(const struct output *o, const uint8_t *at,
                                        const uint8_t *end, bool *ret_named) {
    struct buffer *out = o->out;
    const uint8_t *last_block = o->last_block;
    if (last_block == NULL || !make_room(out, (size_t)(end - at) + PLAIN_SPARE))
        return at;
    uint8_t *to = out->data + out->len;
    const uint8_t *room_end = out->data + out->capacity - PLAIN_SPARE;
    while (at < end && *at < 0x80) {
        struct slice name = slice_of(at + 1, *at);
        const uint8_t *value = name.data + name.len;
        uint32_t special;
        memcpy(to, ",\"", 2);
        uint8_t *named = copy_name(to + 2, name, last_block, &special);
        if (special != 0)
            break;
        if (*value != VALUE_S && *value != VALUE_N && *value != VALUE_BOOL) {
            memcpy(named, "\":", 2);
            to = named + 2;
            at = value;
            *ret_named = true;
            break;
        }
        struct slice bytes = scalar_bytes(value);
        const uint8_t *next = bytes.data + bytes.len;
        if (room_end - to < next - at)
            break;
        uint8_t *done = copy_scalar(named, value, bytes, last_block, &special);
        if (special != 0)
            break;
        to = done;
        at = next;
    }
    out->len = (size_t)(to - out->data);
    return at;
}

static const uint8_t *put_entry(const struct output *o, const uint8_t *at, const uint8_t *end,
                                uint32_t depth_left) {
    struct slice name = bytes_before(at, end);
    if (!slice_present(name))
        return NULL;
    PUT_TEXT(o->out, ",\"", name, "\":");
    return put_value(o, name.data + name.len, end, depth_left);
}

static const uint8_t *put_map(const struct output *o, const uint8_t *at, const uint8_t *outer_end,
                              uint32_t depth_left) {
    const uint8_t *end = container_end(at, outer_end);
    size_t start = o->out->len;
    if (end == NULL)
        return NULL;
    for (at += CONTAINER_HEADER; at < end;) {
        bool named = false;
        at = put_plain_entries(o, at, end, &named);
        if (named)
            at = put_value(o, at, end, depth_left);
        else if (at < end)
            at = put_entry(o, at, end, depth_left);
        if (at == NULL)
            return NULL;
    }
    /* The comma before the first name is where the brace belongs. */
    if (o->out->len > start)
        o->out->data[start] = '{';
    else
        buffer_append_byte(o->out, '{');
    buffer_append_byte(o->out, '}');
    return at == end ? end : NULL;
}

/* ---- values ---- */

/* The containers, and B: what their JSON starts with. */
static const struct slice openings[VALUE_TYPE_COUNT] = {
    [VALUE_B] = {(const uint8_t *)"{\"B\":", 5},   [VALUE_SS] = {(const uint8_t *)"{\"SS\":", 6},
    [VALUE_NS] = {(const uint8_t *)"{\"NS\":", 6}, [VALUE_BS] = {(const uint8_t *)"{\"BS\":", 6},
    [VALUE_L] = {(const uint8_t *)"{\"L\":", 5},   [VALUE_M] = {(const uint8_t *)"{\"M\":", 5},
};

static const uint8_t *put_long(const struct output *o, const uint8_t *at, const uint8_t *end,
                               uint32_t depth_left) {
    enum value_type type = (enum value_type)at[0];
    buffer_append_slice(o->out, openings[type]);
    if (type == VALUE_B) {
        struct slice bytes = bytes_before(at + 1, end);
        if (!slice_present(bytes))
            return NULL;
        put_blob(o->out, bytes);
        at = bytes.data + bytes.len;
    } else if (depth_left == 0) {
        return NULL;
    } else if (type == VALUE_L) {
        at = put_list(o, at, end, depth_left - 1);
    } else if (type == VALUE_M) {
        at = put_map(o, at, end, depth_left - 1);
    } else {
        at = put_set(o, at, end);
    }
    buffer_append_byte(o->out, '}');
    return at;
}

static const uint8_t *put_scalar(const struct output *o, const uint8_t *at, const uint8_t *end) {
    struct slice bytes = bytes_before(at + 1, end);
    if (!slice_present(bytes))
        return NULL;
    if (at[0] == VALUE_S)
        PUT_TEXT(o->out, "{\"S\":\"", bytes, "\"}");
    else if (is_number(bytes))
        PUT_NUMBER(o->out, "{\"N\":\"", bytes, "\"}");
    else
        return NULL;
    return bytes.data + bytes.len;
}

static const uint8_t *put_value(const struct output *o, const uint8_t *at, const uint8_t *end,
                                uint32_t depth_left) {
    if (at >= end)
        return NULL;
    switch ((enum value_type)at[0]) {
    case VALUE_S:
    case VALUE_N:
        return put_scalar(o, at, end);
    case VALUE_BOOL:
        if (end - at < 2)
            return NULL;
        buffer_append_slice(o->out, at[1] != 0 ? SLICE_LITERAL("{\"BOOL\":true}")
                                               : SLICE_LITERAL("{\"BOOL\":false}"));
        return at + 2;
    case VALUE_NULL:
        buffer_append_slice(o->out, SLICE_LITERAL("{\"NULL\":true}"));
        return at + 1;
    case VALUE_B:
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
    case VALUE_L:
    case VALUE_M:
        return put_long(o, at, end, depth_left);
    case VALUE_NONE:
        break;
    }
    return NULL; /* no such tag */
}

static struct output begin_element(struct json_writer *writer, struct value value) {
    if (writer->comma)
        buffer_append_byte(writer->out, ',');
    writer->comma = true;
    bool has_block = value.len >= BLOCK_BYTES;
    return (struct output){writer->out, has_block ? value.bytes + value.len - BLOCK_BYTES : NULL};
}

bool value_write_json(struct json_writer *writer, struct value value) {
    struct output output = begin_element(writer, value);
    const uint8_t *end = value.bytes + value.len;
    return value_present(value) && put_value(&output, value.bytes, end, DEPTH_MAX) == end;
}

bool item_write_json(struct json_writer *writer, struct value item) {
    struct output output = begin_element(writer, item);
    const uint8_t *end = item.bytes + item.len;
    return put_map(&output, item.bytes, end, DEPTH_MAX) == end;
}
