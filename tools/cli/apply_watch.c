/* apply_watch.c - see apply_watch.h. */
#include "cli/apply_watch.h"

static struct error *find_alarm(struct service *service, struct slice body,
                                struct found_watch *found) {
    const struct json_value *reply = NULL;
    TRY(service_call(service, WATCH_TARGET "DescribeAlarms", body, &reply));
    found->alarm = json_find_items(reply, "MetricAlarms");
    struct slice arn = json_find_text(found->alarm, "AlarmArn");
    if (!slice_present(arn))
        return NULL;
    return service_call(service, WATCH_TARGET "ListTagsForResource",
                        request_watch_tags(service->arena, arn), &found->tags);
}

static struct error *find_dashboard(struct service *service, struct slice body,
                                    struct found_watch *found) {
    struct error *error =
        service_call(service, WATCH_TARGET "GetDashboard", body, &found->dashboard);
    if (error == NULL || !service_failed_with(service, "DashboardNotFoundError"))
        return error;
    found->dashboard = NULL;
    return NULL;
}

static struct error *find_scaling(struct service *service, const struct wanted_watch *wanted,
                                  struct slice body, struct found_watch *found) {
    const struct json_value *reply = NULL;
    bool policy = wanted->resource->kind == RESOURCE_SCALING_POLICY;
    TRY(service_call(service,
                     policy ? SCALING_TARGET "DescribeScalingPolicies"
                            : SCALING_TARGET "DescribeScalableTargets",
                     body, &reply));
    found->scaling = json_find_items(reply, policy ? "ScalingPolicies" : "ScalableTargets");
    return NULL;
}

struct error *apply_find_watch(struct service *service, const struct wanted_watch *wanted,
                               struct found_watch *ret_found) {
    struct slice body = request_watch_describe(service->arena, wanted);
    *ret_found = (struct found_watch){.alarm = NULL};
    if (watch_is_scaling(wanted))
        return find_scaling(service, wanted, body, ret_found);
    if (wanted->resource->kind == RESOURCE_ALARM)
        return find_alarm(service, body, ret_found);
    return find_dashboard(service, body, ret_found);
}
