/* update_check.c - walks over the paths that an update writes. */
#include "ops/item/update_check.h"

#include "model/index_key.h"
#include "model/key.h"

struct target_check {
    struct arena *arena;
    const struct table_definition *table;
};

static struct error *check_target(void *context, const struct expr_path_visit *visit) {
    const struct target_check *check = context;
    if (visit->target && key_schema_has(&check->table->keys, visit->name))
        return error_validation(
            check->arena, PVI "Cannot update attribute %.*s. This attribute is part of the key",
            SLICE_ARGS(visit->name));
    return NULL;
}

static struct error *check_assigned(void *context, const struct expr_path_visit *visit) {
    const struct target_check *check = context;
    if (visit->assigned_type == VALUE_NONE)
        return NULL;
    return index_check_assigned(check->arena, check->table, visit->name, visit->assigned_type);
}

struct error *update_check(struct arena *arena, const struct expr *update,
                           const struct table_definition *table) {
    if (update == NULL)
        return NULL;
    struct target_check check = {arena, table};
    TRY(expr_visit_paths(update, check_target, &check));
    return expr_visit_paths(update, check_assigned, &check);
}
