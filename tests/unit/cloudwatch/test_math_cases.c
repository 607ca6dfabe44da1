/* test_math_cases.c - runs the cases of tests/data/math and reports them as TAP.
 *
 *     test_math_cases FILE...            every case must come out as it says
 *     test_math_cases --canary FILE...   every case must NOT: proves that the runner notices
 *
 * A file is cases separated by empty lines; lines that begin with # are comments. A case is
 *
 *     EXPRESSION
 *     m1 0=1 1=2.5          a series: minutes and values; any number of them, by a minute each
 *     RESULT
 *
 * and a result is one of
 *
 *     number 60
 *     series 0=1 1=2.5      "series" alone: it has no points
 *     list 0=1; 0=2         one after another
 *     error TEXT
 *
 * The time that is asked for is minutes 0 to 5, the last one excluded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "cloudwatch/metric_math.h"
#include "support/cases.h"

enum { SERIES_MAX_HERE = 8, POINTS_MAX_HERE = 16, MINUTE_MS = 60000, MINUTES = 5 };

struct named {
    struct slice name;
    struct math_series series;
};

struct scene {
    struct cases *cases;
    struct named list[SERIES_MAX_HERE];
    size_t count;
};

static void read_points(struct scene *scene, struct slice line, struct math_series *series) {
    struct arena *arena = &scene->cases->arena;
    const char *at = (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(line)).data;
    series->period_s = 60;
    series->times = ARENA_ARRAY(arena, int64_t, POINTS_MAX_HERE);
    series->values = ARENA_ARRAY(arena, double, POINTS_MAX_HERE);
    for (char *end; *at != 0; at = end) {
        series->times[series->count] = strtol(at, &end, 10) * MINUTE_MS;
        if (*end != '=' || series->count == POINTS_MAX_HERE)
            case_die(scene->cases, "bad series", line);
        series->values[series->count++] = strtod(end + 1, &end);
    }
}

static struct error *find(void *user, struct slice name, struct math_value *ret_value) {
    struct scene *scene = user;
    for (size_t i = 0; i < scene->count; i++)
        if (slice_equal(scene->list[i].name, name)) {
            *ret_value = (struct math_value){
                .kind = MATH_SERIES, .list = &scene->list[i].series, .count = 1};
            return NULL;
        }
    return error_new(&scene->cases->arena, ERROR_VALIDATION, "There is no '%.*s'",
                     SLICE_ARGS(name));
}

static struct error *metrics(void *user, struct slice text, struct math_value *ret_value) {
    struct scene *scene = user;
    struct math_value value = {.kind = MATH_LIST};
    value.list = ARENA_ARRAY(&scene->cases->arena, struct math_series, SERIES_MAX_HERE);
    for (size_t i = 0; i < scene->count; i++)
        if (slice_starts_with(scene->list[i].name, text))
            value.list[value.count++] = scene->list[i].series;
    *ret_value = value;
    return NULL;
}

/* What it searches for is not looked at here. */
static struct error *search(void *user, const struct math_search *search,
                            struct math_value *ret_value) {
    (void)search;
    return metrics(user, SLICE_LITERAL(""), ret_value);
}

static void print_series(struct buffer *out, const struct math_series *series) {
    for (size_t i = 0; i < series->count; i++)
        buffer_printf(out, " %lld=%.6g", (long long)(series->times[i] / MINUTE_MS),
                      series->values[i]);
}

static void print_value(struct buffer *out, const struct math_value *value) {
    if (value->kind == MATH_NUMBER) {
        buffer_printf(out, "number %.6g", value->number);
        return;
    }
    buffer_append_text(out, value->kind == MATH_LIST ? "list" : "series");
    for (size_t i = 0; i < value->count; i++) {
        print_series(out, &value->list[i]);
        if (i + 1 < value->count)
            buffer_append_byte(out, ';');
    }
}

static void run(struct cases *cases) {
    struct scene scene = {.cases = cases};
    size_t points = 0;
    const struct math_scope scope = {find, metrics, search, &scene, 0, MINUTES * MINUTE_MS,
                                     60,   &points};
    const struct math_node *node;
    struct math_value value;
    CLEANUP(buffer_release) struct buffer out;
    buffer_init(&out, 1 << 16);
    for (size_t i = 1; i + 1 < cases->line_count; i++) {
        struct slice line = cases->lines[i];
        const uint8_t *blank = memchr(line.data, ' ', line.len);
        size_t len = blank == NULL ? line.len : (size_t)(blank - line.data);
        struct named *named = &scene.list[scene.count++];
        named->name = slice_of(line.data, len);
        read_points(&scene, slice_skip(line, blank == NULL ? len : len + 1), &named->series);
    }
    struct error *error = math_compile(&cases->arena, cases->lines[0], &node);
    if (error == NULL)
        error = math_run(&cases->arena, node, &scope, &value);
    if (error != NULL)
        buffer_printf(&out, "error %.*s", SLICE_ARGS(error->message));
    else
        print_value(&out, &value);
    bool same = slice_equal(buffer_slice(&out), cases->lines[cases->line_count - 1]);
    case_report(cases, same);
    if (!same && !cases->canary)
        printf("# %.*s\n", SLICE_ARGS(buffer_slice(&out)));
}

int main(int argc, char **argv) {
    struct cases cases = {.run = run};
    return cases_main(&cases, argc, argv);
}
