/* test_template_cases.c - runs the cases of tests/data/template and reports them as TAP.
 *
 *     test_template_cases FILE...            every case must come out as it says
 *     test_template_cases --canary FILE...   every case must NOT: proves that the runner notices
 *     test_template_cases --print FILE...    prints what comes out, to read and to paste
 *
 * A case is
 *
 *     === WHAT IT IS ABOUT
 *     param KEY=VALUE          optional, and so are the next ones
 *     env NAME=VALUE           a variable of the environment
 *     show plan calls          which lines of the result are wanted; without it all
 *     table {...}              DescribeTable's answer for a table that is there
 *     ttl {...}                DescribeTimeToLive's for the table before; alike: backups, tags,
 *                              insights, policy
 *     alarm {...}              an alarm of DescribeAlarms; alarm-tags {...}: ListTagsForResource's
 *     dashboard {...}          GetDashboard's answer
 *     item {...}               GetItem's answer, to the first item; likewise to the next
 *     --- template
 *     Resources: ...
 *     --- file NAME            a file beside it; may come several times
 *     --- result
 *     error TEXT               the template is refused; or, of each table, alarm and dashboard:
 *     t:1:2: warning: TEXT     notices, first of all
 *     + create table ...       the lines of the plan
 *     loss TEXT                what would be lost
 *     forbidden TEXT           why it cannot be done
 *     ? {...}                  the GetItem before the plan of an item
 *     > OPERATION {...}        the calls
 *     output NAME = VALUE      after all tables
 *     stack NAME               all of these again, of a stack within it
 *
 * Lines that begin with ## are comments. The file is called t in messages, the stack `stack`. */
#include <stdio.h>
#include <stdlib.h>

#include "support/case_lines.h"
#include "template/item.h"
#include "template/load.h"
#include "template/plan.h"
#include "template/watch.h"

enum { PARAMETERS_MAX = 20, TABLES_MAX = 10, FILES_MAX = 10, RESULT_BYTES_MAX = 1 << 22 };
enum part { PART_SETTINGS, PART_TEMPLATE, PART_FILE, PART_RESULT };

struct test {
    struct arena arena;
    struct slice title;
    struct slice show;
    struct template_parameter parameters[PARAMETERS_MAX];
    size_t parameter_count;
    struct template_parameter variables[PARAMETERS_MAX];
    size_t variable_count;
    struct slice file_names[FILES_MAX];
    struct buffer files[FILES_MAX];
    size_t file_count;
    struct table_answers answers[TABLES_MAX];
    size_t answer_count;
    struct found_watch watches[TABLES_MAX];
    size_t watch_count;
    const struct json_value *items[TABLES_MAX];
    size_t item_count;
    struct buffer template;
    struct buffer expected;
    enum part part; /* of the case that is read */
    const char *file;
    int line;
    int number;
    int failed;
    bool canary;
    bool print;
};

static void die(const struct test *test, const char *what, struct slice text) {
    fprintf(stderr, "%s:%d: %s: %.*s\n", test->file, test->line, what, SLICE_ARGS(text));
    exit(2);
}

/* ---- running ---- */

static bool shows(const struct test *test, const char *what) {
    return test->show.len == 0 ||
           memmem(test->show.data, test->show.len, what, strlen(what)) != NULL;
}

static void print_list(struct buffer *out, const char *word, const struct slice *list,
                       size_t count) {
    for (size_t i = 0; i < count; i++)
        buffer_printf(out, "%s%.*s\n", word, SLICE_ARGS(list[i]));
}

static void print_plan(const struct test *test, const struct plan *plan, struct buffer *out) {
    if (shows(test, "plan")) {
        print_list(out, "", plan->lines, plan->line_count);
        print_list(out, "loss ", plan->losses, plan->loss_count);
        if (slice_present(plan->forbidden))
            print_list(out, "forbidden ", &plan->forbidden, 1);
    }
    for (size_t i = 0; shows(test, "calls") && i < plan->step_count; i++)
        buffer_printf(out, "> %s %.*s\n", plan->steps[i].operation,
                      SLICE_ARGS(plan->steps[i].body));
}

static struct error *find_table(struct test *test, struct slice name, struct found_table *ret_found,
                                bool *ret_there) {
    for (size_t i = 0; i < test->answer_count; i++) {
        TRY(table_answers_read(&test->arena, &test->answers[i], ret_found));
        *ret_there = slice_equal(ret_found->state.definition.name, name);
        if (*ret_there)
            return NULL;
    }
    return NULL;
}

static struct error *run_table(struct test *test, const struct wanted_table *wanted,
                               struct buffer *out) {
    struct found_table found;
    struct plan plan;
    bool there = false;
    TRY(find_table(test, wanted->state.definition.name, &found, &there));
    table_plan(&test->arena, wanted, there ? &found : NULL, &plan);
    if (there) {
        wanted->resource->arn = found.arn;
        wanted->resource->stream_arn = found.stream_arn;
    }
    print_plan(test, &plan, out);
    return NULL;
}

static struct found_watch find_watch(const struct test *test,
                                     const struct template_resource *resource) {
    for (size_t i = 0; i < test->watch_count; i++) {
        const struct found_watch *found = &test->watches[i];
        bool alarm = resource->kind == RESOURCE_ALARM;
        const struct json_value *answer = alarm ? found->alarm : found->dashboard;
        if (slice_equal(json_find_text(answer, template_name_property(resource)), resource->name))
            return *found;
    }
    return (struct found_watch){.alarm = NULL};
}

static struct error *run_watches(struct test *test, struct template *t,
                                 const struct wanted_watch *watches, size_t count,
                                 struct buffer *out) {
    for (size_t i = 0; i < count; i++) {
        struct found_watch found = find_watch(test, watches[i].resource);
        struct plan plan;
        TRY(watch_plan(t, &watches[i], &found, &plan));
        print_plan(test, &plan, out);
    }
    return NULL;
}

static struct error *run_outputs(struct test *test, struct template *t, struct buffer *out) {
    struct template_output *outputs;
    size_t count;
    TRY(template_outputs(t, &outputs, &count));
    for (size_t i = 0; shows(test, "outputs") && i < count; i++)
        buffer_printf(out, "output %.*s = %.*s\n", SLICE_ARGS(outputs[i].name),
                      outputs[i].known ? (int)outputs[i].value.len : 16,
                      outputs[i].known ? (const char *)outputs[i].value.data : "(not known here)");
    return NULL;
}

static struct slice find_variable(void *context, struct arena *arena, struct slice name) {
    const struct test *test = context;
    (void)arena;
    for (size_t i = 0; i < test->variable_count; i++)
        if (slice_equal(test->variables[i].name, name))
            return test->variables[i].value;
    return SLICE_NONE;
}

static struct slice find_file(void *context, struct arena *arena, struct slice path) {
    const struct test *test = context;
    (void)arena;
    for (size_t i = 0; i < test->file_count; i++)
        if (slice_equal(test->file_names[i], path))
            return buffer_slice(&test->files[i]);
    return SLICE_NONE;
}

static struct error *run_items(struct test *test, struct template *t,
                               const struct wanted_item *items, size_t count, struct buffer *out) {
    for (size_t i = 0; i < count; i++) {
        struct plan plan;
        TRY(item_plan(t, &items[i], i < test->item_count ? test->items[i] : NULL, &plan));
        if (shows(test, "calls"))
            buffer_printf(out, "? %.*s\n", SLICE_ARGS(request_item(&test->arena, &items[i])));
        print_plan(test, &plan, out);
    }
    return NULL;
}

static struct error *run_template(struct test *test, struct template *t, struct buffer *out) {
    struct wanted_table *tables;
    struct wanted_item *items;
    struct wanted_watch *watches;
    size_t count, item_count, watch_count;
    TRY(template_tables(t, &tables, &count));
    TRY(template_items(t, &items, &item_count));
    TRY(template_watches(t, &watches, &watch_count));
    if (shows(test, "warnings"))
        print_list(out, "", t->notices, t->notice_count);
    for (size_t i = 0; i < count; i++)
        TRY(run_table(test, &tables[i], out));
    TRY(run_items(test, t, items, item_count, out));
    TRY(run_watches(test, t, watches, watch_count, out));
    TRY(run_outputs(test, t, out));
    for (size_t i = 0; i < t->resource_count; i++) {
        struct template *nested = t->resources[i].nested;
        if (nested == NULL)
            continue;
        buffer_printf(out, "stack %.*s\n", SLICE_ARGS(nested->options.stack_name));
        TRY(run_template(test, nested, out));
    }
    return NULL;
}

static struct error *run(struct test *test, struct buffer *out) {
    const struct template_surroundings surroundings = {test, find_variable, find_file};
    struct template_options options = {
        .file = SLICE_LITERAL("t"),
        .parameters = test->parameters,
        .parameter_count = test->parameter_count,
        .stack_name = SLICE_LITERAL("stack"),
        .region = SLICE_LITERAL("eu-west-1"),
        .account = SLICE_LITERAL("000000000000"),
        .surroundings = &surroundings,
    };
    struct template *t;
    TRY(template_load(&test->arena, &options, buffer_slice(&test->template), &t));
    return run_template(test, t, out);
}

static void run_case(struct test *test) {
    struct buffer out;
    buffer_init(&out, RESULT_BYTES_MAX);
    struct error *error = run(test, &out);
    if (error != NULL) {
        buffer_reset(&out);
        buffer_printf(&out, "error %.*s\n", SLICE_ARGS(error->message));
    }
    bool same = slice_equal(buffer_slice(&out), buffer_slice(&test->expected));
    bool passed = same != test->canary;
    test->failed += !passed;
    if (test->print)
        printf("%.*s\n", SLICE_ARGS(buffer_slice(&out)));
    else
        printf("%s %d - %s:%d %.*s\n", passed ? "ok" : "not ok", ++test->number, test->file,
               test->line, SLICE_ARGS(test->title));
    if (!passed && !test->canary && !test->print)
        fprintf(stderr, "--- expected\n%.*s--- but got\n%.*s",
                SLICE_ARGS(buffer_slice(&test->expected)), SLICE_ARGS(buffer_slice(&out)));
    buffer_release(&out);
}

/* ---- reading ---- */

static bool take_word(struct slice *line, const char *word) {
    struct slice prefix = slice_text(word);
    if (!slice_starts_with(*line, prefix))
        return false;
    *line = slice_skip(*line, prefix.len);
    return true;
}

static void take_pair(struct test *test, struct slice line, struct template_parameter *pairs,
                      size_t *count) {
    const uint8_t *equals = memchr(line.data, '=', line.len);
    if (equals == NULL || *count == PARAMETERS_MAX)
        die(test, "bad parameter", line);
    size_t len = (size_t)(equals - line.data);
    pairs[(*count)++] = (struct template_parameter){.name = slice_of(line.data, len),
                                                    .value = slice_skip(line, len + 1)};
}

static const struct json_value *read_answer(struct test *test, struct slice line) {
    /* The line goes away, the answer stays. */
    const struct json_value *answer =
        json_tree_read(&test->arena, arena_slice(&test->arena, line), NULL);
    if (answer == NULL)
        die(test, "not JSON", line);
    return answer;
}

static void take_setting(struct test *test, struct slice line) {
    if (take_word(&line, "param ")) {
        take_pair(test, line, test->parameters, &test->parameter_count);
        return;
    }
    if (take_word(&line, "env ")) {
        take_pair(test, line, test->variables, &test->variable_count);
        return;
    }
    if (take_word(&line, "show ")) {
        test->show = line;
        return;
    }
    if (take_word(&line, "table ") && test->answer_count < TABLES_MAX) {
        test->answers[test->answer_count++] =
            (struct table_answers){.table = read_answer(test, line)};
        return;
    }
    if (take_word(&line, "item ") && test->item_count < TABLES_MAX) {
        test->items[test->item_count++] = read_answer(test, line);
        return;
    }
    bool alarm = take_word(&line, "alarm "), dashboard = take_word(&line, "dashboard ");
    if ((alarm || dashboard) && test->watch_count < TABLES_MAX) {
        const struct json_value *answer = read_answer(test, line);
        test->watches[test->watch_count++] = (struct found_watch){
            .alarm = alarm ? answer : NULL, .dashboard = dashboard ? answer : NULL};
        return;
    }
    if (test->watch_count > 0 && take_word(&line, "alarm-tags ")) {
        test->watches[test->watch_count - 1].tags = read_answer(test, line);
        return;
    }
    struct table_answers *last =
        test->answer_count == 0 ? NULL : &test->answers[test->answer_count - 1];
    if (last != NULL && take_word(&line, "ttl "))
        last->ttl = read_answer(test, line);
    else if (last != NULL && take_word(&line, "backups "))
        last->backups = read_answer(test, line);
    else if (last != NULL && take_word(&line, "tags "))
        last->tags[0] = read_answer(test, line);
    else if (last != NULL && take_word(&line, "insights "))
        last->insights[0] = read_answer(test, line);
    else if (last != NULL && take_word(&line, "policy "))
        last->policy = read_answer(test, line);
    else if (line.len > 0)
        die(test, "unknown setting", line);
}

static void begin_case(struct test *test, struct slice title, int number) {
    arena_reset(&test->arena);
    buffer_reset(&test->template);
    buffer_reset(&test->expected);
    test->title = title;
    test->line = number;
    test->show = SLICE_LITERAL("");
    test->parameter_count = test->answer_count = test->watch_count = 0;
    test->variable_count = test->item_count = 0;
    while (test->file_count > 0)
        buffer_release(&test->files[--test->file_count]);
}

static void begin_file(struct test *test, struct slice name) {
    if (test->file_count == FILES_MAX)
        die(test, "too many files", name);
    test->file_names[test->file_count] = name;
    buffer_init(&test->files[test->file_count++], CASE_FILE_BYTES_MAX);
    test->part = PART_FILE;
}

static void add_line(struct test *test, struct slice line) {
    struct buffer *to = test->part == PART_TEMPLATE ? &test->template
                        : test->part == PART_FILE   ? &test->files[test->file_count - 1]
                                                    : &test->expected;
    if (test->part != PART_RESULT || line.len > 0)
        buffer_printf(to, "%.*s\n", SLICE_ARGS(line));
}

static void take_line(void *context, struct slice line, int number) {
    struct test *test = context;
    if (number == 0) { /* the end */
        if (test->line > 0)
            run_case(test);
        return;
    }
    struct slice rest = line;
    if (take_word(&rest, "=== ")) {
        if (test->line > 0)
            run_case(test);
        begin_case(test, rest, number);
        test->part = PART_SETTINGS;
    }
    if (test->print && test->part != PART_RESULT)
        printf("%.*s\n", SLICE_ARGS(line));
    if (slice_starts_with(line, SLICE_LITERAL("=== ")) || take_word(&rest, "##"))
        return;
    if (slice_is(line, "--- template") || slice_is(line, "--- result")) {
        test->part = slice_is(line, "--- result") ? PART_RESULT : PART_TEMPLATE;
        return;
    }
    if (take_word(&line, "--- file "))
        begin_file(test, line);
    else if (test->part == PART_SETTINGS)
        take_setting(test, line);
    else
        add_line(test, line);
}

static void run_file(struct test *test, const char *path) {
    test->file = case_file_name(path);
    test->line = 0;
    test->part = PART_SETTINGS;
    case_lines_read(path, take_line, test);
}

int main(int argc, char **argv) {
    struct test test = {.canary = argc > 1 && strcmp(argv[1], "--canary") == 0,
                        .print = argc > 1 && strcmp(argv[1], "--print") == 0};
    arena_init(&test.arena);
    buffer_init(&test.template, CASE_FILE_BYTES_MAX);
    buffer_init(&test.expected, CASE_FILE_BYTES_MAX);
    for (int i = test.canary || test.print ? 2 : 1; i < argc; i++)
        run_file(&test, argv[i]);
    if (!test.print)
        printf("1..%d\n", test.number);
    while (test.file_count > 0)
        buffer_release(&test.files[--test.file_count]);
    buffer_release(&test.template);
    buffer_release(&test.expected);
    arena_release(&test.arena);
    return !test.print && (test.failed > 0 || test.number == 0);
}
