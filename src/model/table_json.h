/* table_json.h - the members of a table that requests and descriptions have alike. */
#ifndef GRAMME_MODEL_TABLE_JSON_H
#define GRAMME_MODEL_TABLE_JSON_H

#include "json/writer.h"
#include "model/table.h"

/* AttributeDefinitions. */
void attribute_definitions_write(struct json_writer *json,
                                 const struct attribute_definition *attributes, size_t count);
/* KeySchema: HASH attributes first, then RANGE attributes. */
void key_schema_write(struct json_writer *json, const struct key_schema *keys);

/* What every index has: IndexName, KeySchema, Projection. */
void index_members_write(struct json_writer *json, const struct table_index *index);
/* The members of an index that not everybody shows. */
typedef void index_rest_fn(struct json_writer *json, const struct table_index *index,
                           const void *context);
/* LocalSecondaryIndexes or GlobalSecondaryIndexes, unless there are none. */
void indexes_write(struct json_writer *json, const struct table_definition *table, bool global,
                   index_rest_fn *rest, const void *context);

/* StreamSpecification, or StreamDescription. */
void stream_write(struct json_writer *json, const char *name, enum stream_view view);
/* Tags. */
void tags_write(struct json_writer *json, const struct table_tag *tags, size_t count);

/* A pair of units, and what the API calls it. */
struct unit_names {
    const char *pair;
    const char *read;
    const char *write;
};

extern const struct unit_names provisioned_names; /* ProvisionedThroughput */
extern const struct unit_names on_demand_names;   /* OnDemandThroughput */
extern const struct unit_names warm_names;        /* WarmThroughput */

/* The pair; units that are not set are left out, and so is a pair without any. */
void units_write(struct json_writer *json, const struct unit_names *names, struct unit_pair units);
/* The same, with the units that are asked for, set or not. */
void units_write_parts(struct json_writer *json, const struct unit_names *names,
                       struct unit_pair units, bool read, bool write);
void provisioned_write(struct json_writer *json, const struct provisioned_throughput *throughput);

#endif
