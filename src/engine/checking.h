/* checking.h - a check (check.h) while it goes on: its way through the store, and where it is.
 * Private to this folder. */
#ifndef GRAMME_ENGINE_CHECKING_H
#define GRAMME_ENGINE_CHECKING_H

#include "codec/copy.h"
#include "engine/check_report.h"
#include "engine/owners.h"

/* What is known of an owner's range, beside its definition. */
struct range_state {
    struct table_count found;
    uint64_t history; /* records */
    bool has_statistics;
    struct table_count statistics; /* as they are stored */
    struct slice cursor;           /* of a backfill; absent: it has covered nothing */
    const struct copy_state *copy; /* that fills it; NULL: none does */
};

/* An item collection that is summed up. */
struct check_collection {
    bool open;
    uint8_t key[ITEM_KEY_PREFIX];
    uint64_t bytes;
};

struct checking {
    struct store *store;
    struct check_observer *observer;
    struct arena scratch;   /* of one record */
    struct store_txn *gets; /* of one record; NULL: nothing was looked up for it yet */
    struct store_key at;    /* the record that is looked at.. */
    struct slice at_value;  /* ..absent: none is */
    bool counts;            /* what is looked at now, in the summary */
    struct owners owners;
    struct range_state *states; /* one for each owner, in the arena of the owners */
    uint64_t last_number;
    struct check_collection collection;
    bool cut_short[KEYSPACE_COUNT]; /* it could not be read to its end */
    struct check_summary *summary;
};

void checking_init(struct checking *checking, struct store *store, struct check_observer *observer,
                   struct check_summary *summary);
void checking_release(struct checking *checking);

/* What an error of it says is a fault at the place of the record. */
typedef struct error *check_record(struct checking *checking, struct slice key, struct slice value);

/* Every record of a range. Where it cannot be read on is a fault too. */
void checking_scan(struct checking *checking, const struct store_range *range, check_record *check);
/* Every record of a keyspace; they are counted. */
void checking_scan_all(struct checking *checking, uint8_t keyspace, check_record *check);
/* The values are there until the next record. */
struct error *checking_get(struct checking *checking, size_t count, const struct store_key *keys,
                           struct slice *ret_values);

/* Whether a range has a record. */
struct error *checking_has_any(struct checking *checking, const struct store_range *range,
                               bool *ret_any);
/* What was looked up for the record goes. */
void checking_end_record(struct checking *checking);

/* At the place of the record that is looked at, or, when none is, at one that the text tells. */
void checking_fault(struct checking *checking, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* At another record's. */
void checking_fault_at(struct checking *checking, const struct store_key *key, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));
/* The record belongs to nobody any more, which does no harm. */
void checking_left_over(struct checking *checking);

static inline const struct record_owner *checking_owner(const struct checking *checking,
                                                        struct slice key) {
    return owners_find(&checking->owners, load_u32_be(key.data));
}

static inline struct range_state *checking_state(const struct checking *checking,
                                                 const struct record_owner *owner) {
    return &checking->states[owner - checking->owners.list];
}

#endif
