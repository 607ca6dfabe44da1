/* restore_overrides.c - from the definition of a source to that of the table restored from it.
 *
 * The definition is made from nothing, member by member, so that what is not restored cannot come
 * along. */
#include "ops/backup/restore_overrides.h"

#include "ops/table/table_indexes.h"
#include "ops/table/table_keys.h"
#include "ops/table/table_settings.h"

/* ---- the request ---- */

struct error *restore_overrides_check(struct arena *arena,
                                      const struct restore_overrides *overrides) {
    if (billing_mode_is(overrides->billing_mode, BILLING_PROVISIONED) &&
        overrides->throughput == NULL)
        return error_request(arena, "Invalid Request: Must override ProvisionedThroughput if "
                                    "BillingMode is overridden to PROVISIONED");
    if (billing_mode_is(overrides->billing_mode, BILLING_PAY_PER_REQUEST) &&
        overrides->throughput != NULL)
        return error_request(arena, "Invalid Request: Cannot override ProvisionedThroughput if "
                                    "BillingMode is overridden to PAY_PER_REQUEST");
    TRY(throughput_check_bounds(arena, overrides->throughput, OWNED_BY_TABLE));
    TRY(sse_check(arena, overrides->sse));
    if (overrides->vector_indexes.count > 0)
        return error_request(arena, NOT_SUPPORTED("Vector indexes"));
    return NULL;
}

/* ---- indexes ---- */

static bool parts_match(const struct field_list *given, enum key_type type,
                        const struct key_attribute *parts, size_t count) {
    const struct key_schema_element_input *element = given->items;
    size_t matched = 0;
    for (size_t i = 0; i < given->count; i++) {
        if (!key_type_is(element[i].key_type, type))
            continue;
        if (matched == count || !slice_equal(parts[matched].name, element[i].attribute_name))
            return false;
        matched++;
    }
    return matched == count;
}

static bool keys_match(const struct field_list *given, const struct key_schema *keys) {
    return parts_match(given, KEY_TYPE_HASH, keys->hash, keys->hash_count) &&
           parts_match(given, KEY_TYPE_RANGE, keys->range, keys->range_count);
}

static bool projection_matches(struct arena *arena, const struct projection_input *given,
                               const struct table_index *index) {
    struct name_set names = name_set_of(arena, &given->non_key_attributes, sizeof(struct slice));
    if (!projection_type_is(given->projection_type, index->projection) ||
        names.count != index->non_key_attribute_count)
        return false;
    for (size_t i = 0; i < names.count; i++)
        if (!slice_equal(names.names[i], index->non_key_attributes[i]))
            return false;
    return true;
}

/* An index of a request, of either kind. */
struct wanted_index {
    struct slice name;
    const struct field_list *keys;
    const struct projection_input *projection;
    bool global;
};

/* The index of the source that is meant. It must be the same but for its throughput. */
static struct error *find_index(struct arena *arena, const struct table_definition *source,
                                const struct wanted_index *wanted,
                                const struct table_index **ret_index) {
    const struct table_index *index = table_find_index(source, wanted->name);
    if (index != NULL && index->global == wanted->global &&
        keys_match(wanted->keys, &index->keys) &&
        projection_matches(arena, wanted->projection, index)) {
        *ret_index = index;
        return NULL;
    }
    return error_validation(arena,
                            "Invalid Request: Index %.*s does not match a secondary index that "
                            "existed in the source table and cannot be created during the restore "
                            "operation",
                            SLICE_ARGS(wanted->name));
}

/* An index of the new table: ids are the engine's to give, and it is filled before anyone sees it.
 */
static struct table_index *add_index(struct table_definition *definition,
                                     const struct table_index *source) {
    struct table_index *index = &definition->indexes[definition->index_count++];
    *index = (struct table_index){
        .name = source->name,
        .global = source->global,
        .status = TABLE_ACTIVE,
        .keys = source->keys,
        .projection = source->projection,
        .non_key_attributes = source->non_key_attributes,
        .non_key_attribute_count = source->non_key_attribute_count,
        .throughput = {.read_units = source->throughput.read_units,
                       .write_units = source->throughput.write_units},
        .on_demand = source->on_demand,
        .warm = UNITS_UNSET,
    };
    return index;
}

static void add_all(struct table_definition *definition, const struct table_definition *source,
                    bool global) {
    for (size_t i = 0; i < source->index_count; i++)
        if (source->indexes[i].global == global)
            add_index(definition, &source->indexes[i]);
}

/* A list that has an index twice would give it twice. */
static struct error *check_new(struct arena *arena, const struct table_definition *definition,
                               struct slice name) {
    if (table_find_index(definition, name) == NULL)
        return NULL;
    return error_validation(arena, PVI "Duplicate index name: %.*s", SLICE_ARGS(name));
}

static struct error *add_local_indexes(struct arena *arena, const struct field_list *given,
                                       const struct table_definition *source,
                                       struct table_definition *definition) {
    const struct local_index_input *input = given->items;
    if (!given->present)
        add_all(definition, source, false);
    for (size_t i = 0; i < given->count; i++) {
        struct wanted_index wanted = {input[i].index_name, &input[i].key_schema,
                                      input[i].projection, false};
        const struct table_index *index;
        TRY(find_index(arena, source, &wanted, &index));
        TRY(check_new(arena, definition, index->name));
        add_index(definition, index);
    }
    return NULL;
}

static void override_throughput(struct provisioned_throughput *throughput,
                                const struct provisioned_throughput_input *given) {
    if (given == NULL)
        return;
    throughput->read_units = given->read_capacity_units.value;
    throughput->write_units = given->write_capacity_units.value;
}

static struct error *add_global_index(struct arena *arena, const struct global_index_input *input,
                                      const struct table_definition *source,
                                      struct table_definition *definition) {
    struct wanted_index wanted = {input->index_name, &input->key_schema, input->projection, true};
    struct settings_owner owner = {input->index_name};
    const struct table_index *found;
    TRY(find_index(arena, source, &wanted, &found));
    TRY(check_new(arena, definition, found->name));
    TRY(throughput_check_bounds(arena, input->provisioned_throughput, owner));
    TRY(on_demand_check_new(arena, input->on_demand_throughput, definition->billing, owner));
    if (definition->billing == BILLING_PAY_PER_REQUEST && input->provisioned_throughput != NULL)
        return error_validation(arena,
                                PVI "ProvisionedThroughput should not be specified for index: %.*s "
                                    "when BillingMode is PAY_PER_REQUEST",
                                SLICE_ARGS(input->index_name));
    struct table_index *index = add_index(definition, found);
    override_throughput(&index->throughput, input->provisioned_throughput);
    if (input->on_demand_throughput != NULL)
        index->on_demand = on_demand_of(input->on_demand_throughput);
    return NULL;
}

static struct error *add_global_indexes(struct arena *arena, const struct field_list *given,
                                        const struct table_definition *source,
                                        struct table_definition *definition) {
    const struct global_index_input *input = given->items;
    if (!given->present)
        add_all(definition, source, true);
    for (size_t i = 0; i < given->count; i++)
        TRY(add_global_index(arena, &input[i], source, definition));
    return NULL;
}

/* ---- throughput ---- */

static struct error *set_capacity(struct arena *arena, const struct restore_overrides *overrides,
                                  const struct table_definition *source,
                                  struct table_definition *definition) {
    definition->billing = source->billing;
    if (slice_present(overrides->billing_mode))
        definition->billing = billing_mode_from_name(overrides->billing_mode);
    bool on_demand = definition->billing == BILLING_PAY_PER_REQUEST;
    if (on_demand && overrides->throughput != NULL)
        return error_validation(arena, "Invalid Request: Cannot override ProvisionedThroughput if "
                                       "BillingMode is PAY_PER_REQUEST");
    TRY(on_demand_check_new(arena, overrides->on_demand, definition->billing, OWNED_BY_TABLE));
    definition->billing_shown = on_demand || source->billing_shown;
    definition->on_demand = UNITS_UNSET;
    definition->warm = UNITS_UNSET;
    if (on_demand) {
        definition->on_demand =
            overrides->on_demand != NULL ? on_demand_of(overrides->on_demand) : source->on_demand;
        return NULL;
    }
    definition->throughput.read_units = source->throughput.read_units;
    definition->throughput.write_units = source->throughput.write_units;
    override_throughput(&definition->throughput, overrides->throughput);
    return NULL;
}

/* An index has throughput exactly when its table has; without one of its own, the table's. */
static void settle_index_capacity(struct table_definition *definition) {
    for (size_t i = 0; i < definition->index_count; i++) {
        struct table_index *index = &definition->indexes[i];
        if (definition->billing == BILLING_PAY_PER_REQUEST)
            index->throughput = (struct provisioned_throughput){.read_units = 0};
        else
            index->on_demand = UNITS_UNSET;
        if (definition->billing == BILLING_PROVISIONED && index->global &&
            index->throughput.read_units == 0)
            index->throughput = definition->throughput;
    }
}

/* ---- the whole ---- */

static void set_encryption(const struct restore_overrides *overrides,
                           const struct table_definition *source, struct slice new_key_arn,
                           struct table_definition *definition) {
    definition->sse_kms = source->sse_kms;
    definition->sse_key_arn = source->sse_key_arn;
    if (overrides->sse == NULL)
        return;
    definition->sse_kms = sse_asked(overrides->sse);
    definition->sse_key_arn = definition->sse_kms ? new_key_arn : SLICE_NONE;
}

struct error *restore_overrides_apply(struct arena *arena,
                                      const struct restore_overrides *overrides,
                                      const struct table_definition *source,
                                      struct slice new_key_arn,
                                      struct table_definition *ret_definition) {
    struct table_definition definition = {
        .keys = source->keys,
        .attributes = source->attributes,
        .attribute_count = source->attribute_count,
        .table_class = source->table_class,
        .indexes = ARENA_ARRAY(arena, struct table_index, source->index_count),
    };
    TRY(set_capacity(arena, overrides, source, &definition));
    TRY(add_local_indexes(arena, &overrides->local_indexes, source, &definition));
    TRY(add_global_indexes(arena, &overrides->global_indexes, source, &definition));
    settle_index_capacity(&definition);
    table_prune_attributes(arena, &definition);
    set_encryption(overrides, source, new_key_arn, &definition);
    *ret_definition = definition;
    return NULL;
}
