/* cases.c - see the header. */
#include "support/cases.h"

#include "model/value_json.h"
#include "support/case_lines.h"

/* ---- files ---- */

void case_die(const struct cases *cases, const char *what, struct slice text) {
    fprintf(stderr, "%s:%d: %s: %.*s\n", cases->file, cases->line, what, SLICE_ARGS(text));
    exit(2);
}

void case_report(struct cases *cases, bool passed) {
    passed = passed != cases->canary;
    cases->failed += !passed;
    printf("%s %d - %s:%d %.*s\n", passed ? "ok" : "not ok", ++cases->number, cases->file,
           cases->line, SLICE_ARGS(cases->lines[0]));
}

static void take_line(void *context, struct slice line, int number) {
    struct cases *cases = context;
    if (line.len == 0) {
        if (cases->line_count > 0)
            cases->run(cases);
        cases->line_count = 0;
        arena_reset(&cases->arena);
        return;
    }
    if (line.data[0] == '#' || (cases->take_default != NULL && cases->take_default(line)))
        return;
    if (cases->line_count == 0)
        cases->line = number;
    if (cases->line_count == CASE_LINES_MAX)
        case_die(cases, "case too long", line);
    cases->lines[cases->line_count++] = line;
}

int cases_main(struct cases *cases, int argc, char **argv) {
    cases->canary = argc > 1 && strcmp(argv[1], "--canary") == 0;
    arena_init(&cases->arena);
    for (int i = cases->canary ? 2 : 1; i < argc; i++) {
        cases->file = case_file_name(argv[i]);
        if (cases->begin_file != NULL)
            cases->begin_file();
        case_lines_read(argv[i], take_line, cases);
    }
    printf("1..%d\n", cases->number);
    arena_release(&cases->arena);
    return cases->failed > 0 || cases->number == 0;
}

/* ---- lines ---- */

bool case_take_word(struct slice *line, const char *word) {
    struct slice prefix = slice_text(word);
    if (!slice_starts_with(*line, prefix) ||
        (line->len > prefix.len && line->data[prefix.len] != ' '))
        return false;
    *line = slice_skip(*line, line->len > prefix.len ? prefix.len + 1 : prefix.len);
    return true;
}

bool case_find_line(const struct cases *cases, const char *word, struct slice *ret_rest) {
    for (size_t i = 1; i < cases->line_count; i++) {
        *ret_rest = cases->lines[i];
        if (case_take_word(ret_rest, word))
            return true;
    }
    return false;
}

struct slice case_read_text(struct cases *cases, struct slice text) {
    if (text.len == 0 || text.data[0] != '"')
        return text;
    struct json_reader reader;
    json_reader_init(&reader, text, &cases->arena);
    if (json_next(&reader) != JSON_STRING)
        case_die(cases, "bad string", text);
    struct slice unescaped = reader.text;
    if (!json_finish(&reader))
        case_die(cases, "bad string", text);
    return unescaped;
}

/* ---- values ---- */

static struct value read_value(struct cases *cases, struct json_reader *reader, bool item) {
    struct buffer buffer;
    struct value_builder builder;
    struct value_fault fault = {0};
    buffer_init(&buffer, CASE_BYTES_MAX);
    value_builder_init(&builder, &buffer, &cases->arena);
    struct error *error =
        item ? item_read_json(reader, &builder, &fault) : value_read_json(reader, &builder, &fault);
    if (error == NULL)
        error = fault.error;
    if (error != NULL)
        case_die(cases, "bad value", error->message);
    struct value value = value_builder_finish(&builder, &cases->arena);
    buffer_release(&buffer);
    return value;
}

struct value case_read_value(struct cases *cases, struct json_reader *reader) {
    return read_value(cases, reader, false);
}

struct value case_read_item(struct cases *cases, struct slice json) {
    struct json_reader reader;
    json_reader_init(&reader, json, &cases->arena);
    json_next(&reader);
    struct value item = read_value(cases, &reader, true);
    if (!json_finish(&reader))
        case_die(cases, "bad JSON", json);
    return item;
}
