/* write.h - changing items.
 *
 * A job is a list of writes. The caller prepares each write on its own thread (keys and stored
 * bytes are encoded there, not on the commit thread), submits the job, and gets it back in `done`
 * after the commit. Everything a job points to stays unchanged until then. Each write stands for
 * itself, and one that fails does not stop the others, unless the job is a transaction. */
#ifndef GRAMME_ENGINE_WRITE_H
#define GRAMME_ENGINE_WRITE_H

#include "base/container.h"
#include "engine/job.h"
#include "engine/table.h"
#include "expr/expr.h"
#include "model/capacity.h"

struct engine;

enum write_kind {
    WRITE_PUT,
    WRITE_UPDATE,
    WRITE_DELETE,
    WRITE_CHECK, /* only its condition; changes nothing */
};

/* An index that a write changed. */
struct index_write {
    struct slice name;
    uint32_t id;
    bool global;
    uint64_t partition; /* bits of the hash of its partition key, afterwards if it is there then */
    struct limits *limits; /* NULL: there are none */
    struct index_change change;
};

struct item_write {
    /* Given. */
    struct table *table; /* the caller holds a reference until done */
    enum write_kind kind;
    struct value key;             /* all but PUT: the key attributes, checked */
    struct value item;            /* PUT: the whole item, checked */
    const struct expr *condition; /* NULL: none */
    const struct expr *update;    /* UPDATE; NULL: only makes sure that the item exists */
    bool keep_old;                /* the caller wants old_item */
    bool keep_new;                /* the caller wants new_item */
    bool old_on_failure;          /* a failed condition's error carries the item */
    /* The sweeper's: a DELETE of an item that expired at that second, unless it is another by now.
     * Without a key: the store key is known. */
    bool expired;
    uint64_t expires_at;
    /* Of a transaction: what speaks against the write was found before; it fails with this and is
     * neither prepared nor run. */
    struct error *refused;

    /* By item_write_prepare. */
    struct slice store_key;
    struct slice stored; /* PUT */

    /* Results, when done. */
    struct error *error;   /* NULL: done */
    struct value old_item; /* absent: there was none, or it was not wanted */
    struct value new_item;
    size_t old_size; /* 0: there was none */
    size_t new_size;
    /* Of a table with local indexes: its item collection after the write. */
    uint64_t collection_bytes;
    struct index_write *index_writes; /* in the order of the table's indexes */
    size_t index_write_count;
};

/* Makes a job a transaction: all of its writes happen, or none. They are on different items, and
 * what they write is at most LIMIT_TRANSACTION_BYTES. */
struct write_transaction {
    /* Given. With a token, a job with the same token and fingerprint within LIMIT_REQUEST_TOKEN_MS
     * of the first is answered without writing again; with another fingerprint it fails. Absent: no
     * token. */
    struct slice token;
    uint8_t fingerprint[16]; /* of everything else in the request */
    /* Results. */
    bool cancelled; /* some write failed (its error says why), and nothing happened */
    /* The token was known: nothing was written. The new_size of each write is the larger of those
     * that the first job found and left; there are no other results. */
    bool replayed;
};

struct ahead_fetch;

struct write_job {
    struct job job;                        /* the engine's, as the next */
    struct ahead_fetch *ahead;             /* what was fetched for it (ahead.h); NULL: nothing */
    struct write_transaction *transaction; /* NULL: each write stands for itself */
    struct item_write *writes;
    size_t count;
    bool batch;          /* of several requests in one: none of them conflicts with a transaction */
    struct arena *arena; /* results are allocated here, on the commit thread */
    void *context;
    void (*done)(struct write_job *job); /* on the commit thread */
    struct error *error;                 /* the whole job failed: the commit did not happen */
};

static inline struct write_job *write_job_of(struct job *job) {
    return container_of(job, struct write_job, job);
}

void item_write_prepare(struct engine *engine, struct arena *arena, struct item_write *write);
void engine_submit_writes(struct engine *engine, struct write_job *job);

/* Refuses a transaction when what was counted of it up to here is more than is allowed. */
struct error *transaction_check_bytes(struct arena *arena, uint64_t bytes);

/* For write_transaction.fingerprint: a keyed hash of the request in some canonical form. */
void engine_fingerprint(const struct engine *engine, struct slice canonical, uint8_t ret_hash[16]);

#endif
