/* open.c - opening and closing a store on a PostgreSQL server.
 *
 * Memory: the store is malloc'ed, and keeps its own copy of what it was opened with. */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "base/random.h"
#include "store/postgres/internal.h"
#include "store/postgres/members.h"

enum { CONNECTIONS_MAX = 16, PATIENCE_MS = 30000, LEAD_MS = 10000, PREPARE_TIMEOUT_MS = 30000 };

/* ---- statements ---- */

/* By enum statement: what stands before and after the table's name, and of reads after WHERE. */
static const struct {
    const char *before, *after;
} keyspace_sql[STATEMENTS] = {
    [STATEMENT_GET] = {"SELECT v FROM", "k = $1"},
    [STATEMENT_GET_MANY] = {"SELECT k, v FROM", "k = ANY($1::bytea[])"},
    [STATEMENT_SCAN] = {"SELECT k, v FROM", "k >= $1 AND k < $2 ORDER BY k LIMIT $3::bigint"},
    [STATEMENT_SCAN_BACK] = {"SELECT k, v FROM",
                             "k >= $1 AND k < $2 ORDER BY k DESC LIMIT $3::bigint"},
    [STATEMENT_DELETE] = {"DELETE FROM", "WHERE k = ANY($1::bytea[])"},
    [STATEMENT_DELETE_RANGE] = {"DELETE FROM", "WHERE k >= $1 AND k < $2"},
    [STATEMENT_PUT] = {"INSERT INTO", "(k, v) SELECT unnest($1::bytea[]), unnest($2::bytea[]) "
                                      "ON CONFLICT (k) DO UPDATE SET v = excluded.v"},
};

struct own_statement {
    const char *name, *sql;
    bool writes; /* on the writer's connection only */
};

static const struct own_statement own_statements[] = {
    {"begin", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", false},
    {"commit", "COMMIT", false},
    {"rollback", "ROLLBACK", false},
    {"sync", "UPDATE gramme_version SET seq = seq + 1 WHERE grp = -1", false},
    {"changes", "SELECT seq FROM gramme_version WHERE grp = -3", false},
    {"begin_write", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", true},
    {"relax", "SET LOCAL synchronous_commit = off", true},
    {"drop",
     "INSERT INTO gramme_dropped (keyspace, first, last) "
     "VALUES ($1::text, $2::bytea, $3::bytea)",
     true},
    {"changed",
     "INSERT INTO gramme_version (grp, seq, writer, committed) VALUES (-3, 1, '', 0) "
     "ON CONFLICT (grp) DO UPDATE SET seq = gramme_version.seq + 1",
     true},
    /* No row is a division by zero, and refused: see lead.c. */
    {"claim",
     "WITH claimed AS (UPDATE gramme_version SET seq = seq + 1, committed = seq + 1 "
     "WHERE grp = $3::int AND seq = $1::bigint AND writer = $2::bytea RETURNING 1) "
     "SELECT 1 / count(*) FROM claimed",
     true},
    {"settle",
     "UPDATE gramme_version SET seq = seq + 1 "
     "WHERE grp = $3::int AND seq >= $1::bigint AND writer = $2::bytea RETURNING seq, committed",
     true},
    {"lock_groups",
     "SELECT grp::bigint, seq FROM gramme_version WHERE grp = ANY($1::text::int[]) "
     "ORDER BY grp FOR UPDATE",
     true},
    /* One that is missing is the root of a negative number, and refused: see groups.c. */
    {"claim_groups",
     "WITH claimed AS (UPDATE gramme_version v SET seq = v.seq + 1 "
     "FROM unnest($1::text::int[], $2::text::bigint[]) AS known (grp, seq) "
     "WHERE v.grp = known.grp AND v.seq = known.seq RETURNING 1) "
     "SELECT sqrt(count(*) - cardinality($1::text::int[])) FROM claimed",
     true},
};

static size_t prepare_own(struct session *session, bool writes) {
    size_t sent = 0;
    for (size_t i = 0; i < sizeof(own_statements) / sizeof(*own_statements); i++)
        if (writes || !own_statements[i].writes) {
            session_prepare(session, own_statements[i].name, own_statements[i].sql);
            sent++;
        }
    return sent;
}

static size_t prepare_keyspaces(struct postgres_store *store, struct session *session,
                                bool writes) {
    size_t statements = writes ? STATEMENTS : STATEMENT_DELETE;
    char where[250];
    if (store->options.standby)
        pinned_write_condition(store, sizeof(where), where);
    else
        lead_write_condition(store, writes, sizeof(where), where);
    for (size_t i = 0; i < store->base.keyspace_count; i++)
        for (size_t j = 0; j < statements; j++) {
            char sql[500];
            snprintf(sql, sizeof(sql), "%s %.*s %s%s", keyspace_sql[j].before,
                     SLICE_ARGS(store->keyspaces[i]), j < STATEMENT_DELETE ? where : "",
                     keyspace_sql[j].after);
            session_prepare(session, store->statements[i][j], sql);
        }
    return store->base.keyspace_count * statements;
}

/* False: the server's successor is known. */
static bool is_latest(struct postgres_store *store, uint32_t timeline) {
    uint_fast32_t known = atomic_load(&store->timeline);
    while (timeline > known && !atomic_compare_exchange_weak(&store->timeline, &known, timeline))
        ;
    if (timeline > known && known > 0)
        atomic_fetch_add(&store->era, 1);
    return timeline == 0 || timeline >= known;
}

struct error *postgres_open_session(struct postgres_store *store, struct arena *arena,
                                    struct session **ret_session) {
    const struct postgres_store_options *options = &store->options;
    if (options->standby)
        return session_connect_any(arena, options->url, ret_session);
    TRY(session_connect(arena, options->url, options->schema, ret_session));
    if (is_latest(store, (*ret_session)->timeline))
        return NULL;
    session_close(*ret_session);
    *ret_session = NULL;
    static const char *const why = "The store cannot be reached: a server that another was "
                                   "promoted in the place of still takes writes";
    log_repeated_error("%s", why);
    return error_local(arena, "%s", why);
}

struct error *postgres_connect(struct postgres_store *store, struct arena *arena, bool writes,
                               struct session **ret_session) {
    struct session *session = NULL;
    uint64_t era = atomic_load(&store->era);
    TRY(postgres_open_session(store, arena, &session));
    session->era = era;
    if (writes) /* a commit is sent at once: who stops in its middle is not to hold its locks */
        (void)session_run(session, "SET idle_in_transaction_session_timeout = '5s'", NULL, 0,
                          PREPARE_TIMEOUT_MS, NULL);
    size_t sent = prepare_own(session, writes);
    sent += prepare_keyspaces(store, session, writes);
    session_sync(session);
    if (session_collect(session, PREPARE_TIMEOUT_MS, sent, NULL) == FATE_DONE) {
        *ret_session = session;
        return NULL;
    }
    struct error *error = session_error(session, arena, "The store cannot be used");
    session_close(session);
    return error;
}

/* ---- the store ---- */

static void store_close_all(struct store *base) {
    struct postgres_store *store = postgres_of(base);
    fetcher_free(store->fetcher);
    keeper_release(&store->keeper);
    postgres_store_leave(base);
    session_close(store->writer);
    session_close(store->moment);
    lead_release(store);
    pool_release(&store->pool);
    batch_release(&store->batch);
    arena_release(&store->arena);
    free(store);
}

static const struct store_engine postgres_engine = {
    .name = "postgres",
    .capabilities = STORE_PERSISTENT | STORE_CONFLICTS | STORE_REMOTE,
    .close = store_close_all,
    .begin = postgres_begin,
    .end = postgres_end,
    .get_many = postgres_get_many,
    .get_many_start = postgres_get_many_start,
    .scan_open = postgres_scan_open,
    .scan_next = postgres_scan_next,
    .scan_close = postgres_scan_close,
    .put = postgres_put,
    .remove = postgres_remove,
    .remove_range = postgres_remove_range,
    .drop_range = postgres_drop_range,
    .commit = postgres_commit,
    .hold = postgres_hold,
    .sync = postgres_sync,
    .changes = postgres_changes,
    .lead = postgres_lead,
    .leads = postgres_leads,
    .maintain = postgres_maintain,
    .statistics = postgres_statistics,
};

static void name_all(struct postgres_store *store, const struct store_keyspace *keyspaces) {
    for (size_t i = 0; i < store->base.keyspace_count; i++) {
        store->keyspaces[i] = arena_printf(&store->arena, "gramme_%s", keyspaces[i].name);
        store->watched[i] = keyspaces[i].watched; /* a constant of the caller's */
        for (size_t j = 0; j < STATEMENTS; j++)
            snprintf(store->statements[i][j], sizeof(store->statements[i][j]), "k%zu_%zu", i, j);
    }
}

static const char *copy_text(struct arena *arena, const char *text) {
    return arena_copy(arena, text, strlen(text) + 1);
}

static struct postgres_store *store_new(const struct postgres_store_options *options,
                                        const struct store_keyspace *keyspaces, size_t count) {
    struct postgres_store *store = calloc(1, sizeof(*store));
    CHECK(store != NULL);
    store_init(&store->base, &postgres_engine, count);
    arena_init(&store->arena);
    store->options = *options;
    store->options.url = copy_text(&store->arena, options->url);
    if (options->schema != NULL)
        store->options.schema = copy_text(&store->arena, options->schema);
    if (store->options.lead_ms == 0)
        store->options.lead_ms = LEAD_MS;
    if (store->options.patience_ms == 0)
        store->options.patience_ms = PATIENCE_MS;
    pool_init(&store->pool,
              options->connections_max == 0 ? CONNECTIONS_MAX : options->connections_max);
    batch_init(&store->batch);
    groups_init(store);
    keeper_init(&store->keeper);
    pthread_mutex_init(&store->lead.lock, NULL);
    store->fetcher = fetcher_new(store);
    random_fill(&system_random, store->lead.writer, sizeof(store->lead.writer));
    name_all(store, keyspaces);
    return store;
}

/* The first connection is that of the lead. */
static struct error *look_at(struct postgres_store *store, struct arena *arena,
                             struct session *session) {
    store->lacks_advisory = session->has_no_advisory;
    if (store->options.create)
        TRY(postgres_schema_make(store, arena, session));
    TRY(postgres_schema_check(store, arena, session));
    if (store->options.standby)
        lead_drop_session(store); /* nobody leads there */
    store->lead.alone = store->options.alone && store->base.groups > 1;
    return store->options.one_moment ? postgres_moment_hold(store, arena) : NULL;
}

struct error *postgres_store_open(struct arena *arena, const struct postgres_store_options *options,
                                  const struct store_keyspace *keyspaces, size_t count,
                                  struct store **ret_store) {
    TRY(libpq_load(arena));
    struct postgres_store *store = store_new(options, keyspaces, count);
    struct session *session = NULL;
    struct error *error = lead_take(store, arena, &session);
    if (error == NULL) {
        error = look_at(store, arena, session);
        lead_give(store);
    }
    if (error != NULL) {
        store_close_all(&store->base);
        return error;
    }
    *ret_store = &store->base;
    return NULL;
}

/* ---- where it is ---- */

bool postgres_is_url(const char *text) {
    return strncmp(text, "postgres://", 11) == 0 || strncmp(text, "postgresql://", 13) == 0 ||
           strchr(text, '=') != NULL;
}

static const char *word_of(const PQconninfoOption *options, const char *keyword,
                           const char *otherwise) {
    for (; options->keyword != NULL; options++)
        if (strcmp(options->keyword, keyword) == 0)
            return options->val == NULL ? otherwise : options->val;
    return otherwise;
}

/* The first of a list with commas between them, and what follows it. */
static struct slice take_word(const char **rest) {
    size_t len = strcspn(*rest, ",");
    struct slice word = slice_of(*rest, len);
    *rest += (*rest)[len] == ',' ? len + 1 : len;
    return word;
}

/* Each host with its port. One port is that of all; one that is left out is the usual one. */
static struct slice hosts_with_ports(struct arena *arena, const char *hosts, const char *ports) {
    struct slice places = SLICE_LITERAL("");
    bool same = strchr(ports, ',') == NULL;
    while (*hosts != '\0') {
        const char *shared = ports;
        struct slice host = take_word(&hosts), port = take_word(same ? &shared : &ports);
        if (port.len == 0)
            port = SLICE_LITERAL("5432");
        places = arena_printf(arena, "%.*s%s%.*s:%.*s", SLICE_ARGS(places),
                              places.len == 0 ? "" : ",", SLICE_ARGS(host), SLICE_ARGS(port));
    }
    return places;
}

struct error *postgres_place(struct arena *arena, const char *url, struct slice *ret_place) {
    TRY(libpq_load(arena));
    char *text = NULL;
    PQconninfoOption *options = libpq.conninfoParse(url, &text);
    if (options == NULL) { /* its text may have the password in it */
        libpq.freemem(text);
        return error_local(arena, "This is no address of a PostgreSQL server that libpq reads");
    }
    struct slice hosts = hosts_with_ports(arena, word_of(options, "host", "localhost"),
                                          word_of(options, "port", "5432"));
    *ret_place = arena_printf(arena, "postgres://%.*s/%s", SLICE_ARGS(hosts),
                              word_of(options, "dbname", "-"));
    libpq.conninfoFree(options);
    return NULL;
}
