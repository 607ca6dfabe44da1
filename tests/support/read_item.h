/* read_item.h - an item of a test, from DynamoDB's JSON. The text is the test's own: a fault in it
 * is a bug. */
#ifndef GRAMME_TESTS_READ_ITEM_H
#define GRAMME_TESTS_READ_ITEM_H

#include "base/check.h"
#include "model/value_json.h"

static inline struct value read_item(struct arena *arena, const char *json) {
    struct json_reader reader;
    struct buffer bytes;
    struct value_builder builder;
    struct value_fault fault = {0};
    json_reader_init(&reader, slice_text(json), arena);
    buffer_init(&bytes, 1 << 20);
    value_builder_init(&builder, &bytes, arena);
    json_next(&reader);
    CHECK(item_read_json(&reader, &builder, &fault) == NULL && fault.error == NULL);
    struct value item = value_builder_finish(&builder, arena);
    buffer_release(&bytes);
    return item;
}

#endif
