/* test_partiql_cases.c - runs the cases of tests/data/partiql and reports them as TAP.
 *
 *     test_partiql_cases FILE...            every case must come out as it says
 *     test_partiql_cases --canary FILE...   every case must NOT: proves that the runner notices
 *
 * A file is cases separated by empty lines; lines that begin with # are comments. A case is
 *
 *     STATEMENT                        as it stands, or a JSON string
 *     parameters [{"S":"x"}]           optional, and so are the next ones
 *     keys pk:S sk:N                   of the table or index; "pk:S sk:S" when it says nothing
 *     item {"a":{"S":"x"}}             in DynamoDB's JSON
 *     RESULT                           one line or several
 *
 * and a result is one of
 *
 *     error TEXT                       of parsing, binding or planning
 *     ok                               there is none
 *     from TABLE INDEX                 what is read or written
 *     columns a, k[0]                  what SELECT shows
 *     scan                             everything is read
 *     ranges pk EQ {..} sk LT {..}; .. the ranges that are read; "reverse" at the end
 *     key only {..} | key more {..} | key incomplete
 *     true | false                     WHERE, for the item
 *     new {..} | fails TEXT            SET and REMOVE, for the item
 *     insert {..}                      the item of INSERT */
#include <stdio.h>
#include <stdlib.h>

#include "model/value_json.h"
#include "partiql/parser.h"
#include "partiql/partiql.h"

enum { FILE_BYTES_MAX = 1 << 22, LINES_MAX = 12, PARAMETERS_MAX = 200 };

struct test {
    struct arena arena;
    struct slice lines[LINES_MAX];
    size_t line_count;
    const char *file;
    int line; /* of the case's first line */
    int number;
    int failed;
    bool canary;
};

/* ---- reading ---- */

static bool take_word(struct slice *line, const char *word) {
    struct slice prefix = slice_text(word);
    if (!slice_starts_with(*line, prefix) ||
        (line->len > prefix.len && line->data[prefix.len] != ' '))
        return false;
    *line = slice_skip(*line, line->len > prefix.len ? prefix.len + 1 : prefix.len);
    return true;
}

static void die(const struct test *test, const char *what, struct slice text) {
    fprintf(stderr, "%s:%d: %s: %.*s\n", test->file, test->line, what, SLICE_ARGS(text));
    exit(2);
}

static struct value read_value(struct test *test, struct json_reader *reader, bool item) {
    struct buffer buffer;
    buffer_init(&buffer, FILE_BYTES_MAX);
    struct value_builder builder;
    value_builder_init(&builder, &buffer, &test->arena);
    struct value_fault fault = {0};
    struct error *error =
        item ? item_read_json(reader, &builder, &fault) : value_read_json(reader, &builder, &fault);
    if (error == NULL)
        error = fault.error;
    if (error != NULL)
        die(test, "bad value", error->message);
    struct value value = value_builder_finish(&builder, &test->arena);
    buffer_release(&buffer);
    return value;
}

static struct value read_item(struct test *test, struct slice json) {
    struct json_reader reader;
    json_reader_init(&reader, json, &test->arena);
    json_next(&reader);
    struct value item = read_value(test, &reader, true);
    if (!json_finish(&reader))
        die(test, "bad JSON", json);
    return item;
}

static size_t read_parameters(struct test *test, struct slice json, struct value *values) {
    struct json_reader reader;
    size_t count = 0;
    json_reader_init(&reader, json, &test->arena);
    if (json_next(&reader) != JSON_ARRAY_BEGIN)
        die(test, "no list", json);
    while (json_next(&reader) != JSON_ARRAY_END) {
        if (reader.token == JSON_ERROR || count == PARAMETERS_MAX)
            die(test, "bad JSON", json);
        values[count++] = read_value(test, &reader, false);
    }
    return count;
}

static struct slice read_text(struct test *test, struct slice text) {
    if (text.len == 0 || text.data[0] != '"')
        return text;
    struct json_reader reader;
    json_reader_init(&reader, text, &test->arena);
    if (json_next(&reader) != JSON_STRING)
        die(test, "bad string", text);
    struct slice unescaped = reader.text;
    if (!json_finish(&reader))
        die(test, "bad string", text);
    return unescaped;
}

static bool find_line(const struct test *test, const char *word, struct slice *ret_rest) {
    for (size_t i = 1; i < test->line_count; i++) {
        *ret_rest = test->lines[i];
        if (take_word(ret_rest, word))
            return true;
    }
    return false;
}

/* name:T, up to the next space */
static bool read_attribute(struct test *test, struct slice *line, struct key_attribute *ret) {
    const uint8_t *colon = memchr(line->data, ':', line->len);
    if (line->len == 0)
        return false;
    if (colon == NULL || colon + 1 == line->data + line->len)
        die(test, "bad keys", *line);
    ret->name = slice_of(line->data, (size_t)(colon - line->data));
    ret->type = value_type_from_name(slice_of(colon + 1, 1));
    size_t used = ret->name.len + 2;
    *line = slice_skip(*line, used < line->len ? used + 1 : used);
    return true;
}

static struct key_schema read_keys(struct test *test) {
    struct key_schema keys = {.hash_count = 1};
    struct slice line;
    if (!find_line(test, "keys", &line))
        line = SLICE_LITERAL("pk:S sk:S");
    read_attribute(test, &line, &keys.hash[0]);
    keys.range_count = read_attribute(test, &line, &keys.range[0]);
    return keys;
}

/* ---- writing ---- */

static struct slice value_text(struct test *test, struct value value, bool item) {
    struct buffer buffer;
    buffer_init(&buffer, FILE_BYTES_MAX);
    struct json_writer writer;
    json_writer_init(&writer, &buffer);
    (item ? item_write_json : value_write_json)(&writer, value);
    struct slice text = arena_slice(&test->arena, buffer_slice(&buffer));
    buffer_release(&buffer);
    return text;
}

static void print_condition(struct test *test, struct buffer *to,
                            const struct key_condition *condition) {
    static const char *const operators[] = {"EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH"};
    buffer_printf(to, "%.*s %s %.*s", SLICE_ARGS(condition->name), operators[condition->op],
                  SLICE_ARGS(value_text(test, condition->value, false)));
    if (condition->op == KEY_BETWEEN)
        buffer_printf(to, " %.*s", SLICE_ARGS(value_text(test, condition->upper, false)));
}

static struct slice take_text(struct test *test, struct buffer *buffer) {
    struct slice text = arena_slice(&test->arena, buffer_slice(buffer));
    buffer_release(buffer);
    return text;
}

static struct slice ranges_text(struct test *test, const struct partiql_ranges *ranges) {
    if (!ranges->keyed)
        return SLICE_LITERAL("scan");
    struct buffer text;
    buffer_init(&text, FILE_BYTES_MAX);
    buffer_append_text(&text, "ranges");
    for (size_t i = 0; i < ranges->count; i++) {
        buffer_append_text(&text, i == 0 ? " " : "; ");
        print_condition(test, &text, &ranges->list[i].hash);
        if (ranges->list[i].has_sort) {
            buffer_append_byte(&text, ' ');
            print_condition(test, &text, &ranges->list[i].sort);
        }
    }
    if (ranges->reverse)
        buffer_append_text(&text, " reverse");
    return take_text(test, &text);
}

static struct slice columns_text(struct test *test, const struct partiql *partiql) {
    struct buffer text;
    buffer_init(&text, FILE_BYTES_MAX);
    buffer_append_text(&text, "columns");
    for (size_t i = 0; i < partiql->column_count; i++) {
        buffer_append_text(&text, i == 0 ? " " : ", ");
        buffer_append_slice(&text, partiql->columns[i].name);
    }
    return take_text(test, &text);
}

/* ---- running ---- */

static struct error *ranges_of(struct test *test, const struct partiql *partiql,
                               struct slice *ret_text) {
    struct partiql_ranges *ranges = ARENA_NEW(&test->arena, struct partiql_ranges);
    struct key_schema keys = read_keys(test);
    TRY(partiql_ranges(&test->arena, partiql, &keys, ranges));
    *ret_text = ranges_text(test, ranges);
    return NULL;
}

static struct error *key_of(struct test *test, const struct partiql *partiql,
                            struct slice *ret_text) {
    enum partiql_key_fit fit;
    struct value key;
    struct key_schema keys = read_keys(test);
    TRY(partiql_key(&test->arena, partiql, &keys, &key, &fit));
    *ret_text =
        fit == PARTIQL_KEY_INCOMPLETE
            ? SLICE_LITERAL("key incomplete")
            : arena_printf(&test->arena, "key %s %.*s", fit == PARTIQL_KEY_ONLY ? "only" : "more",
                           SLICE_ARGS(value_text(test, key, true)));
    return NULL;
}

static struct value case_item(struct test *test) {
    struct slice json;
    return find_line(test, "item", &json) ? read_item(test, json) : VALUE_ABSENT;
}

static struct error *updated(struct test *test, const struct partiql *partiql,
                             struct slice *ret_text) {
    struct value item;
    TRY(expr_update(&test->arena, partiql->update, case_item(test), &item));
    *ret_text = arena_printf(&test->arena, "new %.*s", SLICE_ARGS(value_text(test, item, true)));
    return NULL;
}

/* What the line asks about, in its own form. */
static struct error *answer(struct test *test, const struct partiql *partiql, struct slice line,
                            struct slice *ret_text) {
    struct slice rest = line;
    *ret_text = SLICE_LITERAL("ok");
    if (take_word(&rest, "scan") || take_word(&rest, "ranges"))
        return ranges_of(test, partiql, ret_text);
    if (take_word(&rest, "key"))
        return key_of(test, partiql, ret_text);
    if (take_word(&rest, "new") || take_word(&rest, "fails"))
        return updated(test, partiql, ret_text);
    if (take_word(&rest, "error"))
        return partiql_reads(partiql)
                   ? ranges_of(test, partiql, ret_text)
                   : (partiql->statement->where == NULL ? NULL : key_of(test, partiql, ret_text));
    if (take_word(&rest, "columns"))
        *ret_text = columns_text(test, partiql);
    else if (take_word(&rest, "insert"))
        *ret_text = arena_printf(&test->arena, "insert %.*s",
                                 SLICE_ARGS(value_text(test, partiql->item, true)));
    else if (take_word(&rest, "from"))
        *ret_text =
            arena_printf(&test->arena, "from %.*s%s%.*s", SLICE_ARGS(partiql->table_name),
                         slice_present(partiql->index_name) ? " " : "",
                         (int)partiql->index_name.len, (const char *)partiql->index_name.data);
    else if (take_word(&rest, "true") || take_word(&rest, "false"))
        *ret_text = slice_text(expr_holds(partiql->where, case_item(test)) ? "true" : "false");
    return NULL;
}

static struct error *bind(struct test *test, struct partiql *ret_partiql) {
    struct slice json;
    struct value *values = ARENA_ARRAY(&test->arena, struct value, PARAMETERS_MAX);
    size_t count = find_line(test, "parameters", &json) ? read_parameters(test, json, values) : 0;
    struct statement *statement;
    TRY(statement_parse(&test->arena, read_text(test, test->lines[0]), &statement));
    return partiql_bind(&test->arena, statement, values, count, ret_partiql);
}

static bool check_line(struct test *test, const struct partiql *partiql, struct error *error,
                       struct slice line) {
    struct slice actual;
    if (error == NULL)
        error = answer(test, partiql, line, &actual);
    if (error != NULL) {
        struct slice rest = line;
        actual =
            arena_printf(&test->arena, "%s %.*s", take_word(&rest, "fails") ? "fails" : "error",
                         SLICE_ARGS(error->message));
    }
    if (slice_equal(line, actual))
        return true;
    if (!test->canary)
        printf("# expected: %.*s\n# but got:  %.*s\n", SLICE_ARGS(line), SLICE_ARGS(actual));
    return false;
}

static bool is_setting(struct slice line) {
    return take_word(&line, "parameters") || take_word(&line, "keys") || take_word(&line, "item");
}

static void run_case(struct test *test) {
    struct partiql partiql = {0};
    struct error *error = bind(test, &partiql);
    bool same = true;
    int results = 0;
    for (size_t i = 1; i < test->line_count; i++) {
        if (is_setting(test->lines[i]))
            continue;
        results++;
        same &= check_line(test, &partiql, error, test->lines[i]);
    }
    if (results == 0)
        die(test, "no result", test->lines[0]);
    bool passed = same != test->canary;
    test->failed += !passed;
    printf("%s %d - %s:%d %.*s\n", passed ? "ok" : "not ok", ++test->number, test->file, test->line,
           SLICE_ARGS(test->lines[0]));
    partiql_release(&partiql);
    arena_reset(&test->arena);
}

/* ---- files ---- */

static void take_line(struct test *test, struct slice line, int number) {
    if (line.len == 0) {
        if (test->line_count > 0)
            run_case(test);
        test->line_count = 0;
        return;
    }
    if (line.data[0] == '#')
        return;
    if (test->line_count == 0)
        test->line = number;
    if (test->line_count == LINES_MAX)
        die(test, "case too long", line);
    test->lines[test->line_count++] = line;
}

static void run_lines(struct test *test, struct slice text) {
    for (int number = 1; text.len > 0; number++) {
        const uint8_t *end = memchr(text.data, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.data);
        take_line(test, slice_of(text.data, len), number);
        text = slice_skip(text, end == NULL ? len : len + 1);
    }
    take_line(test, SLICE_LITERAL(""), 0);
}

static void run_file(struct test *test, const char *name) {
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        perror(name);
        exit(2);
    }
    char *text = malloc(FILE_BYTES_MAX);
    size_t size = fread(text, 1, FILE_BYTES_MAX, file);
    fclose(file);
    const char *slash = strrchr(name, '/');
    test->file = slash == NULL ? name : slash + 1;
    run_lines(test, slice_of(text, size));
    free(text);
}

int main(int argc, char **argv) {
    struct test test = {.canary = argc > 1 && strcmp(argv[1], "--canary") == 0};
    arena_init(&test.arena);
    for (int i = test.canary ? 2 : 1; i < argc; i++)
        run_file(&test, argv[i]);
    printf("1..%d\n", test.number);
    arena_release(&test.arena);
    return test.failed > 0 || test.number == 0;
}
