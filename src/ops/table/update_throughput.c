/* update_throughput.c - the billing mode and the capacity of UpdateTable, of tables and of indexes:
 * provisioned throughput, on-demand limits, and what is kept warm.
 *
 * Time comes with the update: decreases are counted by the UTC day and limited. */
#include <inttypes.h>
#include <time.h>

#include "model/capacity.h"
#include "model/limits.h"
#include "ops/table/table_description.h"
#include "ops/table/table_settings.h"
#include "ops/table/update_table.h"

enum { DECREASE_INTERVAL_MS = 3600 * 1000 };

/* "Monday, October 10, 2022 at 1:00:19 PM Coordinated Universal Time" */
static struct slice print_time(struct arena *arena, int64_t ms) {
    static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    int hour = tm.tm_hour % 12 == 0 ? 12 : tm.tm_hour % 12;
    return arena_printf(arena, "%s, %s %d, %d at %d:%02d:%02d %s Coordinated Universal Time",
                        days[tm.tm_wday], months[tm.tm_mon], tm.tm_mday, tm.tm_year + 1900, hour,
                        tm.tm_min, tm.tm_sec, tm.tm_hour < 12 ? "AM" : "PM");
}

/* ---- provisioned ---- */

static struct error *check_decrease(struct arena *arena,
                                    const struct provisioned_throughput *current, int64_t now_ms) {
    int64_t today = throughput_decreases_today(current, now_ms);
    int64_t next_ms = current->last_decrease_ms + DECREASE_INTERVAL_MS;
    if (today < LIMIT_THROUGHPUT_DECREASES_FIRST || now_ms >= next_ms)
        return NULL;
    struct slice last = print_time(arena, current->last_decrease_ms);
    struct slice next = print_time(arena, next_ms);
    return error_new(arena, ERROR_LIMIT_EXCEEDED,
                     "Subscriber limit exceeded: Provisioned throughput decreases are limited "
                     "within a given UTC day. After the first %d decreases, each subsequent "
                     "decrease in the same UTC day can be performed at most once every %d seconds. "
                     "Number of decreases today: %" PRId64 ". Last decrease at %.*s. Next decrease "
                     "can be made at %.*s",
                     LIMIT_THROUGHPUT_DECREASES_FIRST, DECREASE_INTERVAL_MS / 1000, today,
                     SLICE_ARGS(last), SLICE_ARGS(next));
}

static struct error *no_change_error(struct arena *arena, const struct capacity_change *change) {
    const struct provisioned_throughput *current = change->throughput;
    bool index = slice_present(change->index_name);
    struct slice owner = index ? arena_printf(arena, "index %.*s", SLICE_ARGS(change->index_name))
                               : SLICE_LITERAL("the table");
    return error_validation(
        arena,
        "The provisioned throughput for %s%.*s will not change. The requested value equals the "
        "current value. Current ReadCapacityUnits provisioned for %.*s: %" PRId64
        ". Requested ReadCapacityUnits: %" PRId64
        ". Current WriteCapacityUnits provisioned for %.*s: %" PRId64
        ". Requested WriteCapacityUnits: %" PRId64
        ". Refer to the Amazon DynamoDB Developer Guide for current limits and how to request "
        "higher limits.",
        index ? "the " : "", SLICE_ARGS(owner), SLICE_ARGS(owner), current->read_units,
        current->read_units, SLICE_ARGS(owner), current->write_units, current->write_units);
}

/* A change of an index leaves the table ACTIVE. */
static void note_change(const struct capacity_change *change, struct update_outcome *outcome) {
    outcome->changed = true;
    if (!slice_present(change->index_name))
        outcome->updating = true;
}

/* What is provisioned stays warm, also after it is taken back. */
static void keep_warm(const struct capacity_change *change) {
    const struct unit_pair warm = warm_units(change->billing, change->throughput, *change->warm);
    if (warm.read > change->given->read_capacity_units.value)
        change->warm->read = warm.read;
    if (warm.write > change->given->write_capacity_units.value)
        change->warm->write = warm.write;
}

static struct error *apply_provisioned(struct arena *arena, const struct capacity_change *change,
                                       struct update_outcome *outcome) {
    if (change->given == NULL)
        return NULL;
    struct provisioned_throughput *throughput = change->throughput;
    int64_t read = change->given->read_capacity_units.value;
    int64_t write = change->given->write_capacity_units.value;
    if (read == throughput->read_units && write == throughput->write_units)
        return no_change_error(arena, change);
    keep_warm(change);
    bool decrease = read < throughput->read_units || write < throughput->write_units;
    bool increase = read > throughput->read_units || write > throughput->write_units;
    if (decrease) {
        TRY(check_decrease(arena, throughput, change->now_ms));
        throughput->decreases_today = throughput_decreases_today(throughput, change->now_ms) + 1;
        throughput->last_decrease_ms = change->now_ms;
    }
    if (increase)
        throughput->last_increase_ms = change->now_ms;
    throughput->read_units = read;
    throughput->write_units = write;
    note_change(change, outcome);
    return NULL;
}

/* ---- on-demand limits ---- */

static void change_limit(int64_t *limit, struct field_int given) {
    if (given.present)
        *limit = given.value;
}

static struct error *apply_on_demand(struct arena *arena, const struct capacity_change *change,
                                     struct update_outcome *outcome) {
    const struct on_demand_throughput_input *given = change->given_on_demand;
    const char *member = on_demand_member_given(given);
    if (member == NULL)
        return NULL;
    if (change->billing == BILLING_PROVISIONED)
        return error_validation(arena,
                                PVI "%s for OnDemandThroughput%s%.*s cannot be specified when the "
                                    "table BillingMode is PROVISIONED",
                                member, slice_present(change->index_name) ? " for index : " : "",
                                SLICE_ARGS(change->index_name));
    TRY(on_demand_check_range(arena, given, (struct settings_owner){change->index_name}, true));
    change_limit(&change->on_demand->read, given->max_read_request_units);
    change_limit(&change->on_demand->write, given->max_write_request_units);
    outcome->changed = true; /* at once, unlike what is provisioned */
    return NULL;
}

/* ---- warm ---- */

static struct error *warm_up(struct arena *arena, const struct capacity_change *change,
                             const char *member, struct field_int given, int64_t current,
                             int64_t *units, struct update_outcome *outcome) {
    if (!given.present || given.value == current)
        return NULL;
    if (given.value < current) {
        bool index = slice_present(change->index_name);
        return error_validation(arena,
                                PVI "Requested %s for WarmThroughput for %s%.*s is lower than "
                                    "current WarmThroughput, decreasing WarmThroughput is not "
                                    "supported",
                                member, index ? "index " : "table", SLICE_ARGS(change->index_name));
    }
    *units = given.value;
    note_change(change, outcome);
    if (!slice_present(change->index_name))
        outcome->warm_updating = true;
    return NULL;
}

static struct error *apply_warm(struct arena *arena, const struct capacity_change *change,
                                struct update_outcome *outcome) {
    const struct warm_throughput_input *given = change->given_warm;
    if (given == NULL)
        return NULL;
    struct unit_pair current = warm_units(change->billing, change->throughput, *change->warm);
    TRY(warm_up(arena, change, "ReadUnitsPerSecond", given->read_units_per_second, current.read,
                &change->warm->read, outcome));
    return warm_up(arena, change, "WriteUnitsPerSecond", given->write_units_per_second,
                   current.write, &change->warm->write, outcome);
}

struct error *capacity_apply(struct arena *arena, const struct capacity_change *change,
                             struct update_outcome *outcome) {
    TRY(apply_provisioned(arena, change, outcome));
    TRY(apply_on_demand(arena, change, outcome));
    return apply_warm(arena, change, outcome);
}

/* ---- the billing mode ---- */

static void become_on_demand(struct arena *arena, const struct table_update *update,
                             struct table_definition *definition, struct update_outcome *outcome) {
    definition->billing = BILLING_PAY_PER_REQUEST;
    definition->billing_shown = true;
    definition->on_demand_since_ms = update->now_ms;
    definition->throughput.read_units = definition->throughput.write_units = 0;
    definition->indexes = arena_copy(arena, definition->indexes,
                                     definition->index_count * sizeof(*definition->indexes));
    for (size_t i = 0; i < definition->index_count; i++)
        definition->indexes[i].throughput.read_units =
            definition->indexes[i].throughput.write_units = 0;
    outcome->changed = outcome->updating = true;
}

static struct error *become_provisioned(struct arena *arena, const struct table_update *update,
                                        struct table_definition *definition,
                                        struct update_outcome *outcome) {
    const struct provisioned_throughput_input *given = update->request->provisioned_throughput;
    if (given == NULL)
        return error_validation(
            arena, PVI "ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
    definition->billing = BILLING_PROVISIONED;
    definition->throughput.read_units = given->read_capacity_units.value;
    definition->throughput.write_units = given->write_capacity_units.value;
    definition->on_demand = UNITS_UNSET;
    definition->indexes = arena_copy(arena, definition->indexes,
                                     definition->index_count * sizeof(*definition->indexes));
    for (size_t i = 0; i < definition->index_count; i++)
        definition->indexes[i].on_demand = UNITS_UNSET;
    outcome->changed = outcome->updating = true;
    return NULL;
}

/* What the request wants of the table itself, besides a change of its billing mode. */
static struct capacity_change change_of_table(const struct table_update *update,
                                              struct table_definition *definition) {
    return (struct capacity_change){
        .billing = definition->billing,
        .given = update->request->provisioned_throughput,
        .given_on_demand = update->request->on_demand_throughput,
        .given_warm = update->request->warm_throughput,
        .throughput = &definition->throughput,
        .on_demand = &definition->on_demand,
        .warm = &definition->warm,
        .now_ms = update->now_ms,
    };
}

static bool is_removed(const struct field_int *limit) {
    return limit->present && limit->value == -1;
}

struct error *update_throughput_apply(struct arena *arena, const struct table_update *update,
                                      struct table_definition *definition,
                                      struct update_outcome *outcome) {
    const struct update_table_request *request = update->request;
    const struct on_demand_throughput_input *limits = request->on_demand_throughput;
    bool was_on_demand = definition->billing == BILLING_PAY_PER_REQUEST;
    if (billing_mode_is(request->billing_mode, BILLING_PAY_PER_REQUEST) && !was_on_demand)
        become_on_demand(arena, update, definition, outcome);
    bool switched = billing_mode_is(request->billing_mode, BILLING_PROVISIONED) && was_on_demand;
    if (switched)
        TRY(become_provisioned(arena, update, definition, outcome));
    struct capacity_change change = change_of_table(update, definition);
    if (switched)
        change.given = NULL;
    if (change.given != NULL && definition->billing == BILLING_PAY_PER_REQUEST)
        return error_validation(arena, PVI "Neither ReadCapacityUnits nor WriteCapacityUnits can "
                                           "be specified when BillingMode is PAY_PER_REQUEST");
    TRY(capacity_apply(arena, &change, outcome));
    if (limits != NULL) {
        outcome->on_demand_read_removed = is_removed(&limits->max_read_request_units);
        outcome->on_demand_write_removed = is_removed(&limits->max_write_request_units);
    }
    return NULL;
}
