/* audit_trail.h - the table of the entries: its head, adding to it, and reading it in order.
 *
 *     Day HEAD, Number 0 -> LastNumber, LastDigest and RecordedAt of the latest entry, FirstDay;
 *     Position, the place in the stream up to which all changes have an entry, and SavedAt
 *
 * Entries are added together with the head, on the condition that the head is what it was read as,
 * and that no entry of that number is there: so each change has one entry, whoever dies and however
 * many copies run, and an entry is never written over. */
#ifndef LEDGER_AUDIT_TRAIL_H
#define LEDGER_AUDIT_TRAIL_H

#include "audit_entry.h"
#include "common/bundle.h"

struct audit_head {
    bool found;
    int64_t number; /* of the latest entry; 0: there is none yet */
    char digest[AUDIT_DIGEST_SIZE];
    char recorded_at[TIMESTAMP_SIZE];
    char first_day[AUDIT_DAY_SIZE];
    char *position;
    char saved_at[TIMESTAMP_SIZE];
};

/* False, with a message, when it cannot be read. Release it in any case. */
bool audit_head_read(struct app *app, struct audit_head *ret_head);
void audit_head_release(struct audit_head *head);

/* Numbers and seals the entries, at most BUNDLE_MAX, adds them and moves the head to the position.
 * Says why it fails. */
enum bundle_outcome audit_append(struct app *app, struct audit_head *head,
                                 struct audit_entry *entries, size_t count, const char *position);

/* Reads entries in their order: of some days, or of one account. */
struct audit_reader {
    struct app *app;
    const char *account; /* or NULL */
    int64_t after;       /* only those with a higher number */
    int64_t day_ms;      /* the next day to be read */
    int64_t last_day_ms;
    struct ddb_cursor *cursor;
    struct audit_entry entry; /* the latest one */
    bool sound;               /* whether that was read whole */
};

/* NULL after the last one, or on failure, with a message: see app_client(). Valid until the next
 * call. */
const struct audit_entry *audit_next(struct audit_reader *reader);
void audit_reader_release(struct audit_reader *reader);

#endif
