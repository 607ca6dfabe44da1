/* fuzz_value_check.c - any bytes through value_check(); what it accepts is safe to walk, to size
 * and to write, and is the only form of that value. */
#include "fuzz.h"
#include "model/limits.h"
#include "model/value_json.h"

static void walk(struct value value) {
    CHECK(value_at(value.bytes).len == value.len);
    enum value_type type = value_type(value);
    if (type < VALUE_SS)
        return;
    struct value_iter iter;
    uint32_t count = 0;
    value_iter_init(&iter, value);
    for (; value_iter_next(&iter); count++) {
        if (value_type_is_set(type)) {
            CHECK(value_set_has(value, iter.member));
            continue;
        }
        if (type == VALUE_M)
            CHECK(value_map_find(value, iter.name).bytes == iter.value.bytes);
        else
            CHECK(value_list_at(value, count).bytes == iter.value.bytes);
        walk(iter.value);
    }
    CHECK(count == value_count(value));
}

/* Reading the JSON again gives the same bytes, where JSON can carry the value at all: names and
 * strings here may be no UTF-8. */
static void check_canonical(struct value value, struct slice json) {
    struct arena arena;
    struct buffer buffer;
    arena_init(&arena);
    buffer_init(&buffer, 1 << 26);
    struct json_reader reader;
    json_reader_init(&reader, json, &arena);
    json_next(&reader);
    struct value_fault fault = {0};
    struct value_builder builder;
    value_builder_init(&builder, &buffer, &arena);
    if (value_read_json(&reader, &builder, &fault) == NULL && fault.error == NULL)
        CHECK(slice_equal(buffer_slice(&buffer), value_slice(value)));
    buffer_release(&buffer);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice bytes = slice_of(data, size);
    if (size > 4096 || !value_check(bytes, LIMIT_NESTING))
        return 0;
    struct value value = value_from_slice(bytes);
    walk(value);
    CHECK(value_depth(value) <= LIMIT_NESTING && value_size(value) <= 30 * size + 3);
    if (value_type(value) == VALUE_M)
        CHECK(item_size(value) <= value_size(value));
    struct buffer text;
    struct json_writer writer;
    buffer_init(&text, 1 << 26);
    json_writer_init(&writer, &text);
    value_write_json(&writer, value);
    CHECK(!text.overflow);
    check_canonical(value, buffer_slice(&text));
    buffer_release(&text);
    return 0;
}
