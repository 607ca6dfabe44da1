/* fuzz_json.c - any bytes through the reader; what it accepts is written again and must read as the
 * same tokens. */
#include "fuzz.h"
#include "json/tree.h"
#include "json/writer.h"

static void write_plain(struct json_writer *writer, struct slice text) {
    if (writer->comma)
        buffer_append_byte(writer->out, ',');
    buffer_append_slice(writer->out, text);
    writer->comma = true;
}

static void write_token(struct json_writer *writer, const struct json_reader *reader) {
    switch (reader->token) {
    case JSON_OBJECT_BEGIN:
        json_object_begin(writer);
        break;
    case JSON_OBJECT_END:
        json_object_end(writer);
        break;
    case JSON_ARRAY_BEGIN:
        json_array_begin(writer);
        break;
    case JSON_ARRAY_END:
        json_array_end(writer);
        break;
    case JSON_NAME:
        json_name(writer, reader->text);
        break;
    case JSON_STRING:
        json_string(writer, reader->text);
        break;
    case JSON_INTEGER:
    case JSON_DECIMAL:
        write_plain(writer, reader->text);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_bool(writer, reader->token == JSON_TRUE);
        break;
    case JSON_NULL:
        write_plain(writer, SLICE_LITERAL("null"));
        break;
    case JSON_ERROR:
    case JSON_END:
        break;
    }
}

static bool has_text(enum json_token token) {
    return token == JSON_NAME || token == JSON_STRING || token == JSON_INTEGER ||
           token == JSON_DECIMAL;
}

static void check_same_tokens(struct slice first, struct slice second, struct arena *arena) {
    struct json_reader a, b;
    json_reader_init(&a, first, arena);
    json_reader_init(&b, second, arena);
    do {
        json_next(&a);
        CHECK(json_next(&b) == a.token && a.token != JSON_ERROR);
        CHECK(!has_text(a.token) || slice_equal(a.text, b.text));
    } while (a.token != JSON_END);
}

/* The short cut takes just what the tokens say, or nothing. */
static void check_tagged(struct json_reader reader) {
    struct json_reader quick = reader;
    uint8_t letter = json_take_tagged(&quick, 'S', 'N');
    if (letter == 0) {
        CHECK(quick.next == reader.next && quick.depth == reader.depth);
        return;
    }
    CHECK(json_next(&reader) == JSON_NAME && slice_equal(reader.text, slice_of(&letter, 1)));
    CHECK(json_next(&reader) == JSON_STRING && slice_equal(reader.text, quick.text));
    CHECK(json_next(&reader) == JSON_OBJECT_END && quick.token == JSON_OBJECT_END);
    CHECK(quick.next == reader.next && quick.depth == reader.depth);
    CHECK(quick.expect == reader.expect);
}

/* Skipping and reading to the end agree on what is well-formed. */
static void check_skip(struct slice input, bool accepted, struct arena *arena) {
    struct json_reader reader;
    json_reader_init(&reader, input, arena);
    CHECK(json_finish(&reader) == accepted);
    json_reader_init(&reader, input, arena);
    json_next(&reader);
    CHECK((json_skip(&reader) && json_next(&reader) == JSON_END) == accepted);
}

/* The tree has every value, where the tokens say that it is. */
static void check_tree(struct slice input, bool accepted, struct arena *arena) {
    size_t wrong_at = SIZE_MAX;
    const struct json_value *root = json_tree_read(arena, input, &wrong_at);
    CHECK((root != NULL) == accepted && (accepted || wrong_at <= input.len));
    const struct json_value *value = root;
    while (value != NULL && value->first != NULL) {
        CHECK(value->first->at > value->at && value->at < input.len);
        value = value->first;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    struct buffer buffer;
    struct json_writer writer;
    struct json_reader reader;
    arena_init(&arena);
    buffer_init(&buffer, 1 << 26);
    json_writer_init(&writer, &buffer);
    json_reader_init(&reader, slice_of(data, size), &arena);
    do {
        json_next(&reader);
        write_token(&writer, &reader);
        if (reader.token == JSON_OBJECT_BEGIN)
            check_tagged(reader);
        CHECK(reader.depth <= JSON_DEPTH_MAX && reader.next <= reader.end);
    } while (reader.token != JSON_END && reader.token != JSON_ERROR);
    CHECK(json_next(&reader) == reader.token);
    if (reader.token == JSON_END)
        check_same_tokens(slice_of(data, size), buffer_slice(&buffer), &arena);
    check_skip(slice_of(data, size), reader.token == JSON_END, &arena);
    check_tree(slice_of(data, size), reader.token == JSON_END, &arena);
    buffer_release(&buffer);
    arena_release(&arena);
    return 0;
}
