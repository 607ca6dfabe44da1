/* wait.c - looking again and again until a table, an index or a backup is as it should be.
 *
 * A look is one Describe call. Between two there is a random wait whose bound doubles; the last
 * look is at the end of the time. When the first look has told something, a later one that fails
 * for a moment, as while a server starts again, is no reason to give up. */
#include <stdio.h>

#include "client/client.h"

enum { TIMEOUT_MS = 300000, DELAY_FIRST_MS = 50, DELAY_MAX_MS = 5000, LAST_LOOK_MS = 1000 };

/* How a state is told by the reply to a call. */
struct waiter {
    const char *operation;
    const char *parameter;
    const char *const *path; /* to the map that has the status */
    const char *status;
    const char *good;
    const char *bad[2];  /* it will never be good then; "" where there are less */
    const char *missing; /* the error's type when there is no such thing */
};

static const char *const in_table[] = {"Table", NULL};
static const char *const in_backup[] = {"BackupDescription", "BackupDetails", NULL};
static const char *const in_export[] = {"ExportDescription", NULL};
static const char *const in_import[] = {"ImportTableDescription", NULL};

static const struct waiter table_waiter = {"DescribeTable",
                                           "TableName",
                                           in_table,
                                           "TableStatus",
                                           "ACTIVE",
                                           {"", ""},
                                           "ResourceNotFoundException"};
static const struct waiter backup_waiter = {"DescribeBackup",         "BackupArn", in_backup,
                                            "BackupStatus",           "AVAILABLE", {"DELETED", ""},
                                            "BackupNotFoundException"};
static const struct waiter export_waiter = {"DescribeExport",         "ExportArn", in_export,
                                            "ExportStatus",           "COMPLETED", {"FAILED", ""},
                                            "ExportNotFoundException"};
static const struct waiter import_waiter = {
    "DescribeImport",         "ImportArn", in_import,
    "ImportStatus",           "COMPLETED", {"FAILED", "CANCELLED"},
    "ImportNotFoundException"};

static const struct waiter *waiter_of(enum ddb_state state) {
    switch (state) {
    case DDB_TABLE_ACTIVE:
    case DDB_TABLE_GONE:
    case DDB_INDEX_ACTIVE:
    case DDB_INDEX_GONE:
        return &table_waiter;
    case DDB_BACKUP_AVAILABLE:
        return &backup_waiter;
    case DDB_EXPORT_COMPLETED:
        return &export_waiter;
    case DDB_IMPORT_COMPLETED:
        return &import_waiter;
    }
    return NULL;
}

/* ---- one look ---- */

enum sight { SIGHT_GOOD, SIGHT_NOT_YET, SIGHT_NEVER };

struct waiting {
    struct ddb_client *client;
    const struct ddb_wait *wait;
    const struct waiter *waiter;
    const char *what; /* the table's name or the ARN */
    char status[64];  /* that was seen last */
    struct ddb_item *parameters;
    bool last; /* the next look is */
};

static void note(struct waiting *waiting, const char *status) {
    snprintf(waiting->status, sizeof(waiting->status), "%s", status);
}

/* All indexes, or the one that is named: whether it is there, and ACTIVE. */
static enum sight look_at_indexes(struct waiting *waiting, const struct ddb_item *table) {
    const char *wanted = waiting->wait->index;
    const struct ddb_list *indexes = ddb_item_list(table, "GlobalSecondaryIndexes");
    bool gone = waiting->wait->until == DDB_INDEX_GONE, found = wanted == NULL;
    for (size_t i = 0; i < ddb_list_count(indexes); i++) {
        const struct ddb_item *index = ddb_value_map(ddb_list_at(indexes, i));
        if (wanted != NULL && strcmp(ddb_item_string(index, "IndexName", ""), wanted) != 0)
            continue;
        found = true;
        note(waiting, ddb_item_string(index, "IndexStatus", "ACTIVE"));
        if (gone || strcmp(waiting->status, "ACTIVE") != 0)
            return SIGHT_NOT_YET;
    }
    if (!found)
        note(waiting, "absent");
    return found != gone ? SIGHT_GOOD : SIGHT_NOT_YET;
}

static enum sight look_at_reply(struct waiting *waiting, const struct ddb_item *reply) {
    const struct waiter *waiter = waiting->waiter;
    enum ddb_state until = waiting->wait->until;
    const struct ddb_item *map = reply;
    for (size_t i = 0; waiter->path[i] != NULL; i++)
        map = ddb_item_map(map, waiter->path[i]);
    note(waiting, ddb_item_string(map, waiter->status, "unknown"));
    if (until == DDB_TABLE_GONE)
        return SIGHT_NOT_YET;
    for (size_t i = 0; i < 2; i++)
        if (strcmp(waiting->status, waiter->bad[i]) == 0)
            return SIGHT_NEVER;
    if (strcmp(waiting->status, waiter->good) != 0)
        return SIGHT_NOT_YET;
    return until == DDB_INDEX_ACTIVE || until == DDB_INDEX_GONE ? look_at_indexes(waiting, map)
                                                                : SIGHT_GOOD;
}

/* After SIGHT_NEVER the client has the error, unless it is a status. */
static enum sight look(struct waiting *waiting) {
    struct ddb_client *client = waiting->client;
    struct ddb_item *reply = NULL;
    if (ddb_call_document(client, waiting->waiter->operation, waiting->parameters, &reply)) {
        enum sight sight = look_at_reply(waiting, reply);
        ddb_item_free(reply);
        return sight;
    }
    if (ddb_client_failed_with(client, waiting->waiter->missing)) {
        note(waiting, "absent");
        if (waiting->wait->until == DDB_TABLE_GONE)
            return SIGHT_GOOD;
        return waiting->wait->must_exist ? SIGHT_NEVER : SIGHT_NOT_YET;
    }
    bool first = waiting->status[0] == '\0';
    return client->error.retryable && !first ? SIGHT_NOT_YET : SIGHT_NEVER;
}

/* ---- between two looks ---- */

static int64_t draw_delay(const struct ddb_client *client, int64_t bound_ms) {
    return bound_ms / 2 + (int64_t)random_below(client->random, (uint64_t)(bound_ms / 2 + 1));
}

/* False: there is no time left, or the caller has had enough. */
static bool pause(struct waiting *waiting, int64_t *bound_ms) {
    struct ddb_client *client = waiting->client;
    const struct ddb_wait *wait = waiting->wait;
    int64_t left_ms = client->deadline_ms - client->transport->now_ms(client->transport);
    int64_t delay_ms = draw_delay(client, *bound_ms);
    int64_t most_ms = wait->delay_max_ms > 0 ? wait->delay_max_ms : DELAY_MAX_MS;
    if (waiting->last || left_ms <= 1 || (wait->go_on != NULL && !wait->go_on(wait->context)))
        return false;
    waiting->last = delay_ms >= left_ms;
    if (waiting->last) /* a little time is kept for the look */
        delay_ms = left_ms - (left_ms / 4 < LAST_LOOK_MS ? left_ms / 4 : LAST_LOOK_MS);
    client->transport->sleep_ms(client->transport, delay_ms);
    *bound_ms = *bound_ms * 2 < most_ms ? *bound_ms * 2 : most_ms;
    return true;
}

static bool fail(struct waiting *waiting, enum sight sight) {
    struct ddb_client *client = waiting->client;
    const char *index = waiting->wait->index;
    if (sight == SIGHT_NEVER && client->failed)
        return false;
    return client_fail(client, sight == SIGHT_NEVER ? DDB_ERROR_SERVICE : DDB_ERROR_TIMEOUT,
                       "waiting for %s%s%s: it is %s%s", waiting->what, index == NULL ? "" : "/",
                       index == NULL ? "" : index, sight == SIGHT_NEVER ? "" : "still ",
                       waiting->status);
}

static bool wait_until_good(struct waiting *waiting) {
    int64_t bound_ms = waiting->wait->delay_ms > 0 ? waiting->wait->delay_ms : DELAY_FIRST_MS;
    for (;;) {
        enum sight sight = look(waiting);
        if (sight == SIGHT_GOOD) {
            client_begin(waiting->client);
            return true;
        }
        if (sight == SIGHT_NEVER || !pause(waiting, &bound_ms))
            return fail(waiting, sight);
    }
}

bool ddb_wait(struct ddb_client *client, const struct ddb_wait *wait) {
    struct waiting waiting = {.client = client, .wait = wait, .waiter = waiter_of(wait->until)};
    if (!client_begin(client))
        return false;
    if (waiting.waiter == NULL)
        return client_fail(client, DDB_ERROR_INPUT, "`until` is none of enum ddb_state");
    waiting.what = waiting.waiter == &table_waiter ? wait->table : wait->arn;
    if (waiting.what == NULL)
        return client_fail(client, DDB_ERROR_INPUT, "no %s is named to wait for",
                           waiting.waiter == &table_waiter ? "table" : "ARN");
    waiting.parameters = ddb_item_new();
    ddb_item_set_string(waiting.parameters, waiting.waiter->parameter, waiting.what);
    int64_t before_ms = client->deadline_ms;
    int64_t end_ms = client->transport->now_ms(client->transport) +
                     (wait->timeout_ms > 0 ? wait->timeout_ms : TIMEOUT_MS);
    client->deadline_ms = end_ms < before_ms ? end_ms : before_ms;
    bool good = wait_until_good(&waiting);
    client->deadline_ms = before_ms;
    ddb_item_free(waiting.parameters);
    return good;
}
