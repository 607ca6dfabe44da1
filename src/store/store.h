/* store.h - THE SEAM between the database and what keeps its bytes.
 *
 * Above it are DynamoDB's words; below it are engines. Here there are only keyspaces, keys and
 * values. It is shaped so that an engine on the other side of a network needs two round trips per
 * group of writes: all reads at once (get_many), then all writes with the commit.
 *
 * Rules
 *  1. A transaction is STORE_READ (any thread, any number at once) or STORE_WRITE (one at a time:
 *     the caller serialises).
 *  2. A write transaction does all its reads before its first write. Its reads do not see its own
 *     writes.
 *  3. put, delete and delete_range are buffered; nothing is visible to anyone before commit returns
 *     STORE_COMMITTED.
 *  4. A commit is all or nothing, also across a crash, and across keyspaces.
 *  5. STORE_DURABLE: when commit returns, the writes survive power loss. STORE_RELAXED: they
 *     survive the end of the process and are made durable by the next durable commit or
 *     store_sync().
 *  6. Keys sort as unsigned bytes; a key is 1 to STORE_KEY_MAX bytes. More is a bug of the caller
 *     on every engine. The ends of a range may be one byte longer: the successor of the longest
 *     key.
 *  7. A STORE_READ transaction sees one moment: that of its first read. STORE_READ_LATEST skips
 *     that promise for callers that read once.
 *  8. Slices that get_many and scan return live until the transaction ends (scan: until the next
 *     step).
 *  9. Outcomes are not errors: not found is an absent slice, a conflict is STORE_CONFLICT (nothing
 *     happened: run the group again). STORE_FENCED: nothing happened, and nothing will until
 *     store_lead(). STORE_UNKNOWN: the commit's fate cannot be known. An error means that the
 *     engine failed: for a commit, that the writes were not acknowledged, and that no half of them
 *     will ever be seen.
 * 10. Errors live in the arena given to store_begin, and so may transactions and scans: that arena
 *     is neither rewound nor released before store_end.
 * 11. Where several servers share a store, one of them leads, and only its commits happen. Another
 *     that takes over fences it: whatever the one before still sends is refused by the store
 *     itself, whether or not it has noticed, and so are its reads from then on, but for those of
 *     moments that began before and of write transactions. One that has never led reads at any
 *     time. Local engines always lead.
 * 12. A store may be one of groups of keys, which the caller knows (ADR 22): then several servers
 *     write at once. A write transaction says which groups what it reads and writes belongs to;
 *     one that says nothing has all of them. Its commit is a conflict when another server has
 *     committed in one of them since this one last did, or held it: what was known of those groups
 *     is not to be trusted then. store_hold() keeps the others out until the transaction ends, and
 *     tells what is stale.
 *
 * store.c checks these rules once for every engine: breaking one is a bug of the caller. */
#ifndef GRAMME_STORE_STORE_H
#define GRAMME_STORE_STORE_H

#include <stdatomic.h>

#include "base/error.h"

enum {
    STORE_KEY_MAX = 2600,
    STORE_BOUND_MAX = STORE_KEY_MAX + 1, /* of the ends of a range */
    STORE_KEYSPACES_MAX = 8,
    STORE_LEADS_MS = 1000,
    STORE_GROUPS_MAX = 32,
    STORE_WRITERS_MAX = 16, /* that write at once, where there are groups */
};

enum store_mode { STORE_READ, STORE_READ_LATEST, STORE_WRITE };
enum store_durability { STORE_DURABLE, STORE_RELAXED };
/* As the groups of a transaction: what only who leads reads and writes is in none. */
#define STORE_NO_GROUPS (UINT64_C(1) << 63)

/* What others have done: nothing; a commit in one of the groups; one in all of them. */
enum store_held { STORE_HELD_SAME, STORE_HELD_MOVED, STORE_HELD_ALL_MOVED };
enum store_outcome { STORE_COMMITTED, STORE_CONFLICT, STORE_FENCED, STORE_UNKNOWN };

/* Facts about an engine, as bits. */
enum store_capability {
    STORE_PERSISTENT = 1 << 0, /* keeps data across store_close */
    STORE_CONFLICTS = 1 << 1,  /* commit may return STORE_CONFLICT or STORE_UNKNOWN */
    STORE_REMOTE = 1 << 2,     /* on the other side of a network: others may lead */
};

/* The caller names its keyspaces when it opens the store, and refers to them by their position in
 * that list. */
struct store_keyspace {
    const char *name;
    bool point_reads; /* mostly read by whole key: the engine may keep filters for absent keys */
    /* What keys begin with whose changes are counted (store_changes), up to a NULL; or NULL. */
    const char *const *watched;
};

struct store_key {
    uint8_t keyspace;
    struct slice key;
};

/* first <= key < last; an absent or empty `first` means the start of the keyspace, an absent `last`
 * its end. A range whose ends have crossed is empty. */
struct store_range {
    uint8_t keyspace;
    struct slice first;
    struct slice last;
};

struct store;
struct store_txn;
struct store_scan;

/* A read that nobody waits for: store_get_many_start(). */
struct store_fetch {
    size_t count;
    const struct store_key *keys; /* all of one keyspace; they stay until it is done */
    struct slice *values;         /* as those of store_get_many() */
    /* Called once, on any thread, possibly before store_get_many_start() returns. The transaction
     * may be ended there. */
    void (*done)(struct store_fetch *fetch);
    struct error *error; /* from here on the store's: known when it is done */
    struct store_txn *txn;
    struct store_fetch *next;
    uint64_t deadline_ns;
};

/* What an engine implements. Arguments are as for the functions of the same name, which have
 * checked them: keys are of a valid size, ranges have present ends (`last` may still be absent)
 * that have not crossed, writes come from an open write transaction. An engine's own structs begin
 * with the structs below, whose fields store.c fills in and reads. */
/* A number that an engine tells of itself, for who watches it. */
struct store_statistic {
    const char *name; /* words joined by underscores; its unit last, where it has one */
    const char *help; /* a sentence */
    double value;
};
enum { STORE_STATISTICS_MAX = 24 };

struct store_engine {
    const char *name;
    uint32_t capabilities;
    void (*close)(struct store *store);
    struct error *(*begin)(struct store *store, struct arena *arena, enum store_mode mode,
                           struct store_txn **ret_txn);
    void (*end)(struct store_txn *txn);
    struct error *(*get_many)(struct store_txn *txn, size_t count, const struct store_key *keys,
                              struct slice *ret_values);
    /* NULL: get_many takes no time. */
    void (*get_many_start)(struct store_fetch *fetch);
    struct error *(*scan_open)(struct store_txn *txn, const struct store_range *range, bool reverse,
                               struct store_scan **ret_scan);
    struct error *(*scan_next)(struct store_scan *scan, bool *ret_found, struct slice *ret_key,
                               struct slice *ret_value);
    void (*scan_close)(struct store_scan *scan);
    void (*put)(struct store_txn *txn, const struct store_key *key, struct slice value);
    void (*remove)(struct store_txn *txn, const struct store_key *key);
    void (*remove_range)(struct store_txn *txn, const struct store_range *range);
    /* NULL: as remove_range, which takes no time. */
    void (*drop_range)(struct store_txn *txn, const struct store_range *range);
    struct error *(*commit)(struct store_txn *txn, enum store_durability durability,
                            enum store_outcome *ret_outcome);
    /* NULL: there are no groups. */
    struct error *(*hold)(struct store_txn *txn, enum store_held *ret_held);
    struct error *(*sync)(struct store *store, struct arena *arena);
    /* NULL, both or neither: it always leads. */
    struct error *(*lead)(struct store *store, struct arena *arena, uint32_t wait_ms,
                          bool *ret_leads);
    bool (*leads)(struct store *store);
    /* NULL: commits leave nothing to be done. */
    void (*maintain)(struct store *store);
    /* NULL: nobody else writes to it. */
    struct error *(*changes)(struct store *store, struct arena *arena, uint64_t *ret_number);
    /* NULL: what is deleted takes no room. */
    struct error *(*reclaim)(struct store *store, struct arena *arena,
                             const struct store_range *range, uint64_t *moment, bool *ret_done);
    /* NULL: it tells nothing. */
    size_t (*statistics)(struct store *store, struct arena *arena,
                         struct store_statistic ret_list[STORE_STATISTICS_MAX]);
};

struct store {
    const struct store_engine *engine;
    uint8_t keyspace_count;
    uint8_t groups;      /* 1 to STORE_GROUPS_MAX, a power of two */
    uint8_t writer;      /* of those that write at once; 0: who leads */
    atomic_bool writing; /* a write transaction is open */
};

struct store_txn {
    struct store *store;
    struct arena *arena;
    enum store_mode mode;
    bool wrote;          /* put, delete or delete_range was called: no reads from here on */
    bool over;           /* its commit, or its fetch, was called for: only store_end may follow */
    uint32_t scans_open; /* all are closed before store_end */
    uint64_t groups;     /* that it has, a bit each; 0: all */
};

struct store_scan {
    struct store_txn *txn;
};

/* For the open function of an engine. */
void store_init(struct store *store, const struct store_engine *engine, size_t keyspace_count);

static inline bool store_can(const struct store *store, enum store_capability capability) {
    return (store->engine->capabilities & (uint32_t)capability) != 0;
}

/* store_close(NULL) is fine. All transactions have ended. */
void store_close(struct store *store);

struct error *store_begin(struct store *store, struct arena *arena, enum store_mode mode,
                          struct store_txn **ret_txn);
/* Ends a transaction; one that was not committed leaves nothing behind. store_end(NULL) is fine. */
void store_end(struct store_txn *txn);

/* ret_values[i] is absent when keys[i] is. */
struct error *store_get_many(struct store_txn *txn, size_t count, const struct store_key *keys,
                             struct slice *ret_values);

static inline struct error *store_get(struct store_txn *txn, const struct store_key *key,
                                      struct slice *ret_value) {
    return store_get_many(txn, 1, key, ret_value);
}

/* The same for one that does not wait, and on an engine far away (STORE_REMOTE) goes there together
 * with those of others. Of a read transaction, whose only read it is: with STORE_READ all values
 * are of one moment. What commits had returned when it was started is seen. */
void store_get_many_start(struct store_txn *txn, struct store_fetch *fetch);

/* Steps through the keys of a range in order, or from its end when reverse. A scan may move to
 * another thread between steps, together with its transaction. */
struct error *store_scan_open(struct store_txn *txn, const struct store_range *range, bool reverse,
                              struct store_scan **ret_scan);
struct error *store_scan_next(struct store_scan *scan, bool *ret_found, struct slice *ret_key,
                              struct slice *ret_value);
/* store_scan_close(NULL) is fine. */
void store_scan_close(struct store_scan *scan);

/* Of a write transaction. Keys and values are copied. Later writes to a key win, delete_range
 * included. */
void store_put(struct store_txn *txn, const struct store_key *key, struct slice value);
void store_delete(struct store_txn *txn, const struct store_key *key);
void store_delete_range(struct store_txn *txn, const struct store_range *range);
/* Likewise, of keys that nobody asks for or writes any more: they may stay for a while after the
 * commit, if deleting them takes long. */
void store_drop_range(struct store_txn *txn, const struct store_range *range);
struct error *store_commit(struct store_txn *txn, enum store_durability durability,
                           enum store_outcome *ret_outcome);
/* The groups, a bit each, that a write transaction has; before store_hold() and store_commit(). */
static inline void store_touch(struct store_txn *txn, uint64_t groups) {
    txn->groups = groups;
}
/* Waits until nobody else commits in the groups of a write transaction, and keeps it so until its
 * end. Before its first read. What is stale must be read again, after this. Without groups it does
 * nothing. */
struct error *store_hold(struct store_txn *txn, enum store_held *ret_held);
/* Takes the lead when it is free, for which it waits so long; false: another server has it. What
 * was read before is stale then, also for one that has led before. Not while a write transaction is
 * open. One thread at a time, as the next. */
struct error *store_lead(struct store *store, struct arena *arena, uint32_t wait_ms,
                         bool *ret_leads);
/* Whether it still leads, as far as can be told; false stays false until store_lead(). To be asked
 * every STORE_LEADS_MS, which is what keeps the lead, unless the engine does so by itself. */
bool store_leads(struct store *store);
/* Does some of what commits left to be done later, and may take long. The leader calls it now and
 * then; one thread at a time. */
void store_maintain(struct store *store);
/* A number that is another one after each commit that put or deleted a watched key, whoever made
 * it; read from where commits are made. Any thread. */
struct error *store_changes(struct store *store, struct arena *arena, uint64_t *ret_number);
/* Makes every relaxed commit that has returned durable. Any thread. */
struct error *store_sync(struct store *store, struct arena *arena);
/* Gives back the room of a range whose keys were all deleted by commits that have returned, as far
 * as that is quickly done; the rest follows by itself, some time. Not done: there is a transaction
 * that may still see them, or there will be more to give back soon; to be called again later.
 * *moment is 0 at the first call and the engine's from then on. Any thread. */
struct error *store_reclaim(struct store *store, struct arena *arena,
                            const struct store_range *range, uint64_t *moment, bool *ret_done);
/* How many numbers there are; those of a moment. Any thread. */
size_t store_statistics(struct store *store, struct arena *arena,
                        struct store_statistic ret_list[STORE_STATISTICS_MAX]);

#endif
