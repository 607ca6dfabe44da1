/* quote.c - reads a quote through the cache.
 *
 * When several programs miss the same symbol at the same time, each asks the source and each saves.
 * Of what they save the newest stays: an answer that was long on its way does not replace one that
 * came later. */
#include "quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/document.h"
#include "common/duration.h"
#include "common/process.h"
#include "entry.h"

const struct app_option quote_options[] = {
    {"source", "COMMAND", "prints the quote of the symbol that follows it, as a JSON object", true},
    {"source-timeout", "MS", "how long the source may take; 10000 when not given", false},
    {"ttl", "DURATION", "how long a quote is good: 45s, 30m, 24h; 45s when not given", false},
    {0},
};

/* What the source must have said: an object with this symbol and a price. */
static const char *check_data(const struct ddb_item *document, const char *symbol) {
    const struct ddb_item *data = ddb_item_map(document, "document");
    if (data == NULL)
        return "its answer is not a JSON object";
    if (strcmp(ddb_item_string(data, "symbol", ""), symbol) != 0)
        return "its answer is about another symbol";
    if (ddb_item_number(data, "price", NULL) == NULL)
        return "its answer has no price";
    return NULL;
}

/* The answer of the source as document_parse() gives it; NULL, with a message, when it failed. */
static struct ddb_item *ask_source(struct app *app, const char *symbol, int timeout_ms) {
    struct process_call call = {
        .command = app_option(app, "source", ""),
        .arguments = (const char *const[]){symbol, NULL},
        .timeout_ms = timeout_ms,
        .output_max = ENTRY_DATA_MAX,
    };
    struct process_result result;
    char problem[DOCUMENT_PROBLEM_SIZE] = "";
    struct ddb_item *document = NULL;
    process_run(&call, &result);
    if (result.outcome != PROCESS_EXITED || result.status != 0)
        process_describe(&call, &result, problem);
    else if ((document = document_parse(result.output, result.size, problem)) != NULL)
        snprintf(problem, sizeof(problem), "%s",
                 check_data(document, symbol) == NULL ? "" : check_data(document, symbol));
    free(result.output);
    if (*problem == '\0')
        return document;
    app_fail(app, "no quote of %s from the source: %s", symbol, problem);
    ddb_item_free(document);
    return NULL;
}

static bool save(struct app *app, const struct ddb_item *entry) {
    static const char *const names[] = {"#timestamp", "timestamp", NULL};
    struct ddb_client *db = app_client(app);
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_int(values, ":timestamp", ddb_item_int(entry, "timestamp", 0));
    bool ok = ddb_put_item(
        db,
        &(struct ddb_write){.table = ENTRY_TABLE,
                            .item = entry,
                            .condition =
                                "attribute_not_exists(#timestamp) OR #timestamp <= :timestamp",
                            .names = names,
                            .values = values},
        NULL);
    ddb_item_free(values);
    return ok || ddb_client_failed_with(db, "ConditionalCheckFailedException");
}

static void print_quote(const char *outcome, const struct ddb_item *entry) {
    printf("%s ", outcome);
    document_print(ddb_item_value(entry, "data"));
    putchar('\n');
}

static enum app_status refresh(struct app *app, const char *symbol, int timeout_ms,
                               int64_t lifetime_s) {
    struct ddb_item *document = ask_source(app, symbol, timeout_ms);
    if (document == NULL)
        return APP_FAILED;
    struct ddb_item *entry =
        entry_new(symbol, "quote", ddb_item_value(document, "document"), lifetime_s);
    enum app_status status = APP_OK;
    print_quote("miss", entry); /* whether or not it can be saved, here it is */
    if (!save(app, entry))
        status = app_db_fail(app, "cannot save the quote of %s", symbol);
    ddb_item_free(entry);
    ddb_item_free(document);
    return status;
}

enum app_status quote(struct app *app) {
    const char *symbol = app_operand(app, 0);
    int64_t timeout_ms = 10000, lifetime_s = ENTRY_LIFETIME_S;
    struct ddb_item *entry = NULL;
    if (!entry_check_symbol(app, symbol) ||
        !app_number(app, "source-timeout", 1, 600000, &timeout_ms) ||
        !duration_option(app, "ttl", &lifetime_s))
        return APP_USAGE;
    if (!entry_read(app, symbol, "quote", &entry))
        return APP_FAILED;
    if (entry == NULL)
        return refresh(app, symbol, (int)timeout_ms, lifetime_s);
    print_quote("hit", entry);
    ddb_item_free(entry);
    return APP_OK;
}
