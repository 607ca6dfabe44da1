/* table_json.c - see table_json.h. */
#include "model/table_json.h"

#include "json/member.h"

/* ---- attributes and keys ---- */

void attribute_definitions_write(struct json_writer *json,
                                 const struct attribute_definition *attributes, size_t count) {
    member_array(json, "AttributeDefinitions");
    for (size_t i = 0; i < count; i++) {
        json_object_begin(json);
        member_text(json, "AttributeName", attributes[i].name);
        member_word(json, "AttributeType", value_type_name(attributes[i].type));
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_parts(struct json_writer *json, const struct key_attribute *parts, size_t count,
                        enum key_type type) {
    for (size_t i = 0; i < count; i++) {
        json_object_begin(json);
        member_text(json, "AttributeName", parts[i].name);
        member_word(json, "KeyType", key_type_name(type));
        json_object_end(json);
    }
}

void key_schema_write(struct json_writer *json, const struct key_schema *keys) {
    member_array(json, "KeySchema");
    write_parts(json, keys->hash, keys->hash_count, KEY_TYPE_HASH);
    write_parts(json, keys->range, keys->range_count, KEY_TYPE_RANGE);
    json_array_end(json);
}

/* ---- indexes ---- */

static void write_projection(struct json_writer *json, const struct table_index *index) {
    member_object(json, "Projection");
    member_word(json, "ProjectionType", projection_type_name(index->projection));
    if (index->non_key_attribute_count > 0) {
        member_array(json, "NonKeyAttributes");
        for (size_t i = 0; i < index->non_key_attribute_count; i++)
            json_string(json, index->non_key_attributes[i]);
        json_array_end(json);
    }
    json_object_end(json);
}

void index_members_write(struct json_writer *json, const struct table_index *index) {
    member_text(json, "IndexName", index->name);
    key_schema_write(json, &index->keys);
    write_projection(json, index);
}

void indexes_write(struct json_writer *json, const struct table_definition *table, bool global,
                   index_rest_fn *rest, const void *context) {
    bool any = false;
    for (size_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].global != global)
            continue;
        if (!any)
            member_array(json, global ? "GlobalSecondaryIndexes" : "LocalSecondaryIndexes");
        any = true;
        json_object_begin(json);
        index_members_write(json, &table->indexes[i]);
        rest(json, &table->indexes[i], context);
        json_object_end(json);
    }
    if (any)
        json_array_end(json);
}

/* ---- settings ---- */

void stream_write(struct json_writer *json, const char *name, enum stream_view view) {
    member_object(json, name);
    member_bool(json, "StreamEnabled", view != STREAM_OFF);
    if (view != STREAM_OFF)
        member_word(json, "StreamViewType", stream_view_name(view));
    json_object_end(json);
}

void tags_write(struct json_writer *json, const struct table_tag *tags, size_t count) {
    member_array(json, "Tags");
    for (size_t i = 0; i < count; i++) {
        json_object_begin(json);
        member_text(json, "Key", tags[i].key);
        member_text(json, "Value", tags[i].value);
        json_object_end(json);
    }
    json_array_end(json);
}

/* ---- capacity ---- */

const struct unit_names provisioned_names = {"ProvisionedThroughput", "ReadCapacityUnits",
                                             "WriteCapacityUnits"};
const struct unit_names on_demand_names = {"OnDemandThroughput", "MaxReadRequestUnits",
                                           "MaxWriteRequestUnits"};
const struct unit_names warm_names = {"WarmThroughput", "ReadUnitsPerSecond",
                                      "WriteUnitsPerSecond"};

void units_write_parts(struct json_writer *json, const struct unit_names *names,
                       struct unit_pair units, bool read, bool write) {
    if (!read && !write)
        return;
    member_object(json, names->pair);
    if (read)
        member_integer(json, names->read, units.read);
    if (write)
        member_integer(json, names->write, units.write);
    json_object_end(json);
}

void units_write(struct json_writer *json, const struct unit_names *names, struct unit_pair units) {
    units_write_parts(json, names, units, units.read != -1, units.write != -1);
}

void provisioned_write(struct json_writer *json, const struct provisioned_throughput *throughput) {
    units_write(json, &provisioned_names,
                (struct unit_pair){throughput->read_units, throughput->write_units});
}
