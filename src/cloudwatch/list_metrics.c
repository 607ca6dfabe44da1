/* list_metrics.c - ListMetrics: what there is to ask for. */
#include "base/base64.h"
#include "cloudwatch/cloudwatch.h"
#include "cloudwatch/request.h"

enum { PAGE = 500, FILTERS_MAX = 10, RECENT_MS = 3 * 3600 * 1000 };

static const struct input_field filter[] = {
    INPUT("Name", INPUT_TEXT, .required = true, .min = 1, .max = METRIC_DIMENSION_NAME_MAX),
    INPUT("Value", INPUT_TEXT, .min = 1, .max = METRIC_DIMENSION_VALUE_MAX),
    INPUT_END,
};

static const struct input_field fields[] = {
    INPUT("Namespace", INPUT_TEXT, .min = 1, .max = METRIC_NAME_SPACE_MAX),
    INPUT("MetricName", INPUT_TEXT, .min = 1, .max = METRIC_NAME_MAX),
    INPUT("Dimensions", INPUT_LIST, .max = FILTERS_MAX, .items = INPUT_OBJECT, .members = filter),
    INPUT("RecentlyActive", INPUT_TEXT, .words = "[PT3H]"),
    INPUT("NextToken", INPUT_TEXT),
    INPUT_END,
};

static struct error *read_token(const struct service_call *call, struct slice *ret_after) {
    struct slice token = input_text(call->input, "NextToken");
    if (!slice_present(token))
        return NULL;
    size_t len;
    uint8_t *after = arena_alloc(call->arena, base64_decoded_max(token.len) + 1);
    if (base64_decode(token, after, &len) != BASE64_OK)
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "Request parameter NextToken is invalid");
    *ret_after = slice_of(after, len);
    return NULL;
}

static void write_metric(struct answer *answer, const struct metric *metric) {
    answer_object(answer, NULL);
    answer_text(answer, "Namespace", metric->name_space);
    answer_text(answer, "MetricName", metric->name);
    answer_list(answer, "Dimensions");
    for (size_t i = 0; i < metric->dimension_count; i++) {
        answer_object(answer, NULL);
        answer_text(answer, "Name", metric->dimensions[i].name);
        answer_text(answer, "Value", metric->dimensions[i].value);
        answer_end(answer);
    }
    answer_end(answer);
    answer_end(answer);
}

static void write_token(const struct service_call *call, const struct metric *last) {
    struct slice token = series_token(call->arena, last);
    uint8_t *text = arena_alloc(call->arena, base64_encoded_len(token.len) + 1);
    base64_encode(token, text);
    answer_text(call->answer, "NextToken", slice_of(text, base64_encoded_len(token.len)));
}

static struct error *run(struct service_call *call) {
    const struct json_value *input = call->input;
    struct series_filter wanted = {.name_space = input_text(input, "Namespace"),
                                   .name = input_text(input, "MetricName")};
    struct metric *metrics;
    size_t count;
    bool more;
    wanted.dimensions =
        request_dimensions(call->arena, input_items(input, "Dimensions"), &wanted.dimension_count);
    if (input_has(input, "RecentlyActive"))
        wanted.since_ms = clock_now_ms(call->clock) - RECENT_MS;
    TRY(read_token(call, &wanted.after));
    series_list(cloudwatch_of(call)->series, call->arena, &wanted, PAGE, &metrics, &count, &more);
    answer_list(call->answer, "Metrics");
    for (size_t i = 0; i < count; i++)
        write_metric(call->answer, &metrics[i]);
    answer_end(call->answer);
    if (more)
        write_token(call, &metrics[count - 1]);
    return NULL;
}

const struct service_op cloudwatch_list_metrics = {
    .name = "ListMetrics",
    .run = run,
    .input = fields,
};
