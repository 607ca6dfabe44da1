/* continuous_backups.c - the state of point-in-time recovery.
 *
 * A table can be restored to any ms of its window, up to now: there is no delay as in the service.
 * Many clients send times in whole seconds, so the window is said to begin with one. */
#include "ops/backup/continuous_backups.h"

#include "engine/backup.h"
#include "json/member.h"

static int64_t earliest_to_show(const struct table_definition *definition, int64_t now_ms) {
    int64_t start_ms = recovery_window_start_ms(definition, now_ms);
    int64_t second_ms = (start_ms + 999) / 1000 * 1000;
    return second_ms <= now_ms ? second_ms : start_ms;
}

void continuous_backups_reply(struct op_call *call, const struct table_definition *definition) {
    int64_t now_ms = clock_now_ms(call->context->clock);
    bool on = definition->pitr_days > 0;
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_object(&json, "ContinuousBackupsDescription");
    member_word(&json, "ContinuousBackupsStatus", feature_status_name(FEATURE_ENABLED));
    member_object(&json, "PointInTimeRecoveryDescription");
    member_word(&json, "PointInTimeRecoveryStatus",
                feature_status_name(on ? FEATURE_ENABLED : FEATURE_DISABLED));
    if (on) {
        member_integer(&json, "RecoveryPeriodInDays", definition->pitr_days);
        JSON_NAME_LITERAL(&json, "EarliestRestorableDateTime");
        json_timestamp(&json, earliest_to_show(definition, now_ms));
        JSON_NAME_LITERAL(&json, "LatestRestorableDateTime");
        json_timestamp(&json, now_ms);
    }
    json_object_end(&json);
    json_object_end(&json);
    json_object_end(&json);
}

struct error *backup_table_not_found(struct arena *arena, struct slice name) {
    return error_new(arena, ERROR_TABLE_NOT_FOUND, "Table not found: %.*s", SLICE_ARGS(name));
}
