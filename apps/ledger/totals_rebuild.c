/* totals_rebuild.c - builds the totals anew.
 *
 * The stream is read to its end; then the table is read and summed; then the stream again. When no
 * transaction has changed in between, the sums are those of the place where the stream stands.
 * Otherwise it is done once more: that needs a moment without payments that is as long as reading
 * the table takes. Meanwhile the place has the builder's name, and nobody adds to totals. */
#include "totals_rebuild.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/timestamp.h"
#include "totals.h"
#include "totals_follow.h"

enum {
    TRIES_MAX = 20,
    QUIET_MS = 300,           /* the stream is at its end when nothing came for so long */
    DRAIN_MS = 5 * 60 * 1000, /* 24 hours of changes are read in that time, or never */
    BEAT_MS = 5 * 1000,
};

struct rebuild {
    struct app *app;
    struct ddb_stream *stream;
    char name[UUID_TEXT_SIZE];
    int64_t seen_ms; /* when others have last seen that it lives */
    struct totals totals;
    bool lost; /* to another builder */
};

/* Writes totals as the builder, who ends with the position, if any; a few tries, when others are in
 * the way. */
static bool write_as_builder(struct rebuild *rebuild, struct bundle *totals, const char *position) {
    enum bundle_outcome outcome = BUNDLE_BUSY;
    struct place_move move = {.rebuild = rebuild->name, .to = position};
    for (int tries = 0; outcome == BUNDLE_BUSY && tries < TRIES_MAX; tries++) {
        if (tries > 0)
            app_pause(tries);
        outcome = place_move(rebuild->app, &move, totals);
    }
    rebuild->seen_ms = timestamp_elapsed_ms();
    rebuild->lost = outcome == BUNDLE_LOST;
    if (outcome == BUNDLE_LOST)
        app_fail(rebuild->app, "another run has begun to build the totals; this one ends");
    else if (outcome != BUNDLE_DONE)
        app_db_fail(rebuild->app, "cannot write the totals");
    return outcome == BUNDLE_DONE;
}

/* Shows now and then that the builder lives. */
static bool beat(struct rebuild *rebuild) {
    return timestamp_elapsed_ms() - rebuild->seen_ms < BEAT_MS ||
           write_as_builder(rebuild, &(struct bundle){.count = 0}, NULL);
}

static bool is_too_busy(struct rebuild *rebuild) {
    app_fail(rebuild->app, "the transactions change all the time; build the totals when there is "
                           "less to do");
    return false;
}

/* ---- reading ---- */

/* Reads the stream to its end, or, with `changes`, until something has changed that counts. */
static bool drain(struct rebuild *rebuild, struct totals *changes) {
    int64_t end_ms = timestamp_elapsed_ms() + DRAIN_MS;
    for (const struct ddb_record *record;
         (record = ddb_stream_next(rebuild->stream, QUIET_MS)) != NULL;) {
        if (timestamp_elapsed_ms() > end_ms)
            return is_too_busy(rebuild);
        if (!beat(rebuild))
            return false;
        if (changes == NULL)
            continue;
        if (!totals_subtract(changes, record->old_image) ||
            !totals_add(changes, record->new_image) || !totals_are_zero(changes))
            return true;
    }
    if (ddb_client_error(app_client(rebuild->app)) != NULL)
        totals_explain_stream(rebuild->app);
    return ddb_client_error(app_client(rebuild->app)) == NULL;
}

static bool sum_table(struct rebuild *rebuild) {
    struct ddb_client *db = app_client_new(rebuild->app);
    struct ddb_cursor *items =
        ddb_scan(db, &(struct ddb_query){.table = LEDGER_TABLE, .consistent = true});
    bool ok = true;
    totals_clear(&rebuild->totals);
    for (const struct ddb_item *item; ok && (item = ddb_cursor_next(items)) != NULL;) {
        bool fits = totals_add(&rebuild->totals, item);
        if (!fits)
            app_fail(rebuild->app, "there are too many totals, or one is too large");
        ok = fits && beat(rebuild);
    }
    const struct ddb_error *error = ddb_client_error(db);
    if (ok && error != NULL)
        app_fail(rebuild->app, "cannot read the table: %s", error->message);
    ok = ok && error == NULL;
    ddb_cursor_free(items);
    ddb_client_free(db);
    return ok;
}

/* The sums, as of where the stream stands. */
static bool sum_up(struct rebuild *rebuild) {
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        struct totals changes = {.count = 0};
        bool ok = drain(rebuild, NULL) && sum_table(rebuild) && drain(rebuild, &changes);
        bool still = totals_are_zero(&changes);
        totals_release(&changes);
        if (!ok || still)
            return ok;
    }
    return is_too_busy(rebuild);
}

/* ---- writing ---- */

/* Those from `at` on that go into one transaction. */
static bool write_some(struct rebuild *rebuild, size_t at) {
    struct bundle bundle = {.count = 0};
    for (size_t i = at; i < rebuild->totals.count && bundle.count < BUNDLE_MAX; i++)
        total_put(&rebuild->totals.all[i], &bundle);
    bool ok = write_as_builder(rebuild, &bundle, NULL);
    bundle_release(&bundle);
    return ok;
}

static bool write_all(struct rebuild *rebuild) {
    bool ok = true;
    for (size_t at = 0; ok && at < rebuild->totals.count; at += BUNDLE_MAX)
        ok = write_some(rebuild, at);
    char *position = ddb_stream_position(rebuild->stream);
    ok = ok && write_as_builder(rebuild, &(struct bundle){.count = 0}, position);
    free(position);
    return ok;
}

/* Sets `*ret_lost` when another one builds, or has built; then nothing is to be done. */
static enum app_status build(struct app *app, const struct totals_place *seen, bool *ret_lost,
                             size_t *ret_count) {
    struct rebuild rebuild = {.app = app, .seen_ms = timestamp_elapsed_ms()};
    uuid_random(rebuild.name);
    rebuild.stream = ddb_stream_open(
        app_client(app), &(struct ddb_stream_options){.table = LEDGER_TABLE, .skip_trimmed = true});
    if (rebuild.stream == NULL)
        return totals_explain_stream(app);
    enum bundle_outcome claimed = place_claim(app, seen, rebuild.name);
    if (claimed == BUNDLE_FAILED)
        app_db_fail(app, "cannot begin to build the totals");
    bool ok = claimed == BUNDLE_DONE && sum_up(&rebuild) && write_all(&rebuild);
    *ret_lost = claimed == BUNDLE_LOST || rebuild.lost;
    *ret_count = rebuild.totals.count;
    totals_release(&rebuild.totals);
    ddb_stream_close(rebuild.stream);
    return ok ? APP_OK : APP_FAILED;
}

enum app_status totals_rebuild_unless(struct app *app, const struct totals_place *seen) {
    bool lost = false;
    size_t count;
    enum app_status status = build(app, seen, &lost, &count);
    return lost ? APP_OK : status;
}

enum app_status totals_rebuild(struct app *app) {
    bool lost = false;
    size_t count;
    enum app_status status = build(app, NULL, &lost, &count);
    if (status == APP_OK)
        printf("%zu totals\n", count);
    return status;
}
