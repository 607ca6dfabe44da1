/* survey.c - asking a server for the settings that decide what its word is worth. */
#include "store/postgres/survey.h"

#include "store/postgres/postgres.h"
#include "store/postgres/session.h"

enum { SURVEY_TIMEOUT_MS = 30000 };

static const struct {
    const char *name;
    const char * not ; /* the value that is wrong; NULL: it is only told */
    const char *wrong;
} judged[] = {
    {"fsync", "off", "a crash of its machine may damage everything"},
    {"full_page_writes", "off", "a crash of its machine may damage everything"},
    {"synchronous_commit", "off", "a crash may take commits that were acknowledged"},
    {"synchronous_standby_names", NULL, NULL},
    {"transaction_read_only", "on", "it takes no writes: a standby, or set so"},
};

/* Settings that a server does not know are left out: it is not quite PostgreSQL. */
static const char survey_sql[] =
    "SELECT version()::text, name::text, setting::text FROM pg_settings WHERE name IN "
    "('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', "
    "'transaction_read_only') ORDER BY name";

static const char *judge(struct slice name, struct slice value) {
    for (size_t i = 0; i < sizeof(judged) / sizeof(*judged); i++)
        if (slice_is(name, judged[i].name) && judged[i].not != NULL &&
            slice_is(value, judged[i].not ))
            return judged[i].wrong;
    return NULL;
}

static void take_rows(struct arena *arena, const PGresult *result, struct postgres_survey *survey) {
    int rows = libpq.ntuples(result);
    for (int row = 0; row < rows && survey->count < POSTGRES_SETTINGS_MAX; row++) {
        struct postgres_setting *setting = &survey->settings[survey->count++];
        survey->version = arena_slice(arena, result_bytes(result, row, 0));
        setting->name = arena_slice(arena, result_bytes(result, row, 1));
        setting->value = arena_slice(arena, result_bytes(result, row, 2));
        setting->wrong = judge(setting->name, setting->value);
        survey->wrong += setting->wrong != NULL;
    }
}

struct error *postgres_survey(struct arena *arena, const char *url,
                              struct postgres_survey *ret_survey) {
    struct session *session = NULL;
    PGresult *result = NULL;
    TRY(libpq_load(arena));
    TRY(session_connect(arena, url, NULL, &session));
    *ret_survey = (struct postgres_survey){.count = 0};
    struct error *error = NULL;
    if (session_run(session, survey_sql, NULL, 0, SURVEY_TIMEOUT_MS, &result) == FATE_DONE)
        take_rows(arena, result, ret_survey);
    else
        error = session_error(session, arena, "The server does not tell its settings");
    libpq.clear(result);
    session_close(session);
    return error;
}

/* Opening makes them, and checks what it finds. */
struct error *postgres_store_init(struct arena *arena, const char *url,
                                  const struct store_keyspace *keyspaces, size_t count) {
    struct postgres_store_options options = {.url = url, .create = true};
    struct store *store = NULL;
    TRY(postgres_store_open(arena, &options, keyspaces, count, &store));
    store_close(store);
    return NULL;
}
