/* key_json.c - see key_json.h. */
#include "model/key_json.h"

#include "json/member.h"

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

void index_projection_write(struct json_writer *json, const struct table_index *index) {
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
