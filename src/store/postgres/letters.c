/* letters.c - see letters.h: rows of gramme_store, whose names begin with the time.
 *
 * They go over connections for reads: that of the lead has a lock, and would lose it with a server
 * that does not answer in time. Who leads has committed that it took them before it opens them. */
#include "store/postgres/letters.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "store/postgres/internal.h"

/* Nobody with a request waits for this, and the main thread has other things to do. */
enum { LETTERS_TIMEOUT_MS = 3000, NAP_MS = 100 };

#define LETTERS "FROM gramme_store WHERE name LIKE 'letter %'"

static const char *const leave_sql =
    "INSERT INTO gramme_store (name, value) "
    "SELECT 'letter ' || lpad(" NOW_MS "::text, 15, '0') || ' ' || encode($1::bytea, 'hex'), "
    "encode($2::bytea, 'base64') WHERE (SELECT count(*) " LETTERS ") < $3::int RETURNING 1";
static const char *const take_sql =
    "DELETE FROM gramme_store WHERE name IN (SELECT name " LETTERS " ORDER BY name LIMIT $2::int) "
    "AND EXISTS (SELECT 1 FROM gramme_version WHERE grp = 0 AND writer = $1) "
    "RETURNING decode(value, 'base64')";

static struct parameter number_parameter(uint32_t number, uint8_t ret_bytes[4]) {
    store_u32_be(ret_bytes, number);
    return (struct parameter){ret_bytes, 4};
}

/* One that answers: of what is sent on another nobody knows whether it happened. */
static struct error *take_session(struct postgres_store *store, struct arena *arena,
                                  struct session **ret_session) {
    struct patience patience = {
        .deadline_ns = monotonic_ns() + LETTERS_TIMEOUT_MS * UINT64_C(1000000), .nap_ms = NAP_MS};
    for (;;) {
        struct session *session = NULL;
        TRY(pool_take(store, arena, &patience, &session));
        if (session_run(session, "SELECT 1", NULL, 0, LETTERS_TIMEOUT_MS, NULL) == FATE_DONE) {
            *ret_session = session;
            return NULL;
        }
        struct error *error = session_error(session, arena, "The store cannot be reached");
        pool_give(store, session);
        if (!patience_wait(&patience))
            return error;
    }
}

struct error *postgres_letter_leave(struct store *base, struct arena *arena, struct slice letter,
                                    bool *ret_left) {
    struct postgres_store *store = postgres_of(base);
    struct session *session = NULL;
    struct error *error = NULL;
    PGresult *result = NULL;
    uint8_t name[8], max[4];
    TRY(take_session(store, arena, &session));
    random_fill(&system_random, name, sizeof(name));
    struct parameter parameters[] = {
        {name, sizeof(name)}, parameter_of(letter), number_parameter(POSTGRES_LETTERS_MAX, max)};
    enum fate fate = session_run(session, leave_sql, parameters, 3, LETTERS_TIMEOUT_MS, &result);
    *ret_left = fate == FATE_LOST || (fate == FATE_DONE && libpq.ntuples(result) == 1);
    if (fate == FATE_REFUSED)
        error = session_error(session, arena, "A letter to who leads cannot be left");
    libpq.clear(result);
    pool_give(store, session);
    return error;
}

struct error *postgres_letters_take(struct store *base, struct arena *arena,
                                    struct slice ret_letters[POSTGRES_LETTERS_TAKEN_MAX],
                                    size_t *ret_count) {
    struct postgres_store *store = postgres_of(base);
    struct session *session = NULL;
    struct error *error = NULL;
    PGresult *result = NULL;
    uint8_t max[4];
    struct parameter parameters[] = {{store->lead.writer, WRITER_BYTES},
                                     number_parameter(POSTGRES_LETTERS_TAKEN_MAX, max)};
    TRY(take_session(store, arena, &session));
    if (session_run(session, take_sql, parameters, 2, LETTERS_TIMEOUT_MS, &result) != FATE_DONE)
        error = session_error(session, arena, "Letters of other servers cannot be taken");
    int count = result == NULL ? 0 : libpq.ntuples(result);
    for (int row = 0; row < count; row++)
        ret_letters[row] = arena_slice(arena, result_bytes(result, row, 0));
    *ret_count = (size_t)count;
    libpq.clear(result);
    pool_give(store, session);
    return error;
}
