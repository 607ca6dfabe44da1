/* postgres.h - the engine that keeps its data on the other side of PostgreSQL's protocol.
 *
 * Several servers may open one store; one leads (store.h, rule 11). What it promises, and how, is
 * in src/store/README.md. */
#ifndef GRAMME_STORE_POSTGRES_POSTGRES_H
#define GRAMME_STORE_POSTGRES_POSTGRES_H

#include "store/store.h"

/* As many groups as the store has. */
enum { POSTGRES_ANY_GROUPS = UINT8_MAX };

struct postgres_store_options {
    const char *url;    /* whatever libpq takes: postgres://... or "host=... dbname=..." */
    const char *schema; /* where its tables are; NULL: the first one that the URL says */
    bool create;        /* make the tables that are missing */
    /* With `create`, of a store that is not there yet: how many groups of keys it has; 0 or 1: one,
     * and whoever leads is its only writer. Otherwise that they are known to the caller; 0: a store
     * that has several is refused. */
    uint32_t groups;
    /* For a command that wants it for itself: it leads only when no other server writes
     * (members.h), and none does from then on, not even one that was asleep. Without groups that is
     * so anyway. */
    bool alone;
    bool fill; /* for whoever fills it: opened, and led, though it is unfinished */
    /* Everything that a STORE_READ sees is of the moment of opening, in every one of them. The
     * server keeps all that was there at that moment until the store is closed. */
    bool one_moment;
    /* It is on a server that only follows the one that takes the writes: see pinned.h. */
    bool standby;
    /* A thread of the store's own keeps the lead, or the number of a member (members.h), from when
     * it has it. Otherwise the caller does so by store_leads() or postgres_store_stays(). */
    bool keeps;
    /* For tests: the lead is taken without asking, from whoever has it. */
    bool lead_by_force;
    /* For tests: as with a server that has no advisory locks. */
    bool lead_by_lease;
    uint32_t connections_max; /* for reads; 0: 16 */
    uint32_t lead_ms;         /* a leader that does not look for so long loses the lead; 0: 10 s */
    uint32_t patience_ms;     /* for a server that is away; 0: 30 s */
};

/* Whether the text is for this engine: "postgres:", "postgresql:" or words with "=". */
bool postgres_is_url(const char *text);

/* Refuses a server that is too old, a database without the store's tables, and one with keyspaces
 * that are not in the list. */
struct error *postgres_store_open(struct arena *arena, const struct postgres_store_options *options,
                                  const struct store_keyspace *keyspaces, size_t count,
                                  struct store **ret_store);

/* ---- texts beside the keyspaces, by name; of the thread that calls store_lead ---- */

/* Absent: there is none. */
struct error *postgres_note_read(struct store *store, struct arena *arena, const char *name,
                                 struct slice *ret_text);
/* Unless there is one; what is there then. */
struct error *postgres_note_offer(struct store *store, struct arena *arena, const char *name,
                                  struct slice text, struct slice *ret_text);
struct error *postgres_note_write(struct store *store, struct arena *arena, const char *name,
                                  struct slice text);

/* ---- filling a store, of whoever leads it ---- */

/* Leaves nothing in it. From here on nobody opens or leads it but to fill it; `by` is told to who
 * tries. */
struct error *postgres_fill_begin(struct store *store, struct arena *arena, struct slice by);
struct error *postgres_fill_end(struct store *store, struct arena *arena);
/* Whether somebody began, and did not end. */
struct error *postgres_is_unfinished(struct store *store, struct arena *arena,
                                     bool *ret_unfinished);
/* Deletes what was dropped, now. */
struct error *postgres_finish_drops(struct store *store, struct arena *arena);

/* A schema for a store that is there for a while, and its end with all that is in it. */
struct error *postgres_schema_add(struct arena *arena, const char *url, const char *schema);
struct error *postgres_schema_drop(struct arena *arena, const char *url, const char *schema);

/* Where that is, without a password: "postgres://host:5432/name". */
struct error *postgres_place(struct arena *arena, const char *url, struct slice *ret_place);

#endif
