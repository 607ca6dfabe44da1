/* key_json.c - see key_json.h. */
#include "model/key_json.h"

#include "json/member.h"

static void write_parts(struct json_writer *json, const struct key_attribute *parts, size_t count,
                        const char *type) {
    for (size_t i = 0; i < count; i++) {
        json_object_begin(json);
        member_text(json, "AttributeName", parts[i].name);
        member_text(json, "KeyType", slice_text(type));
        json_object_end(json);
    }
}

void key_schema_write(struct json_writer *json, const struct key_schema *keys) {
    member_array(json, "KeySchema");
    write_parts(json, keys->hash, keys->hash_count, "HASH");
    write_parts(json, keys->range, keys->range_count, "RANGE");
    json_array_end(json);
}
