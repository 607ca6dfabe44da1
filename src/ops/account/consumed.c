/* consumed.c - one object per table, with its indexes in the order they were touched. */
#include "ops/account/consumed.h"

#include "model/capacity.h"
#include "model/limits.h"
#include "json/member.h"

enum { INDEXES_MAX = LIMIT_LOCAL_INDEXES + LIMIT_GLOBAL_INDEXES };

enum consumed_detail consumed_detail(struct slice text) {
    if (slice_is(text, "INDEXES"))
        return CONSUMED_INDEXES;
    return slice_is(text, "TOTAL") ? CONSUMED_TOTAL : CONSUMED_NONE;
}

void consumed_add_index(struct consumed *consumed, struct arena *arena,
                        const struct consumed_index *cost) {
    if (consumed->indexes == NULL)
        consumed->indexes = ARENA_ARRAY(arena, struct consumed_index, INDEXES_MAX);
    for (size_t i = 0; i < consumed->index_count; i++) {
        if (slice_equal(consumed->indexes[i].name, cost->name)) {
            consumed->indexes[i].halves += cost->halves;
            return;
        }
    }
    if (consumed->index_count < INDEXES_MAX)
        consumed->indexes[consumed->index_count++] = *cost;
}

static void add_indexes(struct consumed *consumed, struct arena *arena,
                        const struct item_write *write) {
    for (size_t i = 0; i < write->index_write_count; i++)
        consumed_add_index(
            consumed, arena,
            &(struct consumed_index){write->index_writes[i].name, write->index_writes[i].global,
                                     capacity_index_write(write->index_writes[i].change)});
}

void consumed_add_write(struct consumed *consumed, struct arena *arena,
                        const struct item_write *write) {
    consumed->table_halves += capacity_write(write->old_size, write->new_size);
    add_indexes(consumed, arena, write);
}

void consumed_add_transact_write(struct consumed *consumed, struct arena *arena,
                                 const struct item_write *write, bool replayed) {
    consumed->units = replayed ? CONSUMED_READ_UNITS : CONSUMED_WRITE_UNITS;
    consumed->table_halves += replayed ? capacity_transact_replay(write->old_size, write->new_size)
                                       : capacity_transact_write(write->old_size, write->new_size);
    add_indexes(consumed, arena, write);
}

static void write_units(struct json_writer *json, enum consumed_units units, uint64_t halves) {
    JSON_NAME_LITERAL(json, "CapacityUnits");
    json_double(json, capacity_units(halves));
    if (units == CONSUMED_UNITS)
        return;
    json_name(json, units == CONSUMED_READ_UNITS ? SLICE_LITERAL("ReadCapacityUnits")
                                                 : SLICE_LITERAL("WriteCapacityUnits"));
    json_double(json, capacity_units(halves));
}

static void write_part(struct json_writer *json, enum consumed_units units, struct slice name,
                       uint64_t halves) {
    json_name(json, name);
    json_object_begin(json);
    write_units(json, units, halves);
    json_object_end(json);
}

static void write_indexes(struct json_writer *json, const struct consumed *consumed, bool global) {
    bool any = false;
    for (size_t i = 0; i < consumed->index_count; i++) {
        if (consumed->indexes[i].global != global)
            continue;
        if (!any) {
            json_name(json, global ? SLICE_LITERAL("GlobalSecondaryIndexes")
                                   : SLICE_LITERAL("LocalSecondaryIndexes"));
            json_object_begin(json);
            any = true;
        }
        write_part(json, consumed->units, consumed->indexes[i].name, consumed->indexes[i].halves);
    }
    if (any)
        json_object_end(json);
}

void consumed_write(struct json_writer *json, enum consumed_detail detail,
                    const struct consumed *consumed) {
    uint64_t total = consumed->table_halves + consumed->failed_halves;
    for (size_t i = 0; i < consumed->index_count; i++)
        total += consumed->indexes[i].halves;
    json_object_begin(json);
    member_text(json, "TableName", consumed->table_name);
    write_units(json, consumed->units, total);
    if (detail == CONSUMED_INDEXES) {
        write_part(json, consumed->units, SLICE_LITERAL("Table"), consumed->table_halves);
        write_indexes(json, consumed, false);
        write_indexes(json, consumed, true);
    }
    json_object_end(json);
}

void consumed_write_member(struct json_writer *json, enum consumed_detail detail,
                           const struct consumed *consumed) {
    if (detail == CONSUMED_NONE)
        return;
    JSON_NAME_LITERAL(json, "ConsumedCapacity");
    consumed_write(json, detail, consumed);
}

void consumed_list_init(struct consumed_list *list, struct arena *arena, size_t tables_max) {
    list->tables = ARENA_ARRAY(arena, struct consumed, tables_max);
    list->count = 0;
}

struct consumed *consumed_list_table(struct consumed_list *list, struct slice table_name) {
    for (size_t i = 0; i < list->count; i++)
        if (slice_equal(list->tables[i].table_name, table_name))
            return &list->tables[i];
    list->tables[list->count].table_name = table_name;
    return &list->tables[list->count++];
}

void consumed_list_write_member(struct json_writer *json, enum consumed_detail detail,
                                const struct consumed_list *list) {
    if (detail == CONSUMED_NONE)
        return;
    member_array(json, "ConsumedCapacity");
    for (size_t i = 0; i < list->count; i++)
        consumed_write(json, detail, &list->tables[i]);
    json_array_end(json);
}
