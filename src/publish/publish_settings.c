/* publish_settings.c - every five minutes: what is provisioned, what is the most that may be, and
 * how much of the account's limits that takes. */
#include "model/limits.h"
#include "publish/publication.h"

struct provisioned {
    int64_t read, write;         /* of all tables and indexes */
    int64_t read_max, write_max; /* of the table or index that has most */
};

static void note(struct provisioned *all, const struct provisioned_throughput *units) {
    all->read += units->read_units;
    all->write += units->write_units;
    if (units->read_units > all->read_max)
        all->read_max = units->read_units;
    if (units->write_units > all->write_max)
        all->write_max = units->write_units;
}

static void publish_units(const struct publication *to, bool provisioned,
                          const struct provisioned_throughput *units,
                          const struct unit_pair *most) {
    if (provisioned) {
        publication_set(to, "ProvisionedReadCapacityUnits", METRIC_UNIT_COUNT,
                        (double)units->read_units);
        publication_set(to, "ProvisionedWriteCapacityUnits", METRIC_UNIT_COUNT,
                        (double)units->write_units);
    }
    if (most->read >= 0)
        publication_set(to, "OnDemandMaxReadRequestUnits", METRIC_UNIT_COUNT, (double)most->read);
    if (most->write >= 0)
        publication_set(to, "OnDemandMaxWriteRequestUnits", METRIC_UNIT_COUNT, (double)most->write);
}

static void publish_table(struct publication to, const struct table_definition *table,
                          struct provisioned *all) {
    bool provisioned = table->billing == BILLING_PROVISIONED;
    publication_dimension(&to, "TableName", table->name);
    publish_units(&to, provisioned, &table->throughput, &table->on_demand);
    if (provisioned)
        note(all, &table->throughput);
    for (size_t i = 0; i < table->index_count; i++) {
        const struct table_index *index = &table->indexes[i];
        if (!index->global)
            continue;
        to.dimension_count = 0;
        publication_dimension(&to, "GlobalSecondaryIndexName", index->name);
        publication_dimension(&to, "TableName", table->name);
        publish_units(&to, provisioned, &index->throughput, &index->on_demand);
        if (provisioned)
            note(all, &index->throughput);
    }
}

static void publish_account(const struct publication *to, const struct provisioned *all) {
    const struct {
        const char *name;
        double value;
        enum metric_unit unit;
    } rows[] = {
        {"AccountMaxReads", LIMIT_ACCOUNT_CAPACITY_UNITS, METRIC_UNIT_COUNT},
        {"AccountMaxWrites", LIMIT_ACCOUNT_CAPACITY_UNITS, METRIC_UNIT_COUNT},
        {"AccountMaxTableLevelReads", LIMIT_TABLE_CAPACITY_UNITS, METRIC_UNIT_COUNT},
        {"AccountMaxTableLevelWrites", LIMIT_TABLE_CAPACITY_UNITS, METRIC_UNIT_COUNT},
        {"AccountProvisionedReadCapacityUtilization",
         100.0 * (double)all->read / LIMIT_ACCOUNT_CAPACITY_UNITS, METRIC_UNIT_PERCENT},
        {"AccountProvisionedWriteCapacityUtilization",
         100.0 * (double)all->write / LIMIT_ACCOUNT_CAPACITY_UNITS, METRIC_UNIT_PERCENT},
        {"MaxProvisionedTableReadCapacityUtilization",
         100.0 * (double)all->read_max / LIMIT_TABLE_CAPACITY_UNITS, METRIC_UNIT_PERCENT},
        {"MaxProvisionedTableWriteCapacityUtilization",
         100.0 * (double)all->write_max / LIMIT_TABLE_CAPACITY_UNITS, METRIC_UNIT_PERCENT},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        publication_set(to, rows[i].name, rows[i].unit, rows[i].value);
}

/* As the usage metrics of all services are: one name, and the resource as a dimension. */
static void publish_usage(struct publication to, size_t tables) {
    to.name_space = "AWS/Usage";
    publication_dimension(&to, "Class", SLICE_LITERAL("None"));
    publication_dimension(&to, "Resource", SLICE_LITERAL("TableCount"));
    publication_dimension(&to, "Service", SLICE_LITERAL("DynamoDB"));
    publication_dimension(&to, "Type", SLICE_LITERAL("Resource"));
    publication_set(&to, "ResourceCount", METRIC_UNIT_NONE, (double)tables);
}

/* Of a server without tables there is nothing to tell, and nothing to keep. */
void publish_settings(struct publication *to) {
    struct table *const *tables;
    size_t count = catalog_tables(to->catalog, &tables);
    struct provisioned all = {0};
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        publish_table(*to, &tables[i]->definition, &all);
    publish_account(to, &all);
    publish_usage(*to, count);
}
