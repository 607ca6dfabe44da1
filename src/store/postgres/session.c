/* session.c - sending and collecting over libpq, without ever waiting for longer than was said.
 *
 * libpq never blocks here but while it connects, which has a time-out of its own: a socket that
 * takes no more waits for poll() together with the answers, so that neither side can wait for the
 * other. */
#include "store/postgres/session.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"

enum { PARAMETERS_MAX = 4, PREPARE_TIMEOUT_MS = 30000 };

/* ---- why ---- */

/* libpq's texts have several lines, and end with a line feed. */
static void note_text(struct session *session, const char *text) {
    size_t len = 0;
    for (; text[len] != '\0' && len < sizeof(session->text) - 1; len++)
        session->text[len] = text[len] == '\n' || text[len] == '\t' ? ' ' : text[len];
    while (len > 0 && session->text[len - 1] == ' ')
        len--;
    session->text[len] = '\0';
}

/* Of several reasons the first one is told. */
static enum fate lost(struct session *session, const char *text) {
    if (session->lost)
        return FATE_LOST;
    if (text == NULL)
        text = libpq.errorMessage(session->libpq);
    note_text(session, *text == '\0' ? "the connection was lost" : text);
    session->lost = true;
    return FATE_LOST;
}

struct error *session_error(const struct session *session, struct arena *arena, const char *what) {
    return error_local(arena, "%s: %s", what, session->text);
}

bool session_is_lost(const struct session *session) {
    return session->lost || libpq.status(session->libpq) != CONNECTION_OK;
}

/* ---- sending ---- */

struct sent {
    const char *values[PARAMETERS_MAX];
    int lengths[PARAMETERS_MAX];
    int formats[PARAMETERS_MAX];
};

static struct sent sent_of(const struct parameter *parameters, size_t count) {
    struct sent sent = {0};
    CHECK(count <= PARAMETERS_MAX);
    for (size_t i = 0; i < count; i++) {
        sent.values[i] = parameters[i].data;
        sent.lengths[i] = (int)parameters[i].len;
        sent.formats[i] = 1;
    }
    return sent;
}

/* What cannot be sent is noticed when its result is asked for: libpq keeps the connection's state.
 */
void session_send(struct session *session, const char *name, const struct parameter *parameters,
                  size_t count) {
    struct sent sent = sent_of(parameters, count);
    (void)libpq.sendQueryPrepared(session->libpq, name, (int)count, sent.values, sent.lengths,
                                  sent.formats, 1);
}

void session_send_sql(struct session *session, const char *sql, const struct parameter *parameters,
                      size_t count) {
    struct sent sent = sent_of(parameters, count);
    (void)libpq.sendQueryParams(session->libpq, sql, (int)count, NULL, sent.values, sent.lengths,
                                sent.formats, 1);
}

void session_prepare(struct session *session, const char *name, const char *sql) {
    (void)libpq.sendPrepare(session->libpq, name, sql, 0, NULL);
}

void session_sync(struct session *session) {
    (void)libpq.pipelineSync(session->libpq);
}

/* ---- collecting ---- */

static bool wait_for_server(struct session *session, bool unsent, uint64_t deadline_ns) {
    uint64_t now = monotonic_ns();
    if (now >= deadline_ns)
        return false;
    struct pollfd socket = {.fd = libpq.socket(session->libpq),
                            .events = (short)(unsent ? POLLIN | POLLOUT : POLLIN)};
    int ready = poll(&socket, 1, (int)((deadline_ns - now) / 1000000 + 1));
    return ready > 0 || (ready < 0 && errno == EINTR);
}

/* The next result, or NULL where libpq has none between two commands. */
static enum fate next_result(struct session *session, uint64_t deadline_ns, PGresult **ret_result) {
    for (;;) {
        if (session_is_lost(session))
            return lost(session, NULL);
        int unsent = libpq.flush(session->libpq);
        if (unsent < 0)
            return lost(session, NULL);
        if (!libpq.isBusy(session->libpq)) {
            *ret_result = libpq.getResult(session->libpq);
            return FATE_DONE;
        }
        if (!wait_for_server(session, unsent > 0, deadline_ns))
            return lost(session, "the server does not answer");
        if (!libpq.consumeInput(session->libpq))
            return lost(session, NULL);
    }
}

static void note_refusal(struct session *session, const PGresult *result, size_t command) {
    const char *state = libpq.resultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = libpq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    snprintf(session->state, sizeof(session->state), "%s", state == NULL ? "" : state);
    note_text(session, text == NULL ? libpq.errorMessage(session->libpq) : text);
    session->refused = command;
}

/* One command: its result, then the NULL that ends it. */
static enum fate collect_one(struct session *session, uint64_t deadline_ns, size_t command,
                             PGresult **ret_result) {
    PGresult *result = NULL, *end = NULL;
    if (next_result(session, deadline_ns, &result) == FATE_LOST)
        return FATE_LOST;
    if (result == NULL)
        return lost(session, "an answer is missing");
    ExecStatusType status = libpq.resultStatus(result);
    bool done = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    if (!done && status != PGRES_PIPELINE_ABORTED)
        note_refusal(session, result, command);
    if (done && ret_result != NULL)
        *ret_result = result;
    else
        libpq.clear(result);
    enum fate fate = next_result(session, deadline_ns, &end);
    libpq.clear(end);
    return fate == FATE_LOST ? FATE_LOST : done ? FATE_DONE : FATE_REFUSED;
}

static void clear_results(size_t count, PGresult **results) {
    for (size_t i = 0; results != NULL && i < count; i++) {
        libpq.clear(results[i]);
        results[i] = NULL;
    }
}

enum fate session_collect(struct session *session, uint32_t timeout_ms, size_t count,
                          PGresult **ret_results) {
    uint64_t deadline_ns = monotonic_ns() + (uint64_t)timeout_ms * 1000000;
    enum fate all = FATE_DONE;
    for (size_t i = 0; ret_results != NULL && i < count; i++)
        ret_results[i] = NULL;
    for (size_t i = 0; i < count && all != FATE_LOST; i++) {
        enum fate fate =
            collect_one(session, deadline_ns, i, ret_results == NULL ? NULL : &ret_results[i]);
        all = fate == FATE_DONE ? all : fate;
    }
    PGresult *sync = NULL;
    if (all != FATE_LOST && next_result(session, deadline_ns, &sync) == FATE_LOST)
        all = FATE_LOST;
    if (sync != NULL && libpq.resultStatus(sync) != PGRES_PIPELINE_SYNC)
        all = lost(session, "an answer is out of step");
    libpq.clear(sync);
    if (session->lost) /* by a notice that came with the last answer */
        all = FATE_LOST;
    if (all != FATE_DONE)
        clear_results(count, ret_results);
    return all;
}

void session_push(struct session *session, bool *ret_unsent) {
    int unsent = libpq.flush(session->libpq);
    *ret_unsent = unsent > 0;
    if (unsent < 0)
        (void)lost(session, NULL);
}

void session_pull(struct session *session) {
    if (!libpq.consumeInput(session->libpq))
        (void)lost(session, NULL);
}

static enum arrived arrived_as(struct session *session, PGresult *result, PGresult **ret_result) {
    ExecStatusType status = libpq.resultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
        *ret_result = result;
        return ARRIVED_RESULT;
    }
    if (status != PGRES_PIPELINE_SYNC)
        note_refusal(session, result, 0);
    libpq.clear(result);
    return status == PGRES_PIPELINE_SYNC ? ARRIVED_SYNC : ARRIVED_REFUSAL;
}

/* Between two commands libpq has a NULL. */
enum arrived session_arrived(struct session *session, PGresult **ret_result) {
    for (int gaps = 0; gaps < 2; gaps++) {
        if (session_is_lost(session)) {
            (void)lost(session, NULL);
            return ARRIVED_LOSS;
        }
        if (libpq.isBusy(session->libpq))
            return ARRIVED_NOTHING;
        PGresult *result = libpq.getResult(session->libpq);
        if (result != NULL)
            return arrived_as(session, result, ret_result);
    }
    session_lose(session, "an answer is out of step");
    return ARRIVED_LOSS;
}

void session_lose(struct session *session, const char *why) {
    (void)lost(session, why);
}

int session_socket(const struct session *session) {
    return libpq.socket(session->libpq);
}

enum fate session_settle(struct session *session, uint32_t timeout_ms) {
    size_t unread = session->unread;
    session->unread = 0;
    return unread == 0 ? FATE_DONE : session_collect(session, timeout_ms, unread, NULL);
}

enum fate session_run(struct session *session, const char *sql, const struct parameter *parameters,
                      size_t count, uint32_t timeout_ms, PGresult **ret_result) {
    session_send_sql(session, sql, parameters, count);
    session_sync(session);
    return session_collect(session, timeout_ms, 1, ret_result);
}

struct slice result_bytes(const PGresult *result, int row, int column) {
    if (libpq.getisnull(result, row, column))
        return SLICE_NONE;
    return slice_of(libpq.getvalue(result, row, column),
                    (size_t)libpq.getlength(result, row, column));
}

/* A bigint; of another type is a bug in the statement. */
int64_t result_number(const PGresult *result, int row, int column) {
    struct slice bytes = result_bytes(result, row, column);
    CHECK(bytes.len == 8);
    return (int64_t)load_u64_be(bytes.data);
}

/* ---- notices ---- */

static bool field_is(const PGresult *notice, int field, const char *text) {
    const char *value = libpq.resultErrorField(notice, field);
    return value != NULL && strcmp(value, text) == 0;
}

/* Whether the server stopped waiting for its synchronous standby. The text of the warning depends
 * on the server's language. Others have the same SQLSTATE, RAISE WARNING in a trigger for one: so
 * the server's source file decides, where it is told. */
static bool is_unreplicated(const PGresult *notice) {
    return field_is(notice, PG_DIAG_SEVERITY_NONLOCALIZED, "WARNING") &&
           (field_is(notice, PG_DIAG_SQLSTATE, "01000") ||
            field_is(notice, PG_DIAG_SQLSTATE, "57P01")) &&
           (libpq.resultErrorField(notice, PG_DIAG_SOURCE_FILE) == NULL ||
            field_is(notice, PG_DIAG_SOURCE_FILE, "syncrep.c"));
}

/* The server answers such a commit as if it had succeeded, but a failover may lose it: its fate is
 * unknown, as when the connection is lost before the answer. All other notices are ignored. */
static void hear_notice(void *user, const PGresult *notice) {
    struct session *session = user;
    if (is_unreplicated(notice))
        (void)lost(session, libpq.resultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY));
}

/* ---- opening ---- */

/* A server notices by these when this machine is gone, and a half-sent commit of a machine that is
 * gone does not hold its locks for long. Plans by the key's index, whatever the statistics say:
 * they are made once, often when tables are empty. A server that is not quite PostgreSQL may not
 * know some of them, and does without. */
static const char *const settings[] = {
    "SET idle_in_transaction_session_timeout = '60s'",
    "SET tcp_keepalives_idle = 3",
    "SET tcp_keepalives_interval = 1",
    "SET tcp_keepalives_count = 3",
    "SET tcp_user_timeout = 6000",
    "SET enable_seqscan = off",
    "SET plan_cache_mode = force_generic_plan",
    "SET jit = off",
};

/* One round trip, though each is on its own. */
static enum fate apply_settings(struct session *session) {
    enum { COUNT = sizeof(settings) / sizeof(*settings) };
    enum fate fate = FATE_DONE;
    for (size_t i = 0; i < COUNT; i++) {
        session_send_sql(session, settings[i], NULL, 0);
        session_sync(session);
    }
    for (size_t i = 0; i < COUNT && fate != FATE_LOST; i++)
        fate = session_collect(session, PREPARE_TIMEOUT_MS, 1, NULL);
    return fate == FATE_LOST ? FATE_LOST : FATE_DONE;
}

/* CockroachDB and YugabyteDB tell their names in what PostgreSQL calls its version. */
static enum fate learn_version(struct session *session) {
    PGresult *result = NULL;
    enum fate fate =
        session_run(session, "SELECT version()::text", NULL, 0, PREPARE_TIMEOUT_MS, &result);
    if (fate != FATE_DONE)
        return fate;
    const char *text = libpq.getvalue(result, 0, 0);
    session->is_yugabyte = strstr(text, "-YB-") != NULL;
    session->has_no_advisory = session->is_yugabyte || strstr(text, "CockroachDB") != NULL;
    session->version = (unsigned)libpq.serverVersion(session->libpq);
    libpq.clear(result);
    return FATE_DONE;
}

/* The first eight digits of a name in the log are those of its timeline. Standbys refuse to tell,
 * and others than PostgreSQL have none. */
static enum fate learn_timeline(struct session *session) {
    PGresult *result = NULL;
    if (session->has_no_advisory)
        return FATE_DONE;
    enum fate fate = session_run(session, "SELECT pg_walfile_name(pg_current_wal_lsn())", NULL, 0,
                                 PREPARE_TIMEOUT_MS, &result);
    if (fate != FATE_DONE)
        return fate == FATE_LOST ? FATE_LOST : FATE_DONE;
    char digits[9];
    snprintf(digits, sizeof(digits), "%s", libpq.getvalue(result, 0, 0));
    session->timeline = (uint32_t)strtoul(digits, NULL, 16);
    libpq.clear(result);
    return FATE_DONE;
}

/* Of two values the later one wins. */
static PGconn *connect_to(const char *url, const char *schema, const char *which) {
    char search_path[100];
    snprintf(search_path, sizeof(search_path), "-csearch_path=%s", schema == NULL ? "" : schema);
    static const char *const names[] = {"connect_timeout",
                                        "keepalives_idle",
                                        "keepalives_interval",
                                        "keepalives_count",
                                        "tcp_user_timeout",
                                        "target_session_attrs",
                                        "dbname",
                                        "fallback_application_name",
                                        "options",
                                        NULL};
    const char *const values[] = {
        "5", "3", "1", "3", "6000", which, url, "gramme", schema == NULL ? NULL : search_path,
        NULL};
    return libpq.connectdbParams(names, values, 1);
}

static struct error *connect_session(struct arena *arena, const char *url, const char *schema,
                                     const char *which, struct session **ret) {
    static const char *const what = "The store cannot be reached";
    struct session *session = calloc(1, sizeof(*session));
    CHECK(session != NULL);
    session->libpq = connect_to(url, schema, which);
    CHECK(session->libpq != NULL);
    libpq.setNoticeReceiver(session->libpq, hear_notice, session);
    enum fate fate = FATE_LOST;
    if (session_is_lost(session) || libpq.setnonblocking(session->libpq, 1) != 0 ||
        !libpq.enterPipelineMode(session->libpq))
        lost(session, NULL);
    else
        fate = apply_settings(session);
    if (fate == FATE_DONE)
        fate = learn_version(session);
    if (fate == FATE_DONE)
        fate = learn_timeline(session);
    if (fate != FATE_DONE) {
        struct error *error = session_error(session, arena, what);
        session_close(session);
        return error;
    }
    *ret = session;
    return NULL;
}

struct error *session_connect(struct arena *arena, const char *url, const char *schema,
                              struct session **ret) {
    return connect_session(arena, url, schema, "read-write", ret);
}

struct error *session_connect_any(struct arena *arena, const char *url, struct session **ret) {
    return connect_session(arena, url, NULL, "any", ret);
}

void session_close(struct session *session) {
    if (session == NULL)
        return;
    libpq.finish(session->libpq);
    free(session);
}
