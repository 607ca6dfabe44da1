/* template.c - a template's sections and resources, and its outputs. */
#include "template/template.h"

struct error *template_error(struct template *t, struct mark mark, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(t->document.arena, format, args);
    va_end(args);
    return document_error(&t->document, mark, "%.*s", SLICE_ARGS(text));
}

void template_notice(struct template *t, struct mark mark, const char *format, ...) {
    struct arena *arena = t->document.arena;
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(arena, format, args);
    va_end(args);
    if (t->notice_count == t->notice_capacity) {
        struct slice *old = t->notices;
        t->notice_capacity = t->notice_capacity == 0 ? 16 : 2 * t->notice_capacity;
        t->notices = ARENA_ARRAY(arena, struct slice, t->notice_capacity);
        if (old != NULL)
            memcpy(t->notices, old, t->notice_count * sizeof(*old));
    }
    t->notices[t->notice_count++] =
        arena_printf(arena, "%.*s: warning: %.*s", SLICE_ARGS(document_place(&t->document, mark)),
                     SLICE_ARGS(text));
}

/* ---- sections ---- */

static struct error *section(struct template *t, const struct node *root, const char *name,
                             const struct node **ret_section) {
    const struct node *node = node_find(root, name);
    if (node != NULL && node->kind == NODE_NULL)
        node = NULL;
    if (node != NULL && node->kind == NODE_UNKNOWN)
        return template_error(t, node->mark, "%s: %.*s", name, SLICE_ARGS(node->text));
    if (node != NULL && node->kind != NODE_MAPPING)
        return template_error(t, node->mark, "%s must be a mapping, not %s", name,
                              node_kind_name(node));
    *ret_section = node;
    return NULL;
}

static struct error *check_names(struct template *t, const struct node *root) {
    static const char *const names[] = {
        "AWSTemplateFormatVersion",
        "Description",
        "Metadata",
        "Parameters",
        "Rules",
        "Mappings",
        "Conditions",
        "Transform",
        "Resources",
        "Outputs",
        "Globals",
        "Hooks",
    };
    for (size_t i = 0; i < root->count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
            known = known || slice_is(root->members[i].name, names[k]);
        if (!known)
            return template_error(t, root->members[i].mark, "a template has no section '%.*s'",
                                  SLICE_ARGS(root->members[i].name));
    }
    return NULL;
}

/* The types that are known, and which property names a resource of them. */
static const struct {
    const char *type;
    const char *name_property;
} kinds[] = {
    [RESOURCE_OTHER] = {"", ""},
    [RESOURCE_TABLE] = {"AWS::DynamoDB::Table", "TableName"},
    [RESOURCE_GLOBAL_TABLE] = {"AWS::DynamoDB::GlobalTable", "TableName"},
    [RESOURCE_SIMPLE_TABLE] = {"AWS::Serverless::SimpleTable", "TableName"},
    [RESOURCE_ALARM] = {"AWS::CloudWatch::Alarm", "AlarmName"},
    [RESOURCE_DASHBOARD] = {"AWS::CloudWatch::Dashboard", "DashboardName"},
    /* Its name is made of what it is about. */
    [RESOURCE_SCALING_TARGET] = {"AWS::ApplicationAutoScaling::ScalableTarget", ""},
    [RESOURCE_SCALING_POLICY] = {"AWS::ApplicationAutoScaling::ScalingPolicy", "PolicyName"},
    [RESOURCE_TOPIC] = {"AWS::SNS::Topic", "TopicName"},
    [RESOURCE_STACK] = {"AWS::CloudFormation::Stack", "TemplateURL"},
    [RESOURCE_APPLICATION] = {"AWS::Serverless::Application", "Location"},
    [RESOURCE_ITEM] = {TERRAFORM_ITEM, ""},
};

static enum resource_kind kind_of(struct slice type) {
    for (unsigned i = RESOURCE_OTHER + 1; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (slice_is(type, kinds[i].type))
            return (enum resource_kind)i;
    return RESOURCE_OTHER;
}

const char *template_name_property(const struct template_resource *resource) {
    return kinds[resource->kind].name_property;
}

static struct error *add_resource(struct template *t, const struct node_member *member) {
    const struct node *body = member->value;
    if (slice_starts_with(member->name, SLICE_LITERAL("Fn::"))) {
        template_notice(t, member->mark, "%.*s is skipped: not supported",
                        SLICE_ARGS(member->name));
        return NULL;
    }
    if (body->kind == NODE_UNKNOWN)
        return template_error(t, body->mark, "%.*s", SLICE_ARGS(body->text));
    const struct node *type = node_find(body, "Type");
    if (type == NULL || type->kind != NODE_SCALAR)
        return template_error(t, type == NULL ? member->mark : type->mark,
                              "resource %.*s needs a Type", SLICE_ARGS(member->name));
    const struct node *properties = node_find(body, "Properties");
    t->resources[t->resource_count++] = (struct template_resource){
        .id = member->name,
        .mark = member->mark,
        .type = type->text,
        .kind = kind_of(type->text),
        .body = body,
        .properties = properties != NULL && properties->kind == NODE_NULL ? NULL : properties,
    };
    return NULL;
}

struct error *template_conditions(struct template *t, const struct node *root) {
    TRY(section(t, root, "Conditions", &t->conditions));
    if (t->conditions != NULL)
        t->condition_states =
            ARENA_ARRAY(t->document.arena, struct template_condition, t->conditions->count + 1);
    return NULL;
}

struct error *template_resources(struct template *t, const struct node *root) {
    const struct node *resources = NULL;
    TRY(section(t, root, "Outputs", &t->outputs));
    TRY(section(t, root, "Resources", &resources));
    if (resources == NULL || resources->count == 0)
        return template_error(t, resources == NULL ? root->mark : resources->mark,
                              "a template needs Resources");
    t->resources = ARENA_ARRAY(t->document.arena, struct template_resource, resources->count);
    for (size_t i = 0; i < resources->count; i++)
        TRY(add_resource(t, &resources->members[i]));
    return NULL;
}

struct error *template_sections(struct template *t, const struct node *root) {
    if (root == NULL || root->kind != NODE_MAPPING)
        return template_error(t, root == NULL ? (struct mark){1, 1, NULL} : root->mark,
                              "a template is a mapping with Resources, this is %s",
                              root == NULL ? "empty" : node_kind_name(root));
    TRY(check_names(t, root));
    TRY(section(t, root, "Parameters", &t->parameters));
    TRY(section(t, root, "Mappings", &t->mappings));
    return section(t, root, "Globals", &t->globals);
}

/* ---- resources ---- */

struct template_resource *template_find_resource(struct template *t, struct slice id) {
    for (size_t i = 0; i < t->resource_count; i++)
        if (slice_equal(t->resources[i].id, id))
            return &t->resources[i];
    return NULL;
}

static struct error *wanted(struct template *t, const struct node *body, bool *ret_wanted) {
    const struct node *condition = node_find(body, "Condition");
    *ret_wanted = true;
    if (condition == NULL)
        return NULL;
    if (condition->kind != NODE_SCALAR)
        return template_error(t, condition->mark, "Condition takes the name of a condition");
    return template_condition(t, condition->text, condition->mark, ret_wanted);
}

struct error *template_resource_wanted(struct template *t, const struct template_resource *resource,
                                       bool *ret_wanted) {
    return wanted(t, resource->body, ret_wanted);
}

/* "table/t|dynamodb:table:ReadCapacityUnits|dynamodb", as Ref gives it. */
static struct error *name_scaling_target(struct template *t, struct template_resource *resource) {
    static const char *const parts[] = {"ResourceId", "ScalableDimension", "ServiceNamespace"};
    struct slice name = SLICE_LITERAL("");
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        const struct node *given = node_find(resource->properties, parts[i]), *text = NULL;
        if (given != NULL)
            TRY(template_resolve(t, given, &text));
        if (text == NULL || text->kind != NODE_SCALAR)
            return template_error(t, given == NULL ? resource->mark : given->mark,
                                  "%.*s needs %s, a text", SLICE_ARGS(resource->id), parts[i]);
        name = arena_printf(t->document.arena, "%.*s%s%.*s", SLICE_ARGS(name), i == 0 ? "" : "|",
                            SLICE_ARGS(text->text));
    }
    resource->name = name;
    return NULL;
}

static struct error *find_name(struct template *t, struct template_resource *resource) {
    if (resource->kind == RESOURCE_SCALING_TARGET)
        return name_scaling_target(t, resource);
    const char *property = template_name_property(resource);
    const struct node *given = node_find(resource->properties, property);
    const struct node *text = NULL;
    if (given != NULL)
        TRY(template_resolve(t, given, &text));
    if (text == NULL || text->kind == NODE_ABSENT) {
        resource->name_made = true;
        resource->name = arena_printf(t->document.arena, "%.*s-%.*s",
                                      SLICE_ARGS(t->options.stack_name), SLICE_ARGS(resource->id));
        return NULL;
    }
    if (text->kind == NODE_UNKNOWN)
        return template_error(t, text->mark, "%.*s", SLICE_ARGS(text->text));
    if (text->kind != NODE_SCALAR)
        return template_error(t, given->mark, "%s must be a string, not %s", property,
                              node_kind_name(text));
    resource->name = text->text;
    return NULL;
}

struct error *template_resource_name(struct template *t, struct template_resource *resource,
                                     struct slice *ret_name) {
    if (resource->naming == UNDER_WAY)
        return template_error(t, resource->mark, "the %s of %.*s depends on itself",
                              template_name_property(resource), SLICE_ARGS(resource->id));
    if (resource->naming == NOT_BEGUN) {
        resource->naming = UNDER_WAY;
        TRY(find_name(t, resource));
        resource->naming = DONE;
    }
    *ret_name = resource->name;
    return NULL;
}

/* ---- outputs ---- */

static struct slice list_text(struct arena *arena, const struct node *list, bool *ret_known) {
    struct slice text = SLICE_LITERAL("");
    for (size_t i = 0; i < list->count; i++) {
        *ret_known = *ret_known && list->items[i]->kind == NODE_SCALAR;
        if (*ret_known && text.len < RESOLVE_TEXT_MAX)
            text = arena_printf(arena, "%.*s%s%.*s", SLICE_ARGS(text), i == 0 ? "" : ",",
                                SLICE_ARGS(list->items[i]->text));
    }
    return text;
}

static struct error *output(struct template *t, const struct node_member *member,
                            struct template_output *ret_output) {
    const struct node *value = node_find(member->value, "Value");
    if (value == NULL)
        return template_error(t, member->mark, "output %.*s needs a Value",
                              SLICE_ARGS(member->name));
    TRY(template_resolve(t, value, &value));
    ret_output->name = member->name;
    ret_output->known = value->kind == NODE_SCALAR || value->kind == NODE_SEQUENCE;
    if (value->kind == NODE_SCALAR)
        ret_output->value = value->text;
    else if (value->kind == NODE_SEQUENCE)
        ret_output->value = list_text(t->document.arena, value, &ret_output->known);
    else if (value->kind == NODE_MAPPING)
        return template_error(t, value->mark, "an output's Value must be a string");
    return NULL;
}

struct error *template_outputs(struct template *t, struct template_output **ret_outputs,
                               size_t *ret_count) {
    size_t most = t->outputs == NULL ? 0 : t->outputs->count, count = 0;
    struct template_output *outputs =
        ARENA_ARRAY(t->document.arena, struct template_output, most + 1);
    for (size_t i = 0; i < most; i++) {
        bool is_wanted = false;
        TRY(wanted(t, t->outputs->members[i].value, &is_wanted));
        if (is_wanted)
            TRY(output(t, &t->outputs->members[i], &outputs[count++]));
    }
    *ret_outputs = outputs;
    *ret_count = count;
    return NULL;
}
