/* follow.c - see follow.h. */
#include "common/follow.h"

#include <stdlib.h>
#include <string.h>

#include "common/duration.h"
#include "common/timestamp.h"

enum {
    WAIT_MS = 250,
    RECORDS_MAX = 500,        /* in a batch */
    KEEP_MS = 60 * 60 * 1000, /* the oldest place to be in the table */
};

struct reading {
    struct app *app;
    const struct follower *follower;
    struct ddb_stream *stream;
    char *position; /* that was last written */
    int64_t saved_ms;
    char *next; /* behind the batch */
    uint64_t records;
    int64_t latest_s; /* when the latest change of the batch happened */
    enum follow_end end;
};

static void tell_age(const struct reading *reading, int64_t time_s) {
    if (reading->follower->behind != NULL)
        atomic_store(&reading->follower->behind->count, (uint64_t)time_s);
}

static bool end_with(struct reading *reading, enum follow_end end) {
    reading->end = end;
    return false;
}

static bool take_record(struct reading *reading, const struct ddb_record *record) {
    const struct follower *follower = reading->follower;
    if ((record->event != DDB_REMOVE && record->new_image == NULL) ||
        (record->event != DDB_INSERT && record->old_image == NULL)) {
        app_fail(reading->app, "the stream of table %s has no NEW_AND_OLD_IMAGES", follower->table);
        return end_with(reading, FOLLOW_FAILED);
    }
    if (!follower->take(follower->context, reading->app, record))
        return end_with(reading, FOLLOW_FAILED);
    reading->records++;
    reading->latest_s = record->created_s;
    return true;
}

/* What there is, up to what one transaction takes; waits a moment when there is nothing. */
static bool collect(struct reading *reading) {
    const struct follower *follower = reading->follower;
    follower->clear(follower->context);
    reading->records = 0;
    while (reading->records < RECORDS_MAX && follower->has_room(follower->context)) {
        const struct ddb_record *record =
            ddb_stream_next(reading->stream, reading->records == 0 ? WAIT_MS : 0);
        if (record == NULL && ddb_client_error(app_client(reading->app)) != NULL)
            return end_with(reading, FOLLOW_UNREADABLE);
        if (record == NULL)
            break;
        if (!take_record(reading, record))
            return false;
    }
    free(reading->next);
    reading->next = ddb_stream_position(reading->stream);
    return true;
}

static bool is_worth_writing(const struct reading *reading) {
    return !reading->follower->is_empty(reading->follower->context) ||
           timestamp_now_ms() - reading->saved_ms > KEEP_MS;
}

static bool write_batch(struct reading *reading) {
    const struct follower *follower = reading->follower;
    enum bundle_outcome outcome =
        follower->write(follower->context, reading->app, reading->position, reading->next);
    if (outcome == BUNDLE_LOST || outcome == BUNDLE_BUSY)
        return end_with(reading, FOLLOW_LOST);
    if (outcome != BUNDLE_DONE)
        return end_with(reading, FOLLOW_FAILED);
    free(reading->position);
    reading->position = reading->next;
    reading->next = NULL;
    reading->saved_ms = timestamp_now_ms();
    if (follower->changes != NULL)
        atomic_fetch_add(&follower->changes->count, reading->records);
    return true;
}

/* False when it is over. */
static bool go_on(struct reading *reading) {
    if (service_is_stopping() || !collect(reading) ||
        (is_worth_writing(reading) && !write_batch(reading)))
        return false;
    tell_age(reading, reading->records > 0 ? reading->latest_s : ttl_now());
    if (reading->records > 0)
        return true;
    if (ddb_stream_finished(reading->stream))
        return end_with(reading, FOLLOW_OFF);
    return !reading->follower->once || end_with(reading, FOLLOW_UP);
}

enum follow_end follow_stream(struct app *app, const struct follower *follower,
                              struct ddb_stream *stream, const char *position, int64_t saved_ms) {
    struct reading reading = {.app = app,
                              .follower = follower,
                              .stream = stream,
                              .position = strdup(position),
                              .saved_ms = saved_ms,
                              .end = FOLLOW_LOST};
    while (go_on(&reading))
        continue;
    free(reading.position);
    free(reading.next);
    return reading.end;
}
