/* global_table.c - see global_table.h.
 *
 * Only where things stand changes here: whether the values are right is seen by who reads the
 * properties of the table. Capacity that is scaled begins where the service begins it, and stays
 * there. */
#include "template/global_table.h"

/* What a table, an index and their replicas say about capacity. */
#define WRITE_SETTINGS "WriteProvisionedThroughputSettings", "WriteOnDemandThroughputSettings"
#define READ_SETTINGS "ReadProvisionedThroughputSettings", "ReadOnDemandThroughputSettings"

enum { INDEXES_MAX = 100 };

static void copy(struct mapping_maker *maker, const struct node *from, const char *const *names) {
    for (; *names != NULL; names++)
        mapping_put(maker, *names, node_find(from, *names));
}

/* ---- the replica ---- */

static struct error *read_region(const struct property_reader *reader, const struct node *replica,
                                 struct slice *ret_region) {
    TRY(property_item_mapping(reader, replica, "a replica"));
    return property_required_text(reader, replica, "Region", ret_region);
}

/* That of this region, or the first. */
static struct error *find_replica(const struct property_reader *reader, const struct node *global,
                                  const struct node **ret_replica) {
    const struct node *list = NULL;
    struct slice region;
    size_t here = 0;
    TRY(property_list(reader, global, "Replicas", &list));
    if (list == NULL || list->count == 0)
        return document_error(reader->document, list == NULL ? global->mark : list->mark,
                              "a global table needs Replicas");
    for (size_t i = 0; i < list->count; i++) {
        TRY(read_region(reader, list->items[i], &region));
        if (slice_equal(region, reader->t->options.region))
            here = i;
    }
    for (size_t i = 0; i < list->count; i++) {
        TRY(read_region(reader, list->items[i], &region));
        if (i != here)
            template_notice(reader->t, list->items[i]->mark,
                            "the replica in %.*s is left out: there is one region",
                            SLICE_ARGS(region));
    }
    *ret_replica = list->items[here];
    return NULL;
}

static struct error *check_replica(const struct property_reader *reader,
                                   const struct node *replica) {
    static const char *const known[] = {"Region",
                                        "GlobalSecondaryIndexes",
                                        "SSESpecification",
                                        "ContributorInsightsSpecification",
                                        "DeletionProtectionEnabled",
                                        "PointInTimeRecoverySpecification",
                                        "ResourcePolicy",
                                        "TableClass",
                                        "Tags",
                                        READ_SETTINGS,
                                        NULL};
    static const char *const left_out[] = {"KinesisStreamSpecification",
                                           "ReplicaStreamSpecification",
                                           "GlobalTableSettingsReplicationMode", NULL};
    static const struct property_set members = {"a replica", known, left_out};
    return property_check(reader, replica, &members);
}

/* What the replica says about an index; NULL: nothing. */
static struct error *find_replica_index(const struct property_reader *reader,
                                        const struct node *replica, struct slice name,
                                        const struct node **ret_index) {
    static const char *const known[] = {"IndexName", "ContributorInsightsSpecification",
                                        READ_SETTINGS, NULL};
    static const struct property_set members = {"an index of a replica", known, NULL};
    const struct node *list = NULL;
    *ret_index = NULL;
    TRY(property_list(reader, replica, "GlobalSecondaryIndexes", &list));
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        struct slice found = SLICE_NONE;
        TRY(property_item_mapping(reader, list->items[i], "an index of a replica"));
        TRY(property_check(reader, list->items[i], &members));
        TRY(property_required_text(reader, list->items[i], "IndexName", &found));
        if (slice_equal(found, name))
            *ret_index = list->items[i];
    }
    return NULL;
}

/* ---- capacity ---- */

/* Reads and writes differ in words only. */
struct direction {
    const char *provisioned, *units, *scaled, *on_demand, *most;
};
static const struct direction writes = {"WriteProvisionedThroughputSettings", "WriteCapacityUnits",
                                        "WriteCapacityAutoScalingSettings",
                                        "WriteOnDemandThroughputSettings", "MaxWriteRequestUnits"};
static const struct direction reads = {"ReadProvisionedThroughputSettings", "ReadCapacityUnits",
                                       "ReadCapacityAutoScalingSettings",
                                       "ReadOnDemandThroughputSettings", "MaxReadRequestUnits"};

/* The units are there, or those that scaling begins with; NULL: neither. */
static struct error *find_units(const struct property_reader *reader, const struct node *holder,
                                const struct direction *direction, const struct node **ret_units) {
    const char *const known[] = {direction->units, direction->scaled, NULL};
    const struct property_set members = {direction->provisioned, known, NULL};
    const struct node *settings = NULL, *scaled = NULL;
    *ret_units = NULL;
    TRY(property_mapping(reader, holder, direction->provisioned, &settings));
    if (settings == NULL)
        return NULL;
    TRY(property_check(reader, settings, &members));
    *ret_units = node_find(settings, direction->units);
    TRY(property_mapping(reader, settings, direction->scaled, &scaled));
    if (*ret_units != NULL || scaled == NULL)
        return NULL;
    *ret_units = node_find(scaled, "SeedCapacity");
    if (*ret_units == NULL)
        *ret_units = node_find(scaled, "MinCapacity");
    template_notice(reader->t, scaled->mark,
                    "%s: the capacity stays where it begins; a ScalableTarget would scale it",
                    direction->scaled);
    return NULL;
}

static struct error *find_most(const struct property_reader *reader, const struct node *holder,
                               const struct direction *direction, const struct node **ret_most) {
    const char *const known[] = {direction->most, NULL};
    const struct property_set members = {direction->on_demand, known, NULL};
    const struct node *settings = NULL;
    *ret_most = NULL;
    TRY(property_mapping(reader, holder, direction->on_demand, &settings));
    if (settings == NULL)
        return NULL;
    TRY(property_check(reader, settings, &members));
    *ret_most = node_find(settings, direction->most);
    return NULL;
}

static void put_pair(struct mapping_maker *maker, const struct property_reader *reader,
                     const char *name, struct mapping_maker *pair, struct mark mark) {
    if (pair->count > 0)
        mapping_put(maker, name, mapping_made(reader->document->arena, pair, mark));
}

/* Of a table or an index, whose reads are the replica's if it says something about them. */
static struct error *put_throughput(struct mapping_maker *maker,
                                    const struct property_reader *reader, const struct node *global,
                                    const struct node *replica) {
    struct mapping_maker provisioned = {.count = 0}, on_demand = {.count = 0};
    const struct node *units[3], *most[3];
    TRY(find_units(reader, global, &writes, &units[0]));
    TRY(find_units(reader, global, &reads, &units[1]));
    TRY(find_units(reader, replica, &reads, &units[2]));
    TRY(find_most(reader, global, &writes, &most[0]));
    TRY(find_most(reader, global, &reads, &most[1]));
    TRY(find_most(reader, replica, &reads, &most[2]));
    mapping_put(&provisioned, reads.units, units[2] != NULL ? units[2] : units[1]);
    mapping_put(&provisioned, writes.units, units[0]);
    mapping_put(&on_demand, reads.most, most[2] != NULL ? most[2] : most[1]);
    mapping_put(&on_demand, writes.most, most[0]);
    put_pair(maker, reader, "ProvisionedThroughput", &provisioned, global->mark);
    put_pair(maker, reader, "OnDemandThroughput", &on_demand, global->mark);
    return NULL;
}

/* ---- indexes ---- */

static struct error *read_index(const struct property_reader *reader, const struct node *index,
                                const struct node *replica, const struct node **ret_index) {
    static const char *const known[] = {
        "IndexName",    "KeySchema",   "Projection", "WarmThroughput",
        WRITE_SETTINGS, READ_SETTINGS, NULL};
    static const struct property_set members = {"a global index", known, NULL};
    static const char *const same[] = {"IndexName", "KeySchema", "Projection", "WarmThroughput",
                                       NULL};
    static const char *const of_replica[] = {"ContributorInsightsSpecification", NULL};
    struct mapping_maker maker = {.count = 0};
    const struct node *here = NULL;
    struct slice name = SLICE_NONE;
    TRY(property_item_mapping(reader, index, "an index"));
    TRY(property_check(reader, index, &members));
    TRY(property_required_text(reader, index, "IndexName", &name));
    TRY(find_replica_index(reader, replica, name, &here));
    copy(&maker, index, same);
    copy(&maker, here, of_replica);
    TRY(put_throughput(&maker, reader, index, here));
    *ret_index = mapping_made(reader->document->arena, &maker, index->mark);
    return NULL;
}

static struct error *put_indexes(struct mapping_maker *maker, const struct property_reader *reader,
                                 const struct node *global, const struct node *replica) {
    const struct node *list = NULL, *items[INDEXES_MAX];
    TRY(property_list(reader, global, "GlobalSecondaryIndexes", &list));
    if (list == NULL)
        return NULL;
    if (list->count > INDEXES_MAX)
        return document_error(reader->document, list->mark,
                              "GlobalSecondaryIndexes has more than %d elements", INDEXES_MAX);
    for (size_t i = 0; i < list->count; i++)
        TRY(read_index(reader, list->items[i], replica, &items[i]));
    mapping_put(maker, "GlobalSecondaryIndexes",
                node_sequence(reader->document->arena, items, list->count, list->mark));
    return NULL;
}

/* ---- the rest ---- */

/* Whether is the same everywhere, and by which key is the replica's. */
static struct error *put_encryption(struct mapping_maker *maker,
                                    const struct property_reader *reader, const struct node *global,
                                    const struct node *replica) {
    static const char *const same[] = {"SSEEnabled", "SSEType", NULL};
    static const char *const of_replica[] = {"KMSMasterKeyId", NULL};
    const struct node *everywhere = NULL, *here = NULL;
    struct mapping_maker both = {.count = 0};
    TRY(property_mapping(reader, global, "SSESpecification", &everywhere));
    TRY(property_mapping(reader, replica, "SSESpecification", &here));
    if (everywhere == NULL)
        return NULL;
    copy(&both, everywhere, same);
    copy(&both, here, of_replica);
    put_pair(maker, reader, "SSESpecification", &both, everywhere->mark);
    return NULL;
}

static struct error *check_global(const struct property_reader *reader, const struct node *global) {
    static const char *const known[] = {"TableName",
                                        "AttributeDefinitions",
                                        "KeySchema",
                                        "BillingMode",
                                        "GlobalSecondaryIndexes",
                                        "LocalSecondaryIndexes",
                                        "Replicas",
                                        "SSESpecification",
                                        "StreamSpecification",
                                        "TimeToLiveSpecification",
                                        "WarmThroughput",
                                        WRITE_SETTINGS,
                                        READ_SETTINGS,
                                        NULL};
    static const char *const left_out[] = {"GlobalTableWitnesses", "MultiRegionConsistency",
                                           "GlobalTableSourceArn",
                                           "GlobalTableSettingsReplicationMode", NULL};
    static const struct property_set members = {"AWS::DynamoDB::GlobalTable", known, left_out};
    return property_check(reader, global, &members);
}

struct error *global_table_properties(const struct property_reader *reader,
                                      const struct node *global, const struct node **ret_table) {
    static const char *const same[] = {"TableName",
                                       "AttributeDefinitions",
                                       "KeySchema",
                                       "BillingMode",
                                       "LocalSecondaryIndexes",
                                       "StreamSpecification",
                                       "TimeToLiveSpecification",
                                       "WarmThroughput",
                                       NULL};
    static const char *const of_replica[] = {"ContributorInsightsSpecification",
                                             "DeletionProtectionEnabled",
                                             "PointInTimeRecoverySpecification",
                                             "ResourcePolicy",
                                             "TableClass",
                                             "Tags",
                                             NULL};
    struct mapping_maker maker = {.count = 0};
    const struct node *replica = NULL;
    TRY(check_global(reader, global));
    TRY(find_replica(reader, global, &replica));
    TRY(check_replica(reader, replica));
    copy(&maker, global, same);
    copy(&maker, replica, of_replica);
    TRY(put_throughput(&maker, reader, global, replica));
    TRY(put_indexes(&maker, reader, global, replica));
    TRY(put_encryption(&maker, reader, global, replica));
    *ret_table = mapping_made(reader->document->arena, &maker, global->mark);
    return NULL;
}
