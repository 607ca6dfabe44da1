/* permission.c - permissions and their resources; what an operation needs unless it says otherwise.
 *
 * Which members name a resource is in the operation's field table: a table's name makes the ARN of
 * the table. */
#include "ops/permission/permission.h"

#include "ops/permission/actions.h"
#include "ops/request/arn.h"
#include "ops/request/resource.h"
#include "ops/table/table_input.h"

/* ---- members by their names ---- */

static const void *member_at(const struct op_call *call, const struct field *field) {
    return (const char *)call->request + field->offset;
}

static const struct field *find_member(const struct op_call *call, enum field_type type,
                                       const char *name) {
    for (const struct field *field = call->op->input->fields; field->name != NULL; field++)
        if (field->type == type && strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

/* ---- resources ---- */

/* One form for a table that can be named in several: what does not resolve is refused later. */
static struct slice table_arn(const struct op_call *call, struct slice given, struct slice index) {
    struct slice name;
    if (table_name_resolve(call, given, &name) != NULL)
        return given;
    struct slice arn = table_arn_print(call, name);
    return !slice_present(index)
               ? arn
               : arena_printf(call->arena, "%.*s/index/%.*s", SLICE_ARGS(arn), SLICE_ARGS(index));
}

static void find_keys(struct permission *permission, struct slice given, struct slice index) {
    const struct catalog_view *catalog = permission->call->context->catalog;
    struct slice name;
    if (catalog == NULL || table_name_resolve(permission->call, given, &name) != NULL)
        return;
    const struct table *table = catalog_find_again(catalog, name);
    if (table == NULL || table->definition.status == TABLE_CREATING)
        return;
    const struct table_definition *definition = &table->definition;
    const struct table_index *found = table_find_index(definition, index);
    if (slice_present(index))
        permission->keys = found == NULL ? NULL : &found->keys;
    else
        permission->keys = &definition->keys;
}

struct table *permission_table(const struct permission *permission, enum arn_kind *ret_kind) {
    const struct catalog_view *catalog = permission->call->context->catalog;
    struct arn arn;
    if (catalog == NULL || !arn_parse(permission->request.resource, &arn))
        return NULL;
    *ret_kind = arn.kind;
    struct table *table = arn.kind == ARN_OTHER ? NULL : catalog_find_again(catalog, arn.table);
    bool gone = table != NULL && arn.kind == ARN_STREAM &&
                !slice_equal(arn.id, table->definition.stream_label);
    return gone ? NULL : table;
}

void permission_init(struct permission *permission, struct op_call *call, const char *action,
                     struct slice table, struct slice index) {
    *permission = (struct permission){
        .call = call,
        .request = {.action = slice_text(action), .resource = table_arn(call, table, index)},
    };
    find_keys(permission, table, index);
}

/* ---- values ---- */

/* The array with room for one more: its capacity is the next power of two. */
static struct slice *room_for(struct arena *arena, struct slice *list, size_t count) {
    if ((count & (count - 1)) != 0)
        return list;
    struct slice *more = ARENA_ARRAY(arena, struct slice, count == 0 ? 1 : 2 * count);
    if (count > 0)
        memcpy(more, list, count * sizeof(*list));
    return more;
}

void permission_add(struct permission *permission, enum policy_key key, struct slice value) {
    struct policy_values *values = &permission->request.values[key];
    values->list = room_for(permission->call->arena, values->list, values->count);
    values->list[values->count++] = value;
}

void permission_add_named(struct permission *permission, enum policy_key key, struct slice name,
                          struct slice value) {
    struct policy_values *values = &permission->request.values[key];
    values->names = room_for(permission->call->arena, values->names, values->count);
    values->names[values->count] = name;
    permission_add(permission, key, value);
}

static void add_parameter(const struct permission_check *check, struct permission *permission,
                          enum policy_key key, const char *name) {
    const struct field *field = find_member(permission->call, FIELD_STRING, name);
    if (field == NULL || !permission_wanted(check, key))
        return;
    struct slice value = *(const struct slice *)member_at(permission->call, field);
    permission_add(permission, key, slice_present(value) ? value : SLICE_LITERAL("NONE"));
}

/* Tags that the request gives, and keys of tags that it takes away. */
static void add_tags(const struct permission_check *check, struct permission *permission) {
    const struct op_call *call = permission->call;
    const struct field *given = find_member(call, FIELD_STRUCT_LIST, "Tags");
    const struct field *taken = find_member(call, FIELD_STRING_LIST, "TagKeys");
    const struct field_list *tags = given == NULL ? NULL : member_at(call, given);
    const struct field_list *keys = taken == NULL ? NULL : member_at(call, taken);
    for (size_t i = 0; tags != NULL && i < tags->count; i++) {
        const struct tag_input *tag = (const struct tag_input *)tags->items + i;
        if (permission_wanted(check, POLICY_KEY_REQUEST_TAG))
            permission_add_named(permission, POLICY_KEY_REQUEST_TAG, tag->key, tag->value);
        permission_add(permission, POLICY_KEY_TAG_KEYS, tag->key);
    }
    for (size_t i = 0; keys != NULL && i < keys->count; i++)
        permission_add(permission, POLICY_KEY_TAG_KEYS, ((const struct slice *)keys->items)[i]);
}

void permission_add_parameters(const struct permission_check *check,
                               struct permission *permission) {
    add_parameter(check, permission, POLICY_KEY_RETURN_CONSUMED_CAPACITY, "ReturnConsumedCapacity");
    add_parameter(check, permission, POLICY_KEY_RETURN_VALUES, "ReturnValues");
    if (permission_wanted(check, POLICY_KEY_TAG_KEYS) ||
        permission_wanted(check, POLICY_KEY_REQUEST_TAG))
        add_tags(check, permission);
}

/* ---- what most operations need ---- */

/* What the service wants besides for a table that is to be filled. */
static const char *const filling_actions[] = {
    "dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:GetItem",    "dynamodb:PutItem",
    "dynamodb:Query",          "dynamodb:Scan",       "dynamodb:UpdateItem",
};

/* The partition does not matter to gramme, so it must not to a policy. */
static struct slice resource_of_arn(const struct op_call *call, struct slice text) {
    struct arn arn;
    if (!arn_parse(text, &arn))
        return text; /* the operation refuses it */
    return arena_printf(call->arena, "arn:aws:%.*s:%.*s:%.*s:%.*s", SLICE_ARGS(arn.service),
                        SLICE_ARGS(arn.region), SLICE_ARGS(arn.account), SLICE_ARGS(arn.resource));
}

static struct error *ask_filling(struct op_call *call, const struct permission_check *check,
                                 struct slice table) {
    for (size_t i = 0; i < sizeof(filling_actions) / sizeof(*filling_actions); i++) {
        struct permission permission;
        permission_init(&permission, call, filling_actions[i], table, SLICE_NONE);
        TRY(check->ask(check, &permission));
    }
    return NULL;
}

struct asking {
    struct permission permission;
    const struct permission_check *check;
    size_t count;
};

static struct slice arn_of(const struct op_call *call, const struct resource *resource) {
    if (resource->kind == RESOURCE_ARN)
        return resource_of_arn(call, resource->given);
    if (resource->kind == RESOURCE_GLOBAL_TABLE)
        return arena_printf(call->arena, "arn:aws:dynamodb::%.*s:global-table/%.*s",
                            SLICE_ARGS(call->context->account), SLICE_ARGS(resource->given));
    return table_arn(call, resource->given, resource->index);
}

/* What changes a global table is on the table of its name, too. */
static bool is_on_table(const struct permission *permission) {
    const struct action *action = action_find(permission->request.action);
    return action != NULL && (action->resources & ACTION_ON_TABLE);
}

static struct error *ask_resource(void *context, const struct resource *resource) {
    struct asking *asking = context;
    struct permission *permission = &asking->permission;
    struct op_call *call = permission->call;
    permission->request.resource = arn_of(call, resource);
    asking->count++;
    TRY(asking->check->ask(asking->check, permission));
    if (resource->kind == RESOURCE_GLOBAL_TABLE && is_on_table(permission)) {
        permission->request.resource = table_arn(call, resource->given, SLICE_NONE);
        TRY(asking->check->ask(asking->check, permission));
    }
    return resource->kind == RESOURCE_TARGET_TABLE
               ? ask_filling(call, asking->check, resource->given)
               : NULL;
}

static struct error *ask_default(struct op_call *call, const struct permission_check *check) {
    const struct op *op = call->op;
    struct asking asking = {{.call = call, .request = {.resource = SLICE_LITERAL("*")}}, check, 0};
    asking.permission.request.action = op->action != NULL
                                           ? slice_text(op->action)
                                           : arena_printf(call->arena, "dynamodb:%s", op->name);
    permission_add_parameters(check, &asking.permission);
    if (!(op->flags & OP_NO_RESOURCE))
        TRY(resources_visit(op->input, call->request, ask_resource, &asking));
    return asking.count == 0 ? check->ask(check, &asking.permission) : NULL;
}

struct error *permission_ask(struct op_call *call, const struct permission_check *check) {
    return call->op->authorize != NULL ? call->op->authorize(call, check)
                                       : ask_default(call, check);
}
