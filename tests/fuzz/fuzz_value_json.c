/* fuzz_value_json.c - JSON to a flat value and back.
 *
 * The first byte chooses what is read (an item or a value) and the layer; the rest is the JSON.
 * Whatever was read must pass value_check(), and without a fault the JSON written from it must read
 * as the same bytes. */
#include "fuzz.h"
#include "model/limits.h"
#include "model/value_json.h"

struct result {
    struct error *error;
    struct error *fault;
    struct value value;
};

static struct result read_json(struct slice json, bool item, enum value_layer layer,
                               struct arena *arena) {
    struct buffer buffer;
    buffer_init(&buffer, 1 << 26);
    struct json_reader reader;
    json_reader_init(&reader, json, arena);
    json_next(&reader);
    struct value_builder builder;
    value_builder_init(&builder, &buffer, arena);
    struct value_fault fault = {.layer = layer};
    struct result result = {.value = VALUE_ABSENT};
    result.error = item ? item_read_json(&reader, &builder, &fault)
                        : value_read_json(&reader, &builder, &fault);
    result.fault = fault.error;
    if (result.error == NULL)
        result.value = value_builder_finish(&builder, arena);
    buffer_release(&buffer);
    return result;
}

static void check_value(struct value value, bool item, enum value_layer layer, bool fault,
                        struct arena *arena) {
    bool one_more = item || layer == VALUE_LAYER_OLDER;
    CHECK(value_check(value_slice(value), LIMIT_NESTING + one_more));
    struct buffer text;
    buffer_init(&text, 1 << 28);
    struct json_writer writer;
    json_writer_init(&writer, &text);
    if (item)
        item_write_json(&writer, value);
    else
        value_write_json(&writer, value);
    CHECK(!text.overflow);
    struct result again = read_json(buffer_slice(&text), item, layer, arena);
    CHECK(again.error == NULL && (fault || again.fault == NULL));
    CHECK(value_equal(again.value, value));
    buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    bool item = (data[0] & 1) != 0;
    enum value_layer layer = (data[0] & 2) != 0 ? VALUE_LAYER_OLDER : VALUE_LAYER_CURRENT;
    struct arena arena;
    arena_init(&arena);
    struct result result = read_json(slice_of(data + 1, size - 1), item, layer, &arena);
    if (result.error == NULL)
        check_value(result.value, item, layer, result.fault != NULL, &arena);
    arena_release(&arena);
    return 0;
}
