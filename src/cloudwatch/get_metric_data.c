/* get_metric_data.c - GetMetricData: many metrics and expressions at once, by pages.
 *
 * A page has MaxDatapoints points, of the results in their order; the token tells how many were on
 * the pages before. */
#include <stdio.h>
#include <stdlib.h>

#include "cloudwatch/cloudwatch.h"
#include "cloudwatch/data_query.h"
#include "cloudwatch/request.h"

enum { POINTS_MAX = 100800, TOKEN_CHARACTERS_MAX = 18 };

static const struct input_field fields[] = {
    INPUT("MetricDataQueries", INPUT_LIST, .required = true, .max = DATA_QUERIES_MAX,
          .items = INPUT_OBJECT, .members = data_query_fields),
    INPUT("StartTime", INPUT_TIME, .required = true),
    INPUT("EndTime", INPUT_TIME, .required = true),
    INPUT("NextToken", INPUT_TEXT),
    INPUT("ScanBy", INPUT_TEXT, .words = "[TimestampDescending, TimestampAscending]"),
    INPUT("MaxDatapoints", INPUT_INTEGER, .min = 1, .max = POINTS_MAX),
    INPUT_END,
};

/* Where in all points the page begins and ends. */
struct page {
    struct answer *answer;
    size_t skip;
    size_t left;
    bool ascending;
    bool more;
};

static struct error *read_token(const struct service_call *call, size_t *ret_skip) {
    struct slice token = input_text(call->input, "NextToken");
    char text[TOKEN_CHARACTERS_MAX + 1] = {0}, *end;
    if (!slice_present(token))
        return NULL;
    bool fine = token.len > 1 && token.len <= TOKEN_CHARACTERS_MAX && token.data[0] == 'p';
    if (fine)
        memcpy(text, token.data + 1, token.len - 1);
    *ret_skip = (size_t)strtoull(text, &end, 10);
    if (fine && *end == 0 && text[0] >= '0' && text[0] <= '9')
        return NULL;
    return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_NEXT_TOKEN, "The token is not valid");
}

/* ---- results ---- */

static size_t index_of(const struct page *page, const struct math_series *series, size_t i) {
    return page->ascending ? i : series->count - 1 - i;
}

static void write_points(struct page *page, const struct math_series *series) {
    size_t skip = page->skip < series->count ? page->skip : series->count;
    size_t count = series->count - skip < page->left ? series->count - skip : page->left;
    page->skip -= skip;
    page->left -= count;
    answer_list(page->answer, "Timestamps");
    for (size_t i = skip; i < skip + count; i++)
        answer_time(page->answer, NULL, series->times[index_of(page, series, i)]);
    answer_end(page->answer);
    answer_list(page->answer, "Values");
    for (size_t i = skip; i < skip + count; i++)
        answer_number(page->answer, NULL, series->values[index_of(page, series, i)]);
    answer_end(page->answer);
    bool partial = skip + count < series->count;
    page->more |= partial;
    answer_word(page->answer, "StatusCode", partial ? "PartialData" : "Complete");
}

/* Points of different units in one series are worth a word. */
static void write_messages(struct arena *arena, struct answer *answer, uint32_t units) {
    struct slice list = SLICE_LITERAL("");
    if ((units & (units - 1)) == 0)
        return;
    for (int unit = 0; unit < METRIC_UNIT_COUNT_OF_ALL; unit++)
        if (units >> unit & 1)
            list = arena_printf(arena, "%.*s%s%s", SLICE_ARGS(list), list.len > 0 ? ", " : "",
                                metric_unit_word((enum metric_unit)unit));
    answer_list(answer, "Messages");
    answer_object(answer, NULL);
    answer_word(answer, "Code", "MultipleUnits");
    answer_text(answer, "Value",
                arena_printf(arena, "Multiple units returned: '[%.*s]'", SLICE_ARGS(list)));
    answer_end(answer);
    answer_end(answer);
}

static struct error *write_results(const struct service_call *call,
                                   const struct data_queries *queries, struct page *page) {
    answer_list(call->answer, "MetricDataResults");
    for (size_t i = 0; i < queries->count; i++) {
        const struct data_query *query = &queries->list[i];
        if (!query->return_data)
            continue;
        struct slice label = data_query_label(call->arena, queries, query);
        TRY(error_if_full(call->arena, 0));
        for (size_t s = 0; s < query->value.count; s++) {
            const struct math_series *series = &query->value.list[s];
            bool own = query->value.kind == MATH_LIST && series->label.len > 0;
            answer_object(call->answer, NULL);
            answer_text(call->answer, "Id", query->id);
            answer_text(call->answer, "Label", own ? series->label : label);
            write_points(page, series);
            if (query->expression == NULL)
                write_messages(call->arena, call->answer, query->units);
            answer_end(call->answer);
        }
    }
    answer_end(call->answer);
    return NULL;
}

static struct error *run(struct service_call *call) {
    struct data_queries queries;
    struct data_range range = {.series = cloudwatch_of(call)->series,
                               .now_ms = clock_now_ms(call->clock)};
    size_t max = (size_t)input_integer(call->input, "MaxDatapoints", POINTS_MAX), skip = 0;
    TRY(request_times(call->arena, call->input, &range.from_ms, &range.to_ms));
    TRY(read_token(call, &skip));
    TRY(data_queries_read(call->arena, input_items(call->input, "MetricDataQueries"), &queries));
    TRY(data_queries_run(call->arena, &queries, &range));
    struct slice order = input_text(call->input, "ScanBy");
    struct page page = {.answer = call->answer,
                        .skip = skip,
                        .left = max,
                        .ascending = slice_present(order) && slice_is(order, "TimestampAscending")};
    TRY(write_results(call, &queries, &page));
    answer_list(call->answer, "Messages");
    answer_end(call->answer);
    if (page.more)
        answer_text(call->answer, "NextToken", arena_printf(call->arena, "p%zu", skip + max));
    return NULL;
}

const struct service_op cloudwatch_get_metric_data = {
    .name = "GetMetricData",
    .run = run,
    .input = fields,
};
