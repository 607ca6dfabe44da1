/* partiql_permission.c - what a policy may want to know of a statement.
 *
 * A SELECT scans when its WHERE does not say which partitions it means: the same plan decides that
 * will run. The table need not be there; then only a statement without WHERE is known to scan. An
 * error of planning is told when the statement runs, and it runs no further. */
#include "ops/partiql/partiql_permission.h"

#include "partiql/parser.h"

static const char *action_of(enum verb verb) {
    switch (verb) {
    case VERB_INSERT:
        return "dynamodb:PartiQLInsert";
    case VERB_UPDATE:
        return "dynamodb:PartiQLUpdate";
    case VERB_DELETE:
        return "dynamodb:PartiQLDelete";
    case VERB_SELECT:
    case VERB_EXISTS:
        break;
    }
    return "dynamodb:PartiQLSelect";
}

/* ---- partitions ---- */

static void add_scan(struct permission *permission, bool scans) {
    permission_add(permission, POLICY_KEY_FULL_TABLE_SCAN,
                   scans ? SLICE_LITERAL("true") : SLICE_LITERAL("false"));
}

static void add_ranges(const struct permission_check *check, struct permission *permission,
                       const struct partiql *partiql) {
    if (partiql->statement->where == NULL) {
        add_scan(permission, true);
        return;
    }
    if (permission->keys == NULL ||
        (!permission_wanted(check, POLICY_KEY_FULL_TABLE_SCAN) && !permission_wants_keys(check)))
        return;
    struct arena *arena = permission->call->arena;
    struct partiql_ranges *ranges = ARENA_NEW(arena, struct partiql_ranges);
    struct error *error = partiql_ranges(arena, partiql, permission->keys, ranges);
    add_scan(permission, !ranges->keyed);
    for (size_t i = 0; error == NULL && ranges->keyed && i < ranges->count; i++)
        permission_add_key_value(check, permission, 0, ranges->list[i].hash.value);
}

static void add_key(const struct permission_check *check, struct permission *permission,
                    const struct partiql *partiql) {
    struct value key = VALUE_ABSENT;
    enum partiql_key_fit fit;
    if (permission->keys == NULL || !permission_wants_keys(check) ||
        partiql_key(permission->call->arena, partiql, permission->keys, &key, &fit) != NULL)
        return;
    permission_add_key(check, permission, key);
}

/* ---- attributes ---- */

static void add_attributes(const struct permission_check *check, struct permission *permission,
                           const struct partiql *partiql) {
    for (size_t i = 0; i < partiql->column_count; i++)
        permission_add_name(check, permission, partiql->columns[i].path.elements[0].name);
    for (const struct order_term *term = partiql->statement->order; term != NULL; term = term->next)
        permission_add_name(check, permission, term->name);
    permission_add_item(check, permission, partiql->item);
    permission_add_expression(check, permission, partiql->where);
    permission_add_expression(check, permission, partiql->update);
}

static struct slice return_values(enum returning returning) {
    switch (returning) {
    case RETURNING_ALL_OLD:
        return SLICE_LITERAL("ALL_OLD");
    case RETURNING_ALL_NEW:
        return SLICE_LITERAL("ALL_NEW");
    case RETURNING_MODIFIED_OLD:
        return SLICE_LITERAL("UPDATED_OLD");
    case RETURNING_MODIFIED_NEW:
        return SLICE_LITERAL("UPDATED_NEW");
    case RETURNING_NOTHING:
        break;
    }
    return SLICE_LITERAL("NONE");
}

/* ---- the whole ---- */

struct error *partiql_permission_ask(struct op_call *call, const struct permission_check *check,
                                     const struct partiql_call *statement, struct slice on_failure,
                                     bool transaction) {
    const struct partiql *partiql = &statement->partiql;
    enum verb verb = partiql->statement->verb;
    struct permission permission;
    permission_init(&permission, call, action_of(verb), partiql->table_name, partiql->index_name);
    if (transaction)
        permission_add(&permission, POLICY_KEY_ENCLOSING_OPERATION, slice_text(call->op->name));
    if (partiql_reads(partiql)) {
        permission_add_select(&permission, SLICE_NONE, partiql->column_count > 0,
                              slice_present(partiql->index_name));
        add_ranges(check, &permission, partiql);
    } else if (verb == VERB_INSERT) {
        permission_add_key(check, &permission, partiql->item);
    } else {
        permission_add(&permission, POLICY_KEY_RETURN_VALUES,
                       return_values(partiql->statement->returning));
        add_key(check, &permission, partiql);
    }
    add_attributes(check, &permission, partiql);
    return permission_ask_write(check, &permission,
                                partiql_reads(partiql) ? SLICE_NONE : on_failure);
}
