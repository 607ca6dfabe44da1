/* permission_values.c - what a request says of partitions and attributes.
 *
 * A name may come twice: conditions do not count. */
#include "ops/permission/permission.h"

#include "base/base64.h"

void permission_add_select(struct permission *permission, struct slice select, bool specific,
                           bool index) {
    if (!slice_present(select))
        select = specific ? SLICE_LITERAL("SPECIFIC_ATTRIBUTES")
                 : index  ? SLICE_LITERAL("ALL_PROJECTED_ATTRIBUTES")
                          : SLICE_LITERAL("ALL_ATTRIBUTES");
    permission_add(permission, POLICY_KEY_SELECT, select);
}

/* ---- partition keys ---- */

/* A string as it is, a number as it is printed, bytes in base64; absent: no key can be it. */
static struct slice text_of(struct arena *arena, struct value value) {
    struct slice scalar;
    if (value_type(value) == VALUE_S)
        return value_scalar(value);
    if (value_type(value) == VALUE_N) {
        char *text = arena_alloc(arena, NUMBER_TEXT_MAX);
        return slice_of(text, number_format(value_scalar(value), text));
    }
    if (value_type(value) != VALUE_B)
        return SLICE_NONE;
    scalar = value_scalar(value);
    uint8_t *text = arena_alloc(arena, base64_encoded_len(scalar.len));
    base64_encode(scalar, text);
    return slice_of(text, base64_encoded_len(scalar.len));
}

static const enum policy_key partition_keys[] = {POLICY_KEY_LEADING_KEYS, POLICY_KEY_SECOND_KEYS,
                                                 POLICY_KEY_THIRD_KEYS, POLICY_KEY_FOURTH_KEYS};
_Static_assert(sizeof(partition_keys) / sizeof(*partition_keys) == KEY_PARTS_MAX,
               "each attribute of a partition key has its condition key");

bool permission_wants_keys(const struct permission_check *check) {
    for (size_t part = 0; part < KEY_PARTS_MAX; part++)
        if (permission_wanted(check, partition_keys[part]))
            return true;
    return false;
}

void permission_add_key_value(const struct permission_check *check, struct permission *permission,
                              size_t part, struct value value) {
    if (!permission_wanted(check, partition_keys[part]))
        return;
    struct slice text = text_of(permission->call->arena, value);
    if (slice_present(text))
        permission_add(permission, partition_keys[part], text);
}

void permission_add_key(const struct permission_check *check, struct permission *permission,
                        struct value item) {
    if (permission->keys == NULL || !value_present(item))
        return;
    for (size_t part = 0; part < permission->keys->hash_count; part++)
        permission_add_key_value(check, permission, part,
                                 value_map_find(item, permission->keys->hash[part].name));
}

/* ---- attributes ---- */

void permission_add_item(const struct permission_check *check, struct permission *permission,
                         struct value item) {
    if (!permission_wanted(check, POLICY_KEY_ATTRIBUTES) || value_type(item) != VALUE_M)
        return;
    struct value_iter iter;
    value_iter_init(&iter, item);
    while (value_iter_next(&iter))
        permission_add(permission, POLICY_KEY_ATTRIBUTES, iter.name);
}

static struct error *add_path(void *context, const struct expr_path_visit *visit) {
    permission_add(context, POLICY_KEY_ATTRIBUTES, visit->name);
    return NULL;
}

void permission_add_expression(const struct permission_check *check, struct permission *permission,
                               const struct expr *expr) {
    if (expr != NULL && permission_wanted(check, POLICY_KEY_ATTRIBUTES))
        expr_visit_paths(expr, add_path, permission);
}

void permission_add_expressions(const struct permission_check *check, struct permission *permission,
                                const struct expressions *expressions) {
    for (size_t i = 0; i < expressions->count; i++)
        permission_add_expression(check, permission, expressions->list[i].bound);
}

void permission_add_name(const struct permission_check *check, struct permission *permission,
                         struct slice name) {
    if (permission_wanted(check, POLICY_KEY_ATTRIBUTES))
        permission_add(permission, POLICY_KEY_ATTRIBUTES, name);
}

void permission_add_names(const struct permission_check *check, struct permission *permission,
                          const struct field_list *names) {
    const struct slice *list = names->items;
    for (size_t i = 0; i < names->count; i++)
        permission_add_name(check, permission, list[i]);
}

void permission_add_action(const struct permission_check *check, struct permission *permission,
                           struct value attributes, const struct expressions *expressions) {
    permission_add_parameters(check, permission);
    permission_add(permission, POLICY_KEY_ENCLOSING_OPERATION,
                   slice_text(permission->call->op->name));
    permission_add_key(check, permission, attributes);
    permission_add_item(check, permission, attributes);
    permission_add_expressions(check, permission, expressions);
}

/* ---- what a write shows ---- */

struct error *permission_ask_write(const struct permission_check *check,
                                   struct permission *permission, struct slice on_failure) {
    TRY(check->ask(check, permission));
    if (!slice_is(on_failure, "ALL_OLD") || !permission_wanted(check, POLICY_KEY_RETURN_VALUES))
        return NULL;
    permission->request.values[POLICY_KEY_RETURN_VALUES] = (struct policy_values){0};
    permission_add(permission, POLICY_KEY_RETURN_VALUES, on_failure);
    return check->ask(check, permission);
}
