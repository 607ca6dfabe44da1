/* data_query.c - see data_query.h. */
#include "cloudwatch/data_query.h"

#include "cloudwatch/request.h"
#include "cloudwatch/search.h"
#include "service/limits.h"

/* Of metrics that are searched at a time. */
enum { SEARCH_PAGE_BYTES = 8 * 1024 * 1024 };

static const struct input_field metric_fields[] = {
    INPUT("Namespace", INPUT_TEXT, .required = true, .min = 1, .max = METRIC_NAME_SPACE_MAX),
    INPUT("MetricName", INPUT_TEXT, .required = true, .min = 1, .max = METRIC_NAME_MAX),
    INPUT("Dimensions", INPUT_LIST, .max = METRIC_DIMENSIONS_MAX, .items = INPUT_OBJECT,
          .members = request_dimension),
    INPUT_END,
};

static const struct input_field stat_fields[] = {
    INPUT("Metric", INPUT_OBJECT, .required = true, .members = metric_fields),
    INPUT("Period", INPUT_INTEGER, .required = true, .min = 1),
    INPUT("Stat", INPUT_TEXT, .required = true, .min = 1),
    INPUT("Unit", INPUT_TEXT, .words = REQUEST_UNITS),
    INPUT_END,
};

const struct input_field data_query_fields[] = {
    INPUT("Id", INPUT_TEXT, .required = true, .min = 1, .max = 255),
    INPUT("MetricStat", INPUT_OBJECT, .members = stat_fields),
    INPUT("Expression", INPUT_TEXT, .min = 1, .max = MATH_TEXT_MAX),
    INPUT("Label", INPUT_TEXT),
    INPUT("ReturnData", INPUT_BOOL),
    INPUT("Period", INPUT_INTEGER, .min = 1),
    INPUT_END,
};

/* ---- reading ---- */

static struct error *check_id(struct arena *arena, struct slice id, size_t number) {
    bool fine = id.data[0] >= 'a' && id.data[0] <= 'z';
    for (size_t i = 0; i < id.len; i++) {
        uint8_t c = id.data[i];
        fine &=
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }
    if (fine)
        return NULL;
    return error_new(arena, ERROR_VALIDATION,
                     "The value %.*s for parameter MetricDataQueries.member.%zu.Id is not matching "
                     "the expected pattern ^[a-z][a-zA-Z0-9_]*$.",
                     SLICE_ARGS(id), number);
}

static struct error *read_stat(struct arena *arena, const struct json_value *stat, size_t number,
                               struct data_query *query) {
    const char *at =
        (const char *)arena_printf(arena, "MetricDataQueries.member.%zu.MetricStat.Period", number)
            .data;
    query->metric = request_metric(arena, input_find(stat, "Metric"));
    query->metric.unit = request_unit(stat);
    query->period_s = input_integer(stat, "Period", 60);
    query->stat = input_text(stat, "Stat");
    TRY(request_check_period(arena, at, query->period_s));
    if (statistic_read_plain(query->stat, &query->statistic) ||
        statistic_read_extended(query->stat, &query->statistic))
        return NULL;
    return error_new(arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                     "The value %.*s for parameter MetricDataQueries.member.%zu.MetricStat.Stat is "
                     "not supported.",
                     SLICE_ARGS(query->stat), number);
}

static struct error *in_expression(struct arena *arena, struct slice id,
                                   const struct error *error) {
    return error_new(arena, ERROR_VALIDATION, "Error in expression '%.*s': %.*s", SLICE_ARGS(id),
                     SLICE_ARGS(error->message));
}

static struct error *read_query(struct arena *arena, const struct json_value *item, size_t number,
                                struct data_query *query) {
    const struct json_value *stat = input_find(item, "MetricStat");
    struct slice expression = input_text(item, "Expression");
    *query = (struct data_query){.id = input_text(item, "Id"),
                                 .label = input_text(item, "Label"),
                                 .period_s = input_integer(item, "Period", 0),
                                 .return_data = input_bool(item, "ReturnData", true)};
    TRY(check_id(arena, query->id, number));
    if ((stat == NULL) == !slice_present(expression))
        return error_new(arena, ERROR_CLOUDWATCH_INVALID_COMBINATION,
                         "Exactly one of MetricDataQueries.member.%zu.MetricStat and "
                         "MetricDataQueries.member.%zu.Expression must be specified.",
                         number, number);
    if (stat != NULL)
        return read_stat(arena, stat, number, query);
    struct error *error = math_compile(arena, expression, &query->expression);
    return error == NULL ? NULL : in_expression(arena, query->id, error);
}

static struct data_query *find(const struct data_queries *queries, struct slice id) {
    for (size_t i = 0; i < queries->count; i++)
        if (slice_equal(queries->list[i].id, id))
            return &queries->list[i];
    return NULL;
}

struct error *data_queries_read(struct arena *arena, const struct json_value *first,
                                struct data_queries *ret_queries) {
    struct data_queries queries = {ARENA_ARRAY(arena, struct data_query, DATA_QUERIES_MAX), 0};
    bool returns = false;
    for (; first != NULL && queries.count < DATA_QUERIES_MAX; first = first->next) {
        struct data_query *query = &queries.list[queries.count];
        TRY(read_query(arena, first, queries.count + 1, query));
        TRY(error_if_full(arena, 0)); /* by its expression */
        if (find(&queries, query->id) != NULL)
            return error_new(arena, ERROR_VALIDATION,
                             "The values for parameter id in MetricDataQueries are not unique.");
        returns |= query->return_data;
        queries.count++;
    }
    if (!returns)
        return error_new(arena, ERROR_VALIDATION,
                         "At least one of the elements in MetricDataQueries must have ReturnData "
                         "set to true.");
    *ret_queries = queries;
    return NULL;
}

/* ---- running ---- */

struct run {
    struct arena *arena;
    struct data_queries *queries;
    const struct data_range *range;
    int64_t from_ms; /* where periods begin */
    size_t points;   /* that expressions have made */
    size_t searches;
};

static struct error *run_one(struct run *run, struct data_query *query);

/* What was read is more than what is asked for: it goes at once. */
static struct error *run_metric(struct run *run, struct data_query *query) {
    struct arena scratch;
    struct series_query wanted = {.metric = &query->metric,
                                  .from_ms = run->range->from_ms,
                                  .to_ms = run->range->to_ms,
                                  .spread = statistic_needs_spread(&query->statistic)};
    struct series_result result;
    request_align(run->range->now_ms, query->period_s, &wanted.from_ms, &wanted.period_ms);
    arena_init(&scratch);
    arena_share_limit(&scratch, run->arena);
    struct error *error = series_read(run->range->series, &scratch, &wanted, &result);
    if (error == NULL)
        error = error_if_full(&scratch, result.count * (sizeof(int64_t) + sizeof(double)));
    if (error != NULL) {
        error = error_new(run->arena, error->code, "%.*s", SLICE_ARGS(error->message));
    } else {
        struct math_series *series = ARENA_NEW(run->arena, struct math_series);
        series->period_s = wanted.period_ms / 1000;
        series->times = ARENA_ARRAY(run->arena, int64_t, result.count);
        series->values = ARENA_ARRAY(run->arena, double, result.count);
        for (size_t i = 0; i < result.count; i++)
            if (statistic_of(&query->statistic, &result.points[i].sample,
                             &series->values[series->count]))
                series->times[series->count++] = result.points[i].time_ms;
        query->value = (struct math_value){.kind = MATH_SERIES, .list = series, .count = 1};
        query->units = result.units;
    }
    arena_release(&scratch);
    return error;
}

static struct error *find_name(void *user, struct slice name, struct math_value *ret_value) {
    struct run *run = user;
    struct data_query *query = find(run->queries, name);
    if (query == NULL)
        return error_new(run->arena, ERROR_VALIDATION, "There is no metric or expression '%.*s'",
                         SLICE_ARGS(name));
    TRY(run_one(run, query));
    *ret_value = query->value;
    return NULL;
}

static bool contains(struct slice text, struct slice part) {
    return part.len == 0 || memmem(text.data, text.len, part.data, part.len) != NULL;
}

static struct error *find_metrics(void *user, struct slice text, struct math_value *ret_value) {
    struct run *run = user;
    TRY(error_if_full(run->arena, run->queries->count * sizeof(struct math_series)));
    struct math_value value = {
        .kind = MATH_LIST,
        .list = ARENA_ARRAY(run->arena, struct math_series, run->queries->count)};
    for (size_t i = 0; i < run->queries->count; i++) {
        struct data_query *query = &run->queries->list[i];
        if (query->expression != NULL || !contains(query->id, text))
            continue;
        TRY(run_one(run, query));
        value.list[value.count] = *query->value.list;
        value.list[value.count++].label = query->id;
    }
    *ret_value = value;
    return NULL;
}

/* Its name, and the values of its dimensions. */
static struct slice whole_name(struct arena *arena, const struct metric *metric) {
    size_t len = metric->name.len;
    for (size_t i = 0; i < metric->dimension_count; i++)
        len += 1 + metric->dimensions[i].value.len;
    uint8_t *text = arena_alloc(arena, len), *at = text + metric->name.len;
    memcpy(text, metric->name.data, metric->name.len);
    for (size_t i = 0; i < metric->dimension_count; i++) {
        struct slice value = metric->dimensions[i].value;
        *at++ = ' ';
        memcpy(at, value.data, value.len);
        at += value.len;
    }
    return slice_of(text, len);
}

/* One that was found, as if it were a query of its own. */
static struct error *read_found(struct run *run, const struct metric *metric,
                                struct data_query *query, struct math_value *value) {
    query->metric = *metric;
    query->metric.unit = METRIC_UNIT_ANY;
    TRY(run_metric(run, query));
    value->list[value->count] = *query->value.list;
    value->list[value->count++].label = whole_name(run->arena, metric);
    return error_if_full(run->arena, 0);
}

/* Page by page, of which every other one is in the same arena: a page begins behind the last metric
 * of the one before. */
static struct error *read_all_found(struct run *run, const struct search *meant,
                                    struct arena pages[2], struct data_query *query,
                                    struct math_value *value) {
    struct series_filter filter = {.name_space = search_name_space(meant)};
    bool more = true;
    for (size_t page = 0; more; page++) {
        struct arena *arena = &pages[page % 2];
        struct metric *metrics;
        size_t count;
        arena_reset(arena);
        arena_set_limit(arena, SEARCH_PAGE_BYTES);
        series_list(run->range->series, arena, &filter, SERIES_MAX, &metrics, &count, &more);
        for (size_t i = 0; i < count; i++) {
            if (!search_matches(meant, &metrics[i]))
                continue;
            if (value->count == SEARCH_RESULTS_MAX)
                return NULL;
            TRY(read_found(run, &metrics[i], query, value));
        }
        if (more)
            filter.after = series_token(arena, &metrics[count - 1]);
    }
    return NULL;
}

static struct error *search_metrics(struct run *run, const struct math_search *search,
                                    const struct search *meant, struct math_value *value) {
    struct data_query query = {.period_s =
                                   search->period_s >= 60 ? (int64_t)search->period_s : 300};
    struct arena pages[2];
    if (!statistic_read_plain(search->stat, &query.statistic) &&
        !statistic_read_extended(search->stat, &query.statistic))
        return error_new(run->arena, ERROR_VALIDATION, "There is no statistic '%.*s'",
                         SLICE_ARGS(search->stat));
    if (query.period_s % 60 != 0)
        return error_new(run->arena, ERROR_VALIDATION, "A period must be a multiple of 60");
    value->list = ARENA_ARRAY(run->arena, struct math_series, SEARCH_RESULTS_MAX);
    arena_init(&pages[0]);
    arena_init(&pages[1]);
    struct error *error = read_all_found(run, meant, pages, &query, value);
    arena_release(&pages[0]);
    arena_release(&pages[1]);
    return error;
}

static struct error *find_search(void *user, const struct math_search *search,
                                 struct math_value *ret_value) {
    struct run *run = user;
    const struct search *meant;
    struct math_value value = {.kind = MATH_LIST};
    if (++run->searches > LIMIT_MATH_SEARCHES)
        return error_new(run->arena, ERROR_VALIDATION, "There may be at most %d SEARCHes",
                         LIMIT_MATH_SEARCHES);
    TRY(search_compile(run->arena, search->text, &meant));
    TRY(search_metrics(run, search, meant, &value));
    *ret_value = value;
    return NULL;
}

/* An expression's periods are those of the slowest metric, unless it tells. */
static int64_t slowest(const struct run *run, const struct data_query *query) {
    int64_t period = 60;
    for (size_t i = 0; query->period_s == 0 && i < run->queries->count; i++)
        if (run->queries->list[i].period_s > period)
            period = run->queries->list[i].period_s;
    return query->period_s > period ? query->period_s : period;
}

static int64_t at_least(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static struct error *run_expression(struct run *run, struct data_query *query) {
    const struct data_range *range = run->range;
    int64_t oldest = range->now_ms - (int64_t)SERIES_COARSE_MINUTES * SERIES_MINUTE_MS;
    int64_t last = range->now_ms + (int64_t)SERIES_AHEAD_MINUTES * SERIES_MINUTE_MS;
    struct math_scope scope = {.find = find_name,
                               .metrics = find_metrics,
                               .search = find_search,
                               .user = run,
                               .from_ms = run->from_ms,
                               .to_ms = range->to_ms < last ? range->to_ms : last,
                               .period_s = slowest(run, query),
                               .points = &run->points};
    int64_t period = scope.period_s * 1000; /* what cannot be kept is not filled */
    scope.from_ms += at_least(0, (oldest - scope.from_ms + period - 1) / period * period);
    struct error *error = math_run(run->arena, query->expression, &scope, &query->value);
    if (error != NULL && (error->code == ERROR_LOCAL || error->code == ERROR_REQUEST_MEMORY))
        return error;
    if (error == NULL && query->value.kind == MATH_NUMBER)
        error = error_new(run->arena, ERROR_VALIDATION, "The result must be a time series");
    return error == NULL ? NULL : in_expression(run->arena, query->id, error);
}

static struct error *run_one(struct run *run, struct data_query *query) {
    if (query->state == DATA_QUERY_DONE)
        return NULL;
    if (query->state == DATA_QUERY_RUNNING)
        return error_new(run->arena, ERROR_VALIDATION, "The expression refers to itself");
    query->state = DATA_QUERY_RUNNING;
    TRY(query->expression == NULL ? run_metric(run, query) : run_expression(run, query));
    query->state = DATA_QUERY_DONE;
    return NULL;
}

struct error *data_queries_run(struct arena *arena, struct data_queries *queries,
                               const struct data_range *range) {
    struct run run = {
        .arena = arena, .queries = queries, .range = range, .from_ms = range->from_ms};
    int64_t period;
    request_align(range->now_ms, 60, &run.from_ms, &period);
    for (size_t i = 0; i < queries->count; i++)
        if (queries->list[i].return_data)
            TRY(run_one(&run, &queries->list[i]));
    return NULL;
}

/* ---- labels ---- */

static bool same_dimensions(const struct metric *a, const struct metric *b) {
    bool same = a->dimension_count == b->dimension_count;
    for (size_t i = 0; same && i < a->dimension_count; i++)
        same = slice_equal(a->dimensions[i].name, b->dimensions[i].name) &&
               slice_equal(a->dimensions[i].value, b->dimensions[i].value);
    return same;
}

struct slice data_query_label(struct arena *arena, const struct data_queries *queries,
                              const struct data_query *query) {
    bool dimensions = false, stat = false, period = false;
    if (slice_present(query->label))
        return query->label;
    if (query->expression != NULL)
        return query->id;
    for (size_t i = 0; i < queries->count; i++) {
        const struct data_query *other = &queries->list[i];
        if (other->expression != NULL || !other->return_data ||
            !slice_equal(other->metric.name, query->metric.name))
            continue;
        dimensions |= !same_dimensions(&other->metric, &query->metric);
        stat |= !slice_equal(other->stat, query->stat);
        period |= other->period_s != query->period_s;
    }
    struct slice label = dimensions ? whole_name(arena, &query->metric) : query->metric.name;
    if (stat)
        label = arena_printf(arena, "%.*s %.*s", SLICE_ARGS(label), SLICE_ARGS(query->stat));
    if (period)
        label = arena_printf(arena, "%.*s %lld", SLICE_ARGS(label), (long long)query->period_s);
    return label;
}
