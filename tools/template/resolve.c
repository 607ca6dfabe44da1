/* resolve.c - walks a node and works out its intrinsic functions; references to parameters and
 * resources.
 *
 * A mapping with one member named Ref or Fn::... is a function call. Everything else is copied with
 * its parts resolved. Each level counts against RESOLVE_DEPTH_MAX and each value made against
 * RESOLVE_BYTES_MAX, whatever way it was reached. */
#include "template/resolve.h"

static const struct {
    const char *name;
    resolve_function *resolve;
} functions[] = {
    {"Ref", resolve_ref},
    {"Fn::GetAtt", resolve_get_att},
    {"Fn::Sub", resolve_sub},
    {"Fn::Join", resolve_join},
    {"Fn::Select", resolve_select},
    {"Fn::Split", resolve_split},
    {"Fn::FindInMap", resolve_find_in_map},
    {"Fn::If", resolve_if},
    {"Fn::Base64", resolve_elsewhere},
    {"Fn::Cidr", resolve_elsewhere},
    {"Fn::GetAZs", resolve_elsewhere},
    {"Fn::ImportValue", resolve_elsewhere},
    {"Fn::Length", resolve_elsewhere},
    {"Fn::ToJsonString", resolve_elsewhere},
    {"Fn::Transform", resolve_elsewhere},
    {"Fn::And", resolve_misplaced},
    {"Fn::Equals", resolve_misplaced},
    {"Fn::Not", resolve_misplaced},
    {"Fn::Or", resolve_misplaced},
};

struct error *resolve_charge(struct template *t, size_t bytes, struct mark mark) {
    t->bytes_made += bytes;
    if (t->bytes_made > RESOLVE_BYTES_MAX)
        return template_error(t, mark, "the template grows too large when it is worked out");
    return NULL;
}

struct error *resolve_new_text(struct template *t, struct slice text, struct mark mark,
                               const struct node **ret_node) {
    TRY(resolve_charge(t, sizeof(struct node) + text.len, mark));
    struct node *node = node_scalar(t->document.arena, arena_slice(t->document.arena, text), mark);
    node->quoted = true;
    *ret_node = node;
    return NULL;
}

/* ---- the walk ---- */

static struct error *resolve_sequence(struct template *t, const struct node *list,
                                      const struct node **ret_node) {
    TRY(resolve_charge(t, sizeof(*list) + 2 * list->count * sizeof(void *), list->mark));
    const struct node **items =
        ARENA_ARRAY(t->document.arena, const struct node *, list->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        TRY(template_resolve(t, list->items[i], &items[count]));
        count += items[count]->kind != NODE_ABSENT;
    }
    *ret_node = node_sequence(t->document.arena, items, count, list->mark);
    return NULL;
}

static struct error *resolve_mapping(struct template *t, const struct node *mapping,
                                     const struct node **ret_node) {
    TRY(resolve_charge(t, sizeof(*mapping) + 2 * mapping->count * sizeof(struct node_member),
                       mapping->mark));
    struct node_member *members =
        ARENA_ARRAY(t->document.arena, struct node_member, mapping->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < mapping->count; i++) {
        members[count] = mapping->members[i];
        TRY(template_resolve(t, mapping->members[i].value, &members[count].value));
        count += members[count].value->kind != NODE_ABSENT;
    }
    *ret_node = node_mapping(t->document.arena, members, count, mapping->mark);
    return NULL;
}

static struct error *resolve_call(struct template *t, const struct node_member *member,
                                  const struct node **ret_node) {
    struct function_call call = {member->name, member->mark, member->value};
    if (call.argument->kind == NODE_UNKNOWN) {
        *ret_node = call.argument;
        return NULL;
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        if (slice_is(call.name, functions[i].name))
            return functions[i].resolve(t, &call, ret_node);
    return template_error(t, call.mark, "there is no function %.*s", SLICE_ARGS(call.name));
}

static bool is_call(const struct node *node) {
    return node->count == 1 && (slice_is(node->members[0].name, "Ref") ||
                                slice_starts_with(node->members[0].name, SLICE_LITERAL("Fn::")));
}

static struct error *resolve_node(struct template *t, const struct node *node,
                                  const struct node **ret_node) {
    switch (node->kind) {
    case NODE_NULL:
        return template_error(t, node->mark, "a value is missing (null is not allowed)");
    case NODE_SEQUENCE:
        return resolve_sequence(t, node, ret_node);
    case NODE_MAPPING:
        return is_call(node) ? resolve_call(t, &node->members[0], ret_node)
                             : resolve_mapping(t, node, ret_node);
    case NODE_SCALAR:
        if (slice_starts_with(node->text, SLICE_LITERAL("{{resolve:"))) {
            *ret_node = node_unknown(t->document.arena, node->mark,
                                     "dynamic references ({{resolve:...}}) are not supported");
            return NULL;
        }
        break;
    case NODE_ABSENT:
    case NODE_UNKNOWN:
        break;
    }
    *ret_node = node;
    return NULL;
}

struct error *template_resolve(struct template *t, const struct node *node,
                               const struct node **ret_node) {
    TRY(resolve_charge(t, sizeof(void *) + node->text.len, node->mark));
    if (t->depth == RESOLVE_DEPTH_MAX)
        return template_error(t, node->mark, "functions and references are nested too deep");
    t->depth++;
    struct error *error = resolve_node(t, node, ret_node);
    t->depth--;
    return error;
}

struct error *resolve_text(struct template *t, const struct node *node,
                           const struct node **ret_text) {
    const struct node *text = NULL;
    TRY(template_resolve(t, node, &text));
    if (text->kind != NODE_SCALAR && text->kind != NODE_UNKNOWN)
        return template_error(t, node->mark, "this must be a string, not %s", node_kind_name(text));
    *ret_text = text;
    return NULL;
}

/* ---- Ref ---- */

static struct error *name_of_resource(struct template *t, struct template_resource *resource,
                                      struct mark mark, const struct node **ret_node) {
    bool is_wanted = false;
    struct slice name;
    TRY(template_resource_wanted(t, resource, &is_wanted));
    if (!is_wanted) {
        *ret_node =
            node_unknown(t->document.arena, mark, "%.*s is not made: its condition is false",
                         SLICE_ARGS(resource->id));
        return NULL;
    }
    TRY(template_resource_name(t, resource, &name));
    return resolve_new_text(t, name, mark, ret_node);
}

/* Its ARN, as far as region, account and name tell it. */
static struct error *made_up_arn(struct template *t, struct template_resource *resource,
                                 const char *service, const char *before_name, struct mark mark,
                                 const struct node **ret_node) {
    const struct node *name = NULL;
    TRY(name_of_resource(t, resource, mark, &name));
    if (name->kind == NODE_UNKNOWN) {
        *ret_node = name;
        return NULL;
    }
    struct slice arn = arena_printf(t->document.arena, "arn:aws:%s:%.*s:%.*s:%s%.*s", service,
                                    SLICE_ARGS(t->options.region), SLICE_ARGS(t->options.account),
                                    before_name, SLICE_ARGS(name->text));
    return resolve_new_text(t, arn, mark, ret_node);
}

static struct error *refer_to(struct template *t, struct template_resource *resource,
                              struct mark mark, const struct node **ret_node) {
    if (resource->kind == RESOURCE_TOPIC)
        return made_up_arn(t, resource, "sns", "", mark, ret_node);
    return name_of_resource(t, resource, mark, ret_node);
}

/* A mistake, unless the tool that the document is for may make it. */
static struct error *not_there(struct template *t, const char *what, struct slice name,
                               struct mark mark, const struct node **ret_node) {
    if (!t->partial)
        return template_error(t, mark, "there is no %s '%.*s'", what, SLICE_ARGS(name));
    *ret_node = node_unknown(t->document.arena, mark, "there is no %s '%.*s' in the document", what,
                             SLICE_ARGS(name));
    return NULL;
}

struct error *resolve_reference(struct template *t, struct slice name, struct mark mark,
                                const struct node **ret_node) {
    if (slice_is(name, "AWS::NoValue")) {
        *ret_node = node_of_kind(t->document.arena, NODE_ABSENT, mark);
        return NULL;
    }
    for (size_t i = 0; i < t->value_count; i++)
        if (slice_equal(t->values[i].name, name)) {
            const struct node *value = t->values[i].value;
            *ret_node = value->kind == NODE_SCALAR
                            ? node_scalar(t->document.arena, value->text, mark)
                            : value;
            return NULL;
        }
    struct template_resource *resource = template_find_resource(t, name);
    if (resource == NULL)
        return not_there(t, "parameter or resource", name, mark, ret_node);
    if (resource->kind != RESOURCE_OTHER && !template_is_stack(resource))
        return refer_to(t, resource, mark, ret_node);
    *ret_node =
        node_unknown(t->document.arena, mark, "what %.*s (%.*s) is called is not known here",
                     SLICE_ARGS(name), SLICE_ARGS(resource->type));
    return NULL;
}

struct error *resolve_ref(struct template *t, const struct function_call *call,
                          const struct node **ret_node) {
    if (call->argument->kind != NODE_SCALAR)
        return template_error(t, call->mark, "Ref takes the name of a parameter or resource");
    return resolve_reference(t, call->argument->text, call->mark, ret_node);
}

/* ---- Fn::GetAtt ---- */

static struct error *table_attribute(struct template *t, struct template_resource *resource,
                                     struct slice attribute, struct mark mark,
                                     const struct node **ret_node) {
    const struct node *name = NULL;
    TRY(name_of_resource(t, resource, mark, &name));
    if (name->kind == NODE_UNKNOWN) {
        *ret_node = name;
        return NULL;
    }
    if (slice_is(attribute, "Arn"))
        return slice_present(resource->arn)
                   ? resolve_new_text(t, resource->arn, mark, ret_node)
                   : made_up_arn(t, resource, "dynamodb", "table/", mark, ret_node);
    if (!slice_is(attribute, "StreamArn"))
        return template_error(t, mark, "a table has the attributes Arn and StreamArn, not %.*s",
                              SLICE_ARGS(attribute));
    if (slice_present(resource->stream_arn))
        return resolve_new_text(t, resource->stream_arn, mark, ret_node);
    *ret_node = node_unknown(t->document.arena, mark, "the StreamArn of %.*s is not known yet",
                             SLICE_ARGS(resource->id));
    return NULL;
}

static struct error *alarm_attribute(struct template *t, struct template_resource *resource,
                                     struct slice attribute, struct mark mark,
                                     const struct node **ret_node) {
    if (slice_is(attribute, "Arn"))
        return made_up_arn(t, resource, "cloudwatch", "alarm:", mark, ret_node);
    return template_error(t, mark, "an alarm has the attribute Arn, not %.*s",
                          SLICE_ARGS(attribute));
}

static struct error *topic_attribute(struct template *t, struct template_resource *resource,
                                     struct slice attribute, struct mark mark,
                                     const struct node **ret_node) {
    if (slice_is(attribute, "TopicArn"))
        return refer_to(t, resource, mark, ret_node);
    if (slice_is(attribute, "TopicName"))
        return name_of_resource(t, resource, mark, ret_node);
    return template_error(t, mark, "a topic has the attributes TopicArn and TopicName, not %.*s",
                          SLICE_ARGS(attribute));
}

/* Absent: it is no output, or a condition of its template leaves it out. */
static struct error *output_of(struct template *nested, struct slice name,
                               const struct node **ret_value) {
    const struct node_member *output = node_find_named(nested->outputs, name);
    const struct node *condition = output == NULL ? NULL : node_find(output->value, "Condition");
    const struct node *value = output == NULL ? NULL : node_find(output->value, "Value");
    bool is_wanted = true;
    if (condition != NULL && condition->kind == NODE_SCALAR)
        TRY(template_condition(nested, condition->text, condition->mark, &is_wanted));
    *ret_value = NULL;
    return value == NULL || !is_wanted ? NULL : template_resolve(nested, value, ret_value);
}

/* Outputs.NAME. Its place is here, and not in the template that has it. */
static struct error *stack_attribute(struct template *t, struct template_resource *resource,
                                     struct slice attribute, struct mark mark,
                                     const struct node **ret_node) {
    const struct slice prefix = SLICE_LITERAL("Outputs.");
    const struct node *value = NULL;
    TRY(t->open_nested(t, resource));
    if (resource->nested == NULL || !slice_starts_with(attribute, prefix)) {
        *ret_node = node_unknown(t->document.arena, mark, "%.*s of %.*s (%.*s) is not known here",
                                 SLICE_ARGS(attribute), SLICE_ARGS(resource->id),
                                 SLICE_ARGS(resource->type));
        return NULL;
    }
    TRY(output_of(resource->nested, slice_skip(attribute, prefix.len), &value));
    if (value == NULL)
        return template_error(t, mark, "%.*s has no output %.*s", SLICE_ARGS(resource->id),
                              SLICE_ARGS(slice_skip(attribute, prefix.len)));
    if (value->kind == NODE_SCALAR)
        return resolve_new_text(t, value->text, mark, ret_node);
    *ret_node = value->kind == NODE_UNKNOWN
                    ? node_unknown(t->document.arena, mark, "%.*s", SLICE_ARGS(value->text))
                    : value;
    return NULL;
}

struct error *resolve_attribute(struct template *t, struct slice id, struct slice attribute,
                                struct mark mark, const struct node **ret_node) {
    struct template_resource *resource = template_find_resource(t, id);
    if (resource == NULL)
        return not_there(t, "resource", id, mark, ret_node);
    if (template_is_table(resource))
        return table_attribute(t, resource, attribute, mark, ret_node);
    if (resource->kind == RESOURCE_ALARM)
        return alarm_attribute(t, resource, attribute, mark, ret_node);
    if (resource->kind == RESOURCE_TOPIC)
        return topic_attribute(t, resource, attribute, mark, ret_node);
    if (template_is_stack(resource))
        return stack_attribute(t, resource, attribute, mark, ret_node);
    *ret_node = node_unknown(t->document.arena, mark, "%.*s of %.*s (%.*s) is not known here",
                             SLICE_ARGS(attribute), SLICE_ARGS(id), SLICE_ARGS(resource->type));
    return NULL;
}

struct error *resolve_get_att(struct template *t, const struct function_call *call,
                              const struct node **ret_node) {
    const struct node *argument = call->argument;
    if (argument->kind == NODE_SCALAR) {
        const uint8_t *dot = memchr(argument->text.data, '.', argument->text.len);
        if (dot == NULL)
            return template_error(t, call->mark, "Fn::GetAtt takes RESOURCE.ATTRIBUTE");
        size_t at = (size_t)(dot - argument->text.data);
        return resolve_attribute(t, slice_first(argument->text, at),
                                 slice_skip(argument->text, at + 1), call->mark, ret_node);
    }
    const struct node *const *items;
    const struct node *attribute = NULL;
    TRY(call_items(t, call, 2, 2, &items));
    if (items[0]->kind != NODE_SCALAR)
        return template_error(t, items[0]->mark, "Fn::GetAtt takes the name of a resource");
    TRY(resolve_text(t, items[1], &attribute));
    if (attribute->kind == NODE_UNKNOWN) {
        *ret_node = attribute;
        return NULL;
    }
    return resolve_attribute(t, items[0]->text, attribute->text, call->mark, ret_node);
}
