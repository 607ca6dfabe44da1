/* consumed.c - one object per table, with its indexes in the order they were touched. */
#include "ops/account/consumed.h"

#include "json/member.h"
#include "model/capacity.h"

static bool is_wanted(struct slice wanted) {
    return slice_is(wanted, "TOTAL") || slice_is(wanted, "INDEXES");
}

/* Transactions say with every figure whether it is of reads or of writes. */
static void write_units(struct json_writer *json, uint32_t access, uint64_t halves) {
    JSON_NAME_LITERAL(json, "CapacityUnits");
    json_double(json, capacity_units(halves));
    if (!(access & ACCOUNT_TRANSACTION))
        return;
    json_name(json, access & ACCOUNT_READ ? SLICE_LITERAL("ReadCapacityUnits")
                                          : SLICE_LITERAL("WriteCapacityUnits"));
    json_double(json, capacity_units(halves));
}

static void write_part(struct json_writer *json, uint32_t access, struct slice name,
                       uint64_t halves) {
    json_name(json, name);
    json_object_begin(json);
    write_units(json, access, halves);
    json_object_end(json);
}

static void write_indexes(struct json_writer *json, const struct account_table *table,
                          bool global) {
    bool any = false;
    for (const struct account_index *index = table->indexes; index != NULL; index = index->next) {
        if (index->global != global)
            continue;
        if (!any)
            member_object(json, global ? "GlobalSecondaryIndexes" : "LocalSecondaryIndexes");
        any = true;
        write_part(json, table->access, index->name, index->cost.halves);
    }
    if (any)
        json_object_end(json);
}

/* What failed is in the total and in no part. */
static void write_table(struct json_writer *json, const struct account_table *table, bool parts) {
    uint64_t total = table->cost.halves + table->failed_halves;
    for (const struct account_index *index = table->indexes; index != NULL; index = index->next)
        total += index->cost.halves;
    json_object_begin(json);
    member_text(json, "TableName", table->name);
    write_units(json, table->access, total);
    if (parts) {
        write_part(json, table->access, SLICE_LITERAL("Table"), table->cost.halves);
        write_indexes(json, table, false);
        write_indexes(json, table, true);
    }
    json_object_end(json);
}

void consumed_write(struct json_writer *json, const struct account *account, struct slice wanted) {
    if (!is_wanted(wanted))
        return;
    JSON_NAME_LITERAL(json, "ConsumedCapacity");
    write_table(json, &account->first, slice_is(wanted, "INDEXES"));
}

static bool only_failed(const struct account_table *table) {
    return table->failed > 0 && table->cost.written == 0;
}

void consumed_write_list(struct json_writer *json, const struct account *account,
                         struct slice wanted) {
    bool any = false;
    const struct account_table *table = &account->first;
    for (; is_wanted(wanted) && table != NULL && table->table != NULL; table = table->next) {
        if (only_failed(table))
            continue;
        if (!any)
            member_array(json, "ConsumedCapacity");
        any = true;
        write_table(json, table, slice_is(wanted, "INDEXES"));
    }
    if (any)
        json_array_end(json);
}
