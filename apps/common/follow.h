/* follow.h - makes something of each change of a table, once, by reading its stream.
 *
 * What a batch of changes comes to, and the place behind it, are written in one transaction, on the
 * condition that the place is where the batch began. So each change counts once, whoever dies and
 * however many copies read the same: the one that comes too late goes on from the new place.
 *
 * A place that only moved over changes that come to nothing is kept in memory. But every hour it is
 * written, lest the stream forget where it is, and so that its age tells when it was last read. */
#ifndef APPS_COMMON_FOLLOW_H
#define APPS_COMMON_FOLLOW_H

#include "common/bundle.h"
#include "common/service.h"

enum follow_end {
    FOLLOW_LOST,       /* another copy was faster, or the service stops: read the place again */
    FOLLOW_UP,         /* there is nothing more; with `once` */
    FOLLOW_OFF,        /* there is nothing more, and the stream was switched off */
    FOLLOW_UNREADABLE, /* the stream cannot be read; the client has the error */
    FOLLOW_FAILED,     /* anything else; there is a message */
};

struct follower {
    const char *table; /* whose stream it is */
    bool once;         /* ends when there is nothing more to read */
    void *context;     /* of the functions: the batch */
    void (*clear)(void *context);
    bool (*has_room)(const void *context);
    /* One more change. False, with a message, when it cannot be told. */
    bool (*take)(void *context, struct app *app, const struct ddb_record *record);
    /* Whether nothing comes of the batch. */
    bool (*is_empty)(const void *context);
    /* Writes what comes of it, and moves the place. Says why it fails. */
    enum bundle_outcome (*write)(void *context, struct app *app, const char *from, const char *to);
    struct service_counter *changes; /* counts those of batches that were written; or NULL */
    struct service_counter *behind;  /* an age: up to when all changes are in; or NULL */
};

/* Batch after batch from the position on, which is the text that was last written, at `saved_ms`,
 * and the stream stands there. */
enum follow_end follow_stream(struct app *app, const struct follower *follower,
                              struct ddb_stream *stream, const char *position, int64_t saved_ms);

#endif
