/* totals_rebuild.c - builds the totals anew, while payments go on.
 *
 * The table is read page by page, and after each page the stream is read to its end: then what has
 * changed meanwhile is known, and how it counts is in totals_touched.h. So at the end the sums are
 * those of the place where the stream stands. Meanwhile that place has the builder's name, and
 * nobody adds to totals. */
#include "totals_rebuild.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/timestamp.h"
#include "totals.h"
#include "totals_follow.h"
#include "totals_touched.h"

enum {
    TRIES_MAX = 20,
    SETTLE_MS = 300,          /* by then a change is in the stream; in the service, that is */
    DRAIN_MS = 5 * 60 * 1000, /* 24 hours of changes are read in that time, or never */
    PAGE_ITEMS = 2000,
    BEAT_MS = 5 * 1000,
};

struct rebuild {
    struct app *app;
    struct ddb_stream *stream;
    char name[UUID_TEXT_SIZE];
    int64_t seen_ms; /* when others have last seen that it lives */
    struct totals totals;
    struct touched touched;
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

/* Totals are written anew; their changes do not count. */
static bool is_total(const struct ddb_item *item) {
    return strncmp(ddb_item_string(item, "PK", ""), "TOTAL", 5) == 0;
}

static bool add_up(struct rebuild *rebuild, const struct ddb_item *added,
                   const struct ddb_item *taken) {
    bool fits = totals_add(&rebuild->totals, added) && totals_subtract(&rebuild->totals, taken);
    if (!fits)
        app_fail(rebuild->app, "there are too many totals");
    return fits;
}

/* Reads the stream to its end, some time after now. Changes count from the first page on. */
static bool drain(struct rebuild *rebuild, bool counts) {
    int64_t settled_ms = timestamp_elapsed_ms() + SETTLE_MS, end_ms = settled_ms + DRAIN_MS;
    for (;;) {
        int64_t left_ms = settled_ms - timestamp_elapsed_ms();
        const struct ddb_record *record =
            ddb_stream_next(rebuild->stream, left_ms > 0 ? left_ms : 0);
        if (record == NULL && ddb_client_error(app_client(rebuild->app)) != NULL)
            return totals_explain_stream(rebuild->app) == APP_OK;
        if (record == NULL && left_ms <= 0)
            return true;
        if (!beat(rebuild))
            return false;
        if (timestamp_elapsed_ms() > end_ms)
            return is_too_busy(rebuild);
        if (record == NULL || !counts || is_total(record->keys))
            continue;
        if (!touched_note(&rebuild->touched, record))
            return is_too_busy(rebuild);
        if (!add_up(rebuild, record->new_image, record->old_image))
            return false;
    }
}

static bool count_item(struct rebuild *rebuild, const struct ddb_item *item) {
    const struct ddb_item *first;
    if (!is_total(item) && touched_meet(&rebuild->touched, item, &first))
        return add_up(rebuild, first, NULL);
    return add_up(rebuild, item, NULL);
}

/* A page, held until it is known what has changed while it was read. */
struct page {
    struct ddb_item *items[PAGE_ITEMS];
    size_t count;
    struct ddb_item *next; /* where the next one begins, or NULL */
};

static bool read_page(struct rebuild *rebuild, struct ddb_client *db, struct page *page) {
    struct ddb_cursor *cursor = ddb_scan(db, &(struct ddb_query){.table = LEDGER_TABLE,
                                                                 .consistent = true,
                                                                 .limit = PAGE_ITEMS,
                                                                 .page_size = PAGE_ITEMS,
                                                                 .start_key = page->next});
    const struct ddb_item *item, *next;
    while (page->count < PAGE_ITEMS && (item = ddb_cursor_next(cursor)) != NULL)
        page->items[page->count++] = ddb_item_copy(item);
    const struct ddb_error *error = ddb_client_error(db);
    if (error != NULL)
        app_fail(rebuild->app, "cannot read the table: %s", error->message);
    next = error == NULL ? ddb_cursor_position(cursor) : NULL;
    ddb_item_free(page->next);
    page->next = next == NULL ? NULL : ddb_item_copy(next);
    ddb_cursor_free(cursor);
    return error == NULL;
}

static bool count_page(struct rebuild *rebuild, struct page *page) {
    bool ok = drain(rebuild, true);
    for (size_t i = 0; i < page->count; i++) {
        ok = ok && count_item(rebuild, page->items[i]);
        ddb_item_free(page->items[i]);
    }
    page->count = 0;
    return ok;
}

static bool sum_table(struct rebuild *rebuild) {
    struct ddb_client *db = app_client_new(rebuild->app);
    struct page *page = calloc(1, sizeof(*page));
    bool ok;
    if (page == NULL)
        abort();
    do {
        ok = read_page(rebuild, db, page);
        ok = count_page(rebuild, page) && ok;
    } while (ok && page->next != NULL);
    ddb_item_free(page->next);
    free(page);
    ddb_client_free(db);
    return ok;
}

/* The sums, as of where the stream stands. */
static bool sum_up(struct rebuild *rebuild) {
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        totals_clear(&rebuild->totals);
        bool ok = drain(rebuild, false) && sum_table(rebuild);
        bool clear = rebuild->touched.unclear == 0;
        touched_release(&rebuild->touched);
        if (!ok || clear)
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
