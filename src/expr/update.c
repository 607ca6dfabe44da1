/* update.c - an update, from the item as it was to the item as it shall be.
 *
 * The order of the run-time errors is the service's: a target whose parent is of the wrong kind;
 * operands of the wrong type; then clause by clause from the last to the first, targets that cannot
 * be written and attributes that are read and do not exist; then numbers out of range. */
#include "expr/update.h"

#include "base/check.h"

static const uint8_t empty_map[CONTAINER_HEADER] = {VALUE_M};

static struct error *bad_path(struct arena *arena) {
    return error_validation(
        arena, "The document path provided in the update expression is invalid for update");
}

/* ---- paths ---- */

static void find_paths(struct update_run *run) {
    const struct path_set *set = &run->update->path_set;
    if (!expr_finds_in_one_pass(run->update, run->item))
        return;
    run->places.values = arena_alloc(run->arena, set->count * sizeof(*run->places.values));
    run->places.parents = arena_alloc(run->arena, set->count * sizeof(*run->places.parents));
    path_set_find(set, run->item, run->places);
}

struct value update_find(const struct update_run *run, uint16_t path) {
    return run->places.values == NULL ? path_find(run->update->paths[path], run->item)
                                      : path_place_value(run->item, run->places.values[path]);
}

/* What the path's last element stands in; for paths of more than one element. */
static struct value update_find_parent(const struct update_run *run, uint16_t path) {
    return run->places.parents == NULL ? path_find_parent(run->update->paths[path], run->item)
                                       : path_place_value(run->item, run->places.parents[path]);
}

/* ---- checks ---- */

/* What the parent must be for the last element to stand in it. */
static bool parent_fits(struct path target, struct value parent) {
    bool by_index = path_element_is_index(&target.elements[target.count - 1]);
    return value_type(parent) == (by_index ? VALUE_L : VALUE_M);
}

static struct path target_of(const struct update_run *run, uint16_t action) {
    return run->update->paths[run->update->program->is.actions[action].path];
}

static struct value parent_of(const struct update_run *run, uint16_t action) {
    return update_find_parent(run, run->update->program->is.actions[action].path);
}

static struct error *check_parents(const struct update_run *run) {
    for (uint16_t i = 0; i < run->update->program->is.action_count; i++) {
        struct path target = target_of(run, i);
        if (target.count == 1)
            continue;
        struct value parent = parent_of(run, i);
        if (value_present(parent) && !parent_fits(target, parent))
            return bad_path(run->arena);
    }
    return NULL;
}

/* Actions first..last are those of one clause. */
static struct error *check_clause(const struct update_run *run, uint16_t first, uint16_t last,
                                  bool item_is_new) {
    const struct action *actions = run->update->program->is.actions;
    for (uint16_t i = first; i <= last; i++) {
        struct path target = target_of(run, i);
        if (target.count == 1 || (item_is_new && actions[i].section == SECTION_REMOVE))
            continue;
        if (!parent_fits(target, parent_of(run, i)))
            return bad_path(run->arena);
    }
    for (uint16_t i = first; i <= last; i++)
        if (run->changes[i].missing)
            return error_validation(run->arena, "The provided expression refers to an attribute "
                                                "that does not exist in the item");
    return NULL;
}

static struct error *check_clauses(const struct update_run *run, bool item_is_new) {
    const struct program_arrays *is = &run->update->program->is;
    for (uint16_t end = is->action_count; end > 0;) {
        uint16_t first = (uint16_t)(end - 1), last = first;
        while (first > 0 && is->actions[first - 1].clause == is->actions[last].clause)
            first--;
        TRY(check_clause(run, first, last, item_is_new));
        end = first;
    }
    return NULL;
}

/* Of a result with too many digits the service says what it says of one that is too large. */
static struct error *check_numbers(const struct update_run *run) {
    for (uint16_t i = 0; i < run->update->program->is.action_count; i++) {
        enum number_status status = run->changes[i].number_status;
        if (status == NUMBER_TOO_PRECISE)
            status = NUMBER_OVERFLOW;
        if (status != NUMBER_OK)
            return error_validation(run->arena, "%s", number_status_text(status));
    }
    return NULL;
}

/* ---- the whole ---- */

static struct error *run_update(struct update_run *run, bool item_is_new, struct value *ret_item) {
    CHECK(run->update->program->kind == EXPR_UPDATE);
    if (!value_present(run->item))
        run->item = (struct value){empty_map, sizeof(empty_map)};
    find_paths(run);
    TRY(check_parents(run));
    TRY(update_compute(run));
    TRY(check_clauses(run, item_is_new));
    TRY(check_numbers(run));
    return update_apply(run, ret_item);
}

struct error *expr_update(struct arena *arena, const struct expr *update, struct value item,
                          struct value *ret_item) {
    struct update_run run = {.arena = arena, .update = update, .item = item};
    return run_update(&run, false, ret_item);
}

struct error *expr_update_new_item(struct arena *arena, const struct expr *update, struct value key,
                                   struct value *ret_item) {
    struct update_run run = {.arena = arena, .update = update, .item = key};
    return run_update(&run, true, ret_item);
}
