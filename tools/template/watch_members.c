/* watch_members.c - see watch_members.h. */
#include "template/watch_members.h"

#include <stdlib.h>

#include "base/check.h"
#include "json/member.h"

enum { MEMBER_BYTES_MAX = 64 * 1024 * 1024, NUMBER_CHARS_MAX = 40 };

static const struct watch_member dimension_members[] = {
    {"Name", WATCH_TEXT, NULL, false},
    {"Value", WATCH_TEXT, NULL, false},
    {NULL, WATCH_TEXT, NULL, false},
};

static const struct watch_member metric_members[] = {
    {"Namespace", WATCH_TEXT, NULL, false},
    {"MetricName", WATCH_TEXT, NULL, false},
    {"Dimensions", WATCH_OBJECTS, dimension_members, false},
    {NULL, WATCH_TEXT, NULL, false},
};

static const struct watch_member metric_stat_members[] = {
    {"Metric", WATCH_OBJECT, metric_members, false},
    {"Period", WATCH_INTEGER, NULL, false},
    {"Stat", WATCH_TEXT, NULL, false},
    {"Unit", WATCH_TEXT, NULL, false},
    {NULL, WATCH_TEXT, NULL, false},
};

static const struct watch_member query_members[] = {
    {"Id", WATCH_TEXT, NULL, false},
    {"MetricStat", WATCH_OBJECT, metric_stat_members, false},
    {"Expression", WATCH_TEXT, NULL, false},
    {"Label", WATCH_TEXT, NULL, false},
    {"ReturnData", WATCH_BOOL, NULL, true},
    {"Period", WATCH_INTEGER, NULL, false},
    {"AccountId", WATCH_TEXT, NULL, false},
    {NULL, WATCH_TEXT, NULL, false},
};

const struct watch_member alarm_members[] = {
    {"AlarmDescription", WATCH_TEXT, NULL, false},
    {"ActionsEnabled", WATCH_BOOL, NULL, true},
    {"OKActions", WATCH_ACTIONS, NULL, false},
    {"AlarmActions", WATCH_ACTIONS, NULL, false},
    {"InsufficientDataActions", WATCH_ACTIONS, NULL, false},
    {"MetricName", WATCH_TEXT, NULL, false},
    {"Namespace", WATCH_TEXT, NULL, false},
    {"Statistic", WATCH_TEXT, NULL, false},
    {"ExtendedStatistic", WATCH_TEXT, NULL, false},
    {"Dimensions", WATCH_OBJECTS, dimension_members, false},
    {"Period", WATCH_INTEGER, NULL, false},
    {"Unit", WATCH_TEXT, NULL, false},
    {"EvaluationPeriods", WATCH_INTEGER, NULL, false},
    {"DatapointsToAlarm", WATCH_INTEGER, NULL, false},
    {"Threshold", WATCH_NUMBER, NULL, false},
    {"ComparisonOperator", WATCH_TEXT, NULL, false},
    {"TreatMissingData", WATCH_TEXT, NULL, false},
    {"EvaluateLowSampleCountPercentile", WATCH_TEXT, NULL, false},
    {"Metrics", WATCH_OBJECTS, query_members, false},
    {"ThresholdMetricId", WATCH_TEXT, NULL, false},
    {NULL, WATCH_TEXT, NULL, false},
};

static const struct watch_member tag_members[] = {
    {"Key", WATCH_TEXT, NULL, false},
    {"Value", WATCH_TEXT, NULL, false},
    {NULL, WATCH_TEXT, NULL, false},
};

const struct watch_member alarm_tag_members[] = {
    {"Tags", WATCH_OBJECTS, tag_members, false},
    {NULL, WATCH_TEXT, NULL, false},
};

const struct watch_member dashboard_members[] = {
    {"DashboardBody", WATCH_TEXT, NULL, false},
    {NULL, WATCH_TEXT, NULL, false},
};

static const struct watch_member suspended_members[] = {
    {"DynamicScalingInSuspended", WATCH_FLAG, NULL, false},
    {"DynamicScalingOutSuspended", WATCH_FLAG, NULL, false},
    {"ScheduledScalingSuspended", WATCH_FLAG, NULL, false},
    {NULL, WATCH_TEXT, NULL, false},
};

/* RoleARN is left out: the server needs none. */
const struct watch_member scaling_target_members[] = {
    {"ServiceNamespace", WATCH_TEXT, NULL, false},
    {"ResourceId", WATCH_TEXT, NULL, false},
    {"ScalableDimension", WATCH_TEXT, NULL, false},
    {"MinCapacity", WATCH_INTEGER, NULL, false},
    {"MaxCapacity", WATCH_INTEGER, NULL, false},
    {"SuspendedState", WATCH_OBJECT, suspended_members, false},
    {NULL, WATCH_TEXT, NULL, false},
};

static const struct watch_member predefined_members[] = {
    {"PredefinedMetricType", WATCH_TEXT, NULL, false},
    {NULL, WATCH_TEXT, NULL, false},
};

static const struct watch_member tracking_members[] = {
    {"TargetValue", WATCH_NUMBER, NULL, false},
    {"PredefinedMetricSpecification", WATCH_OBJECT, predefined_members, false},
    {"ScaleOutCooldown", WATCH_COUNT, NULL, false},
    {"ScaleInCooldown", WATCH_COUNT, NULL, false},
    {"DisableScaleIn", WATCH_FLAG, NULL, false},
    {NULL, WATCH_TEXT, NULL, false},
};

const struct watch_member scaling_policy_members[] = {
    {"ServiceNamespace", WATCH_TEXT, NULL, false},
    {"ResourceId", WATCH_TEXT, NULL, false},
    {"ScalableDimension", WATCH_TEXT, NULL, false},
    {"PolicyType", WATCH_TEXT, NULL, false},
    {"TargetTrackingScalingPolicyConfiguration", WATCH_OBJECT, tracking_members, false},
    {NULL, WATCH_TEXT, NULL, false},
};

/* ---- scalars ---- */

static struct error *write_number(const struct property_reader *reader, struct json_writer *json,
                                  const struct watch_member *member, const struct node *node) {
    char text[NUMBER_CHARS_MAX + 1] = {0}, *end = text;
    if (node->text.len <= NUMBER_CHARS_MAX)
        memcpy(text, node->text.data, node->text.len);
    double n = strtod(text, &end);
    if (end == text || *end != '\0' || !__builtin_isfinite(n))
        return document_error(reader->document, node->mark, "%s must be a number, not '%.*s'",
                              member->name, SLICE_ARGS(node->text));
    json_double(json, n);
    return NULL;
}

static struct error *write_scalar(const struct property_reader *reader, struct json_writer *json,
                                  const struct watch_member *member, const struct node *mapping) {
    struct slice text = SLICE_NONE;
    int64_t n = 0;
    bool truth = member->is_true;
    if (member->type == WATCH_BOOL || member->type == WATCH_FLAG) {
        TRY(property_bool(reader, mapping, member->name, &truth));
        json_bool(json, truth);
        return NULL;
    }
    if (member->type == WATCH_INTEGER || member->type == WATCH_COUNT) {
        TRY(property_integer(reader, mapping, member->name, &n));
        json_integer(json, n);
        return NULL;
    }
    const struct node *node = node_find(mapping, member->name);
    if (node->kind != NODE_SCALAR) /* which is an error, with its words */
        return property_text(reader, mapping, member->name, &text);
    if (member->type == WATCH_NUMBER)
        return write_number(reader, json, member, node);
    json_string(json, node->text); /* a dashboard is longer than any other text */
    return NULL;
}

/* ---- lists and objects ---- */

static struct error *write_member(const struct property_reader *reader, struct json_writer *json,
                                  const struct watch_member *member, const struct node *mapping);

/* Of what is told only when it says something. */
static bool says_nothing(const struct watch_member *member, const struct node *node) {
    if (node->kind == NODE_UNKNOWN)
        return true;
    if (node->kind != NODE_SCALAR)
        return false;
    return (member->type == WATCH_FLAG && slice_is(node->text, "false")) ||
           (member->type == WATCH_COUNT && slice_is(node->text, "0"));
}

static bool is_there(const struct node *mapping, const struct watch_member *member) {
    const struct node *node = node_find(mapping, member->name);
    if (node != NULL && says_nothing(member, node))
        return false;
    return (node == NULL && member->type == WATCH_BOOL && member->is_true) ||
           (node != NULL && !(node->kind == NODE_SEQUENCE && node->count == 0));
}

static struct error *write_object(const struct property_reader *reader, struct json_writer *json,
                                  const struct watch_member *holder, const struct node *mapping) {
    json_object_begin(json);
    TRY(property_item_mapping(reader, mapping, holder->name));
    for (const struct watch_member *member = holder->members; member->name != NULL; member++)
        if (is_there(mapping, member)) {
            json_name(json, slice_text(member->name));
            TRY(write_member(reader, json, member, mapping));
        }
    json_object_end(json);
    return NULL;
}

static int by_name(const void *a, const void *b) {
    const struct node *const *left = a, *const *right = b;
    const char *name = node_find(*left, "Name") != NULL ? "Name" : "Key";
    const struct node *x = node_find(*left, name), *y = node_find(*right, name);
    return x == NULL || y == NULL ? 0 : slice_compare(x->text, y->text);
}

/* Dimensions and tags are sets, queries have their order. */
static const struct node **in_order(struct arena *arena, const struct node *list) {
    const struct node **items = ARENA_ARRAY(arena, const struct node *, list->count + 1);
    memcpy(items, list->items, list->count * sizeof(*items));
    if (node_find(list->items[0], "Name") != NULL || node_find(list->items[0], "Key") != NULL)
        qsort(items, list->count, sizeof(*items), by_name);
    return items;
}

static struct error *write_list(const struct property_reader *reader, struct json_writer *json,
                                const struct watch_member *member, const struct node *mapping) {
    const struct node *list = NULL;
    TRY(property_list(reader, mapping, member->name, &list));
    const struct node **items = in_order(reader->document->arena, list);
    json_array_begin(json);
    for (size_t i = 0; i < list->count; i++) {
        struct slice text;
        if (member->type == WATCH_OBJECTS) {
            TRY(write_object(reader, json, member, items[i]));
        } else if (member->type != WATCH_ACTIONS || items[i]->kind != NODE_UNKNOWN) {
            TRY(property_item_text(reader, items[i], member->name, &text));
            json_string(json, text);
        }
    }
    json_array_end(json);
    return NULL;
}

static struct error *write_member(const struct property_reader *reader, struct json_writer *json,
                                  const struct watch_member *member, const struct node *mapping) {
    const struct node *inner = NULL;
    switch (member->type) {
    case WATCH_TEXT:
    case WATCH_INTEGER:
    case WATCH_NUMBER:
    case WATCH_BOOL:
    case WATCH_FLAG:
    case WATCH_COUNT:
        return write_scalar(reader, json, member, mapping);
    case WATCH_OBJECT:
        TRY(property_mapping(reader, mapping, member->name, &inner));
        return write_object(reader, json, member, inner);
    case WATCH_TEXTS:
    case WATCH_ACTIONS:
    case WATCH_OBJECTS:
        break;
    }
    return write_list(reader, json, member, mapping);
}

struct error *watch_member_text(const struct property_reader *reader, const struct node *mapping,
                                const struct watch_member *member, struct slice *ret_text) {
    CLEANUP(buffer_release) struct buffer out;
    struct json_writer json;
    buffer_init(&out, MEMBER_BYTES_MAX);
    json_writer_init(&json, &out);
    *ret_text = SLICE_LITERAL("");
    if (!is_there(mapping, member))
        return NULL;
    TRY(write_member(reader, &json, member, mapping));
    CHECK(!out.overflow);
    if (!slice_equal(buffer_slice(&out), SLICE_LITERAL("[]")) &&
        !slice_equal(buffer_slice(&out), SLICE_LITERAL("{}")))
        *ret_text = arena_slice(reader->document->arena, buffer_slice(&out));
    return NULL;
}
