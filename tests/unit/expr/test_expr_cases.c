/* test_expr_cases.c - runs the cases of tests/data/expr and reports them as TAP.
 *
 *     test_expr_cases FILE...            every case must come out as it says
 *     test_expr_cases --canary FILE...   every case must NOT: proves that the runner notices
 *
 * A file is cases separated by empty lines; lines that begin with # are comments. A case is
 *
 *     KIND EXPRESSION          condition, filter, projection, update or key; as it is, or in JSON
 *     names {"#n":"name"}      optional, and so are the next ones
 *     values {":v":{"S":"x"}}
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

#include "expr/expr.h"
#include "model/value_json.h"
#include "support/cases.h"

enum { DEFAULT_ITEM, DEFAULT_NAMES, DEFAULT_VALUES, DEFAULT_COUNT };
static struct slice defaults[DEFAULT_COUNT];

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

static size_t read_map(struct cases *cases, struct slice json, bool names,
                       struct expr_placeholder **ret_all) {
    struct expr_placeholder *all =
        ARENA_ARRAY(&cases->arena, struct expr_placeholder, 1 + json.len);
    struct json_reader reader;
    json_reader_init(&reader, json, &cases->arena);
    size_t count = 0;
    if (json_next(&reader) != JSON_OBJECT_BEGIN)
        case_die(cases, "no map", json);
    while (json_next(&reader) == JSON_NAME) {
        all[count].key = reader.text;
        json_next(&reader);
        if (names)
            all[count].name = reader.text;
        else
            all[count].value = case_read_value(cases, &reader);
        count++;
    }
    if (!json_finish(&reader))
        case_die(cases, "bad JSON", json);
    *ret_all = all;
    return count;
}

/* ---- running ---- */

static struct slice line_or_default(const struct cases *cases, const char *word, int which) {
    struct slice rest;
    return case_find_line(cases, word, &rest) ? rest : defaults[which];
}

static struct slice read_kind(struct cases *cases, enum expr_kind *ret_kind) {
    static const char *const words[] = {
        [EXPR_CONDITION] = "condition",   [EXPR_FILTER] = "filter",
        [EXPR_PROJECTION] = "projection", [EXPR_UPDATE] = "update",
        [EXPR_KEY_CONDITION] = "key",
    };
    struct slice text = cases->lines[0];
    for (int kind = 0; kind < 5; kind++)
        if (case_take_word(&text, words[kind])) {
            *ret_kind = (enum expr_kind)kind;
            return case_read_text(cases, text);
        }
    case_die(cases, "unknown kind", text);
    return SLICE_NONE;
}

static struct error *evaluate(struct cases *cases, struct outcome *outcome) {
    struct slice rest;
    if (outcome->kind == EXPR_UPDATE) {
        bool absent = case_find_line(cases, "absent", &rest);
        return (absent ? expr_update_new_item : expr_update)(&cases->arena, outcome->expr,
                                                             outcome->item, &outcome->result);
    }
    if (outcome->kind == EXPR_PROJECTION) {
        struct buffer buffer;
        struct value_builder builder;
        buffer_init(&buffer, CASE_BYTES_MAX);
        value_builder_init(&builder, &buffer, &cases->arena);
        expr_project(outcome->expr, outcome->item, &builder);
        outcome->result = value_builder_finish(&builder, &cases->arena);
        buffer_release(&buffer);
        return NULL;
    }
    if (outcome->kind == EXPR_KEY_CONDITION) {
        TRY(expr_check_key_conditions(&cases->arena, outcome->expr));
        TRY(expr_check_key_conditions_once(&cases->arena, outcome->expr));
    }
    outcome->truth = expr_holds(outcome->expr, outcome->item);
    return NULL;
}

static struct error *run(struct cases *cases, struct outcome *outcome,
                         struct expr_program **ret_program) {
    struct slice text = read_kind(cases, &outcome->kind), rest;
    struct expr_placeholders given = {0};
    struct slice names = line_or_default(cases, "names", DEFAULT_NAMES);
    struct slice values = line_or_default(cases, "values", DEFAULT_VALUES);
    struct slice item = line_or_default(cases, "item", DEFAULT_ITEM);
    if (names.len > 0)
        given.name_count = read_map(cases, names, true, &given.names);
    if (values.len > 0)
        given.value_count = read_map(cases, values, false, &given.values);
    if (item.len > 0)
        outcome->item = case_read_item(cases, item);
    TRY(expr_placeholders_check(&cases->arena, &given));
    TRY(expr_compile(&cases->arena, outcome->kind, text, NULL, ret_program));
    struct expr *expr;
    TRY(expr_bind(&cases->arena, *ret_program, &given, &expr));
    outcome->expr = expr;
    if (case_find_line(cases, "unused", &rest))
        TRY(expr_placeholders_check_unused(&cases->arena, &given));
    return evaluate(cases, outcome);
}

/* ---- comparing ---- */

static struct slice item_text(struct cases *cases, struct value item) {
    struct buffer buffer;
    buffer_init(&buffer, CASE_BYTES_MAX);
    struct json_writer writer;
    json_writer_init(&writer, &buffer);
    item_write_json(&writer, item);
    struct slice text = arena_slice(&cases->arena, buffer_slice(&buffer));
    buffer_release(&buffer);
    return text;
}

static struct slice keys_text(struct cases *cases, const struct expr *expr) {
    static const char *const operators[] = {"EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH"};
    struct buffer buffer;
    buffer_init(&buffer, CASE_BYTES_MAX);
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
    struct slice text = arena_slice(&cases->arena, buffer_slice(&buffer));
    buffer_release(&buffer);
    return text;
}

static struct value touched(struct cases *cases, const struct outcome *outcome, struct value item) {
    struct buffer buffer;
    struct value_builder builder;
    buffer_init(&buffer, CASE_BYTES_MAX);
    value_builder_init(&builder, &buffer, &cases->arena);
    expr_update_touched(outcome->expr, item, &builder);
    struct value result = value_builder_finish(&builder, &cases->arena);
    buffer_release(&buffer);
    return result;
}

static bool complain(struct cases *cases, struct slice expected, struct slice actual) {
    if (!cases->canary)
        printf("# expected: %.*s\n# but got:  %.*s\n", SLICE_ARGS(expected), SLICE_ARGS(actual));
    return false;
}

static bool same_text(struct cases *cases, struct slice expected, struct slice actual) {
    return slice_equal(expected, actual) || complain(cases, expected, actual);
}

static bool same_item(struct cases *cases, struct slice expected, struct value actual) {
    if (value_type(actual) != VALUE_M || !value_check(value_slice(actual), 100))
        return complain(cases, expected, SLICE_LITERAL("no canonical item"));
    return value_equal(case_read_item(cases, expected), actual) ||
           complain(cases, expected, item_text(cases, actual));
}

static bool same_error(struct cases *cases, struct slice line, const struct error *error) {
    struct slice actual =
        arena_printf(&cases->arena, "%s %.*s", error->request_level ? "error" : "fails",
                     SLICE_ARGS(error->message));
    return same_text(cases, line, actual);
}

/* Of a case that had no error. */
static bool same_result(struct cases *cases, struct slice line, const struct outcome *outcome) {
    struct slice rest = line;
    if (case_take_word(&rest, "ok"))
        return true;
    if (case_take_word(&rest, "old"))
        return same_item(cases, rest, touched(cases, outcome, outcome->item));
    if (case_take_word(&rest, "new"))
        return same_item(cases, rest, touched(cases, outcome, outcome->result));
    if (case_take_word(&rest, "charge"))
        return same_text(cases, rest,
                         arena_printf(&cases->arena, "%zu", expr_update_charge(outcome->expr)));
    if (case_take_word(&rest, "keys"))
        return same_text(cases, rest, keys_text(cases, outcome->expr));
    if (line.len > 0 && line.data[0] == '{')
        return same_item(cases, line, outcome->result);
    return same_text(cases, line, slice_text(outcome->truth ? "true" : "false"));
}

static bool is_setting(struct slice line) {
    return case_take_word(&line, "names") || case_take_word(&line, "values") ||
           case_take_word(&line, "item") || case_take_word(&line, "absent") ||
           case_take_word(&line, "unused");
}

static void run_case(struct cases *cases) {
    struct outcome outcome = {0};
    struct expr_program *program = NULL;
    outcome.error = run(cases, &outcome, &program);
    bool same = true;
    int results = 0;
    for (size_t i = 1; i < cases->line_count; i++) {
        if (is_setting(cases->lines[i]))
            continue;
        results++;
        same &= outcome.error != NULL ? same_error(cases, cases->lines[i], outcome.error)
                                      : same_result(cases, cases->lines[i], &outcome);
    }
    if (results == 0)
        case_die(cases, "no result", cases->lines[0]);
    case_report(cases, same);
    expr_program_unref(program);
}

/* ---- defaults ---- */

static void forget_defaults(void) {
    memset(defaults, 0, sizeof(defaults));
}

static bool take_default(struct slice line) {
    static const char *const words[] = {"@item", "@names", "@values"};
    for (int i = 0; i < DEFAULT_COUNT; i++)
        if (case_take_word(&line, words[i])) {
            defaults[i] = line;
            return true;
        }
    return false;
}

int main(int argc, char **argv) {
    struct cases cases = {
        .run = run_case, .take_default = take_default, .begin_file = forget_defaults};
    return cases_main(&cases, argc, argv);
}
