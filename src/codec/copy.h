/* copy.h - how far the copy of a table is: the record by which it goes on after a crash.
 *
 *   OFFSET  SIZE  MEANING (integers little-endian)
 *   0       1     version: 1
 *   1       1     kind
 *   2       1     phase
 *   3       4     id of the range that is read
 *   7       4     id of the range that is written
 *   11      8     when the backup was made that is taken or read, ms; 0: there is none
 *   19      8     the number of the last change that the copy is to show
 *   27      8     items there will be, about
 *   35      8     items there are
 *   43      8     their size, as DynamoDB counts it
 *   51      rest  cursor: the key of the last item that is done, without its id; while changes are
 *                 undone the number (u64 be) from which on that is done; nothing at the start of a
 *                 phase */
#ifndef GRAMME_CODEC_COPY_H
#define GRAMME_CODEC_COPY_H

#include "base/error.h"

enum copy_kind {
    COPY_NONE,
    COPY_TAKE_BACKUP,    /* from a table to a backup */
    COPY_RESTORE_BACKUP, /* from a backup to a table */
    COPY_RESTORE_TABLE,  /* from an earlier state of a table to another table */
};

enum copy_phase {
    COPY_ITEMS, /* all items, as each is at its moment */
    COPY_UNDO,  /* what was changed since, from the newest change to the oldest */
    COPY_BUILD, /* the new table's indexes and item collections */
};

struct copy_state {
    enum copy_kind kind;
    enum copy_phase phase;
    uint32_t source;
    uint32_t target;
    int64_t backup_ms;
    uint64_t until;
    int64_t items_expected;
    int64_t item_count;
    int64_t size_bytes;
    struct slice cursor; /* empty: at the start of the phase */
};

struct slice copy_state_encode(struct arena *arena, const struct copy_state *state);
/* The cursor points into `bytes`. Fails on damage and on a newer version. */
struct error *copy_state_decode(struct arena *arena, struct slice bytes,
                                struct copy_state *ret_state);

/* The cursor while changes are undone: from that number on it is done. */
struct slice copy_cursor_encode(struct arena *arena, uint64_t number);
/* Of a state in that phase. */
uint64_t copy_cursor_number(struct slice cursor);

#endif
