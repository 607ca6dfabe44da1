/* test_alarm_cases.c - runs the cases of tests/data/alarm and reports them as TAP.
 *
 *     test_alarm_cases FILE...            every case must come out as it says
 *     test_alarm_cases --canary FILE...   every case must NOT: proves that the runner notices
 *
 * A case is a line of three parts; lines that begin with # are comments.
 *
 *     N M | POINTS | STATE STATE STATE STATE        one for each way to treat missing data
 *     [data] N M TREATMENT COMPARISON THRESHOLD | POINTS | TEXT
 *
 * M is a number or -, for an alarm that has none. A point is a number, 0 (fine) or X (a breach) in
 * the first form, or - where there is none; the newest comes last. `data` asks for the figures
 * instead of the sentence. */
#include <stdio.h>
#include <stdlib.h>

#include "alarm/reason.h"
#include "support/case_lines.h"

enum { POINTS_MAX = 16, WORD_MAX = 40 };

#define NEWEST_MS INT64_C(1772100780000) /* 2026-02-26T10:13:00Z */

struct test {
    struct arena arena;
    const char *file;
    int line;
    int number;
    int failed;
    bool canary;
    struct alarm_rule rule;
    struct alarm_point points[POINTS_MAX];
    size_t count;
};

static void report(struct test *test, bool ok, struct slice line, struct slice got) {
    ok = ok != test->canary;
    printf("%s %d - %s:%d %.*s\n", ok ? "ok" : "not ok", ++test->number, test->file, test->line,
           SLICE_ARGS(line));
    if (!ok)
        printf("# got: %.*s\n", SLICE_ARGS(got));
    test->failed += !ok;
}

/* What stands before the separator, which is taken too. */
static struct slice take_until(struct slice *rest, const char *separator) {
    const uint8_t *found = memmem(rest->data, rest->len, separator, strlen(separator));
    size_t len = found == NULL ? rest->len : (size_t)(found - rest->data);
    struct slice part = slice_of(rest->data, len);
    *rest = slice_skip(*rest, found == NULL ? len : len + strlen(separator));
    return part;
}

static double number_of(struct slice word) {
    char text[WORD_MAX] = {0};
    memcpy(text, word.data, word.len < WORD_MAX ? word.len : WORD_MAX - 1);
    return strtod(text, NULL);
}

static void read_points(struct test *test, struct slice text) {
    struct slice words[POINTS_MAX];
    test->count = 0;
    while (text.len > 0 && test->count < POINTS_MAX)
        words[test->count++] = take_until(&text, " ");
    for (size_t i = 0; i < test->count; i++) {
        struct slice word = words[test->count - 1 - i];
        test->points[i] = (struct alarm_point){
            .start_ms = NEWEST_MS - (int64_t)i * 60000,
            .present = !slice_is(word, "-"),
            .value = slice_is(word, "X") ? 2 : number_of(word),
            .samples = 1,
        };
    }
}

static void read_counts(struct test *test, struct slice *rest) {
    test->rule.periods = (uint32_t)number_of(take_until(rest, " "));
    struct slice datapoints = take_until(rest, " ");
    test->rule.datapoints = slice_is(datapoints, "-") ? 0 : (uint32_t)number_of(datapoints);
}

/* All four ways at once. */
static void run_states(struct test *test, struct slice line, struct slice states) {
    static const enum alarm_treatment treatments[] = {
        ALARM_TREATMENT_MISSING, ALARM_TREATMENT_IGNORE, ALARM_TREATMENT_BREACHING,
        ALARM_TREATMENT_NOT_BREACHING};
    struct slice got = SLICE_LITERAL("");
    test->rule.threshold = 1;
    test->rule.comparison = ALARM_COMPARISON_GREATER;
    for (size_t i = 0; i < sizeof(treatments) / sizeof(*treatments); i++) {
        test->rule.treatment = treatments[i];
        struct verdict verdict = alarm_evaluate(&test->rule, test->points, test->count);
        got = arena_printf(&test->arena, "%.*s%s%s", SLICE_ARGS(got), i == 0 ? "" : " ",
                           verdict.keep ? "keep" : alarm_state_word(verdict.state));
    }
    report(test, slice_equal(got, states), line, got);
}

static void run_reason(struct test *test, struct slice line, struct slice text, bool data) {
    struct verdict verdict = alarm_evaluate(&test->rule, test->points, test->count);
    struct reason_facts facts = {.rule = &test->rule,
                                 .points = test->points,
                                 .period_s = 60,
                                 .now_ms = NEWEST_MS + 71000,
                                 .unit = SLICE_LITERAL("Seconds"),
                                 .statistic = SLICE_LITERAL("Average")};
    struct slice got = data ? alarm_reason_data(&test->arena, &facts, &verdict)
                            : alarm_reason(&test->arena, &facts, &verdict);
    report(test, slice_equal(got, text), line, got);
}

static void take_line(void *context, struct slice line, int number) {
    struct test *test = context;
    struct slice rest = line;
    test->line = number;
    if (line.len == 0 || line.data[0] == '#')
        return;
    struct slice head = take_until(&rest, " | "), points = take_until(&rest, " | ");
    bool data = slice_starts_with(head, SLICE_LITERAL("data "));
    if (data)
        take_until(&head, " ");
    read_counts(test, &head);
    read_points(test, points);
    if (test->count != test->rule.periods + EVALUATE_RESERVE) {
        report(test, test->canary, line, SLICE_LITERAL("another number of points"));
    } else if (head.len == 0) {
        run_states(test, line, rest);
    } else if (alarm_treatment_of(take_until(&head, " "), &test->rule.treatment) &&
               alarm_comparison_of(take_until(&head, " "), &test->rule.comparison)) {
        test->rule.threshold = number_of(head);
        run_reason(test, line, rest, data);
    } else {
        report(test, test->canary, line, SLICE_LITERAL("an unknown word"));
    }
}

int main(int argc, char **argv) {
    struct test test = {.canary = argc > 1 && strcmp(argv[1], "--canary") == 0};
    arena_init(&test.arena);
    for (int i = test.canary ? 2 : 1; i < argc; i++) {
        test.file = case_file_name(argv[i]);
        case_lines_read(argv[i], take_line, &test);
    }
    printf("1..%d\n", test.number);
    arena_release(&test.arena);
    return test.failed > 0 || test.number == 0;
}
