/* audit_show.c - shows entries of the audit trail, in its order.
 *
 * Entries are kept by the day on which they were recorded, and asked for by when the change
 * happened: that is at most a day before, as a stream keeps no more, and clocks may differ. */
#include "audit_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_trail.h"
#include "common/service_reply.h"

enum { SHOWN_MAX = 1000 };

struct request {
    struct audit_reader reader;
    char from[TIMESTAMP_SIZE]; /* to the second, as ChangedAt */
    char to[TIMESTAMP_SIZE];
};

/* A day or a time; a day as the end counts whole. */
static bool read_time(const struct app *app, const char *what, const char *text, bool is_end,
                      int64_t *ret_time_ms) {
    int64_t day_ms;
    if (text == NULL)
        return true;
    if (!timestamp_parse(text, ret_time_ms)) {
        app_bad_usage(app, "--%s takes a day or a time, not '%s'", what, text);
        return false;
    }
    if (is_end && timestamp_parse_day(text, &day_ms))
        *ret_time_ms = day_ms + DAY_MS - 1;
    return true;
}

static enum app_status prepare(struct app *app, struct request *request, const char *from,
                               const char *to) {
    struct audit_head head;
    int64_t from_ms = 0, to_ms = TIMESTAMP_MAX_S * 1000, first_ms = 0, last_ms = 0;
    if (!read_time(app, "from", from, false, &from_ms) || !read_time(app, "to", to, true, &to_ms) ||
        (request->reader.account != NULL && !app_check_id(app, "account", request->reader.account)))
        return APP_USAGE;
    if (from_ms > to_ms)
        return app_bad_usage(app, "--to is before --from");
    if (!audit_head_read(app, &head))
        return APP_FAILED;
    timestamp_parse_day(head.first_day, &first_ms);
    timestamp_parse(head.recorded_at, &last_ms);
    bool found = head.found;
    audit_head_release(&head);
    if (!found)
        return app_fail(app, "there is no audit trail yet; `gramme-ledger serve` keeps it");
    struct audit_reader *reader = &request->reader;
    reader->app = app;
    reader->day_ms = from_ms - DAY_MS > first_ms ? from_ms - DAY_MS : first_ms;
    reader->day_ms = reader->day_ms / DAY_MS * DAY_MS;
    reader->last_day_ms = to_ms + 2 * DAY_MS < last_ms ? to_ms + 2 * DAY_MS : last_ms;
    timestamp_format_s(from_ms, request->from);
    timestamp_format_s(to_ms, request->to);
    return APP_OK;
}

static const struct audit_entry *next(struct request *request) {
    const struct audit_entry *entry;
    do
        entry = audit_next(&request->reader);
    while (entry != NULL && (strncmp(entry->changed_at, request->from, 19) < 0 ||
                             strncmp(entry->changed_at, request->to, 19) > 0));
    return entry;
}

/* ---- the command ---- */

const struct app_option audit_list_options[] = {
    {"account", "ACCOUNT", "only changes of that account and its legs", false},
    {"from", "TIME", "a day or a time; the first change when not given", false},
    {"to", "TIME", "the last one that counts; a day counts whole", false},
    {0},
};

/* "+Name value", "-Name value", or "Name value -> value", with a comma between. */
static void print_one(const char *name, const struct ddb_value *old, const struct ddb_value *new,
                      const char *separator) {
    char *before = ddb_value_document(old), *after = ddb_value_document(new);
    if (old != NULL && new != NULL)
        printf("%s%s %s -> %s", separator, name, before, after);
    else
        printf("%s%c%s %s", separator, new != NULL ? '+' : '-', name, new != NULL ? after : before);
    free(before);
    free(after);
}

static void print_difference(const struct audit_entry *entry) {
    struct ddb_item *old = ddb_item_parse(entry->old), *new = ddb_item_parse(entry->new);
    const char *separator = " ";
    if (*entry->old != '{' || *entry->new != '{') { /* too long to keep */
        printf(" %s -> %s", entry->old, entry->new);
    } else {
        for (size_t i = 0; i < ddb_item_count(old); i++, separator = ", ") {
            const char *name = ddb_item_name_at(old, i);
            print_one(name, ddb_item_value_at(old, i), ddb_item_value(new, name), separator);
        }
        for (size_t i = 0; i < ddb_item_count(new); i++) {
            const char *name = ddb_item_name_at(new, i);
            if (ddb_item_value(old, name) != NULL)
                continue;
            print_one(name, NULL, ddb_item_value_at(new, i), separator);
            separator = ", ";
        }
    }
    ddb_item_free(old);
    ddb_item_free(new);
}

static void print_entry(const struct audit_entry *entry) {
    struct ddb_item *key = ddb_item_parse(entry->key);
    printf("%" PRId64 " %s %s", entry->number, entry->changed_at, entry->event);
    if (*entry->sequence != '\0')
        printf(" %s %s", ddb_item_string(key, "PK", "?"), ddb_item_string(key, "SK", "?"));
    print_difference(entry);
    printf("\n");
    ddb_item_free(key);
}

enum app_status audit_list(struct app *app) {
    struct request request = {.reader = {.account = app_option(app, "account", NULL)}};
    enum app_status status =
        prepare(app, &request, app_option(app, "from", NULL), app_option(app, "to", NULL));
    if (status != APP_OK)
        return status;
    for (const struct audit_entry *entry; (entry = next(&request)) != NULL;)
        print_entry(entry);
    bool ok = ddb_client_error(app_client(app)) == NULL;
    audit_reader_release(&request.reader);
    return ok ? APP_OK : APP_FAILED;
}

/* ---- over HTTP ---- */

const struct service_parameter audit_list_parameters[] = {
    {"account", SERVICE_QUERY, SERVICE_STRING, false, "only that account's and its legs'"},
    {"from", SERVICE_QUERY, SERVICE_STRING, false, "a day or a time; the first change"},
    {"to", SERVICE_QUERY, SERVICE_STRING, false, "the last one that counts"},
    {"after", SERVICE_QUERY, SERVICE_STRING, false, "`next` of the page before"},
    {0},
};

static void fill_entry(struct ddb_item *map, const struct audit_entry *entry) {
    const struct {
        const char *name, *text;
    } texts[] = {{"changedAt", entry->changed_at}, {"recordedAt", entry->recorded_at},
                 {"event", entry->event},          {"sequence", entry->sequence},
                 {"account", entry->account},      {"digest", entry->digest}},
      images[] = {{"key", entry->key}, {"old", entry->old}, {"new", entry->new}};
    ddb_item_set_int(map, "number", entry->number);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (*texts[i].text != '\0')
            ddb_item_set_string(map, texts[i].name, texts[i].text);
    for (size_t i = 0; i < sizeof(images) / sizeof(*images); i++) {
        struct ddb_item *image = ddb_item_parse(images[i].text);
        if (*images[i].text == '{')
            reply_copy(ddb_item_set_map(map, images[i].name), image);
        else
            ddb_item_set_string(map, images[i].name, images[i].text);
        ddb_item_free(image);
    }
}

static bool read_after(const struct service_call *call, int64_t *ret_number) {
    const char *text = service_query(call, "after", "0");
    if (strspn(text, "0123456789") == strlen(text) && strlen(text) < 19) {
        *ret_number = strtoll(text, NULL, 10);
        return true;
    }
    app_bad_usage(call->app, "after is the number of an entry, not '%s'", text);
    return false;
}

enum app_status get_audit(struct service_call *call) {
    struct request request = {.reader = {.account = service_query(call, "account", NULL)}};
    if (!read_after(call, &request.reader.after))
        return APP_USAGE;
    enum app_status status = prepare(call->app, &request, service_query(call, "from", NULL),
                                     service_query(call, "to", NULL));
    if (status != APP_OK)
        return status == APP_FAILED ? reply_failure(call) : status;
    struct ddb_list *list = ddb_item_set_list(call->reply, "entries");
    const struct audit_entry *entry = NULL;
    size_t count = 0;
    for (; count < SHOWN_MAX && (entry = next(&request)) != NULL; count++) {
        fill_entry(ddb_list_add_map(list), entry);
        if (count + 1 == SHOWN_MAX)
            ddb_item_set_format(call->reply, "next", "%" PRId64, entry->number);
    }
    bool ok = ddb_client_error(app_client(call->app)) == NULL;
    audit_reader_release(&request.reader);
    return ok ? APP_OK : reply_failure(call);
}
