/* math_run.c - a compiled expression, run: each function on numbers, series and lists of these.
 *
 * A number that is none (AVG of nothing) makes no points. What a run makes is bounded by
 * LIMIT_MATH_POINTS and the limit of its arena, every list by LIMIT_MATH_SERIES. */
#include <math.h>

#include "base/check.h"
#include "cloudwatch/math_aggregate.h"
#include "service/limits.h"

struct runner {
    struct arena *arena;
    const struct math_scope *scope;
};

static struct error *run(struct runner *runner, const struct math_node *node,
                         struct math_value *ret_value);

static struct error *wrong(const struct runner *runner, const char *what) {
    return error_new(runner->arena, ERROR_VALIDATION, "%s", what);
}

/* ---- values ---- */

static struct math_value number_value(double number) {
    return (struct math_value){.kind = MATH_NUMBER, .number = number};
}

static struct error *make_list(struct runner *runner, enum math_kind kind, size_t count,
                               struct math_value *ret_value) {
    if (count > LIMIT_MATH_SERIES)
        return error_new(runner->arena, ERROR_VALIDATION, "A list may have at most %d time series",
                         LIMIT_MATH_SERIES);
    TRY(error_if_full(runner->arena, count * sizeof(struct math_series)));
    *ret_value = (struct math_value){.kind = kind,
                                     .list = ARENA_ARRAY(runner->arena, struct math_series, count),
                                     .count = count};
    return NULL;
}

static struct error *count_points(struct runner *runner, size_t count) {
    size_t *points = runner->scope->points;
    if (count > LIMIT_MATH_POINTS - *points)
        return wrong(runner, "The expressions make too many points");
    *points += count;
    return error_if_full(runner->arena, count * sizeof(struct gathered_point));
}

/* Room for so many points; named and paced as another. */
static struct error *make_series(struct runner *runner, const struct math_series *like, size_t room,
                                 struct math_series *ret_series) {
    TRY(count_points(runner, room));
    *ret_series = (struct math_series){
        .label = like->label,
        .period_s = like->period_s,
        .times = ARENA_ARRAY(runner->arena, int64_t, room),
        .values = ARENA_ARRAY(runner->arena, double, room),
    };
    return NULL;
}

static void add_point(struct math_series *series, int64_t time, double value) {
    if (!isfinite(value))
        return;
    series->times[series->count] = time;
    series->values[series->count++] = value;
}

/* ---- operators ---- */

static double compute(enum math_operator op, double a, double b) {
    switch (op) {
    case MATH_ADD:
        return a + b;
    case MATH_SUBTRACT:
        return a - b;
    case MATH_MULTIPLY:
        return a * b;
    case MATH_DIVIDE:
        return a / b;
    case MATH_POWER:
        return pow(a, b);
    case MATH_EQUAL:
        return a == b;
    case MATH_NOT_EQUAL:
        return a != b;
    case MATH_LESS:
        return a < b;
    case MATH_LESS_OR_EQUAL:
        return a <= b;
    case MATH_GREATER:
        return a > b;
    case MATH_GREATER_OR_EQUAL:
        return a >= b;
    case MATH_AND:
        return a != 0 && b != 0;
    case MATH_OR:
        return a != 0 || b != 0;
    }
    return (double)NAN;
}

/* Either side may be a number; where both are series, points that both have. */
static struct error *combine_one(struct runner *runner, enum math_operator op,
                                 const struct math_value *left, const struct math_value *right,
                                 size_t i, struct math_series *ret_series) {
    const struct math_series *a = left->kind == MATH_NUMBER ? NULL
                                  : left->kind == MATH_LIST ? &left->list[i]
                                                            : left->list;
    const struct math_series *b = right->kind == MATH_NUMBER ? NULL
                                  : right->kind == MATH_LIST ? &right->list[i]
                                                             : right->list;
    const struct math_series *by = a == NULL ? b : a;
    CHECK(by != NULL);
    TRY(make_series(runner, by, by->count, ret_series));
    for (size_t p = 0, q = 0; p < by->count; p++) {
        if (a != NULL && b != NULL) {
            while (q < b->count && b->times[q] < a->times[p])
                q++;
            if (q == b->count || b->times[q] != a->times[p])
                continue;
        }
        add_point(ret_series, by->times[p],
                  compute(op, a == NULL ? left->number : a->values[p],
                          b == NULL ? right->number : b->values[a == NULL ? p : q]));
    }
    return NULL;
}

static struct error *combine(struct runner *runner, enum math_operator op,
                             const struct math_value *left, const struct math_value *right,
                             struct math_value *ret_value) {
    if (left->kind == MATH_NUMBER && right->kind == MATH_NUMBER) {
        *ret_value = number_value(compute(op, left->number, right->number));
        return NULL;
    }
    if (left->kind == MATH_LIST && right->kind == MATH_LIST && left->count != right->count)
        return wrong(runner, "Lists of different lengths cannot be combined");
    bool list = left->kind == MATH_LIST || right->kind == MATH_LIST;
    size_t count = !list ? 1 : left->kind == MATH_LIST ? left->count : right->count;
    TRY(make_list(runner, list ? MATH_LIST : MATH_SERIES, count, ret_value));
    for (size_t i = 0; i < count; i++)
        TRY(combine_one(runner, op, left, right, i, &ret_value->list[i]));
    return NULL;
}

static struct error *run_binary(struct runner *runner, const struct math_node *node,
                                struct math_value *ret_value) {
    struct math_value left, right;
    TRY(run(runner, node->first, &left));
    TRY(run(runner, node->first->next, &right));
    return combine(runner, node->op, &left, &right, ret_value);
}

/* ---- functions of each value ---- */

static double alter(const struct math_node *node, double n) {
    switch ((int)node->function) {
    case MATH_ABS:
        return fabs(n);
    case MATH_CEIL:
        return ceil(n);
    case MATH_FLOOR:
        return floor(n);
    case MATH_LOG:
        return log(n);
    default:
        return log10(n);
    }
}

static double alter_by(const struct math_node *node, double n) {
    return node->kind == MATH_NODE_MINUS ? -n
           : node->kind == MATH_NODE_NOT ? n == 0
                                         : alter(node, n);
}

static struct error *run_each(struct runner *runner, const struct math_node *node,
                              struct math_value *ret_value) {
    struct math_value of;
    TRY(run(runner, node->first, &of));
    *ret_value = number_value(alter_by(node, of.number));
    if (of.kind == MATH_NUMBER)
        return NULL;
    TRY(make_list(runner, of.kind, of.count, ret_value));
    for (size_t i = 0; i < of.count; i++) {
        TRY(make_series(runner, &of.list[i], of.list[i].count, &ret_value->list[i]));
        for (size_t p = 0; p < of.list[i].count; p++)
            add_point(&ret_value->list[i], of.list[i].times[p],
                      alter_by(node, of.list[i].values[p]));
    }
    return NULL;
}

/* ---- functions from point to point ---- */

static double step_of(enum math_function function, const struct math_series *series, size_t p,
                      double *running) {
    double seconds = p == 0 ? 0 : (double)(series->times[p] - series->times[p - 1]) / 1000;
    double difference = p == 0 ? 0 : series->values[p] - series->values[p - 1];
    if (function == MATH_RUNNING_SUM)
        return *running += series->values[p];
    if (p == 0)
        return (double)NAN;
    return function == MATH_DIFF   ? difference
           : function == MATH_RATE ? difference / seconds
                                   : seconds;
}

static struct error *run_steps(struct runner *runner, const struct math_node *node,
                               struct math_value *ret_value) {
    struct math_value of;
    TRY(run(runner, node->first, &of));
    if (of.kind == MATH_NUMBER)
        return wrong(runner, "A time series is wanted, not a number");
    TRY(make_list(runner, of.kind, of.count, ret_value));
    for (size_t i = 0; i < of.count; i++) {
        double running = 0;
        TRY(make_series(runner, &of.list[i], of.list[i].count, &ret_value->list[i]));
        for (size_t p = 0; p < of.list[i].count; p++)
            add_point(&ret_value->list[i], of.list[i].times[p],
                      step_of(node->function, &of.list[i], p, &running));
    }
    return NULL;
}

/* ---- functions of many values ---- */

/* At each time of those that have a point then. */
static struct error *aggregate_points(struct runner *runner, enum math_function function,
                                      const struct gathered *all, const struct math_series *like,
                                      struct math_value *ret_value) {
    const struct gathered_point *list = all->list;
    size_t times = 0;
    for (size_t i = 0; i < all->count; i++)
        times += i == 0 || list[i].time != list[i - 1].time;
    TRY(make_list(runner, MATH_SERIES, 1, ret_value));
    TRY(make_series(runner, like, times, ret_value->list));
    ret_value->list->label = SLICE_NONE;
    for (size_t first = 0, end; first < all->count; first = end) {
        for (end = first + 1; end < all->count && list[end].time == list[first].time;)
            end++;
        add_point(ret_value->list, list[first].time,
                  math_aggregate(function, list + first, end - first));
    }
    return NULL;
}

/* Several values, or a list, make a series, and one series a number. */
static struct error *aggregate(struct runner *runner, const struct math_node *node,
                               const struct math_value *values, struct math_value *ret_value) {
    const struct math_series none = {.period_s = runner->scope->period_s};
    const struct math_series *like = values[0].count > 0 ? values[0].list : &none;
    struct arena CLEANUP(arena_release) scratch;
    struct gathered all;
    arena_init(&scratch);
    TRY(count_points(runner, math_count_points(values, node->count)));
    math_gather(&scratch, values, node->count, &all);
    if (node->count == 1 && values[0].kind == MATH_SERIES) {
        *ret_value = number_value(math_aggregate(node->function, all.list, all.count));
        return NULL;
    }
    math_sort_gathered(&all);
    return aggregate_points(runner, node->function, &all, like, ret_value);
}

static struct error *run_aggregate(struct runner *runner, const struct math_node *node,
                                   struct math_value *ret_value) {
    struct math_value *values = ARENA_ARRAY(runner->arena, struct math_value, node->count);
    const struct math_node *argument = node->first;
    for (size_t i = 0; i < node->count; i++, argument = argument->next) {
        TRY(run(runner, argument, &values[i]));
        if (values[i].kind == MATH_NUMBER)
            return wrong(runner, "A time series is wanted, not a number");
    }
    return aggregate(runner, node, values, ret_value);
}

/* ---- FILL ---- */

enum fill { FILL_NUMBER, FILL_REPEAT, FILL_LINEAR };

/* What is put where nothing is, between the points `after - 1` and `after`. */
static double filling(enum fill fill, double number, const struct math_series *from, size_t after,
                      int64_t time) {
    if (fill == FILL_NUMBER)
        return number;
    if (after == 0 || (fill == FILL_LINEAR && after == from->count))
        return (double)NAN;
    double before = from->values[after - 1];
    if (fill == FILL_REPEAT)
        return before;
    double part = (double)(time - from->times[after - 1]) /
                  (double)(from->times[after] - from->times[after - 1]);
    return before + (from->values[after] - before) * part;
}

static struct error *fill_one(struct runner *runner, enum fill fill, double number,
                              const struct math_series *from, struct math_series *ret_series) {
    int64_t period = from->period_s * 1000, first = runner->scope->from_ms;
    int64_t end = runner->scope->to_ms;
    size_t expected = end <= first || period <= 0 ? 0 : (size_t)((end - first - 1) / period + 1);
    size_t next = 0;
    TRY(make_series(runner, from, expected + from->count, ret_series));
    for (size_t i = 0; i < expected; i++) {
        int64_t time = first + (int64_t)i * period;
        for (; next < from->count && from->times[next] < time; next++)
            if (i == 0 || from->times[next] > time - period) /* beside the others' rhythm */
                add_point(ret_series, from->times[next], from->values[next]);
        if (next < from->count && from->times[next] == time)
            add_point(ret_series, time, from->values[next++]);
        else
            add_point(ret_series, time, filling(fill, number, from, next, time));
    }
    return NULL;
}

static struct error *run_fill(struct runner *runner, const struct math_node *node,
                              struct math_value *ret_value) {
    const struct math_node *with = node->first->next;
    struct math_value of, number = number_value(0);
    enum fill fill = FILL_NUMBER;
    bool named = with->kind == MATH_NODE_NAME;
    TRY(run(runner, node->first, &of));
    if (named && slice_is(with->text, "REPEAT"))
        fill = FILL_REPEAT;
    else if (named && slice_is(with->text, "LINEAR"))
        fill = FILL_LINEAR;
    else
        TRY(run(runner, with, &number));
    if (of.kind == MATH_NUMBER || number.kind != MATH_NUMBER)
        return wrong(runner, "FILL takes a time series, and a number, REPEAT or LINEAR");
    TRY(make_list(runner, of.kind, of.count, ret_value));
    for (size_t i = 0; i < of.count; i++)
        TRY(fill_one(runner, fill, number.number, &of.list[i], &ret_value->list[i]));
    return NULL;
}

/* ---- IF ---- */

/* The value at a time; none: no number. `at` goes on from time to time. */
static double value_at(const struct math_value *value, int64_t time, size_t *at) {
    if (value->kind == MATH_NUMBER)
        return value->number;
    const struct math_series *series = value->list;
    while (*at < series->count && series->times[*at] < time)
        ++*at;
    return *at < series->count && series->times[*at] == time ? series->values[*at] : (double)NAN;
}

static struct error *run_if(struct runner *runner, const struct math_node *node,
                            struct math_value *ret_value) {
    struct math_value values[3] = {{.kind = MATH_NUMBER}, {.kind = MATH_NUMBER}, number_value(NAN)};
    const struct math_node *argument = node->first;
    for (size_t i = 0; i < node->count; i++, argument = argument->next) {
        TRY(run(runner, argument, &values[i]));
        if (values[i].kind == MATH_LIST)
            return wrong(runner, "IF takes numbers and time series, no lists");
    }
    if (values[0].kind == MATH_NUMBER) {
        *ret_value = values[values[0].number != 0 ? 1 : 2];
        return NULL;
    }
    const struct math_series *condition = values[0].list;
    size_t at[2] = {0, 0};
    TRY(make_list(runner, MATH_SERIES, 1, ret_value));
    TRY(make_series(runner, condition, condition->count, ret_value->list));
    for (size_t p = 0; p < condition->count; p++) {
        int chosen = condition->values[p] != 0 ? 0 : 1;
        add_point(ret_value->list, condition->times[p],
                  value_at(&values[1 + chosen], condition->times[p], &at[chosen]));
    }
    return NULL;
}

/* ---- the rest ---- */

static struct error *run_period(struct runner *runner, const struct math_node *node,
                                struct math_value *ret_value) {
    struct math_value of;
    TRY(run(runner, node->first, &of));
    if (of.kind != MATH_SERIES)
        return wrong(runner, "PERIOD takes one time series");
    *ret_value = number_value((double)of.list->period_s);
    return NULL;
}

static struct error *run_time_series(struct runner *runner, const struct math_node *node,
                                     struct math_value *ret_value) {
    const struct math_series empty = {.period_s = runner->scope->period_s};
    struct math_value of;
    TRY(run(runner, node->first, &of));
    if (of.kind != MATH_NUMBER)
        return wrong(runner, "TIME_SERIES takes a number");
    TRY(make_list(runner, MATH_SERIES, 1, ret_value));
    return fill_one(runner, FILL_NUMBER, of.number, &empty, ret_value->list);
}

static struct error *run_metrics(struct runner *runner, const struct math_node *node,
                                 struct math_value *ret_value) {
    const struct math_scope *scope = runner->scope;
    if (node->count == 1 && node->first->kind != MATH_NODE_TEXT)
        return wrong(runner, "METRICS takes a text");
    return scope->metrics(scope->user, node->count == 0 ? SLICE_LITERAL("") : node->first->text,
                          ret_value);
}

static struct error *run_search(struct runner *runner, const struct math_node *node,
                                struct math_value *ret_value) {
    const struct math_node *text = node->first, *stat = text->next, *period = stat->next;
    if (text->kind != MATH_NODE_TEXT || stat->kind != MATH_NODE_TEXT ||
        (period != NULL && period->kind != MATH_NODE_NUMBER))
        return wrong(runner, "SEARCH takes a text, a statistic and a period");
    const struct math_search search = {text->text, stat->text, period == NULL ? 0 : period->number};
    return runner->scope->search(runner->scope->user, &search, ret_value);
}

/* Lists in it are part of it. */
static struct error *run_list(struct runner *runner, const struct math_node *node,
                              struct math_value *ret_value) {
    struct math_value *values = ARENA_ARRAY(runner->arena, struct math_value, node->count);
    const struct math_node *argument = node->first;
    size_t total = 0, at = 0;
    for (size_t i = 0; i < node->count; i++, argument = argument->next) {
        TRY(run(runner, argument, &values[i]));
        if (values[i].kind == MATH_NUMBER)
            return wrong(runner, "A list is of time series, not of numbers");
        total += values[i].count;
    }
    TRY(make_list(runner, MATH_LIST, total, ret_value));
    for (size_t i = 0; i < node->count; i++)
        for (size_t s = 0; s < values[i].count; s++)
            ret_value->list[at++] = values[i].list[s];
    return NULL;
}

static struct error *run_call(struct runner *runner, const struct math_node *node,
                              struct math_value *ret_value) {
    static struct error *(*const functions[])(struct runner *, const struct math_node *,
                                              struct math_value *) = {
        [MATH_ABS] = run_each,        [MATH_CEIL] = run_each,
        [MATH_FLOOR] = run_each,      [MATH_LOG] = run_each,
        [MATH_LOG10] = run_each,      [MATH_SUM] = run_aggregate,
        [MATH_AVG] = run_aggregate,   [MATH_MIN] = run_aggregate,
        [MATH_MAX] = run_aggregate,   [MATH_STDDEV] = run_aggregate,
        [MATH_DIFF] = run_steps,      [MATH_RATE] = run_steps,
        [MATH_DIFF_TIME] = run_steps, [MATH_RUNNING_SUM] = run_steps,
        [MATH_FILL] = run_fill,       [MATH_IF] = run_if,
        [MATH_PERIOD] = run_period,   [MATH_TIME_SERIES] = run_time_series,
        [MATH_METRICS] = run_metrics, [MATH_SEARCH] = run_search,
    };
    return functions[node->function](runner, node, ret_value);
}

static struct error *run(struct runner *runner, const struct math_node *node,
                         struct math_value *ret_value) {
    switch (node->kind) {
    case MATH_NODE_NUMBER:
        *ret_value = number_value(node->number);
        return NULL;
    case MATH_NODE_TEXT:
        return wrong(runner, "A text is wanted by METRICS and SEARCH only");
    case MATH_NODE_NAME:
        return runner->scope->find(runner->scope->user, node->text, ret_value);
    case MATH_NODE_LIST:
        return run_list(runner, node, ret_value);
    case MATH_NODE_MINUS:
    case MATH_NODE_NOT:
        return run_each(runner, node, ret_value);
    case MATH_NODE_BINARY:
        return run_binary(runner, node, ret_value);
    case MATH_NODE_CALL:
        break;
    }
    return run_call(runner, node, ret_value);
}

struct error *math_run(struct arena *arena, const struct math_node *node,
                       const struct math_scope *scope, struct math_value *ret_value) {
    struct runner runner = {.arena = arena, .scope = scope};
    return run(&runner, node, ret_value);
}
