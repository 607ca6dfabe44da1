/* plan_changes.c - the UpdateTable requests that make one definition of the other.
 *
 * Order: what stands alone first; indexes go before the billing mode changes, because a provisioned
 * table must name the throughput of every index it has, and come after it. */
#include "template/plan.h"
#include "template/request.h"

struct change {
    struct plan *plan;
    const struct table_definition *wanted;
    const struct table_definition *found;
};

static void update(const struct change *change, struct slice body, const char *what) {
    plan_step(change->plan, (struct plan_step){
                                "UpdateTable",
                                body,
                                arena_printf(change->plan->arena, "changing the %s of %.*s", what,
                                             SLICE_ARGS(change->wanted->name)),
                                WAIT_ACTIVE,
                            });
}

/* ---- what stands alone ---- */

/* The last setting first, which is the table's protection. */
static void change_settings(const struct change *change) {
    for (size_t i = SETTING_COUNT; i-- > 0;) {
        const struct table_setting *setting = &table_settings[i];
        int from = setting_value(setting, change->found);
        int to = setting_value(setting, change->wanted);
        if (from == to)
            continue;
        plan_line(change->plan, "    ~ %s: %s → %s", setting->label, setting_text(setting, from),
                  setting_text(setting, to));
        update(change, request_setting(change->plan->arena, change->wanted, setting),
               setting->label);
    }
}

/* The service answers with the ARN of a key; a template may give its ARN, its id or an alias. What
 * key an alias stands for is not known here, so it is taken to be this one. */
static bool same_key(struct slice wanted, struct slice found) {
    if (!slice_present(wanted) || slice_equal(wanted, found))
        return true;
    bool alias = memmem(wanted.data, wanted.len, "alias/", 6) != NULL;
    if (alias && slice_present(found) && memmem(found.data, found.len, "alias/", 6) == NULL)
        return true;
    return slice_present(found) && slice_ends_with(found, wanted);
}

static const char *encryption_text(const struct table_definition *definition) {
    return definition->sse_kms ? sse_type_name(SSE_KMS) : "the service's own key";
}

static void change_encryption(const struct change *change) {
    const struct table_definition *wanted = change->wanted, *found = change->found;
    if (wanted->sse_kms == found->sse_kms &&
        (!wanted->sse_kms || same_key(wanted->sse_key_arn, found->sse_key_arn)))
        return;
    if (wanted->sse_kms && found->sse_kms)
        plan_line(change->plan, "    ~ encryption key: %.*s → %.*s", SLICE_ARGS(found->sse_key_arn),
                  SLICE_ARGS(wanted->sse_key_arn));
    else
        plan_line(change->plan, "    ~ encryption: %s → %s", encryption_text(found),
                  encryption_text(wanted));
    update(change, request_encryption(change->plan->arena, wanted), "encryption");
}

/* ---- indexes ---- */

static void remove_index(const struct change *change, const struct table_index *index,
                         const char *why) {
    struct arena *arena = change->plan->arena;
    struct slice table = change->wanted->name;
    plan_line(change->plan, "    - index %.*s", SLICE_ARGS(index->name));
    plan_loss(change->plan, "index %.*s of table %.*s would be removed%s", SLICE_ARGS(index->name),
              SLICE_ARGS(table), why);
    plan_step(change->plan, (struct plan_step){
                                "UpdateTable",
                                request_index_delete(arena, table, index->name),
                                arena_printf(arena, "removing index %.*s of %.*s",
                                             SLICE_ARGS(index->name), SLICE_ARGS(table)),
                                WAIT_ACTIVE,
                            });
}

static void remove_indexes(const struct change *change) {
    for (size_t i = 0; i < change->found->index_count; i++) {
        const struct table_index *index = &change->found->indexes[i];
        if (!index->global)
            continue;
        const struct table_index *wanted = table_find_index(change->wanted, index->name);
        if (wanted == NULL)
            remove_index(change, index, "");
        else if (!index_equal(wanted, index))
            remove_index(change, index, " and made anew");
    }
}

/* The index as it stays: in both states, and the same. */
static const struct table_index *kept(const struct change *change,
                                      const struct table_index *index) {
    const struct table_index *found = table_find_index(change->found, index->name);
    return index->global && found != NULL && index_equal(index, found) ? found : NULL;
}

static void create_indexes(const struct change *change) {
    struct arena *arena = change->plan->arena;
    for (size_t i = 0; i < change->wanted->index_count; i++) {
        const struct table_index *index = &change->wanted->indexes[i];
        if (!index->global || kept(change, index) != NULL)
            continue;
        plan_line(change->plan, "    + index %.*s: %.*s", SLICE_ARGS(index->name),
                  SLICE_ARGS(index_text(arena, index)));
        plan_step(change->plan,
                  (struct plan_step){
                      "UpdateTable",
                      request_index_create(arena, change->wanted, index),
                      arena_printf(arena, "creating index %.*s of %.*s", SLICE_ARGS(index->name),
                                   SLICE_ARGS(change->wanted->name)),
                      WAIT_ACTIVE,
                  });
    }
}

/* ---- capacity ---- */

static struct slice units_text(struct arena *arena, int64_t units) {
    return units == -1 ? SLICE_LITERAL("none") : arena_printf(arena, "%lld", (long long)units);
}

static struct slice change_text(struct arena *arena, const char *what, int64_t from, int64_t to) {
    return arena_printf(arena, "%s %.*s → %.*s", what, SLICE_ARGS(units_text(arena, from)),
                        SLICE_ARGS(units_text(arena, to)));
}

/* "capacity: reads 5 → 10", with what differs. */
static void show_units(struct plan *plan, struct slice what, struct unit_pair from,
                       struct unit_pair to) {
    struct slice read = change_text(plan->arena, "reads", from.read, to.read);
    struct slice write = change_text(plan->arena, "writes", from.write, to.write);
    bool both = from.read != to.read && from.write != to.write;
    if (both)
        read = arena_printf(plan->arena, "%.*s, %.*s", SLICE_ARGS(read), SLICE_ARGS(write));
    else if (from.read == to.read)
        read = write;
    plan_line(plan, "    ~ %.*s: %.*s", SLICE_ARGS(what), SLICE_ARGS(read));
}

static struct slice of_index(const struct change *change, const char *what,
                             const struct table_index *index) {
    return arena_printf(change->plan->arena, "%s of index %.*s", what, SLICE_ARGS(index->name));
}

static bool same_units(struct unit_pair a, struct unit_pair b) {
    return a.read == b.read && a.write == b.write;
}

static struct unit_pair units_of(const struct provisioned_throughput *throughput) {
    return (struct unit_pair){throughput->read_units, throughput->write_units};
}

static void add_index_capacity(const struct change *change, struct capacity_change *capacity) {
    for (size_t i = 0; i < change->wanted->index_count; i++) {
        const struct table_index *index = &change->wanted->indexes[i], *old = kept(change, index);
        if (old == NULL)
            continue;
        struct unit_pair to = units_of(&index->throughput), from = units_of(&old->throughput);
        if (!capacity->billing && same_units(to, from))
            continue;
        capacity->indexes[capacity->index_count++] = index;
        show_units(change->plan, of_index(change, "capacity", index), from, to);
    }
}

static void change_capacity(const struct change *change) {
    const struct table_definition *wanted = change->wanted, *found = change->found;
    struct capacity_change capacity = {.billing = wanted->billing != found->billing};
    struct unit_pair to = units_of(&wanted->throughput), from = units_of(&found->throughput);
    capacity.indexes =
        ARENA_ARRAY(change->plan->arena, const struct table_index *, wanted->index_count + 1);
    if (capacity.billing)
        plan_line(change->plan, "    ~ billing: %s → %s", billing_mode_name(found->billing),
                  billing_mode_name(wanted->billing));
    if (wanted->billing == BILLING_PROVISIONED) {
        capacity.table = capacity.billing || !same_units(to, from);
        if (capacity.table)
            show_units(change->plan, SLICE_LITERAL("capacity"), from, to);
        add_index_capacity(change, &capacity);
    }
    if (capacity.billing || capacity.table || capacity.index_count > 0)
        update(change, request_capacity(change->plan->arena, wanted, &capacity), "capacity");
}

/* Going to PROVISIONED clears these limits by itself. */
static void change_on_demand(const struct change *change) {
    const struct table_definition *wanted = change->wanted, *found = change->found;
    struct arena *arena = change->plan->arena;
    if (wanted->billing == BILLING_PROVISIONED)
        return;
    if (!same_units(wanted->on_demand, found->on_demand)) {
        show_units(change->plan, SLICE_LITERAL("on-demand limits"), found->on_demand,
                   wanted->on_demand);
        update(change, request_on_demand(arena, wanted->name, wanted->on_demand),
               "on-demand limits");
    }
    for (size_t i = 0; i < wanted->index_count; i++) {
        const struct table_index *index = &wanted->indexes[i], *old = kept(change, index);
        if (old == NULL || same_units(index->on_demand, old->on_demand))
            continue;
        struct slice what = of_index(change, "on-demand limits", index);
        show_units(change->plan, what, old->on_demand, index->on_demand);
        update(change, request_index_on_demand(arena, wanted->name, index, index->on_demand),
               (const char *)what.data);
    }
}

/* What is wanted beyond what is there; warm throughput never shrinks, so less is left as it is. */
static struct unit_pair raised(struct unit_pair wanted, struct unit_pair found) {
    return (struct unit_pair){wanted.read > found.read ? wanted.read : -1,
                              wanted.write > found.write ? wanted.write : -1};
}

static void show_warm(struct plan *plan, struct slice what, struct unit_pair found,
                      struct unit_pair raise) {
    show_units(plan, what, found,
               (struct unit_pair){raise.read == -1 ? found.read : raise.read,
                                  raise.write == -1 ? found.write : raise.write});
}

static void change_warm(const struct change *change) {
    const struct table_definition *wanted = change->wanted, *found = change->found;
    struct arena *arena = change->plan->arena;
    struct unit_pair raise = raised(wanted->warm, found->warm);
    if (!same_units(raise, UNITS_UNSET)) {
        show_warm(change->plan, SLICE_LITERAL("warm throughput"), found->warm, raise);
        update(change, request_warm(arena, wanted->name, raise), "warm throughput");
    }
    for (size_t i = 0; i < wanted->index_count; i++) {
        const struct table_index *index = &wanted->indexes[i], *old = kept(change, index);
        raise = old == NULL ? UNITS_UNSET : raised(index->warm, old->warm);
        if (same_units(raise, UNITS_UNSET))
            continue;
        struct slice what = of_index(change, "warm throughput", index);
        show_warm(change->plan, what, old->warm, raise);
        update(change, request_index_warm(arena, wanted->name, index, raise),
               (const char *)what.data);
    }
}

void plan_changes(struct plan *plan, const struct table_state *wanted,
                  const struct table_state *found) {
    struct change change = {plan, &wanted->definition, &found->definition};
    change_settings(&change);
    change_encryption(&change);
    remove_indexes(&change);
    change_capacity(&change);
    change_on_demand(&change);
    change_warm(&change);
    create_indexes(&change);
}
