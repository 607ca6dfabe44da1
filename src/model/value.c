/* value.c - reading flat values. */
#include "model/value.h"

static const char *const type_names[VALUE_TYPE_COUNT] = {
    "", "S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M",
};

const char *value_type_name(enum value_type type) {
    return type_names[type];
}

enum value_type value_type_from_name(struct slice name) {
    const uint8_t *p = name.data;
    switch (name.len) {
    case 1:
        return *p == 'S'   ? VALUE_S
               : *p == 'N' ? VALUE_N
               : *p == 'M' ? VALUE_M
               : *p == 'L' ? VALUE_L
               : *p == 'B' ? VALUE_B
                           : VALUE_NONE;
    case 2:
        if (p[1] != 'S')
            return VALUE_NONE;
        return *p == 'S' ? VALUE_SS : *p == 'N' ? VALUE_NS : *p == 'B' ? VALUE_BS : VALUE_NONE;
    case 4:
        return memcmp(p, "BOOL", 4) == 0   ? VALUE_BOOL
               : memcmp(p, "NULL", 4) == 0 ? VALUE_NULL
                                           : VALUE_NONE;
    default:
        return VALUE_NONE;
    }
}

/* Long lists are walked here, so nothing is kept of what is passed over. */
const uint8_t *value_skip(const uint8_t *at, uint32_t count) {
    for (; count > 0; count--)
        at += value_len_at(at);
    return at;
}

bool value_bool(struct value v) {
    return v.bytes[1] != 0;
}

uint32_t value_count(struct value v) {
    return load_u32(v.bytes + 5);
}

void value_iter_init(struct value_iter *iter, struct value container) {
    *iter = (struct value_iter){
        .next = container.bytes + CONTAINER_HEADER,
        .end = container.bytes + container.len,
        .container = value_type(container),
    };
}

static inline struct slice take_bytes(struct value_iter *iter) {
    uint32_t len;
    iter->next += varint_decode(iter->next, &len);
    struct slice bytes = slice_of(iter->next, len);
    iter->next += len;
    return bytes;
}

bool value_iter_next(struct value_iter *iter) {
    if (iter->next >= iter->end)
        return false;
    if (value_type_is_set(iter->container)) {
        iter->member = take_bytes(iter);
        return true;
    }
    if (iter->container == VALUE_M)
        iter->name = take_bytes(iter);
    iter->value = (struct value){iter->next, value_len_at(iter->next)};
    iter->next += iter->value.len;
    return true;
}

/* How long the value is that starts at `at`, of which `left` bytes are there, two or more; 0 when
 * there is none. */
static size_t long_len(const uint8_t *at, size_t left) {
    bool scalar = at[0] >= VALUE_S && at[0] <= VALUE_NULL;
    bool short_length = at[0] > VALUE_B || at[1] < 0x80;
    if (at[0] == VALUE_NONE || at[0] > VALUE_M ||
        (left < CONTAINER_HEADER && !(scalar && short_length)))
        return 0;
    return value_len_at(at);
}

/* The same, or 0 when it does not end before `end`. */
static inline size_t value_len_before(const uint8_t *at, const uint8_t *end) {
    if (end - at < 2)
        return end - at == 1 && at[0] == VALUE_NULL;
    size_t left = (size_t)(end - at);
    size_t len = at[0] == VALUE_S && at[1] < 0x80 ? 2 + (size_t)at[1] : long_len(at, left);
    return len <= left ? len : 0;
}

/* Every request looks its keys up, so this walks by itself, and compares only names of the right
 * length. That the names are sorted would spare little: who looks finds, most of the time. It looks
 * into items that nobody has checked yet, so it stays inside whatever they say. */
struct value value_map_find(struct value v, struct slice name) {
    if (value_type(v) != VALUE_M)
        return VALUE_ABSENT;
    const uint8_t *at = v.bytes + CONTAINER_HEADER, *end = v.bytes + v.len;
    while (at < end) {
        uint32_t len = at[0];
        size_t header = len < 0x80 ? 1 : varint_decode_checked(at, (size_t)(end - at), &len);
        const uint8_t *entry_name = at + header;
        const uint8_t *value = entry_name + len;
        size_t size = header == 0 ? 0 : value_len_before(value, end);
        if (size == 0)
            break;
        if (slice_equal(slice_of(entry_name, len), name))
            return (struct value){value, size};
        at = value + size;
    }
    return VALUE_ABSENT;
}

struct value value_list_at(struct value v, uint32_t index) {
    if (value_type(v) != VALUE_L || index >= value_count(v))
        return VALUE_ABSENT;
    return value_at(value_skip(v.bytes + CONTAINER_HEADER, index));
}

bool value_set_has(struct value set, struct slice member) {
    struct value_iter iter;
    value_iter_init(&iter, set);
    while (value_iter_next(&iter)) {
        int order = slice_compare(iter.member, member);
        if (order >= 0)
            return order == 0;
    }
    return false;
}

static size_t set_size(struct value v) {
    size_t size = 0;
    struct value_iter iter;
    value_iter_init(&iter, v);
    while (value_iter_next(&iter))
        size += iter.container == VALUE_NS ? number_size(iter.member) : iter.member.len;
    return size;
}

/* An L or M costs 3 bytes and one more per element; map names count as well. */
static size_t container_size(struct value v) {
    size_t size = 3;
    struct value_iter iter;
    value_iter_init(&iter, v);
    while (value_iter_next(&iter))
        size += 1 + iter.name.len + value_size(iter.value);
    return size;
}

size_t value_size(struct value v) {
    switch (value_type(v)) {
    case VALUE_S:
    case VALUE_B:
        return value_scalar(v).len;
    case VALUE_N:
        return number_size(value_scalar(v));
    case VALUE_BOOL:
    case VALUE_NULL:
        return 1;
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
        return set_size(v);
    case VALUE_L:
    case VALUE_M:
        return container_size(v);
    case VALUE_NONE:
        break;
    }
    return 0;
}

/* Every write asks for it: like value_map_find() it walks by itself, and most values are texts. */
size_t item_size(struct value item) {
    size_t size = 0;
    const uint8_t *at = item.bytes + CONTAINER_HEADER, *end = item.bytes + item.len;
    while (at < end) {
        uint32_t name_len;
        at += varint_decode(at, &name_len);
        at += name_len;
        struct value value = {at, value_len_at(at)};
        size += name_len + (*at == VALUE_S ? value_scalar(value).len : value_size(value));
        at += value.len;
    }
    return size;
}

uint32_t value_depth(struct value v) {
    enum value_type type = value_type(v);
    if (type != VALUE_L && type != VALUE_M)
        return 1;
    uint32_t deepest = 0;
    struct value_iter iter;
    value_iter_init(&iter, v);
    while (value_iter_next(&iter)) {
        uint32_t depth = value_depth(iter.value);
        deepest = depth > deepest ? depth : deepest;
    }
    return 1 + deepest;
}

/* A cursor over bytes that may be anything. */
struct checker {
    const uint8_t *next;
    const uint8_t *end;
};

static bool check_bytes(struct checker *c, struct slice *ret_bytes) {
    uint32_t len;
    size_t taken = varint_decode_checked(c->next, (size_t)(c->end - c->next), &len);
    if (taken == 0 || len > (size_t)(c->end - c->next) - taken)
        return false;
    if (taken > 1 && c->next[taken - 1] == 0)
        return false; /* the same length has a shorter form */
    *ret_bytes = slice_of(c->next + taken, len);
    c->next += taken + len;
    return true;
}

static bool check_value(struct checker *c, uint32_t depth_left);

static bool check_element(struct checker *c, enum value_type container, struct slice *previous,
                          uint32_t depth_left) {
    struct slice bytes = SLICE_NONE;
    if (container != VALUE_L) {
        if (!check_bytes(c, &bytes))
            return false;
        if (slice_present(*previous) && slice_compare(*previous, bytes) >= 0)
            return false;
        if (container == VALUE_NS && !number_check(bytes))
            return false;
        *previous = bytes;
    }
    return value_type_is_set(container) || check_value(c, depth_left - 1);
}

static bool check_container(struct checker *c, enum value_type type, uint32_t depth_left) {
    if (c->end - c->next < CONTAINER_HEADER - 1)
        return false;
    uint32_t size = load_u32(c->next);
    uint32_t count = load_u32(c->next + 4);
    c->next += 8;
    if (size > (size_t)(c->end - c->next))
        return false;
    struct checker inner = {c->next, c->next + size};
    struct slice previous = SLICE_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (!check_element(&inner, type, &previous, depth_left))
            return false;
    c->next += size;
    return inner.next == inner.end && (count > 0 || !value_type_is_set(type));
}

static bool check_value(struct checker *c, uint32_t depth_left) {
    if (depth_left == 0 || c->next >= c->end)
        return false;
    enum value_type type = (enum value_type) * c->next++;
    struct slice bytes;
    switch (type) {
    case VALUE_NULL:
        return true;
    case VALUE_BOOL:
        return c->next < c->end && *c->next++ <= 1;
    case VALUE_N:
        return check_bytes(c, &bytes) && bytes.len < 128 && number_check(bytes);
    case VALUE_S:
    case VALUE_B:
        return check_bytes(c, &bytes);
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
    case VALUE_L:
    case VALUE_M:
        return check_container(c, type, depth_left);
    case VALUE_NONE:
        break;
    }
    return false;
}

bool value_check(struct slice bytes, uint32_t depth_max) {
    struct checker c = {bytes.data, bytes.data + bytes.len};
    return bytes.data != NULL && check_value(&c, depth_max) && c.next == c.end;
}
