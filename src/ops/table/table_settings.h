/* table_settings.h - throughput, plain settings, streams and encryption of a request: the service's
 * checks, and what they become. Absent parts (NULL) are fine everywhere. */
#ifndef GRAMME_OPS_TABLE_TABLE_SETTINGS_H
#define GRAMME_OPS_TABLE_TABLE_SETTINGS_H

#include "base/random.h"
#include "ops/table/table_input.h"

/* What is checked belongs to the table, or to an index, which the texts name. */
struct settings_owner {
    struct slice index_name; /* absent: the table */
};

#define OWNED_BY_TABLE ((struct settings_owner){SLICE_NONE})

/* "Given value ... is out of bounds" */
struct error *throughput_check_bounds(struct arena *arena,
                                      const struct provisioned_throughput_input *throughput,
                                      struct settings_owner owner);

/* Each member given is at least 1; with `removable` it may also be -1. */
struct error *on_demand_check_range(struct arena *arena,
                                    const struct on_demand_throughput_input *on_demand,
                                    struct settings_owner owner, bool removable);
/* On-demand limits of a new table or index. */
struct error *on_demand_check_new(struct arena *arena,
                                  const struct on_demand_throughput_input *on_demand,
                                  enum billing_mode billing, struct settings_owner owner);
/* The member that the service names when on-demand limits do not belong in the request: the first
 * that was given; NULL when none was. */
const char *on_demand_member_given(const struct on_demand_throughput_input *on_demand);

/* What is asked for is not below `least`, which is the provisioned throughput or what on-demand
 * starts with. */
struct error *warm_check_least(struct arena *arena, const struct warm_throughput_input *warm,
                               enum billing_mode billing, struct unit_pair least,
                               struct settings_owner owner);

/* ---- plain settings ---- */

bool setting_given(const struct setting_input *input);
/* What the field tables do not check: the class of a table. */
struct error *settings_check(struct arena *arena, const struct setting_input *settings);
/* Of a new table; what is not given has its default. */
void settings_define(const struct setting_input *settings, struct table_definition *definition);
/* Of a table that is there; false: it is as the request wants it. */
bool settings_change(const struct setting_input *settings, struct table_definition *definition);

/* ---- streams and encryption ---- */

/* Whether it switches KMS on: an SSEType says so too, where Enabled is not there. */
bool sse_asked(const struct sse_specification_input *sse);
struct error *sse_check(struct arena *arena, const struct sse_specification_input *sse);

/* The texts of CreateTable; UpdateTable has its own. */
struct error *stream_check_create(struct arena *arena,
                                  const struct stream_specification_input *stream);
enum stream_view stream_view_of(const struct stream_specification_input *stream);

/* -1 for what is absent. */
struct unit_pair on_demand_of(const struct on_demand_throughput_input *on_demand);
struct unit_pair warm_of(const struct warm_throughput_input *warm);

/* The ARN of the key that a request names, or of a new one. */
struct slice kms_key_arn(struct arena *arena, const struct random *random, struct slice given,
                         struct slice region, struct slice account);

#endif
