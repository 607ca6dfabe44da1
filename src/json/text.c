/* text.c - see text.h. */
#include "json/text.h"

#include "base/check.h"

void json_text_begin(struct json_text *text) {
    buffer_init(&text->buffer, JSON_TEXT_BYTES_MAX);
    json_writer_init(&text->json, &text->buffer);
    json_object_begin(&text->json);
}

struct slice json_text_end(struct json_text *text, struct arena *arena) {
    json_object_end(&text->json);
    buffer_append_byte(&text->buffer, 0);
    CHECK(!text->buffer.overflow);
    struct slice copy = arena_slice(arena, buffer_slice(&text->buffer));
    buffer_release(&text->buffer);
    return slice_first(copy, copy.len - 1);
}
