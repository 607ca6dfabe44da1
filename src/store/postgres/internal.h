/* internal.h - what the files of the PostgreSQL engine share. */
#ifndef GRAMME_STORE_POSTGRES_INTERNAL_H
#define GRAMME_STORE_POSTGRES_INTERNAL_H

#include <pthread.h>

#include "base/buffer.h"
#include "base/container.h"
#include "store/postgres/postgres.h"
#include "store/postgres/session.h"

/* The statements of a keyspace, by which they are numbered on every connection. */
enum statement {
    STATEMENT_GET,
    STATEMENT_GET_MANY,
    STATEMENT_SCAN,
    STATEMENT_SCAN_BACK,
    STATEMENT_DELETE, /* from here on on the writer's connection only */
    STATEMENT_DELETE_RANGE,
    STATEMENT_PUT,
    STATEMENTS,
};

enum { WRITER_BYTES = 16 };

/* Connections for reads: made when there is none to be had, kept for the next reader. */
struct pool {
    pthread_mutex_t lock;
    pthread_cond_t given; /* one came back, or is gone */
    struct session *idle;
    uint32_t open; /* idle or not */
    uint32_t max;
};

/* A put or a delete of the open write transaction, in the order of calls. */
struct write {
    struct slice key;
    struct slice value; /* absent: a delete */
    uint32_t order;
    uint8_t keyspace;
};

struct range_write {
    struct store_range range;
    uint32_t order;
    bool dropped; /* deleted later: see drops.c */
};

/* What a write transaction does, until its commit sends it. */
struct batch {
    struct arena arena; /* of keys and values */
    struct write *writes;
    size_t count, capacity;
    struct range_write *ranges;
    size_t range_count, range_capacity;
    struct buffer keys, values; /* parameters, while they are made */
};

/* The row by which one leads: see lead.c. */
struct lead {
    pthread_mutex_t lock;         /* of the next, and of `locked` and `left` */
    struct session *session;      /* that has the advisory lock */
    uint8_t writer[WRITER_BYTES]; /* who we are: no two stores that were ever opened are the same */
    bool locked;                  /* by that connection: the lead, or our number (members.c) */
    bool left;                    /* our number is given up: nobody keeps it any more */
    atomic_bool leads;
    bool alone;           /* it keeps all others from writing: see members.c */
    atomic_bool has_led;  /* reads from then on are refused when another leads */
    struct slice address; /* that the others are told, in the store's arena; or absent */
    int32_t row;          /* that the commits claim: 0, or MEMBER_ROW and our number */
    int64_t known;        /* the row's number, as we left it; of the commit thread */
};

/* The standbys of the server that takes the writes, as it told last: see standbys.c. */
struct standbys {
    atomic_bool known;       /* it was asked, and answered */
    atomic_bool seen;        /* and we may see how far they are */
    atomic_uint count;       /* that follow it */
    atomic_uint waited_for;  /* of them, by commits */
    _Atomic int64_t behind;  /* how many bytes of its log the last of them has yet to apply */
    _Atomic int64_t late_ms; /* and how long that took lately */
    uint64_t look_at_ns;     /* not before; of who calls store_maintain */
    bool unasked;            /* it knows nothing of them */
};

/* What became of commits and of the lead. */
struct tally {
    atomic_uint_fast64_t settled;   /* commits whose fate was looked up */
    atomic_uint_fast64_t repeated;  /* sent again, since they had not happened */
    atomic_uint_fast64_t conflicts; /* likewise, since the server could not do them beside others */
    atomic_uint_fast64_t fenced;    /* refused: another one leads */
    atomic_uint_fast64_t taken;     /* the lead */
    atomic_uint_fast64_t lost;      /* likewise */
    _Atomic int64_t contact_ms;     /* when the server answered who asked about the lead */
};

/* The rows of groups of keys: see groups.c. Of the commit thread. */
struct groups {
    int64_t known[STORE_GROUPS_MAX + 1]; /* their numbers */
    bool held;                           /* by the open write transaction */
};

/* The thread of reads that nobody waits for: see fetcher.c. */
struct fetcher;

/* The thread that keeps the lead: see keeper.c. */
struct keeper {
    pthread_t thread;
    bool runs;            /* of the thread that calls store_lead and store_close */
    pthread_mutex_t lock; /* of the next */
    pthread_cond_t wake;
    bool stops;
};

struct postgres_store {
    struct store base;
    struct postgres_store_options options;
    struct slice keyspaces[STORE_KEYSPACES_MAX];     /* their tables' names */
    const char *const *watched[STORE_KEYSPACES_MAX]; /* as store_keyspace has it */
    struct arena arena;                              /* lives as long as the store */
    char statements[STORE_KEYSPACES_MAX][STATEMENTS][8];
    struct pool pool;
    struct session *writer; /* of the open write transaction; NULL: lost, or not made yet */
    struct lead lead;
    struct keeper keeper;
    struct standbys standbys;
    struct tally tally;
    struct groups groups;
    struct batch batch;
    struct fetcher *fetcher;
    atomic_bool drops;             /* there may be ranges to delete: see drops.c */
    bool lacks_advisory;           /* the server has no advisory locks */
    bool waits;                    /* its commits waited for standbys when we looked last */
    struct session *moment;        /* holds the one moment of all reads; or NULL */
    char moment_sql[100];          /* by which others join it */
    atomic_uint_fast64_t era;      /* raised when the writer's connection is lost, and with.. */
    atomic_uint_fast32_t timeline; /* ..the largest of a server that took writes */
    _Atomic uint64_t pinned;       /* of a standby: the number of changes that reads are of */
    atomic_uint_fast64_t unsynced; /* relaxed commits since the last durable one */
    atomic_uint_fast64_t losses;   /* connections that were lost */
};

struct kept_result {
    struct kept_result *next;
    PGresult *result;
};

/* A result that transactions share, each of which lets go of it at its end. */
struct shared_result {
    PGresult *result;
    atomic_size_t holders;
};

struct postgres_scan;

struct postgres_txn {
    struct store_txn base;
    struct session *session;      /* of a STORE_READ, from its first read on */
    bool lost;                    /* that moment is gone with its connection */
    struct kept_result *kept;     /* whose values were handed out */
    struct shared_result *shared; /* that brought its fetch */
    struct postgres_scan *ahead;  /* whose next page is on its way */
};

static inline struct postgres_store *postgres_of(struct store *store) {
    return container_of(store, struct postgres_store, base);
}

static inline struct postgres_txn *postgres_of_txn(struct store_txn *txn) {
    return container_of(txn, struct postgres_txn, base);
}

/* ---- patience.c ---- */

/* How long a server that is away is waited for, in steps that grow. */
struct patience {
    uint64_t deadline_ns;
    uint32_t nap_ms;
};
struct patience patience_begin(const struct postgres_store *store);
struct patience patience_for_ms(uint32_t ms);
uint32_t patience_left_ms(const struct patience *patience);
/* Sleeps for a while. False: there is none left. */
bool patience_wait(struct patience *patience);

/* ---- open.c ---- */

/* With its statements prepared. */
struct error *postgres_connect(struct postgres_store *store, struct arena *arena, bool writes,
                               struct session **ret_session);

/* One try, without statements. A server that another was promoted in the place of is refused: until
 * somebody tells it, it takes writes, and does not know of the commits since. */
struct error *postgres_open_session(struct postgres_store *store, struct arena *arena,
                                    struct session **ret_session);

/* Made before the writer's was lost, or another server was promoted: it may lead to one that was
 * replaced, and does not know of the commits since. */
static inline bool postgres_is_old(const struct postgres_store *store,
                                   const struct session *session) {
    return session->era != atomic_load(&store->era);
}

/* ---- schema.c ---- */

/* Makes the tables that are missing. */
struct error *postgres_schema_make(struct postgres_store *store, struct arena *arena,
                                   struct session *session);
/* Refuses what is not ours, or of another version. */
struct error *postgres_schema_check(struct postgres_store *store, struct arena *arena,
                                    struct session *session);

/* ---- notes.c ---- */

/* The name of the note that a store has while it is being filled. */
#define UNFINISHED "unfinished"
/* Refuses a store that has it. */
struct error *postgres_check_finished(struct arena *arena, struct session *session);

/* ---- moment.c ---- */

/* From here on all moments are that of this call. */
struct error *postgres_moment_hold(struct postgres_store *store, struct arena *arena);

/* ---- pool.c ---- */

void pool_init(struct pool *pool, uint32_t max);
void pool_release(struct pool *pool);
/* Counts and logs it. */
void postgres_note_loss(struct postgres_store *store, const struct session *session);
/* Waits for one as long as there is patience. */
struct error *pool_take(struct postgres_store *store, struct arena *arena,
                        struct patience *patience, struct session **ret_session);
/* One that is lost is closed, and so are the idle ones, which were likely lost with it. */
void pool_give(struct postgres_store *store, struct session *session);

/* The connection of the open write transaction. */
struct error *postgres_writer(struct postgres_store *store, struct arena *arena,
                              struct patience *patience, struct session **ret_session);
void postgres_writer_lost(struct postgres_store *store);

/* ---- read.c ---- */

/* What a read fails with. */
#define POSTGRES_READING "The store failed to read"
/* SQLSTATE of what did not happen, and may the next time. */
#define SERIALIZATION_FAILURE "40001"
struct error *postgres_begin(struct store *store, struct arena *arena, enum store_mode mode,
                             struct store_txn **ret_txn);
void postgres_end(struct store_txn *txn);
struct error *postgres_get_many(struct store_txn *txn, size_t count, const struct store_key *keys,
                                struct slice *ret_values);
/* Runs the commands that `send` sends on the transaction's connection, at its moment. Again on
 * another connection when the first is lost, but not when its moment was. */
struct read_commands {
    /* Sends them, returns how many. */
    size_t (*send)(struct read_commands *commands, struct session *session);
};
struct error *postgres_read(struct postgres_txn *txn, struct read_commands *commands,
                            PGresult **ret_results);

/* ---- gets.c ---- */

/* Keys in the order of their keyspaces and bytes. */
struct gets {
    const struct store_key *keys;
    size_t *order; /* places in `keys` */
    size_t count;
};
struct gets gets_of(struct arena *arena, size_t count, const struct store_key *keys);
/* Sends a command for each keyspace; how many. The buffer is for their parameters. */
size_t gets_send(const struct gets *gets, struct postgres_store *store, struct session *session,
                 struct buffer *array);
/* The values that those brought, in the order of the keys; how many results that were. */
size_t gets_take(const struct gets *gets, PGresult *const *results, struct slice *ret_values);

/* ---- fetcher.c ---- */

struct fetcher *fetcher_new(struct postgres_store *store);
/* Nothing is under way any more. */
void fetcher_free(struct fetcher *fetcher);
void postgres_get_many_start(struct store_fetch *fetch);
void shared_result_release(struct shared_result *shared);
/* How many fetches there were, and how many batches they went in. */
struct fetcher_counts {
    uint64_t fetches, batches;
};
struct fetcher_counts fetcher_counts(struct fetcher *fetcher);

/* ---- scan.c ---- */

struct error *postgres_scan_open(struct store_txn *txn, const struct store_range *range,
                                 bool reverse, struct store_scan **ret_scan);
struct error *postgres_scan_next(struct store_scan *scan, bool *ret_found, struct slice *ret_key,
                                 struct slice *ret_value);
void postgres_scan_close(struct store_scan *scan);
/* Reads the page that is on its way, before anything else is asked on that connection. */
void postgres_scan_land(struct postgres_txn *txn);

/* ---- batch.c ---- */

void batch_init(struct batch *batch);
void batch_release(struct batch *batch);
void batch_reset(struct batch *batch);
void postgres_put(struct store_txn *txn, const struct store_key *key, struct slice value);
void postgres_remove(struct store_txn *txn, const struct store_key *key);
void postgres_remove_range(struct store_txn *txn, const struct store_range *range);
void postgres_drop_range(struct store_txn *txn, const struct store_range *range);
bool batch_is_empty(const struct batch *batch);
/* Leaves what counts in the end: of each key the last write, unless a range took it. */
void batch_close(struct batch *batch);
/* Sends it; how many commands that were. */
size_t batch_send(struct postgres_store *store, struct session *session);

/* Whether it changes a watched key. */
bool batch_is_watched(const struct postgres_store *store);

/* ---- array.c ---- */

/* A bytea[] in its binary form. */
void array_begin(struct buffer *buffer);
void array_add(struct buffer *buffer, struct slice bytes);
struct parameter array_end(struct buffer *buffer, size_t count);

/* ---- commit.c ---- */

struct error *postgres_commit(struct store_txn *txn, enum store_durability durability,
                              enum store_outcome *ret_outcome);
/* Ends the transaction that is open there. False: the connection is lost. */
bool postgres_roll_back(struct postgres_store *store, struct session *session);
struct error *postgres_sync(struct store *store, struct arena *arena);
struct error *postgres_changes(struct store *store, struct arena *arena, uint64_t *ret_number);

/* ---- groups.c ---- */

void groups_init(struct postgres_store *store);
/* The claim of a commit's groups, behind that of its own row; how many commands that are. */
size_t groups_send_claim(struct postgres_store *store, struct session *session,
                         const struct store_txn *txn);
/* What it is refused with. */
#define GROUPS_MOVED "2201F"
void groups_committed(struct postgres_store *store, const struct store_txn *txn);
struct error *postgres_hold(struct store_txn *txn, enum store_held *ret_held);
void groups_let_go(struct postgres_store *store);
/* Of rows with a number and a seq each: what they are now. */
void groups_learn(struct postgres_store *store, const PGresult *rows);

/* ---- members.c ---- */

enum { MEMBER_ROW = 1000 };
/* Whether a server writes beside the one that leads. */
enum fate members_look(struct postgres_store *store, bool *ret_any);
/* None of them commits from here on, whether it is there or asleep, and none joins as long as this
 * store leads. */
enum fate members_fence(struct postgres_store *store);
/* Keeps our number. False: another server has it. */
bool members_keep(struct postgres_store *store);

/* ---- keeper.c ---- */

void keeper_init(struct keeper *keeper);
/* From here on, if the options say so, the lead or our number is kept. */
void keeper_start(struct postgres_store *store);
void keeper_stop(struct keeper *keeper);
void keeper_release(struct keeper *keeper);

/* ---- maintain.c ---- */

void postgres_maintain(struct store *store);

/* ---- drops.c ---- */

/* Records a range that was dropped, in the commit that does so. */
void drops_send(struct postgres_store *store, struct session *session,
                const struct store_range *range);
/* Deletes some of what was dropped. */
enum fate drops_step(struct postgres_store *store, struct session *session);

/* ---- pinned.c ---- */

/* What reads of a standby begin their condition with. */
void pinned_write_condition(const struct postgres_store *store, size_t size, char *ret_sql);

/* ---- standbys.c ---- */

/* Asks about them, now and then. */
enum fate standbys_look(struct postgres_store *store, struct session *session);

/* ---- statistics.c ---- */

size_t postgres_statistics(struct store *store, struct arena *arena,
                           struct store_statistic ret_list[STORE_STATISTICS_MAX]);

/* ---- lead.c ---- */

/* The time of the server, by which leases end: they are for peace and not for safety. */
#define NOW_MS "(extract(epoch from clock_timestamp()) * 1000)::bigint"
/* The advisory lock of the lead; there is room for a byte above the table's number. */
#define LEAD_LOCK "(26482::bigint << 40) | 'gramme_version'::regclass::oid::bigint"
bool lead_by_lease(const struct postgres_store *store); /* and not by such locks */
struct error *postgres_lead(struct store *store, struct arena *arena, uint32_t wait_ms,
                            bool *ret_leads);
bool postgres_leads(struct store *store);
/* Keeps the lead. False: another server has it. */
bool lead_keep(struct postgres_store *store);
/* Its session, which is made unless there is one, until lead_give(). */
struct error *lead_take(struct postgres_store *store, struct arena *arena,
                        struct session **ret_session);
/* One that is lost is closed. */
void lead_give(struct postgres_store *store);
void lead_release(struct postgres_store *store);
/* Commits are refused from here on. */
void lead_lose(struct postgres_store *store);
/* Its server has just answered. */
void lead_note_contact(struct postgres_store *store);
/* Between lead_take() and lead_give(): closes it, and with it goes its lock. */
void lead_drop_session(struct postgres_store *store);
/* The first command of a commit: refused (LEAD_REFUSED) when the row is not as we left it. */
void lead_send_claim(struct postgres_store *store, struct session *session);
#define LEAD_REFUSED "22012"
/* What reads of a connection begin their condition with. Those of a store that has led are refused
 * likewise when another leads, but for those of write transactions, whose commit is. */
void lead_write_condition(const struct postgres_store *store, bool writes, size_t size,
                          char *ret_sql);
/* Of a read that was refused; whether it was for that reason, which is noted. */
bool lead_refused_read(struct postgres_store *store, const struct session *session);
#define LEAD_ELSEWHERE "another server leads"
/* What became of a commit that may have happened: raises the row, so that nothing of it can still
 * come. Fenced or not, it never happens after this. */
enum lead_fate { LEAD_COMMITTED, LEAD_NOT_COMMITTED, LEAD_GONE };
enum fate lead_settle(struct postgres_store *store, struct session *session,
                      enum lead_fate *ret_fate);

#endif
