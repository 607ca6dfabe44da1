/* create_table_check.c - CreateTable's checks, in the order in which the service makes them:
 * billing, keys, definitions, local indexes, global indexes, vector indexes, stream, encryption,
 * on-demand and warm throughput, tags. At the end what this version cannot do. */
#include "base/leniency.h"
#include "model/capacity.h"
#include "model/limits.h"
#include "ops/table/create_table.h"
#include "ops/table/table_keys.h"
#include "ops/table/table_settings.h"
#include "ops/table/tags.h"

enum { VECTOR_INDEXES_MAX = 5, VECTOR_DIMENSIONS_MAX = 4096 };

/* A request while it is checked. */
struct creation {
    struct arena *arena;
    const struct create_table_request *request;
    struct definitions definitions;
    enum billing_mode billing;
    struct name_set index_names; /* of all families; not sorted before all are in */
    size_t projected_count;
    unsigned leniencies;
};

/* ---- billing ---- */

static struct error *check_billing(struct creation *creation) {
    const struct create_table_request *request = creation->request;
    struct arena *arena = creation->arena;
    if (creation->billing == BILLING_PAY_PER_REQUEST) {
        if (request->provisioned_throughput != NULL)
            return error_request(arena, PVI "Neither ReadCapacityUnits nor WriteCapacityUnits can "
                                            "be specified when BillingMode is PAY_PER_REQUEST");
    } else if (request->provisioned_throughput == NULL) {
        return error_request(arena, PVI "ReadCapacityUnits and WriteCapacityUnits must both be "
                                        "specified when BillingMode is PROVISIONED");
    }
    TRY(throughput_check_bounds(arena, request->provisioned_throughput, OWNED_BY_TABLE));
    const struct global_index_input *index = request->global_secondary_indexes.items;
    for (size_t i = 0; i < request->global_secondary_indexes.count; i++)
        TRY(throughput_check_bounds(arena, index[i].provisioned_throughput,
                                    (struct settings_owner){index[i].index_name}));
    return NULL;
}

/* ---- definitions ---- */

/* The names of all keys: the table's, then those of the indexes as they come. Not sorted. */
static struct name_set keys_used(const struct creation *creation) {
    const struct create_table_request *request = creation->request;
    const struct local_index_input *local = request->local_secondary_indexes.items;
    const struct global_index_input *global = request->global_secondary_indexes.items;
    const struct vector_index_input *vector = request->vector_indexes.items;
    size_t capacity = request->key_schema.count;
    for (size_t i = 0; i < request->local_secondary_indexes.count; i++)
        capacity += local[i].key_schema.count;
    for (size_t i = 0; i < request->global_secondary_indexes.count; i++)
        capacity += global[i].key_schema.count;
    for (size_t i = 0; i < request->vector_indexes.count; i++)
        capacity += vector[i].search_schema.count;
    struct name_set used = name_set_new(creation->arena, capacity);
    size_t size = sizeof(struct key_schema_element_input);
    name_set_add_list(&used, &request->key_schema, size);
    for (size_t i = 0; i < request->local_secondary_indexes.count; i++)
        name_set_add_list(&used, &local[i].key_schema, size);
    for (size_t i = 0; i < request->global_secondary_indexes.count; i++)
        name_set_add_list(&used, &global[i].key_schema, size);
    for (size_t i = 0; i < request->vector_indexes.count; i++)
        name_set_add_list(&used, &vector[i].search_schema,
                          sizeof(struct search_schema_element_input));
    return used;
}

static struct error *check_definitions_used(struct creation *creation) {
    struct arena *arena = creation->arena;
    struct name_set used = keys_used(creation), sorted = used;
    sorted.names = arena_copy(arena, used.names, used.count * sizeof(*used.names));
    name_set_sort(&sorted);
    const struct name_set *defined = &creation->definitions.names;
    for (size_t i = 0; i < defined->count; i++) {
        if (name_set_has(&sorted, defined->names[i]))
            continue;
        struct slice names = definitions_print(arena, &creation->definitions);
        struct slice used_names = names_print_set(arena, &used, NAME_BUCKETS_DEFAULT);
        return error_request(arena,
                             PVI "Some AttributeDefinitions are not used. "
                                 "AttributeDefinitions: %.*s, keys used: %.*s",
                             SLICE_ARGS(names), SLICE_ARGS(used_names));
    }
    return NULL;
}

/* A name that a global index has twice is found before a definition that nobody uses. */
static struct error *check_global_names(struct creation *creation) {
    const struct field_list *indexes = &creation->request->global_secondary_indexes;
    const struct global_index_input *index = indexes->items;
    for (size_t i = 0; i < indexes->count; i++)
        TRY(global_keys_check_names(creation->arena, &index[i].key_schema));
    return NULL;
}

static struct error *check_definitions(struct creation *creation) {
    const struct create_table_request *request = creation->request;
    struct arena *arena = creation->arena;
    TRY(table_keys_check(arena, &request->key_schema, &creation->definitions));
    TRY(definitions_check_unique(arena, &creation->definitions));
    TRY(check_global_names(creation));
    bool indexes = request->local_secondary_indexes.present ||
                   request->global_secondary_indexes.present || request->vector_indexes.present;
    if (indexes && (creation->leniencies & LENIENT_SPARE_ATTRIBUTES))
        return NULL;
    if (indexes)
        return check_definitions_used(creation);
    if (request->key_schema.count != request->attribute_definitions.count)
        return error_request(arena, PVI "Number of attributes in KeySchema does not exactly match "
                                        "number of attributes defined in AttributeDefinitions");
    return NULL;
}

/* ---- indexes ---- */

static struct error *check_projection(struct creation *creation,
                                      const struct projection_input *projection) {
    TRY(projection_check(creation->arena, projection));
    creation->projected_count += projection->non_key_attributes.count;
    return NULL;
}

/* The names so far; all families share one name space. */
static struct error *check_index_names(struct creation *creation, const struct field_list *indexes,
                                       size_t size) {
    name_set_add_list(&creation->index_names, indexes, size);
    name_set_sort(&creation->index_names);
    struct slice name = name_set_duplicate(&creation->index_names);
    if (!slice_present(name))
        return NULL;
    return error_request(creation->arena, PVI "Duplicate index name: %.*s", SLICE_ARGS(name));
}

static struct slice first_key(const struct field_list *keys) {
    return ((const struct key_schema_element_input *)keys->items)->attribute_name;
}

static struct error *check_local_index(struct creation *creation,
                                       const struct local_index_input *index) {
    struct arena *arena = creation->arena;
    TRY(table_keys_check(arena, &index->key_schema, &creation->definitions));
    if (index->key_schema.count < 2)
        return error_request(arena, PVI "Index KeySchema does not have a range key for index: %.*s",
                             SLICE_ARGS(index->index_name));
    struct slice own = first_key(&index->key_schema);
    struct slice table = first_key(&creation->request->key_schema);
    if (!slice_equal(own, table))
        return error_request(arena,
                             PVI "Index KeySchema does not have the same leading hash key as table "
                                 "KeySchema for index: %.*s. index hash key: %.*s, table hash "
                                 "key: %.*s",
                             SLICE_ARGS(index->index_name), SLICE_ARGS(own), SLICE_ARGS(table));
    return check_projection(creation, index->projection);
}

static struct error *check_local_indexes(struct creation *creation) {
    const struct field_list *indexes = &creation->request->local_secondary_indexes;
    const struct local_index_input *index = indexes->items;
    struct arena *arena = creation->arena;
    if (!indexes->present)
        return NULL;
    if (indexes->count == 0)
        return error_request(arena, PVI "List of LocalSecondaryIndexes is empty");
    if (creation->request->key_schema.count < 2)
        return error_request(arena, PVI "Table KeySchema does not have a range key, which is "
                                        "required when specifying a LocalSecondaryIndex");
    for (size_t i = 0; i < indexes->count; i++)
        TRY(check_local_index(creation, &index[i]));
    TRY(check_index_names(creation, indexes, sizeof(*index)));
    if (indexes->count > LIMIT_LOCAL_INDEXES)
        return error_request(arena,
                             PVI "Number of LocalSecondaryIndexes exceeds per-table limit of %d",
                             LIMIT_LOCAL_INDEXES);
    return NULL;
}

static struct error *check_global_index(struct creation *creation,
                                        const struct global_index_input *index) {
    struct arena *arena = creation->arena;
    bool on_demand = creation->billing == BILLING_PAY_PER_REQUEST;
    TRY(global_keys_check(arena, &index->key_schema, &creation->definitions));
    TRY(check_projection(creation, index->projection));
    if (!on_demand && index->provisioned_throughput == NULL)
        return error_request(arena, PVI "ProvisionedThroughput is not specified for index: %.*s",
                             SLICE_ARGS(index->index_name));
    if (on_demand && index->provisioned_throughput != NULL)
        return error_request(arena,
                             PVI "ProvisionedThroughput should not be specified for index: %.*s "
                                 "when BillingMode is PAY_PER_REQUEST",
                             SLICE_ARGS(index->index_name));
    return NULL;
}

static struct error *check_global_indexes(struct creation *creation) {
    const struct field_list *indexes = &creation->request->global_secondary_indexes;
    const struct global_index_input *index = indexes->items;
    if (!indexes->present)
        return NULL;
    if (indexes->count == 0)
        return error_request(creation->arena, PVI "List of GlobalSecondaryIndexes is empty");
    for (size_t i = 0; i < indexes->count; i++)
        TRY(check_global_index(creation, &index[i]));
    TRY(check_index_names(creation, indexes, sizeof(*index)));
    if (indexes->count > LIMIT_GLOBAL_INDEXES)
        return error_request(creation->arena,
                             PVI "GlobalSecondaryIndex count exceeds the per-table limit of %d",
                             LIMIT_GLOBAL_INDEXES);
    return NULL;
}

static struct error *check_vector_index(struct creation *creation,
                                        const struct vector_index_input *index) {
    struct arena *arena = creation->arena;
    if (index->dimensions.value > VECTOR_DIMENSIONS_MAX)
        return error_request(arena, PVI "Number of dimensions must be between 1 and %d inclusive.",
                             VECTOR_DIMENSIONS_MAX);
    struct slice vector = index->vector_attribute->attribute_name;
    if (name_set_has(&creation->definitions.names, vector))
        return error_request(arena,
                             PVI "Conflicting attribute definition for '%.*s'. An attribute cannot "
                                 "be defined in AttributeDefinitions when used as a "
                                 "VectorAttribute.",
                             SLICE_ARGS(vector));
    const struct search_schema_element_input *element = index->search_schema.items;
    for (size_t i = 0; i < index->search_schema.count; i++)
        if (!name_set_has(&creation->definitions.names, element[i].attribute_name))
            return error_request(
                arena, PVI "One element in SearchSchema is not defined in attribute definitions");
    return check_projection(creation, index->projection);
}

static struct error *check_vector_indexes(struct creation *creation) {
    const struct field_list *indexes = &creation->request->vector_indexes;
    const struct vector_index_input *index = indexes->items;
    struct arena *arena = creation->arena;
    if (!indexes->present)
        return NULL;
    if (indexes->count == 0)
        return error_request(arena, PVI "List of VectorIndexes is empty");
    if (creation->billing != BILLING_PAY_PER_REQUEST)
        return error_request(arena,
                             PVI "Vector indexes are only supported for PAY_PER_REQUEST tables");
    for (size_t i = 0; i < indexes->count; i++)
        TRY(check_vector_index(creation, &index[i]));
    TRY(check_index_names(creation, indexes, sizeof(*index)));
    if (indexes->count > VECTOR_INDEXES_MAX)
        return error_request(arena, PVI "VectorIndex count exceeds the per-table limit of %d",
                             VECTOR_INDEXES_MAX);
    return NULL;
}

static struct error *check_indexes(struct creation *creation) {
    const struct create_table_request *request = creation->request;
    creation->index_names =
        name_set_new(creation->arena, request->local_secondary_indexes.count +
                                          request->global_secondary_indexes.count +
                                          request->vector_indexes.count);
    TRY(check_local_indexes(creation));
    TRY(check_global_indexes(creation));
    TRY(check_vector_indexes(creation));
    return projected_attributes_check(creation->arena, creation->projected_count);
}

/* ---- on-demand and warm throughput ---- */

static struct error *check_warm(struct creation *creation, const struct warm_throughput_input *warm,
                                const struct provisioned_throughput_input *throughput,
                                struct settings_owner owner) {
    struct provisioned_throughput units = {.read_units = 0};
    if (throughput != NULL) {
        units.read_units = throughput->read_capacity_units.value;
        units.write_units = throughput->write_capacity_units.value;
    }
    struct unit_pair least = warm_units(creation->billing, &units, UNITS_UNSET);
    return warm_check_least(creation->arena, warm, creation->billing, least, owner);
}

static struct error *check_throughput_of_all(struct creation *creation) {
    const struct create_table_request *request = creation->request;
    const struct global_index_input *index = request->global_secondary_indexes.items;
    TRY(on_demand_check_new(creation->arena, request->on_demand_throughput, creation->billing,
                            OWNED_BY_TABLE));
    TRY(check_warm(creation, request->warm_throughput, request->provisioned_throughput,
                   OWNED_BY_TABLE));
    for (size_t i = 0; i < request->global_secondary_indexes.count; i++) {
        struct settings_owner owner = {index[i].index_name};
        TRY(on_demand_check_new(creation->arena, index[i].on_demand_throughput, creation->billing,
                                owner));
        TRY(check_warm(creation, index[i].warm_throughput, index[i].provisioned_throughput, owner));
    }
    return NULL;
}

/* ---- the whole ---- */

/* Correct requests for what is not there yet. */
static struct error *refuse_missing_features(const struct creation *creation) {
    const struct create_table_request *request = creation->request;
    struct arena *arena = creation->arena;
    if (request->vector_indexes.present)
        return error_request(arena, NOT_SUPPORTED("Vector indexes"));
    if (slice_present(request->global_table_source_arn) ||
        slice_present(request->global_table_settings_replication_mode))
        return error_request(arena, NOT_SUPPORTED("Global tables"));
    return NULL;
}

struct error *create_table_check(struct arena *arena, const struct create_table_request *request,
                                 unsigned leniencies) {
    struct creation creation = {.arena = arena, .request = request, .leniencies = leniencies};
    creation.billing = billing_mode_from_name(request->billing_mode);
    creation.definitions = definitions_of(arena, &request->attribute_definitions);
    TRY(settings_check(arena, request->settings));
    TRY(check_billing(&creation));
    TRY(check_definitions(&creation));
    TRY(check_indexes(&creation));
    TRY(stream_check_create(arena, request->stream_specification));
    TRY(sse_check(arena, request->sse_specification));
    TRY(check_throughput_of_all(&creation));
    TRY(tags_check(arena, &request->tags));
    return refuse_missing_features(&creation);
}
