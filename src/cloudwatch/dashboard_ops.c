/* dashboard_ops.c - dashboards: documents that are kept by name, and not looked into further than
 * that they are JSON.
 *
 * Two records each: what ListDashboards tells, and the document. */
#include "base/bytes.h"
#include "cloudwatch/cloudwatch.h"
#include "engine/record.h"

enum { DASHBOARDS_MAX = 500, NAME_MAX_CHARS = 255, ENTRY_BYTES = 16, LIST_MAX = 100 };

#define KIND_ENTRY SLICE_LITERAL("dashboard")
#define KIND_BODY SLICE_LITERAL("dashboard-body")

static const struct input_field put_fields[] = {
    INPUT("DashboardName", INPUT_TEXT, .required = true),
    INPUT("DashboardBody", INPUT_TEXT, .required = true),
    INPUT_END,
};

static const struct input_field get_fields[] = {
    INPUT("DashboardName", INPUT_TEXT, .required = true),
    INPUT_END,
};

static const struct input_field list_fields[] = {
    INPUT("DashboardNamePrefix", INPUT_TEXT),
    INPUT("NextToken", INPUT_TEXT),
    INPUT_END,
};

static const struct input_field delete_fields[] = {
    INPUT("DashboardNames", INPUT_LIST, .required = true, .min = 1, .max = LIST_MAX,
          .items = INPUT_TEXT),
    INPUT_END,
};

static struct engine *engine_of(const struct service_call *call) {
    const struct cloudwatch *cloudwatch = cloudwatch_of(call);
    return cloudwatch->engine;
}

static struct slice arn_of(const struct service_call *call, struct slice name) {
    return arena_printf(call->arena, "arn:aws:cloudwatch::%.*s:dashboard/%.*s",
                        SLICE_ARGS(call->account), SLICE_ARGS(name));
}

static struct slice resource_of_name(const struct service_call *call, size_t number) {
    return number == 0 ? arn_of(call, input_text(call->input, "DashboardName")) : SLICE_NONE;
}

static struct slice resource_of_names(const struct service_call *call, size_t number) {
    const struct json_value *item = input_items(call->input, "DashboardNames");
    for (size_t i = 0; item != NULL && i < number; i++)
        item = item->next;
    return item == NULL ? SLICE_NONE : arn_of(call, item->text);
}

/* ---- what is checked ---- */

static bool is_name(struct slice name) {
    bool fine = name.len > 0;
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.data[i];
        fine = fine && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '-' || c == '_');
    }
    return fine;
}

static struct error *check_name(const struct service_call *call, struct slice name) {
    if (!is_name(name))
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "The value for field DashboardName contains invalid characters. It can "
                         "only contain alphanumerics, dash (-) and underscore (_).\n");
    if (name.len > NAME_MAX_CHARS)
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "The value for field DashboardName is longer than %d characters",
                         NAME_MAX_CHARS);
    return NULL;
}

static struct error *check_body(const struct service_call *call, struct slice body) {
    const struct json_value *value = json_tree_read(call->arena, body, NULL);
    if (value != NULL && value->kind == JSON_OBJECT_BEGIN)
        return NULL;
    return error_new(call->arena, ERROR_CLOUDWATCH_DASHBOARD_INVALID,
                     "The field DashboardBody must be a valid JSON object");
}

static struct error *no_such(const struct service_call *call, struct slice name) {
    return error_new(call->arena, ERROR_CLOUDWATCH_DASHBOARD_NOT_FOUND,
                     "Dashboard %.*s does not exist", SLICE_ARGS(name));
}

/* ---- PutDashboard, GetDashboard ---- */

/* Modified and size. */
static struct slice entry_bytes(struct arena *arena, int64_t modified_ms, size_t size) {
    uint8_t *bytes = arena_alloc(arena, ENTRY_BYTES);
    store_u64(bytes, (uint64_t)modified_ms);
    store_u64(bytes + 8, size);
    return slice_of(bytes, ENTRY_BYTES);
}

static struct error *check_room(const struct service_call *call, struct slice name) {
    struct record *records;
    size_t count;
    TRY(engine_read_records(engine_of(call), call->arena, KIND_ENTRY, &records, &count));
    for (size_t i = 0; i < count; i++)
        if (slice_equal(records[i].name, name))
            return NULL;
    if (count >= DASHBOARDS_MAX)
        return error_new(call->arena, ERROR_CLOUDWATCH_LIMIT_EXCEEDED,
                         "There may be at most %d dashboards", DASHBOARDS_MAX);
    return NULL;
}

static struct error *put_dashboard(struct service_call *call) {
    struct slice name = input_text(call->input, "DashboardName");
    struct slice body = input_text(call->input, "DashboardBody");
    int64_t now_ms = clock_now_ms(call->clock);
    TRY(check_name(call, name));
    TRY(check_body(call, body));
    TRY(check_room(call, name));
    const struct record changes[] = {
        {.kind = KIND_ENTRY, .name = name, .value = entry_bytes(call->arena, now_ms, body.len)},
        {.kind = KIND_BODY, .name = name, .value = body},
    };
    TRY(engine_change_records(engine_of(call), call->arena, changes, 2));
    answer_list(call->answer, "DashboardValidationMessages");
    answer_end(call->answer);
    return NULL;
}

static struct error *get_dashboard(struct service_call *call) {
    struct slice name = input_text(call->input, "DashboardName");
    struct record body = {.kind = KIND_BODY, .name = name};
    TRY(check_name(call, name));
    TRY(engine_find_records(engine_of(call), call->arena, &body, 1));
    if (!slice_present(body.value))
        return no_such(call, name);
    answer_text(call->answer, "DashboardArn", arn_of(call, name));
    answer_text(call->answer, "DashboardBody", body.value);
    answer_text(call->answer, "DashboardName", name);
    return NULL;
}

/* ---- ListDashboards, DeleteDashboards ---- */

static void write_entry(struct service_call *call, const struct record *record) {
    answer_object(call->answer, NULL);
    answer_text(call->answer, "DashboardName", record->name);
    answer_text(call->answer, "DashboardArn", arn_of(call, record->name));
    answer_time(call->answer, "LastModified", (int64_t)load_u64(record->value.data));
    answer_integer(call->answer, "Size", (int64_t)load_u64(record->value.data + 8));
    answer_end(call->answer);
}

/* There are never more than a page of them. */
static struct error *list_dashboards(struct service_call *call) {
    struct slice prefix = input_text(call->input, "DashboardNamePrefix");
    struct record *records;
    size_t count;
    TRY(engine_read_records(engine_of(call), call->arena, KIND_ENTRY, &records, &count));
    answer_list(call->answer, "DashboardEntries");
    for (size_t i = 0; i < count; i++)
        if ((!slice_present(prefix) || slice_starts_with(records[i].name, prefix)) &&
            records[i].value.len == ENTRY_BYTES)
            write_entry(call, &records[i]);
    answer_end(call->answer);
    return NULL;
}

/* All or none. */
static struct error *delete_dashboards(struct service_call *call) {
    struct record changes[2 * LIST_MAX], found[LIST_MAX];
    size_t count = 0;
    for (const struct json_value *item = input_items(call->input, "DashboardNames"); item != NULL;
         item = item->next) {
        TRY(check_name(call, item->text));
        found[count] = (struct record){.kind = KIND_ENTRY, .name = item->text};
        changes[2 * count] = found[count];
        changes[2 * count + 1] = (struct record){.kind = KIND_BODY, .name = item->text};
        count++;
    }
    TRY(engine_find_records(engine_of(call), call->arena, found, count));
    for (size_t i = 0; i < count; i++)
        if (!slice_present(found[i].value))
            return no_such(call, found[i].name);
    return engine_change_records(engine_of(call), call->arena, changes, 2 * count);
}

const struct service_op cloudwatch_put_dashboard = {"PutDashboard", put_dashboard, put_fields,
                                                    SERVICE_CHANGES, resource_of_name};
const struct service_op cloudwatch_get_dashboard = {"GetDashboard", get_dashboard, get_fields, 0,
                                                    resource_of_name};
const struct service_op cloudwatch_list_dashboards = {"ListDashboards", list_dashboards,
                                                      list_fields, 0, NULL};
const struct service_op cloudwatch_delete_dashboards = {
    "DeleteDashboards", delete_dashboards, delete_fields, SERVICE_CHANGES, resource_of_names};
