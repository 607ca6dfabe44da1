/* watch.c - see watch.h. */
#include "template/watch.h"

#include "json/member.h"
#include "json/text.h"
#include "template/watch_members.h"

enum { NAMES_MAX = 32, LINE_TEXT_MAX = 400 };

static const struct watch_kind {
    const char *what;
    const char *put; /* the operation that makes it, and changes it */
    const struct watch_member *members;
} kinds[] = {
    [RESOURCE_ALARM] = {"alarm", WATCH_TARGET "PutMetricAlarm", alarm_members},
    [RESOURCE_DASHBOARD] = {"dashboard", WATCH_TARGET "PutDashboard", dashboard_members},
    [RESOURCE_SCALING_TARGET] = {"scaling target", SCALING_TARGET "RegisterScalableTarget",
                                 scaling_target_members},
    [RESOURCE_SCALING_POLICY] = {"scaling policy", SCALING_TARGET "PutScalingPolicy",
                                 scaling_policy_members},
};

static bool is_watch(const struct template_resource *resource) {
    return resource->kind < sizeof(kinds) / sizeof(*kinds) && kinds[resource->kind].put != NULL;
}

static bool is_alarm(const struct template_resource *resource) {
    return resource->kind == RESOURCE_ALARM;
}

bool watch_is_scaling(const struct wanted_watch *wanted) {
    return wanted->resource->kind == RESOURCE_SCALING_TARGET ||
           wanted->resource->kind == RESOURCE_SCALING_POLICY;
}

/* ---- what the template wants ---- */

/* The first value that is not known, but for actions, and a role, which is not needed. */
static const struct node *find_unknown(const struct node *node) {
    if (node->kind == NODE_UNKNOWN)
        return node;
    for (size_t i = 0; node->kind == NODE_SEQUENCE && i < node->count; i++) {
        const struct node *found = find_unknown(node->items[i]);
        if (found != NULL)
            return found;
    }
    for (size_t i = 0; node->kind == NODE_MAPPING && i < node->count; i++) {
        struct slice name = node->members[i].name, end = SLICE_LITERAL("Actions");
        bool actions = name.len > end.len && slice_equal(slice_skip(name, name.len - end.len), end);
        bool spared = actions || slice_is(name, "RoleARN");
        const struct node *found = spared ? NULL : find_unknown(node->members[i].value);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* Actions that go elsewhere: to a function, a scaling policy. */
static void note_unknown_actions(struct template *t, const struct node *properties) {
    static const char *const lists[] = {"OKActions", "AlarmActions", "InsufficientDataActions"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        const struct node *list = node_find(properties, lists[i]);
        for (size_t k = 0; list != NULL && list->kind == NODE_SEQUENCE && k < list->count; k++)
            if (list->items[k]->kind == NODE_UNKNOWN)
                template_notice(t, list->items[k]->mark, "an action is left out: %.*s",
                                SLICE_ARGS(list->items[k]->text));
    }
}

static struct error *check_properties(const struct property_reader *reader,
                                      const struct template_resource *resource,
                                      const struct node *properties) {
    const char *known[NAMES_MAX] = {template_name_property(resource), "Tags"};
    size_t count = is_alarm(resource) ? 2 : 1;
    struct slice text;
    if (resource->kind == RESOURCE_SCALING_TARGET)
        known[count++] = "RoleARN";
    for (const struct watch_member *member = kinds[resource->kind].members; member->name != NULL;
         member++) {
        known[count++] = member->name;
        TRY(watch_member_text(reader, properties, member, &text));
    }
    known[count] = NULL;
    struct property_set set = {(const char *)resource->type.data, known, NULL};
    struct slice type = arena_printf(reader->document->arena, "%.*s", SLICE_ARGS(resource->type));
    set.what = (const char *)type.data;
    return property_check(reader, properties, &set);
}

/* A policy may name its target as a whole; its request names the parts. */
static const struct node *split_target(struct template *t, const struct node *properties) {
    static const char *const parts[] = {"ResourceId", "ScalableDimension", "ServiceNamespace"};
    const struct node *target = node_find(properties, "ScalingTargetId");
    if (target == NULL || target->kind != NODE_SCALAR)
        return properties;
    struct arena *arena = t->document.arena;
    struct node_member *members = ARENA_ARRAY(arena, struct node_member, properties->count + 3);
    struct slice rest = target->text;
    size_t count = 0;
    for (size_t i = 0; i < properties->count; i++)
        if (!slice_is(properties->members[i].name, "ScalingTargetId"))
            members[count++] = properties->members[i];
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        size_t at = 0;
        while (at < rest.len && rest.data[at] != '|')
            at++;
        members[count++] =
            (struct node_member){slice_text(parts[i]), target->mark,
                                 node_scalar(arena, slice_first(rest, at), target->mark)};
        rest = slice_skip(rest, at < rest.len ? at + 1 : at);
    }
    return node_mapping(arena, members, count, properties->mark);
}

static struct error *read_watch(struct template *t, struct template_resource *resource,
                                struct wanted_watch *watch, bool *ret_known) {
    struct property_reader reader = {&t->document, t};
    const struct node *properties = resource->properties;
    struct slice name;
    TRY(template_resource_name(t, resource, &name));
    if (properties == NULL)
        properties = node_mapping(t->document.arena, NULL, 0, resource->mark);
    TRY(template_resolve(t, properties, &properties));
    TRY(property_item_mapping(&reader, properties, "Properties"));
    const struct node *unknown = find_unknown(properties);
    *ret_known = unknown == NULL;
    if (unknown != NULL) {
        template_notice(t, resource->mark, "%.*s (%.*s) is skipped: %.*s", SLICE_ARGS(resource->id),
                        SLICE_ARGS(resource->type), SLICE_ARGS(unknown->text));
        return NULL;
    }
    if (resource->kind == RESOURCE_SCALING_POLICY)
        properties = split_target(t, properties);
    TRY(check_properties(&reader, resource, properties));
    note_unknown_actions(t, properties);
    *watch = (struct wanted_watch){resource, properties};
    return NULL;
}

/* Policies are called by their target, too: each table may have one of the same name. */
static bool has_same_place(const struct wanted_watch *a, const struct wanted_watch *b) {
    static const char *const parts[] = {"ResourceId", "ScalableDimension"};
    for (size_t i = 0; a->resource->kind == RESOURCE_SCALING_POLICY && i < 2; i++) {
        const struct node *x = node_find(a->properties, parts[i]);
        const struct node *y = node_find(b->properties, parts[i]);
        if (x != NULL && y != NULL && !slice_equal(x->text, y->text))
            return false;
    }
    return true;
}

static struct error *check_unique(struct template *t, const struct wanted_watch *watches,
                                  size_t count) {
    const struct template_resource *last = watches[count - 1].resource;
    for (size_t i = 0; i + 1 < count; i++)
        if (watches[i].resource->kind == last->kind &&
            slice_equal(watches[i].resource->name, last->name) &&
            has_same_place(&watches[i], &watches[count - 1]))
            return template_error(t, last->mark, "%.*s and %.*s are both called %.*s",
                                  SLICE_ARGS(watches[i].resource->id), SLICE_ARGS(last->id),
                                  SLICE_ARGS(last->name));
    return NULL;
}

/* Of one pass: those of policies, or all others. */
static struct error *add_watches(struct template *t, bool policies, struct wanted_watch *watches,
                                 size_t *count) {
    for (size_t i = 0; i < t->resource_count; i++) {
        struct template_resource *resource = &t->resources[i];
        bool wanted = false, known = false;
        if (!is_watch(resource) || (resource->kind == RESOURCE_SCALING_POLICY) != policies)
            continue;
        TRY(template_resource_wanted(t, resource, &wanted));
        if (wanted)
            TRY(read_watch(t, resource, &watches[*count], &known));
        if (known)
            TRY(check_unique(t, watches, ++*count));
    }
    return NULL;
}

struct error *template_watches(struct template *t, struct wanted_watch **ret_watches,
                               size_t *ret_count) {
    *ret_watches = ARENA_ARRAY(t->document.arena, struct wanted_watch, t->resource_count + 1);
    *ret_count = 0;
    TRY(add_watches(t, false, *ret_watches, ret_count));
    return add_watches(t, true, *ret_watches, ret_count);
}

/* ---- requests ---- */

/* JSON that is there already. */
static void member_json(struct json_writer *json, const char *name, struct slice text) {
    json_name(json, slice_text(name));
    buffer_append_slice(json->out, text);
    json->comma = true;
}

static void write_list(struct json_writer *json, const char *name, struct slice item) {
    member_array(json, name);
    json_string(json, item);
    json_array_end(json);
}

static void write_place(struct json_writer *json, const struct wanted_watch *wanted) {
    static const char *const parts[] = {"ServiceNamespace", "ScalableDimension", "ResourceId"};
    bool policy = wanted->resource->kind == RESOURCE_SCALING_POLICY;
    for (size_t i = 0; i < 3; i++) {
        const struct node *text = node_find(wanted->properties, parts[i]);
        if (text == NULL || text->kind != NODE_SCALAR)
            continue;
        if (i < 2 || policy)
            member_text(json, parts[i], text->text);
        else
            write_list(json, "ResourceIds", text->text);
    }
    if (policy)
        write_list(json, "PolicyNames", wanted->resource->name);
}

struct slice request_watch_describe(struct arena *arena, const struct wanted_watch *wanted) {
    struct json_text request;
    json_text_begin(&request);
    if (watch_is_scaling(wanted))
        write_place(&request.json, wanted);
    else if (is_alarm(wanted->resource))
        write_list(&request.json, "AlarmNames", wanted->resource->name);
    else
        member_text(&request.json, "DashboardName", wanted->resource->name);
    return json_text_end(&request, arena);
}

struct slice request_watch_tags(struct arena *arena, struct slice arn) {
    struct json_text request;
    json_text_begin(&request);
    member_text(&request.json, "ResourceARN", arn);
    return json_text_end(&request, arena);
}

/* ---- plans ---- */

struct watch_planner {
    struct template *t;
    const struct wanted_watch *wanted;
    const struct found_watch *found;
    const struct node *there; /* as nodes; NULL: it is not */
    struct property_reader reader, found_reader;
    struct plan *plan;
};

/* Long ones, as dashboards, are not shown. */
static struct slice shown(struct arena *arena, struct slice text) {
    if (text.len > 1 && text.data[0] == '"')
        text = slice_part(text, 1, text.len - 2);
    return text.len <= LINE_TEXT_MAX ? text : arena_printf(arena, "(%zu bytes)", text.len);
}

static void show_member(struct watch_planner *planner, const char *name, struct slice wanted,
                        struct slice found) {
    struct arena *arena = planner->plan->arena;
    struct slice to = shown(arena, wanted), from = shown(arena, found);
    if (planner->there == NULL && wanted.len > 0)
        plan_line(planner->plan, "    %s: %.*s", name, SLICE_ARGS(to));
    else if (planner->there != NULL && wanted.len == 0)
        plan_line(planner->plan, "    - %s: %.*s", name, SLICE_ARGS(from));
    else if (planner->there != NULL && found.len == 0)
        plan_line(planner->plan, "    + %s: %.*s", name, SLICE_ARGS(to));
    else if (planner->there != NULL)
        plan_line(planner->plan, "    ~ %s: %.*s → %.*s", name, SLICE_ARGS(from), SLICE_ARGS(to));
}

/* Shows what differs, and writes what is wanted. */
static struct error *compare(struct watch_planner *planner, struct json_writer *json,
                             bool *ret_differs) {
    const struct node *properties = planner->wanted->properties;
    *ret_differs = planner->there == NULL;
    for (const struct watch_member *member = kinds[planner->wanted->resource->kind].members;
         member->name != NULL; member++) {
        struct slice wanted, found = SLICE_LITERAL("");
        TRY(watch_member_text(&planner->reader, properties, member, &wanted));
        if (planner->there != NULL)
            TRY(watch_member_text(&planner->found_reader, planner->there, member, &found));
        if (wanted.len > 0)
            member_json(json, member->name, wanted);
        if (slice_equal(wanted, found))
            continue;
        show_member(planner, member->name, wanted, found);
        *ret_differs = true;
    }
    return NULL;
}

static const struct node *find_tag(const struct node *list, const struct node *key) {
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct node *other = node_find(list->items[i], "Key");
        if (other != NULL && key != NULL && slice_equal(other->text, key->text))
            return list->items[i];
    }
    return NULL;
}

static void plan_tags(struct watch_planner *planner, struct slice arn, struct slice wanted,
                      const struct node *found) {
    struct arena *arena = planner->plan->arena;
    const struct node *list = node_find(planner->wanted->properties, "Tags");
    struct slice doing =
        arena_printf(arena, "tagging alarm %.*s", SLICE_ARGS(planner->wanted->resource->name));
    struct json_text request;
    bool gone = false;
    json_text_begin(&request);
    member_text(&request.json, "ResourceARN", arn);
    member_array(&request.json, "TagKeys");
    for (size_t i = 0; found != NULL && i < found->count; i++) {
        const struct node *key = node_find(found->items[i], "Key");
        if (key == NULL || find_tag(list, key) != NULL)
            continue;
        gone = true;
        json_string(&request.json, key->text);
    }
    json_array_end(&request.json);
    struct slice untag = json_text_end(&request, arena);
    if (gone)
        plan_step(planner->plan,
                  (struct plan_step){WATCH_TARGET "UntagResource", untag, doing, WAIT_NOT});
    if (wanted.len == 0)
        return;
    json_text_begin(&request);
    member_text(&request.json, "ResourceARN", arn);
    member_json(&request.json, "Tags", wanted);
    plan_step(planner->plan, (struct plan_step){WATCH_TARGET "TagResource",
                                                json_text_end(&request, arena), doing, WAIT_NOT});
}

/* PutMetricAlarm takes tags of a new alarm only. */
static struct error *compare_tags(struct watch_planner *planner, struct json_writer *json) {
    struct slice wanted, found = SLICE_LITERAL("");
    const struct node *there = NULL;
    if (!is_alarm(planner->wanted->resource))
        return NULL;
    TRY(watch_member_text(&planner->reader, planner->wanted->properties, alarm_tag_members,
                          &wanted));
    if (planner->there == NULL) {
        if (wanted.len > 0)
            member_json(json, "Tags", wanted);
        show_member(planner, "Tags", wanted, found);
        return NULL;
    }
    if (planner->found->tags != NULL)
        TRY(document_from_json(&planner->t->document, planner->found->tags, &there));
    if (there != NULL)
        TRY(watch_member_text(&planner->found_reader, there, alarm_tag_members, &found));
    if (slice_equal(wanted, found))
        return NULL;
    show_member(planner, "Tags", wanted, found);
    plan_tags(planner, json_find_text(planner->found->alarm, "AlarmArn"), wanted,
              node_find(there, "Tags"));
    return NULL;
}

static struct error *plan_watch(struct watch_planner *planner) {
    const struct template_resource *resource = planner->wanted->resource;
    const char *what = kinds[resource->kind].what, *property = template_name_property(resource);
    struct slice name = resource->name;
    struct plan *plan = planner->plan;
    bool there = planner->there != NULL, differs;
    struct json_text request;
    plan_line(plan, "%s %s %.*s", there ? "~ change" : "+ create", what, SLICE_ARGS(name));
    json_text_begin(&request);
    if (*property != '\0')
        member_text(&request.json, property, name);
    struct error *error = compare(planner, &request.json, &differs);
    if (error == NULL)
        error = compare_tags(planner, &request.json);
    struct slice body = json_text_end(&request, plan->arena);
    TRY(error);
    if (differs)
        plan_step(plan, (struct plan_step){kinds[resource->kind].put, body,
                                           arena_printf(plan->arena, "%s %s %.*s",
                                                        there ? "changing" : "creating", what,
                                                        SLICE_ARGS(name)),
                                           WAIT_NOT});
    plan->action = !there ? PLAN_CREATE : plan->step_count > 0 ? PLAN_CHANGE : PLAN_NOTHING;
    if (plan->action == PLAN_NOTHING)
        plan->lines[0] = arena_printf(plan->arena, "= %s %.*s", what, SLICE_ARGS(name));
    return NULL;
}

struct error *watch_plan(struct template *t, const struct wanted_watch *wanted,
                         const struct found_watch *found, struct plan *ret_plan) {
    const struct json_value *answer = is_alarm(wanted->resource) ? found->alarm
                                      : watch_is_scaling(wanted) ? found->scaling
                                                                 : found->dashboard;
    struct watch_planner planner = {.t = t,
                                    .wanted = wanted,
                                    .found = found,
                                    .reader = {&t->document, t},
                                    .found_reader = {&t->document, NULL},
                                    .plan = ret_plan};
    *ret_plan = (struct plan){.arena = t->document.arena};
    if (answer != NULL)
        TRY(document_from_json(&t->document, answer, &planner.there));
    return plan_watch(&planner);
}
