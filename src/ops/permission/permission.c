/* permission.c - permissions and their resources; what an operation needs unless it says otherwise.
 *
 * The resource of an operation is in its members: a table's name makes the ARN of the table, a
 * member whose name ends in Arn is the resource itself, and a shard iterator has that of its
 * stream. An operation that only lists is about no resource, whatever it filters by. */
#include "ops/permission/permission.h"

#include "ops/item/table_lookup.h"
#include "ops/request/arn.h"

/* ---- members by their names ---- */

static struct slice member_at(const struct op_call *call, const struct field *field) {
    const char *at = (const char *)call->request + field->offset;
    return *(const struct slice *)(const void *)at;
}

static bool has_name(const struct field *field, const char *name) {
    return field->type == FIELD_STRING && strcmp(field->name, name) == 0;
}

static const struct field *find_member(const struct op_call *call, const char *name) {
    for (const struct field *field = call->op->input->fields; field->name != NULL; field++)
        if (has_name(field, name))
            return field;
    return NULL;
}

static struct slice member(const struct op_call *call, const char *name) {
    const struct field *field = find_member(call, name);
    return field == NULL ? SLICE_NONE : member_at(call, field);
}

/* ---- resources ---- */

/* One form for a table that can be named in several: what does not resolve is refused later. */
static struct slice table_arn(const struct op_call *call, struct slice given, struct slice index) {
    const struct op_context *context = call->context;
    struct slice name;
    if (table_name_resolve(call->arena, given, context->region, context->account, &name) != NULL)
        return given;
    return arena_printf(call->arena, "arn:aws:dynamodb:%.*s:%.*s:table/%.*s%s%.*s",
                        SLICE_ARGS(context->region), SLICE_ARGS(context->account), SLICE_ARGS(name),
                        slice_present(index) ? "/index/" : "", (int)index.len,
                        slice_present(index) ? (const char *)index.data : "");
}

static void find_keys(struct permission *permission, struct slice given, struct slice index) {
    struct table *table;
    if (permission->call->context->catalog == NULL ||
        table_lookup(permission->call, given, &table) != NULL)
        return;
    const struct table_definition *definition = &table->definition;
    const struct table_index *found = table_find_index(definition, index);
    if (slice_present(index))
        permission->keys = found == NULL ? NULL : &found->keys;
    else
        permission->keys = &definition->keys;
}

void permission_init(struct permission *permission, struct op_call *call, const char *action,
                     struct slice table, struct slice index) {
    *permission = (struct permission){
        .call = call,
        .action = slice_text(action),
        .resource = table_arn(call, table, index),
    };
    find_keys(permission, table, index);
}

/* ---- values ---- */

void permission_add(struct permission *permission, enum permission_key key, struct slice value) {
    struct permission_values *values = &permission->values[key];
    /* The capacity is the next power of two. */
    if ((values->count & (values->count - 1)) == 0) {
        size_t capacity = values->count == 0 ? 1 : 2 * values->count;
        struct slice *list = ARENA_ARRAY(permission->call->arena, struct slice, capacity);
        if (values->count > 0)
            memcpy(list, values->list, values->count * sizeof(*list));
        values->list = list;
    }
    values->list[values->count++] = value;
}

static void add_parameter(const struct permission_check *check, struct permission *permission,
                          enum permission_key key, const char *name) {
    const struct field *field = find_member(permission->call, name);
    if (field == NULL || !permission_wanted(check, key))
        return;
    struct slice value = member_at(permission->call, field);
    permission_add(permission, key, slice_present(value) ? value : SLICE_LITERAL("NONE"));
}

void permission_add_parameters(const struct permission_check *check,
                               struct permission *permission) {
    add_parameter(check, permission, PERMISSION_RETURN_CONSUMED_CAPACITY, "ReturnConsumedCapacity");
    add_parameter(check, permission, PERMISSION_RETURN_VALUES, "ReturnValues");
}

/* ---- what most operations need ---- */

static const char *const table_members[] = {"TableName", "SourceTableName", "TargetTableName"};

/* What the service wants besides for a table that is to be filled. */
static const char *const filling_actions[] = {
    "dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:GetItem",    "dynamodb:PutItem",
    "dynamodb:Query",          "dynamodb:Scan",       "dynamodb:UpdateItem",
};

static bool names_table(const struct field *field) {
    for (size_t i = 0; i < sizeof(table_members) / sizeof(*table_members); i++)
        if (has_name(field, table_members[i]))
            return true;
    return false;
}

static bool names_arn(const struct field *field) {
    const struct slice suffix = SLICE_LITERAL("Arn");
    struct slice name = slice_of(field->name, field->name_len);
    return field->type == FIELD_STRING && name.len > suffix.len &&
           slice_equal(slice_skip(name, name.len - suffix.len), suffix);
}

/* Of ListBackups, ListStreams, ...: tables are what they filter by. ListTagsOfResource is about
 * one. */
static bool filters(const struct op_call *call, const struct field *field) {
    return strncmp(call->op->name, "List", 4) == 0 && !has_name(field, "ResourceArn");
}

/* The partition does not matter to gramme, so it must not to a policy; an ARN of another service is
 * a destination, no resource. */
static bool resource_of_arn(const struct op_call *call, struct slice text,
                            struct slice *ret_resource) {
    struct arn arn;
    *ret_resource = text;
    if (!arn_parse(text, &arn))
        return true; /* the operation refuses it */
    if (!slice_is(arn.service, "dynamodb"))
        return false;
    *ret_resource =
        arena_printf(call->arena, "arn:aws:dynamodb:%.*s:%.*s:%.*s", SLICE_ARGS(arn.region),
                     SLICE_ARGS(arn.account), SLICE_ARGS(arn.resource));
    return true;
}

/* A shard iterator begins with the ARN of its stream. */
static struct slice iterator_arn(struct slice iterator) {
    const uint8_t *end = iterator.len == 0 ? NULL : memchr(iterator.data, '|', iterator.len);
    return end == NULL ? iterator : slice_of(iterator.data, (size_t)(end - iterator.data));
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

/* A member that names no resource, or is absent, counts for nothing. */
static struct error *ask_member(struct permission *permission, const struct permission_check *check,
                                const struct field *field, size_t *count) {
    struct op_call *call = permission->call;
    bool table = names_table(field), iterator = has_name(field, "ShardIterator");
    if ((!table && !iterator && !names_arn(field)) || filters(call, field))
        return NULL;
    struct slice given = member_at(call, field);
    if (!slice_present(given))
        return NULL;
    if (table)
        permission->resource = table_arn(call, given, member(call, "IndexName"));
    else if (!resource_of_arn(call, iterator ? iterator_arn(given) : given, &permission->resource))
        return NULL;
    (*count)++;
    TRY(check->ask(check, permission));
    return has_name(field, "TargetTableName") ? ask_filling(call, check, given) : NULL;
}

static struct error *ask_default(struct op_call *call, const struct permission_check *check) {
    struct permission permission = {.call = call, .resource = SLICE_LITERAL("*")};
    size_t count = 0;
    permission.action = call->op->action != NULL
                            ? slice_text(call->op->action)
                            : arena_printf(call->arena, "dynamodb:%s", call->op->name);
    permission_add_parameters(check, &permission);
    for (const struct field *field = call->op->input->fields; field->name != NULL; field++)
        TRY(ask_member(&permission, check, field, &count));
    return count == 0 ? check->ask(check, &permission) : NULL;
}

struct error *permission_ask(struct op_call *call, const struct permission_check *check) {
    return call->op->authorize != NULL ? call->op->authorize(call, check)
                                       : ask_default(call, check);
}
