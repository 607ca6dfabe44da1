/* request.h - the JSON of the requests that a plan sends. Each lives in the arena and ends with a
 * NUL that is not counted. */
#ifndef GRAMME_TEMPLATE_REQUEST_H
#define GRAMME_TEMPLATE_REQUEST_H

#include "model/table_settings.h"
#include "template/state.h"

struct slice request_create_table(struct arena *arena, const struct table_state *wanted);
struct slice request_table_name(struct arena *arena, struct slice table); /* nothing else */

/* ---- UpdateTable ---- */
struct slice request_setting(struct arena *arena, const struct table_definition *wanted,
                             const struct table_setting *setting);
struct slice request_encryption(struct arena *arena, const struct table_definition *wanted);
struct slice request_stream(struct arena *arena, struct slice table, enum stream_view view);
struct slice request_on_demand(struct arena *arena, struct slice table, struct unit_pair units);
struct slice request_warm(struct arena *arena, struct slice table, struct unit_pair units);
struct slice request_index_on_demand(struct arena *arena, struct slice table,
                                     const struct table_index *index, struct unit_pair units);
struct slice request_index_warm(struct arena *arena, struct slice table,
                                const struct table_index *index, struct unit_pair units);
struct slice request_index_create(struct arena *arena, const struct table_definition *wanted,
                                  const struct table_index *index);
struct slice request_index_delete(struct arena *arena, struct slice table, struct slice index);

/* Capacity of the table, of indexes, or of both; and how it is billed. */
struct capacity_change {
    bool billing;
    bool table;
    const struct table_index **indexes;
    size_t index_count;
};
struct slice request_capacity(struct arena *arena, const struct table_definition *wanted,
                              const struct capacity_change *change);

/* ---- other operations ---- */
struct slice request_ttl(struct arena *arena, struct slice table, struct slice attribute,
                         bool enabled);
struct slice request_recovery(struct arena *arena, struct slice table,
                              const struct table_state *wanted);
struct slice request_tags(struct arena *arena, struct slice arn, const struct table_tag *tags,
                          size_t count);
/* Of the table; with an index, of that. */
struct slice request_insights(struct arena *arena, struct slice table,
                              const struct table_index *index,
                              const struct contributor_insights *wanted);
struct slice request_policy(struct arena *arena, struct slice arn, const struct node *policy);
struct slice request_policy_of(struct arena *arena, struct slice arn); /* to read or delete it */
struct slice request_untag(struct arena *arena, struct slice arn, const struct slice *keys,
                           size_t count);

#endif
