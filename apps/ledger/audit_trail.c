/* audit_trail.c - see audit_trail.h. */
#include "audit_trail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"#number", "LastNumber", "#position", "Position", NULL};

static struct ddb_item *head_key(void) {
    struct ddb_item *key = ddb_item_new();
    ddb_item_set_string(key, "Day", "HEAD");
    ddb_item_set_int(key, "Number", 0);
    return key;
}

static void explain(struct app *app, const char *what) {
    if (ddb_client_failed_with(app_client(app), "ResourceNotFoundException"))
        app_fail(app, "there is no table " AUDIT_TABLE "; apply template.yaml once more");
    else
        app_db_fail(app, "cannot %s the audit trail", what);
}

bool audit_head_read(struct app *app, struct audit_head *ret_head) {
    struct ddb_item *item = NULL, *key = head_key();
    *ret_head = (struct audit_head){0};
    bool ok = ddb_get_item(app_client(app),
                           &(struct ddb_get){.table = AUDIT_TABLE, .key = key, .consistent = true},
                           &item);
    ddb_item_free(key);
    if (!ok)
        explain(app, "read");
    ret_head->found = item != NULL;
    ret_head->number = ddb_item_int(item, "LastNumber", 0);
    ret_head->position = strdup(ddb_item_string(item, "Position", ""));
    snprintf(ret_head->digest, sizeof(ret_head->digest), "%s",
             ddb_item_string(item, "LastDigest", ""));
    snprintf(ret_head->recorded_at, sizeof(ret_head->recorded_at), "%s",
             ddb_item_string(item, "RecordedAt", ""));
    snprintf(ret_head->first_day, sizeof(ret_head->first_day), "%s",
             ddb_item_string(item, "FirstDay", ""));
    snprintf(ret_head->saved_at, sizeof(ret_head->saved_at), "%s",
             ddb_item_string(item, "SavedAt", ""));
    ddb_item_free(item);
    return ok;
}

void audit_head_release(struct audit_head *head) {
    free(head->position);
    head->position = NULL;
}

/* ---- adding ---- */

static enum bundle_outcome send(struct app *app, const struct audit_head *head,
                                const struct audit_head *next, struct bundle *bundle) {
    struct ddb_item *key = head_key(), *values = ddb_item_new();
    if (head->found) {
        ddb_item_set_int(values, ":was", head->number);
        ddb_item_set_string(values, ":from", head->position);
    }
    ddb_item_set_int(values, ":number", next->number);
    ddb_item_set_string(values, ":digest", next->digest);
    ddb_item_set_string(values, ":recorded", next->recorded_at);
    ddb_item_set_string(values, ":day", next->first_day);
    ddb_item_set_string(values, ":to", next->position);
    ddb_item_set_string(values, ":now", next->saved_at);
    enum bundle_outcome outcome = bundle_send(
        app, bundle,
        &(struct ddb_write){
            .action = DDB_UPDATE,
            .table = AUDIT_TABLE,
            .key = key,
            .update = "SET #number = :number, LastDigest = :digest, RecordedAt = :recorded, "
                      "FirstDay = :day, #position = :to, SavedAt = :now",
            .condition = head->found ? "#number = :was AND #position = :from"
                                     : "attribute_not_exists(LastDigest)",
            .names = names,
            .values = values});
    ddb_item_free(values);
    ddb_item_free(key);
    return outcome;
}

/* Time does not go back, whatever the clocks of the copies say. */
static void set_time(struct audit_head *next) {
    timestamp_format_ms(timestamp_now_ms(), next->saved_at);
    if (strcmp(next->recorded_at, next->saved_at) < 0)
        memcpy(next->recorded_at, next->saved_at, sizeof(next->recorded_at));
}

static void seal(struct audit_head *next, struct audit_entry *entry) {
    entry->number = ++next->number;
    memcpy(entry->recorded_at, next->recorded_at, sizeof(entry->recorded_at));
    memcpy(entry->previous, next->digest, sizeof(entry->previous));
    audit_entry_seal(entry);
    memcpy(next->digest, entry->digest, sizeof(next->digest));
}

enum bundle_outcome audit_append(struct app *app, struct audit_head *head,
                                 struct audit_entry *entries, size_t count, const char *position) {
    static const char *const new_only[] = {"#day", "Day", NULL};
    struct audit_head next = *head;
    struct bundle bundle = {.count = 0};
    set_time(&next);
    if (!head->found) {
        snprintf(next.first_day, sizeof(next.first_day), "%.10s", next.recorded_at);
        memset(next.digest, '0', sizeof(next.digest) - 1);
    }
    for (size_t i = 0; i < count; i++) {
        seal(&next, &entries[i]);
        struct ddb_item *item = audit_entry_item(&entries[i]);
        bundle_add(&bundle,
                   (struct ddb_write){.action = DDB_PUT,
                                      .table = AUDIT_TABLE,
                                      .item = item,
                                      .condition = "attribute_not_exists(#day)",
                                      .names = new_only},
                   item, NULL);
    }
    next.position = strdup(position);
    next.found = true;
    enum bundle_outcome outcome = send(app, head, &next, &bundle);
    bundle_release(&bundle);
    if (outcome == BUNDLE_TAKEN)
        app_fail(app,
                 "entry %lld of the audit trail, or one behind it, is there already: the head "
                 "was changed; see `gramme-ledger audit verify`",
                 (long long)head->number + 1);
    else if (outcome == BUNDLE_FAILED)
        explain(app, "write");
    audit_head_release(outcome == BUNDLE_DONE ? head : &next);
    if (outcome == BUNDLE_DONE)
        *head = next;
    return outcome;
}

/* ---- reading ---- */

static struct ddb_cursor *query(const struct audit_reader *reader, const char *day) {
    static const char *const by_day[] = {"#key", "Day", "#number", "Number", NULL};
    static const char *const by_account[] = {"#key", "Account", "#number", "Number", NULL};
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":key", reader->account != NULL ? reader->account : day);
    ddb_item_set_int(values, ":after", reader->after);
    struct ddb_cursor *cursor =
        ddb_query(app_client(reader->app),
                  &(struct ddb_query){.table = AUDIT_TABLE,
                                      .index = reader->account != NULL ? "ByAccount" : NULL,
                                      .key_condition = "#key = :key AND #number > :after",
                                      .names = reader->account != NULL ? by_account : by_day,
                                      .values = values,
                                      .consistent = reader->account == NULL});
    ddb_item_free(values);
    return cursor;
}

/* The next day's, or all of the account; false when that is over. */
static bool open_next(struct audit_reader *reader) {
    char day[TIMESTAMP_SIZE];
    if (reader->day_ms > reader->last_day_ms)
        return false;
    timestamp_format_day(reader->day_ms, day);
    reader->day_ms = reader->account != NULL ? reader->last_day_ms + 1 : reader->day_ms + DAY_MS;
    reader->cursor = query(reader, day);
    return true;
}

const struct audit_entry *audit_next(struct audit_reader *reader) {
    const struct ddb_item *item = NULL;
    audit_entry_release(&reader->entry);
    do {
        if (reader->cursor == NULL && !open_next(reader))
            return NULL;
        item = ddb_cursor_next(reader->cursor);
        if (item == NULL && ddb_client_error(app_client(reader->app)) != NULL) {
            explain(reader->app, "read");
            return NULL;
        }
        if (item == NULL) {
            ddb_cursor_free(reader->cursor);
            reader->cursor = NULL;
        }
    } while (item == NULL);
    reader->sound = audit_entry_read(item, &reader->entry);
    reader->after = reader->entry.number;
    return &reader->entry;
}

void audit_reader_release(struct audit_reader *reader) {
    audit_entry_release(&reader->entry);
    ddb_cursor_free(reader->cursor);
    reader->cursor = NULL;
}
