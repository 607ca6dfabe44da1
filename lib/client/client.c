/* client.c - a client's life, and the loop of attempts that every call goes through. */
#include "client/client.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

enum { REQUEST_SIZE_MAX = 64 * 1024 * 1024 }; /* the service takes 16 MB; it shall say so itself */

/* ---- errors ---- */

static void client_clear_error(struct ddb_client *client) {
    for (size_t i = 0; i < client->error_item_count; i++)
        ddb_item_free(client->error_items[i]);
    client->error_items = NULL;
    client->error_item_count = 0;
    client->failed = false;
    client->error = (struct ddb_error){0};
}

bool client_fail(struct ddb_client *client, enum ddb_error_kind kind, const char *format, ...) {
    client_clear_error(client);
    va_list args;
    va_start(args, format);
    struct slice message = arena_vprintf(&client->arena, format, args);
    va_end(args);
    client->failed = true;
    client->error = (struct ddb_error){.kind = kind,
                                       .type = "ClientError",
                                       .message = (const char *)message.data,
                                       .http_status = client->answer.status,
                                       .request_id = client->answer.request_id,
                                       .attempts = client->attempts};
    return false;
}

const struct ddb_error *ddb_client_error(const struct ddb_client *client) {
    return client->failed ? &client->error : NULL;
}

bool ddb_client_failed_with(const struct ddb_client *client, const char *type) {
    return client->failed && strcmp(client->error.type, type) == 0;
}

/* ---- life ---- */

static const char *process_variable(const char *name) {
    return getenv(name);
}

struct ddb_client *client_new(const struct ddb_options *options, lookup_environment *variable,
                              struct transport *transport, const struct random *random) {
    struct ddb_client *client = tree_alloc(sizeof(*client));
    arena_init(&client->lasting);
    arena_init(&client->arena);
    client->problem = settings_load(&client->lasting, options, variable, &client->settings);
    buffer_init(&client->request, REQUEST_SIZE_MAX);
    buffer_init(&client->reply, client->settings.reply_size_max);
    client->transport = transport;
    client->random = random;
    client->deadline_ms = INT64_MAX;
    client->budget.tokens = client->budget.tokens_max = client->settings.retry_budget;
    if (client->problem == NULL && transport == NULL) {
        client->transport = transport_curl_new(&client->settings);
        if (client->transport == NULL)
            client->problem = "libcurl or OpenSSL cannot be loaded";
    }
    identity_init(&client->identity, &client->settings);
    if (client->problem == NULL)
        client->transport->sign_as(client->transport, &client->identity.credentials);
    client_begin(client);
    return client;
}

struct ddb_client *ddb_client_new(const struct ddb_options *options) {
    return client_new(options, process_variable, NULL, &system_random);
}

void ddb_client_free(struct ddb_client *client) {
    if (client == NULL)
        return;
    client_clear_error(client);
    if (client->transport != NULL)
        client->transport->free(client->transport);
    identity_release(&client->identity);
    buffer_release(&client->request);
    buffer_release(&client->reply);
    arena_release(&client->arena);
    arena_release(&client->lasting);
    free(client);
}

const char *ddb_version(void) {
    return DDB_VERSION;
}

/* ---- time ---- */

static int64_t now_ms(const struct ddb_client *client) {
    return client->transport->now_ms(client->transport);
}

void ddb_client_set_deadline(struct ddb_client *client, int64_t timeout_ms) {
    bool none = client->problem != NULL || timeout_ms <= 0 || timeout_ms > INT64_MAX / 2;
    client->deadline_ms = none ? INT64_MAX : now_ms(client) + timeout_ms;
}

bool client_wait(struct ddb_client *client, int failures) {
    struct transport *transport = client->transport;
    int64_t most_ms = retry_wait_max_ms(&client->settings, failures);
    int64_t wait_ms = (int64_t)random_below(client->random, (uint64_t)most_ms + 1);
    if (client->call_deadline_ms - now_ms(client) <= wait_ms)
        return false;
    transport->sleep_ms(transport, wait_ms);
    return true;
}

/* ---- attempts ---- */

bool client_begin(struct ddb_client *client) {
    client_clear_error(client);
    arena_reset(&client->arena);
    client->answer = (struct answer){0};
    client->attempts = 0;
    buffer_reset(&client->request);
    if (client->problem != NULL)
        return client_fail(client, DDB_ERROR_CONFIG, "%s", client->problem);
    client->call_deadline_ms = client->deadline_ms;
    if (client->settings.call_timeout_ms > 0) {
        int64_t end_ms = now_ms(client) + client->settings.call_timeout_ms;
        client->call_deadline_ms = end_ms < client->deadline_ms ? end_ms : client->deadline_ms;
    }
    return true;
}

/* Keys that are good for now; a process may have to be asked for them. */
static bool refresh_identity(struct ddb_client *client) {
    bool changed;
    int64_t left_ms = client->call_deadline_ms - now_ms(client);
    const char *problem =
        identity_refresh(&client->identity, &client->arena, (int64_t)time(NULL), left_ms, &changed);
    if (problem != NULL)
        return client_fail(client, DDB_ERROR_CONFIG, "%s", problem);
    if (changed)
        client->transport->sign_as(client->transport, &client->identity.credentials);
    return true;
}

static void fail_without_reply(struct ddb_client *client) {
    const struct answer *answer = &client->answer;
    enum ddb_error_kind kind = answer->kind == ANSWER_TIMEOUT     ? DDB_ERROR_TIMEOUT
                               : answer->kind == ANSWER_TOO_LARGE ? DDB_ERROR_REPLY
                                                                  : DDB_ERROR_NETWORK;
    client_fail(client, kind, "%s: %s", client->settings.endpoint, answer->detail);
}

static enum verdict attempt(struct ddb_client *client, struct exchange *exchange) {
    int64_t left_ms = client->call_deadline_ms - now_ms(client);
    exchange->timeout_ms = client->settings.request_timeout_ms;
    if (left_ms < exchange->timeout_ms)
        exchange->timeout_ms = left_ms;
    client_clear_error(client);
    buffer_reset(&client->reply);
    client->transport->exchange(client->transport, exchange, &client->reply, &client->answer);
    if (client->answer.kind != ANSWER_REPLY)
        fail_without_reply(client);
    else if (client->answer.status != 200)
        client_fail_with_reply(client);
    return retry_verdict(&client->answer, client->failed ? client->error.type : "");
}

/* A token's operation that was refused in so many words was never carried out before either: the
 * server would have answered with the first result. */
static bool may_have_happened(const struct ddb_client *client, enum verdict last, bool ambiguous) {
    if (client->repeat == REPEAT_READ)
        return false;
    if (client->answer.kind == ANSWER_TOO_LARGE)
        return true;
    return ambiguous && !(client->repeat == REPEAT_TOKEN && last == VERDICT_FINAL);
}

/* What is told of the latest attempt when there is no other. Always false. */
static bool give_up(struct ddb_client *client, enum verdict verdict, bool ambiguous) {
    struct ddb_error *error = &client->error;
    error->maybe_applied = may_have_happened(client, verdict, ambiguous);
    error->retryable = verdict != VERDICT_FINAL || retry_worth_it(error);
    return false;
}

/* Pays and waits for another attempt; false: there is none. */
static bool prepare_again(struct ddb_client *client, enum verdict verdict) {
    bool again = verdict == VERDICT_AGAIN ||
                 (verdict == VERDICT_AMBIGUOUS && client->repeat != REPEAT_NEVER);
    return again && client->attempts < client->settings.attempts_max &&
           retry_budget_pay(&client->budget, client->answer.kind) &&
           client_wait(client, client->attempts);
}

static bool is_operation(const char *text) {
    size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.");
    return len > 0 && len <= 128 && text[len] == '\0';
}

/* What is wrong before anything is sent. */
static bool may_send(struct ddb_client *client, const char *operation) {
    if (!is_operation(operation))
        return client_fail(client, DDB_ERROR_INPUT, "that is not the name of an operation");
    if (client->request.overflow)
        return client_fail(client, DDB_ERROR_INPUT, "%s: the request is too large", operation);
    client->attempts = 0;
    if (client->call_deadline_ms <= now_ms(client))
        return client_fail(client, DDB_ERROR_TIMEOUT, "%s: the deadline has passed", operation);
    return refresh_identity(client);
}

bool client_send(struct ddb_client *client, const char *operation, enum repeat repeat) {
    if (!may_send(client, operation))
        return false;
    const char *prefix = strchr(operation, '.') == NULL ? "DynamoDB_20120810." : "";
    struct slice target = arena_printf(&client->arena, "%s%s", prefix, operation);
    struct exchange exchange = {.target = (const char *)target.data,
                                .body = buffer_slice(&client->request),
                                .repeatable = repeat != REPEAT_NEVER};
    bool ambiguous = false;
    client->repeat = repeat;
    client->budget.paid = 0;
    for (client->attempts = 1;; client->attempts++) {
        enum verdict verdict = attempt(client, &exchange);
        if (verdict == VERDICT_DONE) {
            retry_budget_earn(&client->budget);
            return true;
        }
        ambiguous |= verdict == VERDICT_AMBIGUOUS;
        if (!prepare_again(client, verdict))
            return give_up(client, verdict, ambiguous);
    }
}
