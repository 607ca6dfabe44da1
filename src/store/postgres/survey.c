/* survey.c - asking a server for the settings that decide what its word is worth, and for the
 * rights that a store needs. */
#include "store/postgres/survey.h"

#include "base/secret.h"
#include "store/postgres/peers.h"
#include "store/postgres/postgres.h"
#include "store/postgres/session.h"

enum { SURVEY_TIMEOUT_MS = 30000 };

#define COPIES "copies"
#define ONE_COPY "one"
#define QUORUM "quorum"

/* Settings that a server does not know are left out: it is not quite PostgreSQL. */
static const char settings_sql[] =
    "SELECT name::text, setting::text, version()::text FROM pg_settings WHERE name IN "
    "('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', "
    "'transaction_read_only') ORDER BY name";

/* Who sees too little of pg_stat_replication learns only how many there are. */
static const char standbys_sql[] =
    "SELECT 'standbys'::text, coalesce(string_agg(coalesce(nullif(application_name, ''), '?') || "
    "coalesce(' (' || state || ', ' || sync_state || ')', ''), ', '), '')::text, "
    "count(*) FILTER (WHERE sync_state IN ('sync', 'quorum') OR sync_state IS NULL) "
    "FROM pg_stat_replication";

/* As of PostgreSQL 15 a user may not create tables in the schema "public" of its own accord. */
static const char role_sql[] =
    "SELECT 'role'::text, (current_user || coalesce(' in schema ' || current_schema(), ''))::text, "
    "(CASE WHEN current_schema() IS NULL THEN 0 "
    "WHEN has_schema_privilege(current_schema(), 'CREATE') THEN 1 "
    "WHEN EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema() "
    "AND tablename = 'gramme_version' AND tableowner = current_user) THEN 1 ELSE 0 END)::bigint";

/* ---- judging ---- */

static const char *judge_names(struct slice value, const struct postgres_survey_options *options) {
    if (value.len > 0 || options->single)
        return NULL;
    return options->standby ? "after a failover to it, commits would wait for no standby: there "
                              "would be one copy"
                            : "commits wait for no standby: there is one copy";
}

static const char *judge_commit(struct slice value, const struct postgres_survey_options *options) {
    if (slice_is(value, "off"))
        return "a crash may take commits that were acknowledged";
    if (!options->single && slice_is(value, "local"))
        return "commits wait for no standby: a failover may take some that were acknowledged";
    return NULL;
}

static const char *judge_read_only(struct slice value,
                                   const struct postgres_survey_options *options) {
    if (slice_is(value, "on"))
        return options->standby ? NULL : "it takes no writes: a standby, or set so";
    return options->standby ? "it takes writes: it is no standby" : NULL;
}

static const char *judge(struct slice name, struct slice value,
                         const struct postgres_survey_options *options) {
    if (slice_is(name, "fsync") || slice_is(name, "full_page_writes"))
        return slice_is(value, "off") ? "a crash of its machine may damage everything" : NULL;
    if (slice_is(name, "synchronous_commit"))
        return judge_commit(value, options);
    if (slice_is(name, "synchronous_standby_names"))
        return judge_names(value, options);
    return judge_read_only(value, options);
}

/* ---- asking ---- */

static void add(struct arena *arena, struct postgres_survey *survey, const PGresult *result,
                int row, const char *wrong) {
    if (survey->count == POSTGRES_SETTINGS_MAX)
        return;
    survey->settings[survey->count++] =
        (struct postgres_setting){arena_slice(arena, result_bytes(result, row, 0)),
                                  arena_slice(arena, result_bytes(result, row, 1)), wrong};
    survey->wrong += wrong != NULL;
}

static struct error *ask_settings(struct arena *arena, struct session *session,
                                  const struct postgres_survey_options *options,
                                  struct postgres_survey *survey) {
    PGresult *result = NULL;
    if (session_run(session, settings_sql, NULL, 0, SURVEY_TIMEOUT_MS, &result) != FATE_DONE)
        return session_error(session, arena, "The server does not tell its settings");
    for (int row = 0; row < libpq.ntuples(result); row++) {
        struct slice name = result_bytes(result, row, 0), value = result_bytes(result, row, 1);
        survey->version = arena_slice(arena, result_bytes(result, row, 2));
        const char *wrong = judge(name, value, options);
        add(arena, survey, result, row, wrong);
        if (wrong != NULL && slice_starts_with(name, SLICE_LITERAL("synchronous_")))
            survey->waits_for_none = true;
    }
    libpq.clear(result);
    return NULL;
}

/* A row with a number that must not be 0; a server that does not know the question is not judged by
 * it. */
static void ask_number(struct arena *arena, struct session *session, const char *sql,
                       const char *wrong_when_none, struct postgres_survey *survey) {
    PGresult *result = NULL;
    if (session_run(session, sql, NULL, 0, SURVEY_TIMEOUT_MS, &result) != FATE_DONE)
        return;
    if (libpq.ntuples(result) == 1)
        add(arena, survey, result, 0, result_number(result, 0, 2) > 0 ? NULL : wrong_when_none);
    libpq.clear(result);
}

/* A standby is connected to as it is; a URL with several hosts means the one that takes writes. */
static struct error *connect_to(struct arena *arena, const struct postgres_survey_options *options,
                                struct session **ret_session) {
    return options->standby ? session_connect_any(arena, options->url, ret_session)
                            : session_connect(arena, options->url, NULL, ret_session);
}

struct error *postgres_survey(struct arena *arena, const struct postgres_survey_options *options,
                              struct postgres_survey *ret_survey) {
    struct session *session = NULL;
    TRY(libpq_load(arena));
    TRY(connect_to(arena, options, &session));
    *ret_survey = (struct postgres_survey){.count = 0};
    struct error *error = ask_settings(arena, session, options, ret_survey);
    if (error == NULL && !options->standby) {
        ask_number(arena, session, standbys_sql,
                   options->single ? NULL : "none that it waits for is connected", ret_survey);
        ask_number(arena, session, role_sql,
                   "it may not create tables there: GRANT CREATE ON SCHEMA ... TO ...", ret_survey);
    }
    session_close(session);
    return error;
}

/* ---- making ---- */

/* Opening makes them, and checks what it finds. */
struct error *postgres_store_init(struct arena *arena, const char *url, bool single,
                                  uint32_t groups, const struct store_keyspace *keyspaces,
                                  size_t count) {
    struct postgres_store_options options = {
        .url = url, .create = true, .groups = groups == 0 ? POSTGRES_ANY_GROUPS : groups};
    struct store *store = NULL;
    uint8_t secret[POSTGRES_SECRET_BYTES];
    TRY(postgres_store_open(arena, &options, keyspaces, count, &store));
    struct error *error =
        postgres_note_write(store, arena, COPIES, slice_text(single ? ONE_COPY : QUORUM));
    if (error == NULL)
        error = postgres_store_secret(store, arena, secret);
    secret_wipe(secret, sizeof(secret));
    store_close(store);
    return error;
}

struct error *postgres_is_single(struct store *store, struct arena *arena, bool *ret_single) {
    struct slice copies;
    TRY(postgres_note_read(store, arena, COPIES, &copies));
    *ret_single = !slice_is(copies, QUORUM);
    return NULL;
}
