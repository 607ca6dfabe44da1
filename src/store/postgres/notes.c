/* notes.c - texts beside the keyspaces, in gramme_store, and what depends on one of them: a store
 * that is being filled.
 *
 * Who fills a store leads it, writes the note "unfinished" in the commit that empties it, and
 * removes it when all is there. While it is there, a store is neither opened nor led by others, so
 * that what a crash left half is never taken for a whole. */
#include <stdio.h>

#include "store/postgres/internal.h"

enum { NOTE_TIMEOUT_MS = 60000, CLEAR_TIMEOUT_MS = 600000 };

static struct parameter text_parameter(const char *text) {
    return parameter_of(slice_text(text));
}

/* ---- notes ---- */

/* The text of the one row, if there is one. */
static struct error *ask(struct session *session, struct arena *arena, const char *sql,
                         const struct parameter *parameters, size_t count, struct slice *ret_text) {
    PGresult *result = NULL;
    if (session_run(session, sql, parameters, count, NOTE_TIMEOUT_MS, &result) != FATE_DONE)
        return session_error(session, arena, "The store's notes cannot be read or written");
    *ret_text = SLICE_NONE;
    if (libpq.ntuples(result) > 0)
        *ret_text = arena_slice(arena, result_bytes(result, 0, 0));
    libpq.clear(result);
    return NULL;
}

static struct error *read_note(struct session *session, struct arena *arena, const char *name,
                               struct slice *ret_text) {
    struct parameter parameters[] = {text_parameter(name)};
    return ask(session, arena, "SELECT value FROM gramme_store WHERE name = $1::text", parameters,
               1, ret_text);
}

struct error *postgres_note_read(struct store *base, struct arena *arena, const char *name,
                                 struct slice *ret_text) {
    struct postgres_store *store = postgres_of(base);
    struct session *session = NULL;
    TRY(lead_take(store, arena, &session));
    struct error *error = read_note(session, arena, name, ret_text);
    lead_give(store);
    return error;
}

static struct error *insert(struct store *base, struct arena *arena, const char *sql,
                            const char *name, struct slice text) {
    struct postgres_store *store = postgres_of(base);
    struct parameter parameters[] = {text_parameter(name), parameter_of(text)};
    struct session *session = NULL;
    struct slice none;
    TRY(lead_take(store, arena, &session));
    struct error *error = ask(session, arena, sql, parameters, 2, &none);
    lead_give(store);
    return error;
}

#define INSERT "INSERT INTO gramme_store (name, value) VALUES ($1::text, $2::text) ON CONFLICT "
#define WRITE INSERT "(name) DO UPDATE SET value = excluded.value"

struct error *postgres_note_offer(struct store *store, struct arena *arena, const char *name,
                                  struct slice text, struct slice *ret_text) {
    TRY(insert(store, arena, INSERT "(name) DO NOTHING", name, text));
    return postgres_note_read(store, arena, name, ret_text);
}

struct error *postgres_note_write(struct store *store, struct arena *arena, const char *name,
                                  struct slice text) {
    return insert(store, arena, WRITE, name, text);
}

/* ---- filling ---- */

struct error *postgres_check_finished(struct arena *arena, struct session *session) {
    struct slice by;
    TRY(read_note(session, arena, UNFINISHED, &by));
    if (!slice_present(by))
        return NULL;
    return error_local(arena,
                       "The store is unfinished: %.*s works there, or was cut short; run it again",
                       SLICE_ARGS(by));
}

struct error *postgres_is_unfinished(struct store *store, struct arena *arena,
                                     bool *ret_unfinished) {
    struct slice by;
    TRY(postgres_note_read(store, arena, UNFINISHED, &by));
    *ret_unfinished = slice_present(by);
    return NULL;
}

/* What begins and what ends a filling is a commit, claimed as any other: a tool that was asleep
 * neither empties nor finishes what another fills. */
struct claimed {
    const char *sql[2];
    struct parameter parameters[2]; /* of the first */
    size_t parameter_count;
    const char *failed;
};

static struct error *commit_claimed(struct postgres_store *store, struct arena *arena,
                                    const struct claimed *claimed) {
    struct patience patience = patience_begin(store);
    const struct store_txn all = {.store = &store->base, .groups = 0};
    struct session *session = NULL;
    TRY(postgres_writer(store, arena, &patience, &session));
    session_send(session, "begin_write", NULL, 0);
    lead_send_claim(store, session);
    size_t count = 3 + groups_send_claim(store, session, &all);
    for (size_t i = 0; i < 2 && claimed->sql[i] != NULL; i++, count++)
        session_send_sql(session, claimed->sql[i], claimed->parameters,
                         i == 0 ? claimed->parameter_count : 0);
    session_send(session, "commit", NULL, 0);
    session_sync(session);
    enum fate fate = session_collect(session, CLEAR_TIMEOUT_MS, count, NULL);
    if (fate == FATE_DONE) {
        store->lead.known++;
        groups_committed(store, &all);
        return NULL;
    }
    struct error *error = session_error(session, arena, claimed->failed);
    if (fate == FATE_REFUSED && strcmp(session->state, LEAD_REFUSED) == 0) {
        lead_lose(store);
        error = error_local(arena, "%s: " LEAD_ELSEWHERE, claimed->failed);
    }
    if (fate == FATE_REFUSED && strcmp(session->state, GROUPS_MOVED) == 0)
        error = error_local(arena, "%s: another server has written to it", claimed->failed);
    if (fate == FATE_LOST || !postgres_roll_back(store, session))
        postgres_writer_lost(store);
    return error;
}

struct error *postgres_fill_begin(struct store *base, struct arena *arena, struct slice by) {
    struct postgres_store *store = postgres_of(base);
    char truncate[600];
    int len = snprintf(truncate, sizeof(truncate), "TRUNCATE gramme_dropped");
    for (size_t i = 0; i < store->base.keyspace_count; i++)
        len += snprintf(truncate + len, sizeof(truncate) - (size_t)len, ", %.*s",
                        SLICE_ARGS(store->keyspaces[i]));
    struct claimed claimed = {{WRITE, truncate},
                              {text_parameter(UNFINISHED), parameter_of(by)},
                              2,
                              "The store cannot be emptied"};
    return commit_claimed(store, arena, &claimed);
}

struct error *postgres_fill_end(struct store *base, struct arena *arena) {
    struct claimed claimed = {{"DELETE FROM gramme_store WHERE name = $1::text", NULL},
                              {text_parameter(UNFINISHED)},
                              1,
                              "The store cannot be finished"};
    return commit_claimed(postgres_of(base), arena, &claimed);
}

struct error *postgres_finish_drops(struct store *base, struct arena *arena) {
    struct postgres_store *store = postgres_of(base);
    struct patience patience = patience_begin(store);
    struct session *session = NULL;
    struct error *error = NULL;
    TRY(pool_take(store, arena, &patience, &session));
    while (error == NULL && atomic_load(&store->drops))
        if (drops_step(store, session) != FATE_DONE)
            error = session_error(session, arena, "What was dropped cannot be deleted");
    pool_give(store, session);
    return error;
}
