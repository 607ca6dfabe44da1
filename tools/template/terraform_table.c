/* terraform_table.c - an aws_dynamodb_table of a plan as the properties of an AWS::DynamoDB::Table.
 *
 * Only names change here: whether the values are right is seen by who reads the properties. */
#include "template/terraform.h"

enum { BLOCKS_MAX = 200 };

/* One member of a block after the other, under other names. */
struct renamed {
    const char *name;
    const char *property;
};

static void rename_all(const struct terraform_block *block, const struct renamed *names,
                       struct mapping_maker *maker) {
    for (; names->name != NULL; names++)
        mapping_put(maker, names->property, terraform_value(block, names->name));
}

static const struct node *renamed_mapping(const struct terraform_block *block,
                                          const struct renamed *names) {
    struct mapping_maker maker = {.count = 0};
    rename_all(block, names, &maker);
    return terraform_made(block, &maker);
}

typedef const struct node *block_reader(const struct terraform_block *block,
                                        const struct terraform_block *table);

static void put_blocks(struct mapping_maker *maker, const char *property,
                       const struct terraform_block *holder, const char *name, block_reader *read,
                       const struct terraform_block *table) {
    const struct node *items[BLOCKS_MAX];
    struct terraform_block block;
    size_t count = 0;
    while (count < BLOCKS_MAX && terraform_child(holder, name, count, &block))
        items[count++] = read(&block, table);
    if (count > 0)
        mapping_put(maker, property, node_sequence(holder->arena, items, count, holder->mark));
}

static void put_block(struct mapping_maker *maker, const char *property,
                      const struct terraform_block *holder, const char *name,
                      const struct renamed *names) {
    struct terraform_block block;
    if (terraform_child(holder, name, 0, &block))
        mapping_put(maker, property, renamed_mapping(&block, names));
}

/* ---- keys ---- */

static const struct node *read_attribute(const struct terraform_block *block,
                                         const struct terraform_block *table) {
    static const struct renamed names[] = {
        {"name", "AttributeName"}, {"type", "AttributeType"}, {NULL, NULL}};
    (void)table;
    return renamed_mapping(block, names);
}

static const struct node *read_key_part(const struct terraform_block *block,
                                        const struct terraform_block *table) {
    static const struct renamed names[] = {
        {"attribute_name", "AttributeName"}, {"key_type", "KeyType"}, {NULL, NULL}};
    (void)table;
    return renamed_mapping(block, names);
}

/* `hash` and `range` may be NULL. */
static void put_keys(struct mapping_maker *maker, const struct terraform_block *block,
                     const struct node *hash, const struct node *range) {
    const struct node *parts[2];
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        struct mapping_maker part = {.count = 0};
        const struct node *name = i == 0 ? hash : range;
        if (name == NULL)
            continue;
        mapping_put(&part, "AttributeName", name);
        mapping_put(&part, "KeyType", terraform_text(block, i == 0 ? "HASH" : "RANGE"));
        parts[count++] = terraform_made(block, &part);
    }
    if (count > 0)
        mapping_put(maker, "KeySchema", node_sequence(block->arena, parts, count, block->mark));
    else
        put_blocks(maker, "KeySchema", block, "key_schema", read_key_part, NULL);
}

/* ---- throughput: the provider keeps zeros for a table on demand ---- */

static bool is_on_demand(const struct terraform_block *table) {
    const struct node *billing = terraform_value(table, "billing_mode");
    return billing != NULL && slice_is(billing->text, "PAY_PER_REQUEST");
}

static void put_throughput(struct mapping_maker *maker, const struct terraform_block *block,
                           bool on_demand) {
    static const struct renamed provisioned[] = {{"read_capacity", "ReadCapacityUnits"},
                                                 {"write_capacity", "WriteCapacityUnits"},
                                                 {NULL, NULL}};
    static const struct renamed most[] = {{"max_read_request_units", "MaxReadRequestUnits"},
                                          {"max_write_request_units", "MaxWriteRequestUnits"},
                                          {NULL, NULL}};
    static const struct renamed warm[] = {{"read_units_per_second", "ReadUnitsPerSecond"},
                                          {"write_units_per_second", "WriteUnitsPerSecond"},
                                          {NULL, NULL}};
    if (!on_demand && terraform_value(block, "read_capacity") != NULL)
        mapping_put(maker, "ProvisionedThroughput", renamed_mapping(block, provisioned));
    if (on_demand)
        put_block(maker, "OnDemandThroughput", block, "on_demand_throughput", most);
    put_block(maker, "WarmThroughput", block, "warm_throughput", warm);
}

/* ---- indexes ---- */

static void put_index(struct mapping_maker *maker, const struct terraform_block *block,
                      const struct node *hash) {
    static const struct renamed projection[] = {{"projection_type", "ProjectionType"},
                                                {"non_key_attributes", "NonKeyAttributes"},
                                                {NULL, NULL}};
    mapping_put(maker, "IndexName", terraform_value(block, "name"));
    put_keys(maker, block, hash, terraform_value(block, "range_key"));
    mapping_put(maker, "Projection", renamed_mapping(block, projection));
}

static const struct node *read_local(const struct terraform_block *block,
                                     const struct terraform_block *table) {
    struct mapping_maker maker = {.count = 0};
    put_index(&maker, block, terraform_value(table, "hash_key"));
    return terraform_made(block, &maker);
}

static const struct node *read_global(const struct terraform_block *block,
                                      const struct terraform_block *table) {
    struct mapping_maker maker = {.count = 0};
    put_index(&maker, block, terraform_value(block, "hash_key"));
    put_throughput(&maker, block, is_on_demand(table));
    return terraform_made(block, &maker);
}

/* ---- settings ---- */

static void put_stream(struct mapping_maker *maker, const struct terraform_block *table) {
    static const struct renamed view[] = {{"stream_view_type", "StreamViewType"}, {NULL, NULL}};
    if (terraform_true(table, "stream_enabled"))
        mapping_put(maker, "StreamSpecification", renamed_mapping(table, view));
}

/* A key that nobody names is not known either before an apply: the default takes its place. */
static void put_encryption(struct mapping_maker *maker, const struct terraform_block *table) {
    struct mapping_maker members = {.count = 0};
    struct terraform_block block;
    if (!terraform_child(table, "server_side_encryption", 0, &block))
        return;
    const struct node *key = terraform_value(&block, "kms_key_arn");
    mapping_put(&members, "SSEEnabled", terraform_value(&block, "enabled"));
    if (key != NULL && key->kind != NODE_UNKNOWN)
        mapping_put(&members, "KMSMasterKeyId", key);
    mapping_put(maker, "SSESpecification", terraform_made(&block, &members));
}

/* Those of the provider's default_tags are in tags_all. */
static void put_tags(struct mapping_maker *maker, const struct terraform_block *table) {
    const struct node *tags = terraform_value(table, "tags_all");
    if (tags == NULL || tags->kind != NODE_MAPPING)
        tags = terraform_value(table, "tags");
    if (tags == NULL || tags->kind != NODE_MAPPING) {
        mapping_put(maker, "Tags", tags);
        return;
    }
    const struct node **items = ARENA_ARRAY(table->arena, const struct node *, tags->count + 1);
    for (size_t i = 0; i < tags->count; i++) {
        struct mapping_maker tag = {.count = 0};
        mapping_put(&tag, "Key", node_scalar(table->arena, tags->members[i].name, table->mark));
        mapping_put(&tag, "Value", tags->members[i].value);
        items[i] = terraform_made(table, &tag);
    }
    mapping_put(maker, "Tags", node_sequence(table->arena, items, tags->count, table->mark));
}

static void tell_left_out(struct template *t, const struct terraform_block *table) {
    static const char *const names[] = {"replica", "import_table", "restore_source_name",
                                        "restore_source_table_arn", "global_table_witness"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (terraform_value(table, names[i]) != NULL)
            template_notice(t, table->mark, "%s is left out", names[i]);
}

void terraform_table(struct template *t, const struct terraform_block *table,
                     struct mapping_maker *properties) {
    static const struct renamed plain[] = {
        {"name", "TableName"},
        {"billing_mode", "BillingMode"},
        {"table_class", "TableClass"},
        {"deletion_protection_enabled", "DeletionProtectionEnabled"},
        {NULL, NULL}};
    static const struct renamed ttl[] = {
        {"attribute_name", "AttributeName"}, {"enabled", "Enabled"}, {NULL, NULL}};
    static const struct renamed recovery[] = {{"enabled", "PointInTimeRecoveryEnabled"},
                                              {"recovery_period_in_days", "RecoveryPeriodInDays"},
                                              {NULL, NULL}};
    rename_all(table, plain, properties);
    put_blocks(properties, "AttributeDefinitions", table, "attribute", read_attribute, table);
    put_keys(properties, table, terraform_value(table, "hash_key"),
             terraform_value(table, "range_key"));
    put_throughput(properties, table, is_on_demand(table));
    put_blocks(properties, "GlobalSecondaryIndexes", table, "global_secondary_index", read_global,
               table);
    put_blocks(properties, "LocalSecondaryIndexes", table, "local_secondary_index", read_local,
               table);
    put_block(properties, "TimeToLiveSpecification", table, "ttl", ttl);
    put_block(properties, "PointInTimeRecoverySpecification", table, "point_in_time_recovery",
              recovery);
    put_encryption(properties, table);
    put_stream(properties, table);
    put_tags(properties, table);
    tell_left_out(t, table);
}
