/* totals_follow.c - keeps the totals by reading the table's stream.
 *
 * What a batch of changes comes to, and the place behind it, are written in one transaction, on the
 * condition that the place is where the batch began. So each change counts once, whoever dies and
 * however many copies read the same: the one that comes too late goes on from the new place.
 *
 * The totals are in the table whose changes are read, so their own changes come, too, and come to
 * nothing. A place that only moved over such is kept in memory, and written when it is an hour
 * old, lest the stream forget where it is. */
#include "totals_follow.h"

#include <stdlib.h>
#include <string.h>

#include "common/timestamp.h"
#include "totals.h"
#include "totals_place.h"
#include "totals_rebuild.h"

enum {
    WAIT_MS = 250,
    RECORDS_MAX = 500,        /* in a batch: their sums fit by far */
    ALIVE_MS = 30 * 1000,     /* a builder that was not seen for longer is dead */
    KEEP_MS = 60 * 60 * 1000, /* the oldest place to be in the table */
};

enum app_status totals_explain_stream(struct app *app) {
    struct ddb_client *db = app_client(app);
    const struct ddb_error *error = ddb_client_error(db);
    if (ddb_client_failed_with(db, "TrimmedDataAccessException"))
        return app_fail(app, "changes were not read within 24 hours and are gone; the totals stay "
                             "as they are until `gramme-ledger totals rebuild`");
    if (error != NULL && error->kind == DDB_ERROR_INPUT)
        return app_fail(app,
                        "%s; totals need one with NEW_AND_OLD_IMAGES, and once it is on "
                        "`gramme-ledger totals rebuild`",
                        error->message);
    return app_db_fail(app, "cannot read the changes of " LEDGER_TABLE);
}

struct batch {
    struct totals changes;
    size_t records;
    char *position; /* behind it */
};

/* False, with a message, when they cannot be told. */
static bool take_record(struct app *app, struct batch *batch, const struct ddb_record *record) {
    if ((record->event != DDB_REMOVE && record->new_image == NULL) ||
        (record->event != DDB_INSERT && record->old_image == NULL)) {
        app_fail(app, "the stream of table " LEDGER_TABLE " has no NEW_AND_OLD_IMAGES");
        return false;
    }
    batch->records++;
    if (totals_subtract(&batch->changes, record->old_image) &&
        totals_add(&batch->changes, record->new_image))
        return true;
    app_fail(app, "the sums of a batch are too large");
    return false;
}

/* What there is, up to what one transaction takes; waits a moment when there is nothing. */
static enum app_status collect(struct app *app, struct ddb_stream *stream, struct batch *batch) {
    totals_clear(&batch->changes);
    batch->records = 0;
    while (batch->records < RECORDS_MAX && batch->changes.count + 2 <= PLACE_WRITES_MAX) {
        const struct ddb_record *record =
            ddb_stream_next(stream, batch->records == 0 ? WAIT_MS : 0);
        if (record == NULL && ddb_client_error(app_client(app)) != NULL)
            return totals_explain_stream(app);
        if (record == NULL)
            break;
        if (!take_record(app, batch, record))
            return APP_FAILED;
    }
    if (batch->records == 0 && ddb_stream_finished(stream))
        return app_fail(app,
                        "the stream of table " LEDGER_TABLE " is off; totals need one with "
                        "NEW_AND_OLD_IMAGES, and once it is on `gramme-ledger totals rebuild`");
    free(batch->position);
    batch->position = ddb_stream_position(stream);
    return APP_OK;
}

static enum place_outcome write_batch(struct app *app, const struct totals_place *place,
                                      const struct batch *batch) {
    struct place_move move = {.from = place->position, .to = batch->position};
    for (size_t i = 0; i < batch->changes.count; i++)
        if (!total_is_zero(&batch->changes.all[i]))
            total_change(&batch->changes.all[i], &move);
    enum place_outcome outcome = place_move(app, &move);
    place_move_release(&move);
    return outcome;
}

static bool is_worth_writing(const struct totals_place *place, const struct batch *batch) {
    return !totals_are_zero(&batch->changes) || (strcmp(place->position, batch->position) != 0 &&
                                                 timestamp_now_ms() - place->saved_ms > KEEP_MS);
}

/* Batch after batch, until another copy was faster. */
static enum app_status follow_stream(struct app *app, struct ddb_stream *stream,
                                     struct totals_place *place, struct service_counter *counter) {
    struct batch batch = {.records = 0};
    enum app_status status = APP_OK;
    enum place_outcome outcome = PLACE_MOVED;
    while (status == APP_OK && outcome == PLACE_MOVED && !service_is_stopping()) {
        status = collect(app, stream, &batch);
        if (status != APP_OK || !is_worth_writing(place, &batch))
            continue;
        outcome = write_batch(app, place, &batch);
        if (outcome == PLACE_FAILED)
            status = app_db_fail(app, "cannot write the totals");
        if (outcome != PLACE_MOVED)
            continue;
        free(place->position);
        place->position = batch.position;
        place->saved_ms = timestamp_now_ms();
        batch.position = NULL;
        atomic_fetch_add(&counter->count, batch.records);
    }
    free(batch.position);
    totals_release(&batch.changes);
    return status;
}

static enum app_status follow_from(struct app *app, struct totals_place *place,
                                   struct service_counter *counter) {
    struct ddb_stream *stream =
        ddb_stream_open(app_client(app), &(struct ddb_stream_options){.table = LEDGER_TABLE,
                                                                      .position = place->position});
    enum app_status status =
        stream == NULL ? totals_explain_stream(app) : follow_stream(app, stream, place, counter);
    ddb_stream_close(stream);
    return status;
}

enum app_status totals_follow(struct app *app, struct service_counter *counter) {
    enum app_status status = APP_OK;
    bool waits = false;
    while (status == APP_OK && !waits && !service_is_stopping()) {
        struct totals_place place;
        if (!place_read(app, &place))
            status = APP_FAILED;
        else if (place.position != NULL)
            status = follow_from(app, &place, counter);
        else if (!place.found || timestamp_now_ms() - place.saved_ms > ALIVE_MS)
            status = totals_rebuild_unless(app, &place);
        else
            waits = true;
        place_release(&place);
    }
    return status;
}
