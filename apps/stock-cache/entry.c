/* entry.c - writes, reads and lists entries. */
#include "entry.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/document.h"
#include "common/duration.h"

bool entry_symbol(const struct app *app, const char *text, char ret_symbol[SYMBOL_SIZE]) {
    size_t size = strlen(text);
    for (size_t i = 0; i < size && i < SYMBOL_SIZE - 1; i++)
        ret_symbol[i] = (char)toupper((unsigned char)text[i]);
    ret_symbol[size < SYMBOL_SIZE ? size : SYMBOL_SIZE - 1] = '\0';
    size_t good = strspn(ret_symbol, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.^=-");
    if (size >= 1 && size < SYMBOL_SIZE && ret_symbol[good] == '\0' && *text != '-')
        return true;
    app_bad_usage(app, "SYMBOL is 1 to %d letters, digits, '.', '^', '=' or '-', not '%s'",
                  SYMBOL_SIZE - 1, text);
    return false;
}

struct ddb_item *entry_key(const char *symbol, const char *type) {
    struct ddb_item *key = ddb_item_new();
    ddb_item_set_string(key, "symbol", symbol);
    ddb_item_set_string(key, "dataType", type);
    return key;
}

struct ddb_item *entry_new(const char *symbol, const char *type, const struct ddb_value *data,
                           int64_t lifetime_s) {
    char time[TIMESTAMP_SIZE];
    int64_t now_ms = timestamp_now_ms();
    timestamp_format_ms(now_ms, time);
    struct ddb_item *entry = entry_key(symbol, type);
    ddb_item_set_value(entry, "data", data);
    ddb_item_set_int(entry, "ttl", now_ms / 1000 + lifetime_s);
    ddb_item_set_int(entry, "timestamp", now_ms / 1000);
    ddb_item_set_string(entry, "updatedAt", time);
    return entry;
}

bool entry_read(struct app *app, const char *symbol, const char *type,
                struct ddb_item **ret_entry) {
    struct ddb_item *key = entry_key(symbol, type), *entry = NULL;
    bool ok = ddb_get_item(app_client(app),
                           &(struct ddb_get){.table = ENTRY_TABLE, .key = key, .consistent = true},
                           &entry);
    ddb_item_free(key);
    if (!ok) {
        app_db_fail(app, "cannot read the %s of %s", type, symbol);
        return false;
    }
    /* DynamoDB deletes what has expired some time later; until then it is to be overlooked. */
    if (entry != NULL && (ttl_has_passed(entry) || ddb_item_map(entry, "data") == NULL)) {
        ddb_item_free(entry);
        entry = NULL;
    }
    *ret_entry = entry;
    return true;
}

/* "AAPL quote saved 2024-01-15T10:30:00Z expires 2024-01-15T10:30:45Z {...}" */
static void print_entry(const struct ddb_item *entry) {
    char saved[TIMESTAMP_SIZE], expiry[TTL_TEXT_SIZE];
    seconds_describe(entry, "timestamp", saved);
    ttl_describe(entry, expiry);
    printf("%s %s saved %s %s ", ddb_item_string(entry, "symbol", "?"),
           ddb_item_string(entry, "dataType", "?"), saved, expiry);
    document_print(ddb_item_value(entry, "data"));
    putchar('\n');
}

/* ---- put ---- */

const struct app_option entry_put_options[] = {
    {"type", "TYPE", "quote, history, news, ...; quote when not given", false},
    {"ttl", "DURATION", "how long it is good: 45s, 30m, 24h, 14d; 45s when not given", false},
    {0},
};

enum app_status entry_put(struct app *app) {
    char symbol[SYMBOL_SIZE];
    const char *path = app_operand(app, 1);
    const char *type = app_option(app, "type", "quote");
    int64_t lifetime_s = ENTRY_LIFETIME_S;
    if (!entry_symbol(app, app_operand(app, 0), symbol) || !app_check_id(app, "--type", type) ||
        !duration_option(app, "ttl", &lifetime_s))
        return APP_USAGE;
    struct ddb_item *document = document_read(app, path, ENTRY_DATA_MAX);
    if (document == NULL)
        return APP_FAILED;
    enum app_status status = APP_OK;
    const struct ddb_value *data = ddb_item_value(document, "document");
    struct ddb_item *entry = entry_new(symbol, type, data, lifetime_s);
    if (ddb_item_map(entry, "data") == NULL)
        status = app_fail(app, "%s is not a JSON object", path);
    else if (ddb_put_item(app_client(app), &(struct ddb_write){.table = ENTRY_TABLE, .item = entry},
                          NULL))
        print_entry(entry);
    else
        status = app_db_fail(app, "cannot save the %s of %s", type, symbol);
    ddb_item_free(entry);
    ddb_item_free(document);
    return status;
}

/* ---- get and list ---- */

enum app_status entry_get(struct app *app) {
    char symbol[SYMBOL_SIZE];
    const char *type = app_operand(app, 1) == NULL ? "quote" : app_operand(app, 1);
    struct ddb_item *entry = NULL;
    if (!entry_symbol(app, app_operand(app, 0), symbol) || !app_check_id(app, "TYPE", type))
        return APP_USAGE;
    if (!entry_read(app, symbol, type, &entry))
        return APP_FAILED;
    if (entry == NULL)
        return app_fail(app, "there is no %s of %s, or it has expired", type, symbol);
    print_entry(entry);
    ddb_item_free(entry);
    return APP_OK;
}

enum app_status entry_list(struct app *app) {
    char symbol[SYMBOL_SIZE];
    if (!entry_symbol(app, app_operand(app, 0), symbol))
        return APP_USAGE;
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":symbol", symbol);
    struct ddb_cursor *entries =
        ddb_query(app_client(app), &(struct ddb_query){.table = ENTRY_TABLE,
                                                       .key_condition = "symbol = :symbol",
                                                       .values = values,
                                                       .consistent = true});
    ddb_item_free(values);
    /* What has a '#' in its type is the cache's own. */
    for (const struct ddb_item *entry; (entry = ddb_cursor_next(entries)) != NULL;)
        if (strchr(ddb_item_string(entry, "dataType", ""), '#') == NULL)
            print_entry(entry);
    enum app_status status = APP_OK;
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the entries of %s", symbol);
    ddb_cursor_free(entries);
    return status;
}
