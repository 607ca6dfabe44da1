/* table_indexes.c - see the header. */
#include "ops/table/table_indexes.h"

#include "model/index_key.h"
#include "ops/table/table_settings.h"

static void project(struct arena *arena, const struct projection_input *projection,
                    struct table_index *index) {
    index->projection = projection_type_from_name(projection->projection_type);
    struct name_set names =
        name_set_of(arena, &projection->non_key_attributes, sizeof(struct slice));
    index->non_key_attributes = names.names;
    index->non_key_attribute_count = names.count;
}

struct table_index local_index_of(struct arena *arena, const struct local_index_input *input,
                                  const struct definitions *definitions) {
    struct table_index index = {
        .name = input->index_name,
        .status = TABLE_ACTIVE,
        .keys = key_schema_of(&input->key_schema, definitions),
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    };
    project(arena, input->projection, &index);
    return index;
}

struct table_index global_index_of(struct arena *arena, const struct global_index_input *input,
                                   const struct definitions *definitions) {
    const struct provisioned_throughput_input *throughput = input->provisioned_throughput;
    struct table_index index = {
        .name = input->index_name,
        .global = true,
        .status = TABLE_ACTIVE,
        .keys = key_schema_of(&input->key_schema, definitions),
        .on_demand = on_demand_of(input->on_demand_throughput),
        .warm = warm_of(input->warm_throughput),
    };
    if (throughput != NULL) {
        index.throughput.read_units = throughput->read_capacity_units.value;
        index.throughput.write_units = throughput->write_capacity_units.value;
    }
    project(arena, input->projection, &index);
    return index;
}

void table_prune_attributes(struct arena *arena, struct table_definition *definition) {
    struct attribute_definition *kept =
        ARENA_ARRAY(arena, struct attribute_definition, definition->attribute_count);
    size_t count = 0;
    for (size_t i = 0; i < definition->attribute_count; i++)
        if (table_key_attribute(definition, definition->attributes[i].name))
            kept[count++] = definition->attributes[i];
    definition->attributes = kept;
    definition->attribute_count = count;
}
