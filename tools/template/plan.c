/* plan.c - a plan's lines and steps, and which of the four things happens to a table: nothing, it
 * is made, it is changed, or it is replaced because its keys or local indexes cannot be changed. */
#include "template/plan.h"

#include "template/request.h"

/* ---- lists that grow ---- */

static void *grown(struct arena *arena, void *old, size_t count, size_t size, size_t *capacity) {
    if (count < *capacity)
        return old;
    *capacity = *capacity == 0 ? 16 : 2 * *capacity;
    char *larger = arena_zalloc(arena, *capacity * size);
    if (count > 0)
        memcpy(larger, old, count * size);
    return larger;
}

void plan_line(struct plan *plan, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct slice line = arena_vprintf(plan->arena, format, args);
    va_end(args);
    plan->lines =
        grown(plan->arena, plan->lines, plan->line_count, sizeof(line), &plan->line_capacity);
    plan->lines[plan->line_count++] = line;
}

void plan_loss(struct plan *plan, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct slice loss = arena_vprintf(plan->arena, format, args);
    va_end(args);
    plan->losses =
        grown(plan->arena, plan->losses, plan->loss_count, sizeof(loss), &plan->loss_capacity);
    plan->losses[plan->loss_count++] = loss;
}

void plan_step(struct plan *plan, struct plan_step step) {
    plan->steps =
        grown(plan->arena, plan->steps, plan->step_count, sizeof(step), &plan->step_capacity);
    plan->steps[plan->step_count++] = step;
}

/* ---- comparing ---- */

static bool parts_equal(const struct key_attribute *a, const struct key_attribute *b,
                        size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!slice_equal(a[i].name, b[i].name) || a[i].type != b[i].type)
            return false;
    return true;
}

static bool key_schema_equal(const struct key_schema *a, const struct key_schema *b) {
    return a->hash_count == b->hash_count && a->range_count == b->range_count &&
           parts_equal(a->hash, b->hash, a->hash_count) &&
           parts_equal(a->range, b->range, a->range_count);
}

bool index_equal(const struct table_index *a, const struct table_index *b) {
    if (!key_schema_equal(&a->keys, &b->keys) || a->projection != b->projection ||
        a->non_key_attribute_count != b->non_key_attribute_count)
        return false;
    for (size_t i = 0; i < a->non_key_attribute_count; i++)
        if (!slice_equal(a->non_key_attributes[i], b->non_key_attributes[i]))
            return false;
    return true;
}

/* Each local index of `a` is in `b` as well. */
static bool local_indexes_in(const struct table_definition *a, const struct table_definition *b,
                             struct slice *ret_differs) {
    for (size_t i = 0; i < a->index_count; i++) {
        const struct table_index *index = &a->indexes[i];
        const struct table_index *other = table_find_index(b, index->name);
        if (index->global || (other != NULL && !other->global && index_equal(index, other)))
            continue;
        *ret_differs = index->name;
        return false;
    }
    return true;
}

/* ---- texts ---- */

/* "pk (S, HASH), sk (N, RANGE)" */
static struct slice keys_text(struct arena *arena, const struct key_schema *keys) {
    struct slice text = SLICE_LITERAL("");
    for (size_t i = 0; i < keys->hash_count; i++)
        text = arena_printf(arena, "%.*s%s%.*s (%s, HASH)", SLICE_ARGS(text), i == 0 ? "" : ", ",
                            SLICE_ARGS(keys->hash[i].name), value_type_name(keys->hash[i].type));
    for (size_t i = 0; i < keys->range_count; i++)
        text = arena_printf(arena, "%.*s, %.*s (%s, RANGE)", SLICE_ARGS(text),
                            SLICE_ARGS(keys->range[i].name), value_type_name(keys->range[i].type));
    return text;
}

struct slice index_text(struct arena *arena, const struct table_index *index) {
    struct slice text =
        arena_printf(arena, "%.*s; projects %s", SLICE_ARGS(keys_text(arena, &index->keys)),
                     projection_type_name(index->projection));
    for (size_t i = 0; i < index->non_key_attribute_count; i++)
        text = arena_printf(arena, "%.*s%s%.*s", SLICE_ARGS(text), i == 0 ? " " : ", ",
                            SLICE_ARGS(index->non_key_attributes[i]));
    return text;
}

/* ---- a new table ---- */

static void show_new_table(struct plan *plan, const struct table_state *state) {
    const struct table_definition *wanted = &state->definition;
    const char *billing = billing_mode_name(wanted->billing);
    plan_line(plan, "    keys: %.*s", SLICE_ARGS(keys_text(plan->arena, &wanted->keys)));
    if (wanted->billing == BILLING_PAY_PER_REQUEST)
        plan_line(plan, "    billing: %s", billing);
    else
        plan_line(plan, "    billing: %s, %lld reads and %lld writes per second", billing,
                  (long long)wanted->throughput.read_units,
                  (long long)wanted->throughput.write_units);
    for (size_t i = 0; i < wanted->index_count; i++)
        plan_line(plan, "    %s index %.*s: %.*s", wanted->indexes[i].global ? "global" : "local",
                  SLICE_ARGS(wanted->indexes[i].name),
                  SLICE_ARGS(index_text(plan->arena, &wanted->indexes[i])));
    if (wanted->stream != STREAM_OFF)
        plan_line(plan, "    stream: %s", stream_view_name(wanted->stream));
    if (wanted->sse_kms)
        plan_line(plan, "    encryption: %s", sse_type_name(SSE_KMS));
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct table_setting *setting = &table_settings[i];
        int value = setting_value(setting, wanted);
        if (value != setting_default(setting))
            plan_line(plan, "    %s: %s", setting->label, setting_text(setting, value));
    }
    for (size_t i = 0; i < wanted->tag_count; i++)
        plan_line(plan, "    tag: %.*s = %.*s", SLICE_ARGS(wanted->tags[i].key),
                  SLICE_ARGS(wanted->tags[i].value));
    if (state->policy != NULL)
        plan_line(plan, "    policy: %.*s", SLICE_ARGS(policy_text(plan->arena, state->policy)));
}

static void plan_create(struct plan *plan, const struct table_state *wanted) {
    struct slice name = wanted->definition.name;
    show_new_table(plan, wanted);
    plan_step(plan, (struct plan_step){
                        "CreateTable",
                        request_create_table(plan->arena, wanted),
                        arena_printf(plan->arena, "creating table %.*s", SLICE_ARGS(name)),
                        WAIT_ACTIVE,
                    });
    /* CreateTable takes all but these three; a new table has its tags and its policy already. */
    struct table_state nothing_on = {.definition = wanted->definition, .policy = wanted->policy};
    nothing_on.definition.ttl_attribute = SLICE_NONE;
    nothing_on.definition.insights = (struct contributor_insights){.enabled = false};
    nothing_on.definition.index_count = 0;
    plan_settings(plan, wanted, &nothing_on, SLICE_NONE);
    plan_access(plan, wanted, &nothing_on, SLICE_NONE);
}

/* ---- replacing ---- */

static struct slice why_replace(struct arena *arena, const struct table_definition *wanted,
                                const struct table_definition *found) {
    struct slice index;
    if (!key_schema_equal(&wanted->keys, &found->keys))
        return arena_printf(arena, "keys: %.*s → %.*s", SLICE_ARGS(keys_text(arena, &found->keys)),
                            SLICE_ARGS(keys_text(arena, &wanted->keys)));
    if (!local_indexes_in(wanted, found, &index) || !local_indexes_in(found, wanted, &index))
        return arena_printf(arena,
                            "local index %.*s differs; local indexes are made with the table",
                            SLICE_ARGS(index));
    return SLICE_NONE;
}

/* A protected table stays, unless the template wants it without protection. */
static void unprotect(struct plan *plan, const struct wanted_table *wanted,
                      const struct found_table *found) {
    const struct table_definition *definition = &wanted->state.definition;
    struct slice name = definition->name;
    if (wanted->keep)
        plan->forbidden = arena_printf(plan->arena,
                                       "table %.*s would be replaced, and its UpdateReplacePolicy "
                                       "keeps it",
                                       SLICE_ARGS(name));
    if (!found->state.definition.deletion_protected)
        return;
    if (definition->deletion_protected) {
        plan->forbidden = arena_printf(plan->arena,
                                       "table %.*s would be replaced, and it is protected against "
                                       "deletion",
                                       SLICE_ARGS(name));
        return;
    }
    plan_step(
        plan,
        (struct plan_step){
            "UpdateTable",
            request_setting(plan->arena, definition, &table_settings[SETTING_DELETION_PROTECTION]),
            arena_printf(plan->arena, "ending the protection of table %.*s", SLICE_ARGS(name)),
            WAIT_ACTIVE,
        });
}

static void plan_replace(struct plan *plan, const struct wanted_table *wanted,
                         const struct found_table *found, struct slice why) {
    struct slice name = wanted->state.definition.name;
    plan->action = PLAN_REPLACE;
    plan_line(plan, "~ replace table %.*s", SLICE_ARGS(name));
    plan_line(plan, "    ~ %.*s", SLICE_ARGS(why));
    plan_loss(plan, "table %.*s would be deleted with all its items and made anew (%.*s)",
              SLICE_ARGS(name), SLICE_ARGS(why));
    unprotect(plan, wanted, found);
    plan_step(plan, (struct plan_step){
                        "DeleteTable",
                        request_table_name(plan->arena, name),
                        arena_printf(plan->arena, "deleting table %.*s", SLICE_ARGS(name)),
                        WAIT_GONE,
                    });
    plan_create(plan, &wanted->state);
}

void table_plan(struct arena *arena, const struct wanted_table *wanted,
                const struct found_table *found, struct plan *ret_plan) {
    const struct table_definition *definition = &wanted->state.definition;
    *ret_plan = (struct plan){.arena = arena};
    if (found == NULL) {
        ret_plan->action = PLAN_CREATE;
        plan_line(ret_plan, "+ create table %.*s", SLICE_ARGS(definition->name));
        plan_create(ret_plan, &wanted->state);
        return;
    }
    struct slice why = why_replace(arena, definition, &found->state.definition);
    if (slice_present(why)) {
        plan_replace(ret_plan, wanted, found, why);
        return;
    }
    plan_line(ret_plan, "~ change table %.*s", SLICE_ARGS(definition->name));
    plan_changes(ret_plan, &wanted->state, &found->state);
    plan_settings(ret_plan, &wanted->state, &found->state, found->arn);
    plan_access(ret_plan, &wanted->state, &found->state, found->arn);
    ret_plan->action = ret_plan->step_count > 0 ? PLAN_CHANGE : PLAN_NOTHING;
    if (ret_plan->step_count == 0)
        ret_plan->lines[0] = arena_printf(arena, "= table %.*s", SLICE_ARGS(definition->name));
}
