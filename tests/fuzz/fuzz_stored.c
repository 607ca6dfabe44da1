/* fuzz_stored.c - any bytes as a stored item.
 *
 * Whatever they are, nobody reads outside of them: an attribute is looked for and the whole is
 * written without a look at the rest, as a GetItem does, and what value_is_bounded() accepts is
 * walked, sized and computed with. What is in the one canonical form passes all of it. */
#include "codec/item.h"
#include "fuzz.h"
#include "model/value_json.h"

static bool writes(struct value item) {
    struct buffer text;
    struct json_writer writer;
    buffer_init(&text, 1 << 26);
    json_writer_init(&writer, &text);
    bool written = item_write_json(&writer, item);
    buffer_release(&text);
    return written;
}

static void compute(struct slice number) {
    struct number sum;
    int64_t n;
    (void)number_add(number, number, &sum);
    (void)number_subtract(SLICE_LITERAL("\xc1\x02"), number, &sum);
    (void)number_to_int(number, &n);
    (void)number_integer_part(number, &n);
}

static void walk(struct value value) {
    enum value_type type = value_type(value);
    struct value_iter iter;
    if (type == VALUE_N)
        compute(value_scalar(value));
    if (type < VALUE_SS)
        return;
    value_iter_init(&iter, value);
    while (value_iter_next(&iter)) {
        if (type == VALUE_NS)
            compute(iter.member);
        if (type == VALUE_M || type == VALUE_L)
            walk(iter.value);
    }
    if (type == VALUE_L && value_count(value) > 0)
        CHECK(value_present(value_list_at(value, value_count(value) - 1)));
}

static void read_stored(struct arena *arena, struct slice bytes) {
    struct stored_item item;
    if (item_decode_unread(arena, bytes, &item) != NULL)
        return;
    bool sound = stored_item_is_sound(&item);
    (void)value_map_find(item.item, SLICE_LITERAL("pk"));
    bool written = writes(item.item);
    CHECK(written || !sound);
    CHECK(sound || !value_check(value_slice(item.item), ITEM_DEPTH_MAX));
    if (sound) {
        walk(item.item);
        (void)item_size(item.item);
        (void)value_depth(item.item);
    }
}

/* As they are, which is an item without a checksum if any, and with a checksum that is right. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    if (size > 1 << 16)
        return 0;
    arena_init(&arena);
    read_stored(&arena, slice_of(data, size));
    uint8_t *summed = arena_alloc(&arena, SUMMED_HEADER + size);
    if (size > 0)
        memcpy(summed + SUMMED_HEADER, data, size);
    read_stored(&arena, summed_seal(summed, SUMMED_HEADER + size));
    arena_release(&arena);
    return 0;
}
