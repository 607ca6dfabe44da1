/* test_expr_cases.c - runs the cases of tests/data/expr and reports them as TAP.
 *
 *     test_expr_cases FILE...            every case must come out as it says
 *     test_expr_cases --canary FILE...   every case must NOT: proves that the runner notices
 *
 * A file is cases separated by empty lines; lines that begin with # are comments. A case is
 *
 *     KIND EXPRESSION          condition, filter, projection, update or key; as it stands, or a
 * JSON string names {"#n":"name"}      optional, and so are the next ones values {":v":{"S":"x"}}
 *     item {"a":{"S":"x"}}     in DynamoDB's JSON
 *     absent                   there was no item: an update runs on `item` as its key
 *     unused                   placeholders that no expression used are an error
 *     RESULT                   one line or several
 *
 * and a result is one of
 *
 *     true | false             of a condition
 *     {"a":...}                the projected or the new item
 *     old {...} | new {...}    what UPDATED_OLD and UPDATED_NEW return
 *     charge 42                of an update
 *     keys a EQ {...}; ...     of a key condition
 *     ok                       it compiles and binds
 *     error TEXT               an error of the request itself
 *     fails TEXT               an error that needs the item
 *
 * "@item ...", "@names ..." and "@values ..." stand alone and hold for the cases that follow. */
#include <stdio.h>
#include <stdlib.h>

#include "expr/expr.h"
#include "model/value_json.h"

enum { FILE_BYTES_MAX = 1 << 22, LINES_MAX = 12 };

struct test {
    struct arena arena;
    struct slice lines[LINES_MAX];
    size_t line_count;
    struct slice defaults[3]; /* item, names, values */
    const char *file;
    int line; /* of the case's first line */
    int number;
    int failed;
    bool canary;
};

enum { DEFAULT_ITEM, DEFAULT_NAMES, DEFAULT_VALUES };

/* What came out, to be compared with the result lines. */
struct outcome {
    enum expr_kind kind;
    struct error *error;
    const struct expr *expr;
    struct value item;   /* as it was */
    struct value result; /* projected or updated */
    bool truth;
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

static size_t read_map(struct test *test, struct slice json, bool names,
                       struct expr_placeholder **ret_all) {
    struct expr_placeholder *all = ARENA_ARRAY(&test->arena, struct expr_placeholder, 1 + json.len);
    struct json_reader reader;
    json_reader_init(&reader, json, &test->arena);
    size_t count = 0;
    if (json_next(&reader) != JSON_OBJECT_BEGIN)
        die(test, "no map", json);
    while (json_next(&reader) == JSON_NAME) {
        all[count].key = reader.text;
        json_next(&reader);
        if (names)
            all[count].name = reader.text;
        else
            all[count].value = read_value(test, &reader, false);
        count++;
    }
    if (!json_finish(&reader))
        die(test, "bad JSON", json);
    *ret_all = all;
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

/* ---- running ---- */

static bool find_line(const struct test *test, const char *word, struct slice *ret_rest) {
    for (size_t i = 1; i < test->line_count; i++) {
        *ret_rest = test->lines[i];
        if (take_word(ret_rest, word))
            return true;
    }
    return false;
}

static struct slice line_or_default(const struct test *test, const char *word, int which) {
    struct slice rest;
    return find_line(test, word, &rest) ? rest : test->defaults[which];
}

static struct slice read_kind(struct test *test, enum expr_kind *ret_kind) {
    static const char *const words[] = {
        [EXPR_CONDITION] = "condition",   [EXPR_FILTER] = "filter",
        [EXPR_PROJECTION] = "projection", [EXPR_UPDATE] = "update",
        [EXPR_KEY_CONDITION] = "key",
    };
    struct slice text = test->lines[0];
    for (int kind = 0; kind < 5; kind++)
        if (take_word(&text, words[kind])) {
            *ret_kind = (enum expr_kind)kind;
            return read_text(test, text);
        }
    die(test, "unknown kind", text);
    return SLICE_NONE;
}

static struct error *evaluate(struct test *test, struct outcome *outcome) {
    struct slice rest;
    if (outcome->kind == EXPR_UPDATE) {
        bool absent = find_line(test, "absent", &rest);
        return (absent ? expr_update_new_item : expr_update)(&test->arena, outcome->expr,
                                                             outcome->item, &outcome->result);
    }
    if (outcome->kind == EXPR_PROJECTION) {
        struct buffer buffer;
        struct value_builder builder;
        buffer_init(&buffer, FILE_BYTES_MAX);
        value_builder_init(&builder, &buffer, &test->arena);
        expr_project(outcome->expr, outcome->item, &builder);
        outcome->result = value_builder_finish(&builder, &test->arena);
        buffer_release(&buffer);
        return NULL;
    }
    if (outcome->kind == EXPR_KEY_CONDITION) {
        TRY(expr_check_key_conditions(&test->arena, outcome->expr));
        TRY(expr_check_key_conditions_once(&test->arena, outcome->expr));
    }
    outcome->truth = expr_holds(outcome->expr, outcome->item);
    return NULL;
}

static struct error *run(struct test *test, struct outcome *outcome,
                         struct expr_program **ret_program) {
    struct slice text = read_kind(test, &outcome->kind), rest;
    struct expr_placeholders given = {0};
    struct slice names = line_or_default(test, "names", DEFAULT_NAMES);
    struct slice values = line_or_default(test, "values", DEFAULT_VALUES);
    struct slice item = line_or_default(test, "item", DEFAULT_ITEM);
    if (names.len > 0)
        given.name_count = read_map(test, names, true, &given.names);
    if (values.len > 0)
        given.value_count = read_map(test, values, false, &given.values);
    if (item.len > 0)
        outcome->item = read_item(test, item);
    TRY(expr_placeholders_check(&test->arena, &given));
    TRY(expr_compile(&test->arena, outcome->kind, text, NULL, ret_program));
    struct expr *expr;
    TRY(expr_bind(&test->arena, *ret_program, &given, &expr));
    outcome->expr = expr;
    if (find_line(test, "unused", &rest))
        TRY(expr_placeholders_check_unused(&test->arena, &given));
    return evaluate(test, outcome);
}

/* ---- comparing ---- */

static struct slice item_text(struct test *test, struct value item) {
    struct buffer buffer;
    buffer_init(&buffer, FILE_BYTES_MAX);
    struct json_writer writer;
    json_writer_init(&writer, &buffer);
    item_write_json(&writer, item);
    struct slice text = arena_slice(&test->arena, buffer_slice(&buffer));
    buffer_release(&buffer);
    return text;
}

static struct slice keys_text(struct test *test, const struct expr *expr) {
    static const char *const operators[] = {"EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH"};
    struct buffer buffer;
    buffer_init(&buffer, FILE_BYTES_MAX);
    const struct key_condition *conditions;
    size_t count = expr_key_conditions(expr, &conditions);
    for (size_t i = 0; i < count; i++) {
        struct json_writer writer;
        json_writer_init(&writer, &buffer);
        buffer_printf(&buffer, "%s%.*s %s ", i == 0 ? "" : "; ", SLICE_ARGS(conditions[i].name),
                      operators[conditions[i].op]);
        value_write_json(&writer, conditions[i].value);
        if (value_present(conditions[i].upper)) {
            json_writer_init(&writer, &buffer);
            buffer_append_byte(&buffer, ' ');
            value_write_json(&writer, conditions[i].upper);
        }
    }
    struct slice text = arena_slice(&test->arena, buffer_slice(&buffer));
    buffer_release(&buffer);
    return text;
}

static struct value touched(struct test *test, const struct outcome *outcome, struct value item) {
    struct buffer buffer;
    struct value_builder builder;
    buffer_init(&buffer, FILE_BYTES_MAX);
    value_builder_init(&builder, &buffer, &test->arena);
    expr_update_touched(outcome->expr, item, &builder);
    struct value result = value_builder_finish(&builder, &test->arena);
    buffer_release(&buffer);
    return result;
}

static bool complain(struct test *test, struct slice expected, struct slice actual) {
    if (!test->canary)
        printf("# expected: %.*s\n# but got:  %.*s\n", SLICE_ARGS(expected), SLICE_ARGS(actual));
    return false;
}

static bool same_text(struct test *test, struct slice expected, struct slice actual) {
    return slice_equal(expected, actual) || complain(test, expected, actual);
}

static bool same_item(struct test *test, struct slice expected, struct value actual) {
    if (value_type(actual) != VALUE_M || !value_check(value_slice(actual), 100))
        return complain(test, expected, SLICE_LITERAL("no canonical item"));
    return value_equal(read_item(test, expected), actual) ||
           complain(test, expected, item_text(test, actual));
}

static bool same_error(struct test *test, struct slice line, const struct error *error) {
    struct slice actual =
        arena_printf(&test->arena, "%s %.*s", error->request_level ? "error" : "fails",
                     SLICE_ARGS(error->message));
    return same_text(test, line, actual);
}

/* Of a case that had no error. */
static bool same_result(struct test *test, struct slice line, const struct outcome *outcome) {
    struct slice rest = line;
    if (take_word(&rest, "ok"))
        return true;
    if (take_word(&rest, "old"))
        return same_item(test, rest, touched(test, outcome, outcome->item));
    if (take_word(&rest, "new"))
        return same_item(test, rest, touched(test, outcome, outcome->result));
    if (take_word(&rest, "charge"))
        return same_text(test, rest,
                         arena_printf(&test->arena, "%zu", expr_update_charge(outcome->expr)));
    if (take_word(&rest, "keys"))
        return same_text(test, rest, keys_text(test, outcome->expr));
    if (line.len > 0 && line.data[0] == '{')
        return same_item(test, line, outcome->result);
    return same_text(test, line, slice_text(outcome->truth ? "true" : "false"));
}

static bool is_setting(struct slice line) {
    return take_word(&line, "names") || take_word(&line, "values") || take_word(&line, "item") ||
           take_word(&line, "absent") || take_word(&line, "unused");
}

static void run_case(struct test *test) {
    struct outcome outcome = {0};
    struct expr_program *program = NULL;
    outcome.error = run(test, &outcome, &program);
    bool same = true;
    int results = 0;
    for (size_t i = 1; i < test->line_count; i++) {
        if (is_setting(test->lines[i]))
            continue;
        results++;
        same &= outcome.error != NULL ? same_error(test, test->lines[i], outcome.error)
                                      : same_result(test, test->lines[i], &outcome);
    }
    if (results == 0)
        die(test, "no result", test->lines[0]);
    bool passed = same != test->canary;
    test->failed += !passed;
    printf("%s %d - %s:%d %.*s\n", passed ? "ok" : "not ok", ++test->number, test->file, test->line,
           SLICE_ARGS(test->lines[0]));
    expr_program_unref(program);
    arena_reset(&test->arena);
}

/* ---- files ---- */

static bool take_default(struct test *test, struct slice line) {
    static const char *const words[] = {"@item", "@names", "@values"};
    for (int i = 0; i < 3; i++)
        if (take_word(&line, words[i])) {
            test->defaults[i] = line;
            return true;
        }
    return false;
}

static void take_line(struct test *test, struct slice line, int number) {
    if (line.len == 0) {
        if (test->line_count > 0)
            run_case(test);
        test->line_count = 0;
        return;
    }
    if (line.data[0] == '#' || take_default(test, line))
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
    memset(test->defaults, 0, sizeof(test->defaults));
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
