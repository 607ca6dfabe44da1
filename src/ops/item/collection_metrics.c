/* collection_metrics.c - the size is exact here; it is shown as the service shows its estimate,
 * between two whole GB. */
#include "ops/item/collection_metrics.h"

#include "json/member.h"
#include "model/value_json.h"

static const uint64_t gigabyte = 1024U * 1024 * 1024;

bool collection_metrics_wanted(struct slice wanted, const struct table *table) {
    return slice_is(wanted, "SIZE") && table->has_local_index;
}

/* The partition key of the item. */
static struct value collection_of(const struct item_write *write) {
    return value_map_find(write->kind == WRITE_PUT ? write->item : write->key,
                          write->table->definition.keys.hash[0].name);
}

void collection_metrics_write(struct json_writer *json, const struct item_write *write) {
    struct slice name = write->table->definition.keys.hash[0].name;
    double lower = (double)(write->collection_bytes / gigabyte);
    json_object_begin(json);
    member_object(json, "ItemCollectionKey");
    json_name(json, name);
    value_write_json(json, collection_of(write));
    json_object_end(json);
    member_array(json, "SizeEstimateRangeGB");
    json_double(json, lower);
    json_double(json, lower + 1);
    json_array_end(json);
    json_object_end(json);
}

/* The writes of a request, and what it asks for. */
struct metrics_request {
    struct slice wanted;
    size_t count;
    const struct item_write *writes;
    const struct slice *table_names;
};

static bool shown(const struct metrics_request *request, size_t i) {
    return request->writes[i].kind != WRITE_CHECK && request->writes[i].error == NULL &&
           collection_metrics_wanted(request->wanted, request->writes[i].table);
}

static bool same_table(const struct metrics_request *request, size_t a, size_t b) {
    return shown(request, b) && slice_equal(request->table_names[a], request->table_names[b]);
}

static bool first_of_table(const struct metrics_request *request, size_t i) {
    for (size_t before = 0; before < i; before++)
        if (same_table(request, i, before))
            return false;
    return true;
}

static bool last_of_collection(const struct metrics_request *request, size_t i) {
    const struct item_write *writes = request->writes;
    for (size_t later = i + 1; later < request->count; later++)
        if (same_table(request, i, later) &&
            value_equal(collection_of(&writes[later]), collection_of(&writes[i])))
            return false;
    return true;
}

static void write_table(struct json_writer *json, const struct metrics_request *request,
                        size_t first) {
    json_name(json, request->table_names[first]);
    json_array_begin(json);
    for (size_t i = first; i < request->count; i++)
        if (same_table(request, first, i) && last_of_collection(request, i))
            collection_metrics_write(json, &request->writes[i]);
    json_array_end(json);
}

void collection_metrics_write_member(struct json_writer *json,
                                     struct slice return_item_collection_metrics, size_t count,
                                     const struct item_write *writes,
                                     const struct slice *table_names) {
    struct metrics_request request = {return_item_collection_metrics, count, writes, table_names};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!shown(&request, i) || !first_of_table(&request, i))
            continue;
        if (!any) {
            member_object(json, "ItemCollectionMetrics");
            any = true;
        }
        write_table(json, &request, i);
    }
    if (any)
        json_object_end(json);
}
