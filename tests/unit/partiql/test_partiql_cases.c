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
 *     at LINE:COLUMN:LENGTH            where that is, of errors whose text does not say it
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

#include "model/value_json.h"
#include "partiql/parser.h"
#include "partiql/partiql.h"
#include "support/cases.h"

enum { PARAMETERS_MAX = 200 };

/* ---- reading ---- */

static size_t read_parameters(struct cases *cases, struct slice json, struct value *values) {
    struct json_reader reader;
    size_t count = 0;
    json_reader_init(&reader, json, &cases->arena);
    if (json_next(&reader) != JSON_ARRAY_BEGIN)
        case_die(cases, "no list", json);
    while (json_next(&reader) != JSON_ARRAY_END) {
        if (reader.token == JSON_ERROR || count == PARAMETERS_MAX)
            case_die(cases, "bad JSON", json);
        values[count++] = case_read_value(cases, &reader);
    }
    return count;
}

/* name:T, up to the next space */
static bool read_attribute(struct cases *cases, struct slice *line, struct key_attribute *ret) {
    const uint8_t *colon = memchr(line->data, ':', line->len);
    if (line->len == 0)
        return false;
    if (colon == NULL || colon + 1 == line->data + line->len)
        case_die(cases, "bad keys", *line);
    ret->name = slice_of(line->data, (size_t)(colon - line->data));
    ret->type = value_type_from_name(slice_of(colon + 1, 1));
    size_t used = ret->name.len + 2;
    *line = slice_skip(*line, used < line->len ? used + 1 : used);
    return true;
}

static struct key_schema read_keys(struct cases *cases) {
    struct key_schema keys = {.hash_count = 1};
    struct slice line;
    if (!case_find_line(cases, "keys", &line))
        line = SLICE_LITERAL("pk:S sk:S");
    read_attribute(cases, &line, &keys.hash[0]);
    keys.range_count = read_attribute(cases, &line, &keys.range[0]);
    return keys;
}

/* ---- writing ---- */

static struct slice value_text(struct cases *cases, struct value value, bool item) {
    struct buffer buffer;
    buffer_init(&buffer, CASE_BYTES_MAX);
    struct json_writer writer;
    json_writer_init(&writer, &buffer);
    (item ? item_write_json : value_write_json)(&writer, value);
    struct slice text = arena_slice(&cases->arena, buffer_slice(&buffer));
    buffer_release(&buffer);
    return text;
}

static void print_condition(struct cases *cases, struct buffer *to,
                            const struct key_condition *condition) {
    static const char *const operators[] = {"EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH"};
    buffer_printf(to, "%.*s %s %.*s", SLICE_ARGS(condition->name), operators[condition->op],
                  SLICE_ARGS(value_text(cases, condition->value, false)));
    if (condition->op == KEY_BETWEEN)
        buffer_printf(to, " %.*s", SLICE_ARGS(value_text(cases, condition->upper, false)));
}

static struct slice take_text(struct cases *cases, struct buffer *buffer) {
    struct slice text = arena_slice(&cases->arena, buffer_slice(buffer));
    buffer_release(buffer);
    return text;
}

static struct slice ranges_text(struct cases *cases, const struct partiql_ranges *ranges) {
    if (!ranges->keyed)
        return SLICE_LITERAL("scan");
    struct buffer text;
    buffer_init(&text, CASE_BYTES_MAX);
    buffer_append_text(&text, "ranges");
    for (size_t i = 0; i < ranges->count; i++) {
        buffer_append_text(&text, i == 0 ? " " : "; ");
        print_condition(cases, &text, &ranges->list[i].hash);
        if (ranges->list[i].has_sort) {
            buffer_append_byte(&text, ' ');
            print_condition(cases, &text, &ranges->list[i].sort);
        }
    }
    if (ranges->reverse)
        buffer_append_text(&text, " reverse");
    return take_text(cases, &text);
}

static struct slice columns_text(struct cases *cases, const struct partiql *partiql) {
    struct buffer text;
    buffer_init(&text, CASE_BYTES_MAX);
    buffer_append_text(&text, "columns");
    for (size_t i = 0; i < partiql->column_count; i++) {
        buffer_append_text(&text, i == 0 ? " " : ", ");
        buffer_append_slice(&text, partiql->columns[i].name);
    }
    return take_text(cases, &text);
}

/* ---- running ---- */

static struct error *ranges_of(struct cases *cases, const struct partiql *partiql,
                               struct slice *ret_text) {
    struct partiql_ranges *ranges = ARENA_NEW(&cases->arena, struct partiql_ranges);
    struct key_schema keys = read_keys(cases);
    TRY(partiql_ranges(&cases->arena, partiql, &keys, ranges));
    *ret_text = ranges_text(cases, ranges);
    return NULL;
}

static struct error *key_of(struct cases *cases, const struct partiql *partiql,
                            struct slice *ret_text) {
    enum partiql_key_fit fit;
    struct value key;
    struct key_schema keys = read_keys(cases);
    TRY(partiql_key(&cases->arena, partiql, &keys, &key, &fit));
    if (fit != PARTIQL_KEY_INCOMPLETE)
        TRY(partiql_key_check_types(&cases->arena, &keys, key));
    *ret_text =
        fit == PARTIQL_KEY_INCOMPLETE
            ? SLICE_LITERAL("key incomplete")
            : arena_printf(&cases->arena, "key %s %.*s", fit == PARTIQL_KEY_ONLY ? "only" : "more",
                           SLICE_ARGS(value_text(cases, key, true)));
    return NULL;
}

static struct value case_item(struct cases *cases) {
    struct slice json;
    return case_find_line(cases, "item", &json) ? case_read_item(cases, json) : VALUE_ABSENT;
}

static struct error *updated(struct cases *cases, const struct partiql *partiql,
                             struct slice *ret_text) {
    struct value item;
    TRY(expr_update(&cases->arena, partiql->update, case_item(cases), &item));
    *ret_text = arena_printf(&cases->arena, "new %.*s", SLICE_ARGS(value_text(cases, item, true)));
    return NULL;
}

/* What the line asks about, in its own form. */
static struct error *answer(struct cases *cases, const struct partiql *partiql, struct slice line,
                            struct slice *ret_text) {
    struct slice rest = line;
    *ret_text = SLICE_LITERAL("ok");
    if (case_take_word(&rest, "scan") || case_take_word(&rest, "ranges"))
        return ranges_of(cases, partiql, ret_text);
    if (case_take_word(&rest, "key"))
        return key_of(cases, partiql, ret_text);
    if (case_take_word(&rest, "new") || case_take_word(&rest, "fails"))
        return updated(cases, partiql, ret_text);
    if (case_take_word(&rest, "error"))
        return partiql_reads(partiql)
                   ? ranges_of(cases, partiql, ret_text)
                   : (partiql->statement->where == NULL ? NULL : key_of(cases, partiql, ret_text));
    if (case_take_word(&rest, "columns"))
        *ret_text = columns_text(cases, partiql);
    else if (case_take_word(&rest, "insert"))
        *ret_text = arena_printf(&cases->arena, "insert %.*s",
                                 SLICE_ARGS(value_text(cases, partiql->item, true)));
    else if (case_take_word(&rest, "from"))
        *ret_text =
            arena_printf(&cases->arena, "from %.*s%s%.*s", SLICE_ARGS(partiql->table_name),
                         slice_present(partiql->index_name) ? " " : "",
                         (int)partiql->index_name.len, (const char *)partiql->index_name.data);
    else if (case_take_word(&rest, "true") || case_take_word(&rest, "false"))
        *ret_text = slice_text(expr_holds(partiql->where, case_item(cases)) ? "true" : "false");
    return NULL;
}

static struct error *bind(struct cases *cases, struct partiql *ret_partiql) {
    struct slice json;
    struct value *values = ARENA_ARRAY(&cases->arena, struct value, PARAMETERS_MAX);
    size_t count =
        case_find_line(cases, "parameters", &json) ? read_parameters(cases, json, values) : 0;
    struct statement *statement;
    TRY(statement_parse(&cases->arena, case_read_text(cases, cases->lines[0]), &statement));
    return partiql_bind(&cases->arena, statement, values, count, ret_partiql);
}

static bool check_line(struct cases *cases, const struct partiql *partiql, struct error *error,
                       struct slice line) {
    struct slice actual;
    if (error == NULL)
        error = answer(cases, partiql, line, &actual);
    struct slice rest = line;
    if (error != NULL && case_take_word(&rest, "at"))
        actual = arena_printf(&cases->arena, "at %.*s", SLICE_ARGS(error->position));
    else if (error != NULL)
        actual = arena_printf(&cases->arena, "%s %.*s",
                              case_take_word(&rest, "fails") ? "fails" : "error",
                              SLICE_ARGS(error->message));
    if (slice_equal(line, actual))
        return true;
    if (!cases->canary)
        printf("# expected: %.*s\n# but got:  %.*s\n", SLICE_ARGS(line), SLICE_ARGS(actual));
    return false;
}

static bool is_setting(struct slice line) {
    return case_take_word(&line, "parameters") || case_take_word(&line, "keys") ||
           case_take_word(&line, "item");
}

static void run_case(struct cases *cases) {
    struct partiql partiql = {0};
    struct error *error = bind(cases, &partiql);
    bool same = true;
    int results = 0;
    for (size_t i = 1; i < cases->line_count; i++) {
        if (is_setting(cases->lines[i]))
            continue;
        results++;
        same &= check_line(cases, &partiql, error, cases->lines[i]);
    }
    if (results == 0)
        case_die(cases, "no result", cases->lines[0]);
    case_report(cases, same);
    partiql_release(&partiql);
}

int main(int argc, char **argv) {
    struct cases cases = {.run = run_case};
    return cases_main(&cases, argc, argv);
}
