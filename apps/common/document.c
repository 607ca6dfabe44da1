/* document.c - plain JSON to values and back.
 *
 * Reading translates plain JSON, token by token, into DynamoDB's JSON: 5 is written {"N":"5"}, and
 * what stands in [...] is written {"L":[...]}. The client library then makes an item of that.
 * Printing is recursive; how deep an item can be is bounded by the client library. */
#include "common/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "json/reader.h"
#include "json/writer.h"

/* Of DynamoDB's JSON: `{"L":[` and `]}` for each two bytes of plain JSON, and more is refused. */
enum { GROWTH_MAX = 8 };

struct translation {
    struct json_reader reader;
    struct buffer out;
    struct json_writer writer;
    struct ddb_item *number; /* to try numbers on */
    const char *problem;     /* NULL: none so far */
};

static void write_tagged(struct translation *t, const char *type, struct slice text) {
    json_object_begin(&t->writer);
    json_name(&t->writer, slice_text(type));
    json_string(&t->writer, text);
    json_object_end(&t->writer);
}

static void write_truth(struct translation *t, const char *type, bool truth) {
    json_object_begin(&t->writer);
    json_name(&t->writer, slice_text(type));
    json_bool(&t->writer, truth);
    json_object_end(&t->writer);
}

static void write_number(struct translation *t) {
    char text[128];
    struct slice number = t->reader.text;
    snprintf(text, sizeof(text), "%.*s", SLICE_ARGS(number));
    ddb_item_clear(t->number);
    ddb_item_set_number(t->number, "n", text);
    if (number.len >= sizeof(text) || ddb_item_error(t->number) != NULL)
        t->problem = "a number has more than 38 digits or is out of range";
    write_tagged(t, "N", number);
}

/* An object or an array: {"M":{...}} or {"L":[...]}. */
static void write_begin(struct translation *t, bool object) {
    json_object_begin(&t->writer);
    json_name(&t->writer, slice_text(object ? "M" : "L"));
    if (object)
        json_object_begin(&t->writer);
    else
        json_array_begin(&t->writer);
    if (t->reader.depth > DOCUMENT_DEPTH_MAX)
        t->problem = "objects and arrays are nested too deep";
}

static void write_end(struct translation *t, bool object) {
    if (object)
        json_object_end(&t->writer);
    else
        json_array_end(&t->writer);
    json_object_end(&t->writer);
}

static void translate_token(struct translation *t) {
    struct slice text = t->reader.text;
    switch (t->reader.token) {
    case JSON_OBJECT_BEGIN:
    case JSON_ARRAY_BEGIN:
        write_begin(t, t->reader.token == JSON_OBJECT_BEGIN);
        break;
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        write_end(t, t->reader.token == JSON_OBJECT_END);
        break;
    case JSON_NAME:
        if (text.len == 0 || memchr(text.data, 0, text.len) != NULL)
            t->problem = "a name is empty or has a NUL character";
        json_name(&t->writer, text);
        break;
    case JSON_STRING:
        if (text.len > 0 && memchr(text.data, 0, text.len) != NULL)
            t->problem = "a text has a NUL character";
        write_tagged(t, "S", text);
        break;
    case JSON_INTEGER:
    case JSON_DECIMAL:
        write_number(t);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        write_truth(t, "BOOL", t->reader.token == JSON_TRUE);
        break;
    case JSON_NULL:
        write_truth(t, "NULL", true);
        break;
    case JSON_ERROR:
        t->problem = "this is not JSON";
        break;
    case JSON_END:
        break;
    }
}

static int line_of(const struct json_reader *reader) {
    int line = 1;
    for (const uint8_t *c = reader->start; c < reader->next; c++)
        line += *c == '\n';
    return line;
}

struct ddb_item *document_parse(const char *text, size_t size,
                                char ret_problem[DOCUMENT_PROBLEM_SIZE]) {
    struct arena arena;
    struct translation t = {.number = ddb_item_new()};
    arena_init(&arena);
    json_reader_init(&t.reader, slice_of(text, size), &arena);
    buffer_init(&t.out, 64 + GROWTH_MAX * size);
    json_writer_init(&t.writer, &t.out);
    json_object_begin(&t.writer);
    JSON_NAME_LITERAL(&t.writer, "document");
    while (t.problem == NULL && json_next(&t.reader) != JSON_END)
        translate_token(&t);
    json_object_end(&t.writer);
    buffer_append_byte(&t.out, 0);
    struct ddb_item *item = NULL;
    if (t.problem == NULL && t.out.overflow)
        t.problem = "this is more than fits";
    if (t.problem == NULL)
        item = ddb_item_parse((const char *)t.out.data);
    else
        snprintf(ret_problem, DOCUMENT_PROBLEM_SIZE, "line %d: %s", line_of(&t.reader), t.problem);
    ddb_item_free(t.number);
    buffer_release(&t.out);
    arena_release(&arena);
    return item;
}

struct ddb_item *document_read(const struct app *app, const char *path, size_t size_max) {
    struct file_text file;
    char problem[DOCUMENT_PROBLEM_SIZE];
    if (!file_read(app, path, size_max, &file))
        return NULL;
    struct ddb_item *item = document_parse(file.text, file.size, problem);
    if (item == NULL)
        app_fail(app, "%s, %s", path, problem);
    free(file.text);
    return item;
}

/* ---- printing ---- */

static void print_text(const char *text) {
    struct buffer out;
    buffer_init(&out, SIZE_MAX / 2);
    json_escape(&out, slice_text(text));
    printf("\"%.*s\"", (int)out.len, out.len == 0 ? "" : (const char *)out.data);
    buffer_release(&out);
}

static void print_map(const struct ddb_item *map) {
    putchar('{');
    for (size_t i = 0; i < ddb_item_count(map); i++) {
        if (i > 0)
            putchar(',');
        print_text(ddb_item_name_at(map, i));
        putchar(':');
        document_print(ddb_item_value_at(map, i));
    }
    putchar('}');
}

static void print_list(const struct ddb_list *list) {
    putchar('[');
    for (size_t i = 0; i < ddb_list_count(list); i++) {
        if (i > 0)
            putchar(',');
        document_print(ddb_list_at(list, i));
    }
    putchar(']');
}

void document_print(const struct ddb_value *value) {
    switch (ddb_value_type(value)) {
    case DDB_S:
        print_text(ddb_value_string(value, ""));
        break;
    case DDB_N:
        printf("%s", ddb_value_number(value, ""));
        break;
    case DDB_BOOL:
        printf("%s", ddb_value_bool(value, false) ? "true" : "false");
        break;
    case DDB_M:
        print_map(ddb_value_map(value));
        break;
    case DDB_L:
    case DDB_SS:
    case DDB_NS:
    case DDB_BS:
        print_list(ddb_value_list(value));
        break;
    case DDB_B:
        printf("\"?\"");
        break;
    case DDB_NULL:
    case DDB_NONE:
        printf("null");
        break;
    }
}
