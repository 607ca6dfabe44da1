/* update_table_test.h - what the tests of UpdateTable share: two tables, a request as JSON, the
 * answer as text. */
#ifndef GRAMME_TESTS_UPDATE_TABLE_TEST_H
#define GRAMME_TESTS_UPDATE_TABLE_TEST_H

#include "ops_test.h"

#include "ops/table/update_table.h"

#define VE "ValidationException: "
#define INVALID VE "One or more parameter values were invalid: "
#define T "{\"TableName\":\"abc\","
#define UNITS(read, write) \
    "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":" #read ",\"WriteCapacityUnits\":" #write "}"

static const int64_t now_ms = 1665406819000; /* Monday, October 10, 2022 at 1:00:19 PM */

static inline struct table_definition provisioned(void) {
    return (struct table_definition){
        .name = SLICE_LITERAL("abc"),
        .status = TABLE_ACTIVE,
        .keys = {.hash_count = 1, .hash = {{SLICE_LITERAL("a"), VALUE_S}}},
        .throughput = {.read_units = 10, .write_units = 20},
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    };
}

static inline struct table_definition on_demand(void) {
    struct table_definition definition = provisioned();
    definition.billing = BILLING_PAY_PER_REQUEST;
    definition.billing_shown = true;
    definition.throughput = (struct provisioned_throughput){.read_units = 0};
    return definition;
}

/* Checks and applies; the error's text, or "ok". */
static inline const char *update_text(struct arena *arena, const char *json, int64_t at_ms,
                                      struct table_definition *definition,
                                      struct update_outcome *ret_outcome) {
    const char *constraint = check_text(arena, input_of("UpdateTable"), json);
    if (strcmp(constraint, "ok") != 0)
        return constraint;
    const struct update_table_request *request = decoded(arena, input_of("UpdateTable"), json);
    struct error *error = update_table_check(arena, request);
    if (error != NULL)
        return error_text(arena, error);
    struct table_update update = {request, SLICE_LITERAL("arn:new-key"), at_ms};
    return error_text(arena, update_table_apply(arena, &update, definition, ret_outcome));
}

static inline const char *refused(struct arena *arena, struct table_definition definition,
                                  const char *json) {
    struct update_outcome outcome;
    return update_text(arena, json, now_ms, &definition, &outcome);
}

#endif
