/* update_indexes.c - the index part of UpdateTable: checks, and what becomes of the definition. */
#include "model/capacity.h"
#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/table/table_indexes.h"
#include "ops/table/table_keys.h"
#include "ops/table/table_settings.h"
#include "ops/table/update_table.h"

static struct slice updated_name(const struct global_index_update_input *update) {
    if (update->update != NULL)
        return update->update->index_name;
    return update->create != NULL ? update->create->index_name : update->delete->index_name;
}

static struct error *check_create(struct arena *arena, const struct global_index_input *index,
                                  const struct definitions *definitions) {
    if (!definitions->list->present)
        return error_request(arena, PVI "AttributeDefinitions is not specified for index: %.*s",
                             SLICE_ARGS(index->index_name));
    TRY(global_keys_check(arena, &index->key_schema, definitions));
    TRY(projection_check(arena, index->projection));
    return throughput_check_bounds(arena, index->provisioned_throughput,
                                   (struct settings_owner){index->index_name});
}

static struct error *check_update(struct arena *arena,
                                  const struct global_index_update_input *update,
                                  const struct definitions *definitions) {
    int actions = (update->update != NULL) + (update->create != NULL) + (update->delete != NULL);
    if (actions == 0)
        return error_request(arena, PVI "One of GlobalSecondaryIndexUpdate.Update, "
                                        "GlobalSecondaryIndexUpdate.Create, "
                                        "GlobalSecondaryIndexUpdate.Delete must not be null");
    if (actions > 1)
        return error_request(arena, PVI "Only one global secondary index action is allowed per "
                                        "GlobalSecondaryIndexUpdate object");
    if (update->create != NULL)
        return check_create(arena, update->create, definitions);
    if (update->update != NULL)
        return throughput_check_bounds(arena, update->update->provisioned_throughput,
                                       (struct settings_owner){update->update->index_name});
    return NULL;
}

static struct error *check_names_differ(struct arena *arena, const struct field_list *updates) {
    const struct global_index_update_input *update = updates->items;
    struct name_set names = name_set_new(arena, updates->count);
    for (size_t i = 0; i < updates->count; i++)
        names.names[names.count++] = updated_name(&update[i]);
    name_set_sort(&names);
    struct slice name = name_set_duplicate(&names);
    if (!slice_present(name))
        return NULL;
    return error_request(arena,
                         PVI "Only one global secondary index update per index is allowed "
                             "simultaneously. Index: %.*s",
                         SLICE_ARGS(name));
}

static struct error *check_vector_updates(struct arena *arena, const struct field_list *updates) {
    const struct vector_index_update_input *update = updates->items;
    for (size_t i = 0; i < updates->count; i++) {
        if (update[i].create != NULL && update[i].delete != NULL)
            return error_request(arena, PVI "Only one vector index action is allowed per "
                                            "VectorIndexUpdate object");
        if (update[i].create == NULL && update[i].delete == NULL)
            return error_request(arena, PVI "One of VectorIndexUpdate.Create, "
                                            "VectorIndexUpdate.Delete must not be null");
    }
    return NULL;
}

struct error *update_indexes_check(struct arena *arena,
                                   const struct update_table_request *request) {
    const struct field_list *updates = &request->global_secondary_index_updates;
    const struct global_index_update_input *update = updates->items;
    struct definitions definitions = definitions_of(arena, &request->attribute_definitions);
    for (size_t i = 0; i < updates->count; i++)
        TRY(check_update(arena, &update[i], &definitions));
    if (updates->count > 0)
        TRY(check_names_differ(arena, updates));
    return check_vector_updates(arena, &request->vector_index_updates);
}

/* ---- against the table ---- */

static struct error *index_not_found(struct arena *arena, const struct table_definition *definition,
                                     struct slice name) {
    return error_new(arena, ERROR_RESOURCE_NOT_FOUND,
                     "Requested resource not found: Index %.*s for table %.*s", SLICE_ARGS(name),
                     SLICE_ARGS(definition->name));
}

static struct error *check_new_throughput(struct arena *arena,
                                          const struct global_index_input *create,
                                          const struct table_definition *definition) {
    bool on_demand = definition->billing == BILLING_PAY_PER_REQUEST;
    if (!on_demand && create->provisioned_throughput == NULL)
        return error_validation(arena,
                                PVI "Both ReadCapacityUnits and WriteCapacityUnits must be "
                                    "specified for index: %.*s",
                                SLICE_ARGS(create->index_name));
    if (on_demand && create->provisioned_throughput != NULL)
        return error_validation(arena,
                                PVI "Neither ReadCapacityUnits nor WriteCapacityUnits can be "
                                    "specified for index: %.*s when BillingMode is PAY_PER_REQUEST",
                                SLICE_ARGS(create->index_name));
    return NULL;
}

/* What CreateTable checks of an index's on-demand and warm throughput. */
static struct error *check_new_settings(struct arena *arena,
                                        const struct global_index_input *create,
                                        const struct table_definition *definition) {
    const struct provisioned_throughput_input *given = create->provisioned_throughput;
    struct provisioned_throughput units = {.read_units = 0};
    if (given != NULL) {
        units.read_units = given->read_capacity_units.value;
        units.write_units = given->write_capacity_units.value;
    }
    struct settings_owner owner = {create->index_name};
    TRY(on_demand_check_new(arena, create->on_demand_throughput, definition->billing, owner));
    return warm_check_least(arena, create->warm_throughput, definition->billing,
                            warm_units(definition->billing, &units, UNITS_UNSET), owner);
}

static struct error *check_room(struct arena *arena, const struct global_index_input *create,
                                const struct table_definition *definition) {
    size_t global = 0, projected = create->projection->non_key_attributes.count;
    for (size_t i = 0; i < definition->index_count; i++) {
        global += definition->indexes[i].global;
        projected += definition->indexes[i].non_key_attribute_count;
    }
    if (global >= LIMIT_GLOBAL_INDEXES)
        return error_new(arena, ERROR_LIMIT_EXCEEDED,
                         "Subscriber limit exceeded: Number of global secondary indexes exceeds "
                         "per-table limit of %d",
                         LIMIT_GLOBAL_INDEXES);
    return projected_attributes_check(arena, projected);
}

/* The keys that an attribute is defined for: the table's, or those of an index. */
static const struct key_schema *keys_with(const struct table_definition *definition,
                                          struct slice name) {
    const struct key_schema *keys = &definition->keys;
    for (size_t i = 0; !key_schema_has(keys, name) && i < definition->index_count; i++)
        keys = &definition->indexes[i].keys;
    return keys;
}

static struct error *check_types(struct arena *arena, const struct key_schema *keys,
                                 const struct table_definition *definition) {
    for (size_t i = 0; i < key_part_count(keys); i++) {
        const struct key_attribute *key = key_part(keys, i);
        enum value_type known = table_attribute_type(definition, key->name);
        if (known == VALUE_NONE || known == key->type)
            continue;
        struct slice old = key_schema_print(arena, keys_with(definition, key->name));
        struct slice new = key_schema_print(arena, keys);
        return error_validation(arena,
                                PVI "Attributes cannot be redefined. Please check that your "
                                    "attribute has the same type as previously defined. Existing "
                                    "schema: %.*s New schema: %.*s",
                                SLICE_ARGS(old), SLICE_ARGS(new));
    }
    return NULL;
}

/* Attributes that are new to the table get the request's types. */
static void settle_attributes(struct arena *arena, const struct key_attribute *keys, size_t count,
                              struct table_definition *definition) {
    for (size_t i = 0; i < count; i++) {
        if (table_attribute_type(definition, keys[i].name) != VALUE_NONE)
            continue;
        size_t old_count = definition->attribute_count, at = 0;
        struct attribute_definition *attributes =
            ARENA_ARRAY(arena, struct attribute_definition, old_count + 1);
        while (at < old_count && slice_compare(definition->attributes[at].name, keys[i].name) < 0) {
            attributes[at] = definition->attributes[at];
            at++;
        }
        attributes[at] = (struct attribute_definition){keys[i].name, keys[i].type};
        for (size_t rest = at; rest < old_count; rest++)
            attributes[rest + 1] = definition->attributes[rest];
        definition->attributes = attributes;
        definition->attribute_count = old_count + 1;
    }
}

/* The index is CREATING until the engine has filled it. */
static struct error *apply_create(struct arena *arena, const struct table_update *update,
                                  const struct global_index_input *create,
                                  struct table_definition *definition,
                                  struct update_outcome *outcome) {
    if (table_find_index(definition, create->index_name) != NULL)
        return error_validation(arena, "Attempting to create an index which already exists");
    TRY(check_new_throughput(arena, create, definition));
    TRY(check_room(arena, create, definition));
    TRY(check_new_settings(arena, create, definition));
    struct definitions definitions = definitions_of(arena, &update->request->attribute_definitions);
    struct table_index index = global_index_of(arena, create, &definitions);
    TRY(check_types(arena, &index.keys, definition));
    index.status = TABLE_CREATING;
    index.backfilling = true;
    settle_attributes(arena, index.keys.hash, index.keys.hash_count, definition);
    settle_attributes(arena, index.keys.range, index.keys.range_count, definition);
    struct table_index *indexes =
        ARENA_ARRAY(arena, struct table_index, definition->index_count + 1);
    for (size_t i = 0; i < definition->index_count; i++)
        indexes[i] = definition->indexes[i];
    indexes[definition->index_count++] = index;
    definition->indexes = indexes;
    outcome->changed = outcome->updating = true;
    return NULL;
}

static struct error *apply_delete(struct arena *arena, struct slice name,
                                  struct table_definition *definition,
                                  struct update_outcome *outcome) {
    struct table_index *index = table_find_index(definition, name);
    if (index == NULL)
        return index_not_found(arena, definition, name);
    if (!index->global)
        return error_validation(arena,
                                "Cannot delete an index that is not a GlobalSecondaryIndex: %.*s",
                                SLICE_ARGS(name));
    size_t behind = definition->index_count - (size_t)(index - definition->indexes) - 1;
    memmove(index, index + 1, behind * sizeof(*index));
    definition->index_count--;
    table_prune_attributes(arena, definition);
    outcome->deleted_index = name;
    outcome->changed = outcome->updating = true;
    return NULL;
}

static struct error *apply_change(struct arena *arena, const struct table_update *update,
                                  const struct global_index_change_input *given,
                                  struct table_definition *definition,
                                  struct update_outcome *outcome) {
    struct table_index *index = table_find_index(definition, given->index_name);
    if (index == NULL)
        return index_not_found(arena, definition, given->index_name);
    if (!index->global)
        return error_validation(arena,
                                "Cannot update an index that is not a GlobalSecondaryIndex: %.*s",
                                SLICE_ARGS(given->index_name));
    if (given->provisioned_throughput != NULL && definition->billing == BILLING_PAY_PER_REQUEST)
        return error_validation(arena,
                                PVI "The only Updates for index: %.*s when TableThroughputMode is "
                                    "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput",
                                SLICE_ARGS(given->index_name));
    struct capacity_change change = {
        .index_name = index->name,
        .billing = definition->billing,
        .given = given->provisioned_throughput,
        .given_on_demand = given->on_demand_throughput,
        .given_warm = given->warm_throughput,
        .throughput = &index->throughput,
        .on_demand = &index->on_demand,
        .warm = &index->warm,
        .now_ms = update->now_ms,
    };
    return capacity_apply(arena, &change, outcome);
}

static struct error *apply_one(struct arena *arena, const struct table_update *update,
                               const struct global_index_update_input *given,
                               struct table_definition *definition,
                               struct update_outcome *outcome) {
    if (given->create != NULL)
        return apply_create(arena, update, given->create, definition, outcome);
    if (given->delete != NULL)
        return apply_delete(arena, given->delete->index_name, definition, outcome);
    return apply_change(arena, update, given->update, definition, outcome);
}

/* The name is taken by an index that is not there yet. */
static struct error *check_not_creating(struct arena *arena,
                                        const struct update_table_request *request,
                                        struct table_definition *definition) {
    const struct global_index_update_input *update = request->global_secondary_index_updates.items;
    for (size_t i = 0; i < request->global_secondary_index_updates.count; i++) {
        const struct table_index *index = NULL;
        if (update[i].create != NULL)
            index = table_find_index(definition, update[i].create->index_name);
        if (index != NULL && index->status == TABLE_CREATING)
            return error_new(arena, ERROR_RESOURCE_IN_USE,
                             "Attempt to change a resource which is still in use: Index is being "
                             "created.  Table: %.*s Index: %.*s",
                             SLICE_ARGS(definition->name), SLICE_ARGS(index->name));
    }
    return NULL;
}

/* Indexes are built and dropped one at a time; one that is being built may be dropped. */
static struct error *check_one_at_a_time(struct arena *arena,
                                         const struct update_table_request *request,
                                         const struct table_definition *definition) {
    const struct global_index_update_input *update = request->global_secondary_index_updates.items;
    size_t online = request->vector_index_updates.count;
    struct slice deleted = SLICE_NONE;
    for (size_t i = 0; i < request->global_secondary_index_updates.count; i++) {
        online += update[i].update == NULL;
        if (update[i].delete != NULL)
            deleted = update[i].delete->index_name;
    }
    if (online == 0)
        return NULL;
    for (size_t i = 0; i < definition->index_count; i++)
        online += definition->indexes[i].status == TABLE_CREATING &&
                  !slice_equal(definition->indexes[i].name, deleted);
    if (online == 1)
        return NULL;
    return error_new(arena, ERROR_LIMIT_EXCEEDED,
                     "Subscriber limit exceeded: Only 1 online index can be created or deleted "
                     "simultaneously per table");
}

/* A table that was switched to provisioned throughput needs some for each index. */
static struct error *check_all_provisioned(struct arena *arena,
                                           const struct table_definition *definition) {
    for (size_t i = 0; i < definition->index_count; i++) {
        const struct table_index *index = &definition->indexes[i];
        if (index->global && definition->billing == BILLING_PROVISIONED &&
            index->throughput.read_units == 0)
            return error_validation(arena,
                                    PVI "ProvisionedThroughput must be specified for index: %.*s",
                                    SLICE_ARGS(index->name));
    }
    return NULL;
}

static struct error *apply_vectors(struct arena *arena, const struct field_list *updates,
                                   const struct table_definition *definition) {
    const struct vector_index_update_input *vector = updates->items;
    for (size_t i = 0; i < updates->count; i++)
        if (vector[i].delete != NULL)
            return index_not_found(arena, definition, vector[i].delete->index_name);
    return updates->count == 0 ? NULL : error_validation(arena, NOT_SUPPORTED("Vector indexes"));
}

struct error *update_indexes_apply(struct arena *arena, const struct table_update *update,
                                   struct table_definition *definition,
                                   struct update_outcome *outcome) {
    const struct update_table_request *request = update->request;
    const struct global_index_update_input *global = request->global_secondary_index_updates.items;
    size_t count = request->global_secondary_index_updates.count;
    TRY(check_not_creating(arena, request, definition));
    TRY(check_one_at_a_time(arena, request, definition));
    if (count > 0)
        definition->indexes = arena_copy(arena, definition->indexes,
                                         definition->index_count * sizeof(*definition->indexes));
    for (size_t i = 0; i < count; i++)
        TRY(apply_one(arena, update, &global[i], definition, outcome));
    TRY(check_all_provisioned(arena, definition));
    return apply_vectors(arena, &request->vector_index_updates, definition);
}
