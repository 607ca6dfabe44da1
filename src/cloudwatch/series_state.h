/* series_state.h - a store of series in memory. Private to this folder; `lock` guards what is not
 * said to be otherwise. */
#ifndef GRAMME_CLOUDWATCH_SERIES_STATE_H
#define GRAMME_CLOUDWATCH_SERIES_STATE_H

#include <pthread.h>

#include "base/siphash.h"
#include "cloudwatch/metric.h"
#include "cloudwatch/series_options.h"
#include "cloudwatch/series_points.h"

enum { ENTRY_CHAINS = 16384, MINUTES_PER_HOUR = 60, MINUTES_PER_DAY = 1440, COARSE_MINUTES = 5 };

struct entry {
    struct entry *next_by_key; /* of its chain */
    struct entry *next_by_id;
    uint32_t id;         /* never used again while there is something of it on disk */
    int32_t last_minute; /* that has a sample */
    bool dirty;          /* some of its points are */
    bool told;           /* the journal or a record tells which metric it is */
    bool stored;         /* there is a record of it, and maybe blocks */
    struct points pending;
    const struct points *leaving; /* what is being put away, which that owns; or NULL */
    size_t key_len;
    uint8_t key[]; /* metric_encode() */
};

struct departure;

struct series_store {
    struct series_options options;
    uint8_t hash_key[SIPHASH_KEY_BYTES];
    pthread_mutex_t lock;
    struct arena scratch;
    struct entry *by_key[ENTRY_CHAINS];
    struct entry *by_id[ENTRY_CHAINS];
    size_t entry_count;
    uint32_t next_id;
    size_t pending_bytes;
    uint32_t turn;               /* that the pending points will be put away in */
    int32_t turn_hour;           /* in which the first of them came; -1: there is none */
    struct departure *departure; /* what is being put away; NULL: nothing */
    uint32_t *gone;              /* ids of series that are on disk still */
    size_t gone_count, gone_room;
    bool dirty;          /* something is not in the journal */
    bool rewrite;        /* nothing pending is: the journal could not be written */
    int64_t write_at_ms; /* monotonic: when it is to be */

    pthread_mutex_t writing; /* held by who writes to disk; taken before `lock` */
    uint32_t journal_number; /* guarded by `writing` */
    pthread_cond_t wake;
    pthread_t thread;
    bool has_thread;
    bool stopping;
};

static inline struct slice entry_key(const struct entry *entry) {
    return slice_of(entry->key, entry->key_len);
}

static inline int32_t series_now_minute(const struct series_store *store) {
    return (int32_t)(clock_now_ms(store->options.clock) / SERIES_MINUTE_MS);
}

struct entry *entry_find(struct series_store *store, struct slice key);
struct entry *entry_find_id(struct series_store *store, uint32_t id);
/* A new one; another may go for it. */
struct entry *entry_add(struct series_store *store, struct slice key, uint32_t id);
/* What of it is on disk goes with the next departure. */
void entry_drop(struct series_store *store, struct entry *entry);
void entries_release(struct series_store *store);
/* Of the clock that waits are measured with. */
int64_t series_now_ms(void);

#endif
