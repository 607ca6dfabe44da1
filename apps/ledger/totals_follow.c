/* totals_follow.c - keeps the totals by reading the table's stream, as common/follow.h tells.
 *
 * The totals are in the table whose changes are read, so their own changes come, too, and come to
 * nothing. */
#include "totals_follow.h"

#include "common/follow.h"
#include "common/timestamp.h"
#include "totals.h"
#include "totals_place.h"
#include "totals_rebuild.h"

enum { ALIVE_MS = 30 * 1000 }; /* a builder that was not seen for longer is dead */

enum app_status totals_explain_stream(struct app *app) {
    const struct ddb_error *error = ddb_client_error(app_client(app));
    if (error != NULL && error->kind == DDB_ERROR_INPUT)
        return app_fail(app, "%s; totals need one with NEW_AND_OLD_IMAGES", error->message);
    return app_db_fail(app, "cannot read the changes of " LEDGER_TABLE);
}

/* ---- a batch: what its changes come to ---- */

static void clear(void *context) {
    totals_clear(context);
}

/* A change adds to two totals at most. */
static bool has_room(const void *context) {
    const struct totals *changes = context;
    return changes->count + 2 <= BUNDLE_MAX;
}

static bool take(void *context, struct app *app, const struct ddb_record *record) {
    bool fits =
        totals_subtract(context, record->old_image) && totals_add(context, record->new_image);
    if (!fits)
        app_fail(app, "there are too many totals");
    return fits;
}

static bool is_empty(const void *context) {
    return totals_are_zero(context);
}

static enum bundle_outcome write_changes(void *context, struct app *app, const char *from,
                                         const char *to) {
    const struct totals *changes = context;
    struct bundle bundle = {.count = 0};
    for (size_t i = 0; i < changes->count; i++)
        if (!total_is_zero(&changes->all[i]))
            total_change(&changes->all[i], &bundle);
    enum bundle_outcome outcome =
        place_move(app, &(struct place_move){.from = from, .to = to}, &bundle);
    bundle_release(&bundle);
    if (outcome == BUNDLE_FAILED)
        app_db_fail(app, "cannot write the totals");
    return outcome;
}

/* ---- the task ---- */

/* They were not read within 24 hours, or the stream was off and there is another one now. */
static bool has_lost_changes(struct app *app) {
    return ddb_client_failed_with(app_client(app), "TrimmedDataAccessException") ||
           ddb_client_error(app_client(app))->kind == DDB_ERROR_INPUT;
}

/* The place is written every hour. While one that is older than what a stream keeps was not read,
 * shards may have come and gone, which the stream does not tell. */
static bool is_late(const struct totals_place *place) {
    return timestamp_now_ms() - place->saved_ms > DAY_MS;
}

static enum app_status end_of(struct app *app, const struct totals_place *place,
                              enum follow_end end) {
    switch (end) {
    case FOLLOW_LOST:
    case FOLLOW_UP:
        return APP_OK;
    case FOLLOW_OFF:
        return app_fail(app, "the stream of table " LEDGER_TABLE
                             " is off; totals need one with NEW_AND_OLD_IMAGES");
    case FOLLOW_UNREADABLE:
        return has_lost_changes(app) ? totals_rebuild_unless(app, place)
                                     : totals_explain_stream(app);
    case FOLLOW_FAILED:
        break;
    }
    return APP_FAILED;
}

static enum app_status follow_from(struct app *app, const struct totals_place *place,
                                   struct service_counter *counters) {
    struct totals changes = {.count = 0};
    struct follower follower = {.table = LEDGER_TABLE,
                                .context = &changes,
                                .clear = clear,
                                .has_room = has_room,
                                .take = take,
                                .is_empty = is_empty,
                                .write = write_changes,
                                .changes = &counters[0],
                                .behind = &counters[1]};
    struct ddb_stream *stream =
        ddb_stream_open(app_client(app), &(struct ddb_stream_options){.table = LEDGER_TABLE,
                                                                      .position = place->position});
    enum follow_end end =
        stream == NULL ? FOLLOW_UNREADABLE
                       : follow_stream(app, &follower, stream, place->position, place->saved_ms);
    enum app_status status = end_of(app, place, end);
    ddb_stream_close(stream);
    totals_release(&changes);
    return status;
}

enum app_status totals_follow(struct app *app, struct service_counter counters[2]) {
    enum app_status status = APP_OK;
    bool waits = false;
    while (status == APP_OK && !waits && !service_is_stopping()) {
        struct totals_place place;
        if (!place_read(app, &place))
            status = APP_FAILED;
        else if (place.position != NULL && !is_late(&place))
            status = follow_from(app, &place, counters);
        else if (place.position != NULL || !place.found ||
                 timestamp_now_ms() - place.saved_ms > ALIVE_MS)
            status = totals_rebuild_unless(app, &place);
        else
            waits = true;
        place_release(&place);
    }
    return status;
}
