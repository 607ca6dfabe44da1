/* table_settings.c - see the header. Texts are the service's, members in the order it names them.
 */
#include "ops/table/table_settings.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/limits.h"

static const int64_t capacity_units_max = 1000000000000;

/* ---- throughput ---- */

static struct error *check_bound(struct arena *arena, const char *member, struct field_int units,
                                 struct settings_owner owner) {
    if (units.value <= capacity_units_max)
        return NULL;
    if (slice_present(owner.index_name))
        return error_request(arena,
                             "Given value %" PRId64 " for %s is out of bounds for index %.*s",
                             units.value, member, SLICE_ARGS(owner.index_name));
    return error_request(arena, "Given value %" PRId64 " for %s is out of bounds", units.value,
                         member);
}

struct error *throughput_check_bounds(struct arena *arena,
                                      const struct provisioned_throughput_input *throughput,
                                      struct settings_owner owner) {
    if (throughput == NULL)
        return NULL;
    TRY(check_bound(arena, "ReadCapacityUnits", throughput->read_capacity_units, owner));
    return check_bound(arena, "WriteCapacityUnits", throughput->write_capacity_units, owner);
}

/* "table" or "index <i>" */
static struct slice owner_print(struct arena *arena, struct settings_owner owner) {
    if (!slice_present(owner.index_name))
        return SLICE_LITERAL("table");
    return arena_printf(arena, "index %.*s", SLICE_ARGS(owner.index_name));
}

static struct error *check_on_demand_units(struct arena *arena, const char *member,
                                           struct field_int units, struct settings_owner owner,
                                           bool removable) {
    if (!units.present || units.value >= 1 || (removable && units.value == -1))
        return NULL;
    bool index = slice_present(owner.index_name);
    return error_request(
        arena, PVI "Requested %s for OnDemandThroughput for %s%.*s is outside of valid range",
        member, index ? "index : " : "table", SLICE_ARGS(owner.index_name));
}

struct error *on_demand_check_range(struct arena *arena,
                                    const struct on_demand_throughput_input *on_demand,
                                    struct settings_owner owner, bool removable) {
    if (on_demand == NULL)
        return NULL;
    TRY(check_on_demand_units(arena, "MaxReadRequestUnits", on_demand->max_read_request_units,
                              owner, removable));
    return check_on_demand_units(arena, "MaxWriteRequestUnits", on_demand->max_write_request_units,
                                 owner, removable);
}

const char *on_demand_member_given(const struct on_demand_throughput_input *on_demand) {
    if (on_demand == NULL)
        return NULL;
    if (on_demand->max_read_request_units.present)
        return "MaxReadRequestUnits";
    return on_demand->max_write_request_units.present ? "MaxWriteRequestUnits" : NULL;
}

struct error *on_demand_check_new(struct arena *arena,
                                  const struct on_demand_throughput_input *on_demand,
                                  enum billing_mode billing, struct settings_owner owner) {
    const char *member = on_demand_member_given(on_demand);
    if (member != NULL && billing == BILLING_PROVISIONED)
        return error_request(arena,
                             PVI "%s for OnDemandThroughput%s%.*s cannot be specified when table "
                                 "BillingMode is PROVISIONED.",
                             member, slice_present(owner.index_name) ? " for index: " : "",
                             SLICE_ARGS(owner.index_name));
    return on_demand_check_range(arena, on_demand, owner, false);
}

static struct error *check_warm_units(struct arena *arena, bool read, struct field_int units,
                                      enum billing_mode billing, int64_t least,
                                      struct settings_owner owner) {
    if (!units.present || units.value >= least)
        return NULL;
    const char *member = read ? "ReadUnitsPerSecond" : "WriteUnitsPerSecond";
    struct slice what = owner_print(arena, owner);
    if (billing == BILLING_PAY_PER_REQUEST)
        return error_request(
            arena,
            PVI "Requested %s for WarmThroughput for %.*s is lower than initial throughput for "
                "OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
                "on-demand-capacity-mode.html#on-demand-capacity-mode-initial",
            member, SLICE_ARGS(what));
    return error_request(arena,
                         PVI "Requested %s for WarmThroughput for %.*s is lower than %s of "
                             "ProvisionedThroughput",
                         member, SLICE_ARGS(what),
                         read ? "ReadCapacityUnits" : "WriteCapacityUnits");
}

struct error *warm_check_least(struct arena *arena, const struct warm_throughput_input *warm,
                               enum billing_mode billing, struct unit_pair least,
                               struct settings_owner owner) {
    if (warm == NULL)
        return NULL;
    TRY(check_warm_units(arena, true, warm->read_units_per_second, billing, least.read, owner));
    return check_warm_units(arena, false, warm->write_units_per_second, billing, least.write,
                            owner);
}

static int64_t units_of(struct field_int units) {
    return units.present ? units.value : -1;
}

struct unit_pair on_demand_of(const struct on_demand_throughput_input *on_demand) {
    if (on_demand == NULL)
        return UNITS_UNSET;
    return (struct unit_pair){units_of(on_demand->max_read_request_units),
                              units_of(on_demand->max_write_request_units)};
}

struct unit_pair warm_of(const struct warm_throughput_input *warm) {
    if (warm == NULL)
        return UNITS_UNSET;
    return (struct unit_pair){units_of(warm->read_units_per_second),
                              units_of(warm->write_units_per_second)};
}

/* ---- plain settings ---- */

bool setting_given(const struct setting_input *input) {
    return input->flag.present || slice_present(input->word);
}

struct error *settings_check(struct arena *arena, const struct setting_input *settings) {
    struct slice class = settings[SETTING_TABLE_CLASS].word;
    if (!slice_present(class) || word_find(&table_class_words, class) >= 0)
        return NULL;
    return error_request(arena,
                         "Invalid table-class parameter provided. Please try again with a "
                         "valid table-class value: %s.",
                         table_class_printed);
}

/* Absent: 0. */
static int value_of(const struct table_setting *setting, const struct setting_input *input) {
    return setting->words == NULL ? input->flag.value : word_value(setting->words, input->word);
}

void settings_define(const struct setting_input *settings, struct table_definition *definition) {
    for (size_t i = 0; i < SETTING_COUNT; i++)
        setting_set(&table_settings[i], definition, value_of(&table_settings[i], &settings[i]));
}

bool settings_change(const struct setting_input *settings, struct table_definition *definition) {
    bool changed = false;
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct table_setting *setting = &table_settings[i];
        int value = value_of(setting, &settings[i]);
        if (!setting_given(&settings[i]) || value == setting_value(setting, definition))
            continue;
        setting_set(setting, definition, value);
        changed = true;
    }
    return changed;
}

/* ---- streams and encryption ---- */

struct error *stream_check_create(struct arena *arena,
                                  const struct stream_specification_input *stream) {
    if (stream == NULL)
        return NULL;
    bool view = slice_present(stream->stream_view_type);
    if (stream->stream_enabled.value && !view)
        return error_request(
            arena, PVI "Table is being created with a stream enabled, UpdateViewType is required");
    if (!stream->stream_enabled.value && view)
        return error_request(arena, PVI "Table is being created with a stream disabled, "
                                        "UpdateViewType should not be specified");
    return NULL;
}

enum stream_view stream_view_of(const struct stream_specification_input *stream) {
    if (stream == NULL || !stream->stream_enabled.value)
        return STREAM_OFF;
    return stream_view_from_name(stream->stream_view_type);
}

bool sse_asked(const struct sse_specification_input *sse) {
    return sse->enabled.present ? sse->enabled.value : slice_present(sse->sse_type);
}

struct error *sse_check(struct arena *arena, const struct sse_specification_input *sse) {
    if (sse == NULL)
        return NULL;
    bool type = slice_present(sse->sse_type), key = slice_present(sse->kms_master_key_id);
    bool kms = sse_type_is(sse->sse_type, SSE_KMS);
    if (!sse_asked(sse) && type)
        return error_request(arena, PVI "SSEType can not be specified if Enabled is false");
    if (!sse_asked(sse) && key)
        return error_request(arena, PVI "KMSMasterKeyId can not be specified if Enabled is false");
    if (key && !kms)
        return error_request(arena, PVI "SSEType KMS is required if KMSMasterKeyId is specified");
    if (type && !kms)
        return error_request(arena, PVI "SSEType AES256 is not supported");
    return NULL;
}

struct slice kms_key_arn(struct arena *arena, const struct random *random, struct slice given,
                         struct slice region, struct slice account) {
    if (slice_present(given) && slice_starts_with(given, SLICE_LITERAL("arn:")))
        return given;
    /* An alias stands for some key. */
    bool alias = !slice_present(given) || slice_starts_with(given, SLICE_LITERAL("alias/"));
    struct slice id = alias ? random_uuid(random, arena) : given;
    return arena_printf(arena, "arn:aws:kms:%.*s:%.*s:key/%.*s", SLICE_ARGS(region),
                        SLICE_ARGS(account), SLICE_ARGS(id));
}
