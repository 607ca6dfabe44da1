/* bundle.c - several writes in one transaction. */
#include "common/bundle.h"

#include <assert.h>
#include <string.h>

void bundle_add(struct bundle *bundle, struct ddb_write write, struct ddb_item *item,
                struct ddb_item *values) {
    assert(bundle->count < BUNDLE_MAX);
    bundle->items[2 * bundle->count] = item;
    bundle->items[2 * bundle->count + 1] = values;
    bundle->writes[bundle->count++] = write;
}

static enum bundle_outcome outcome_of(struct ddb_client *db, size_t last) {
    const struct ddb_error *error = ddb_client_error(db);
    enum bundle_outcome outcome = BUNDLE_FAILED;
    if (!ddb_client_failed_with(db, "TransactionCanceledException"))
        return BUNDLE_FAILED;
    for (size_t i = error->reason_count; i-- > 0;)
        if (strcmp(error->reasons[i].code, "ConditionalCheckFailed") == 0)
            return i == last ? BUNDLE_LOST : BUNDLE_TAKEN;
        else if (strcmp(error->reasons[i].code, "TransactionConflict") == 0)
            outcome = BUNDLE_BUSY;
    return outcome;
}

enum bundle_outcome bundle_send(struct app *app, struct bundle *bundle,
                                const struct ddb_write *last) {
    struct ddb_client *db = app_client(app);
    bundle->writes[bundle->count] = *last;
    bool ok = ddb_transact_write_items(db, bundle->writes, bundle->count + 1, NULL);
    return ok ? BUNDLE_DONE : outcome_of(db, bundle->count);
}

void bundle_release(struct bundle *bundle) {
    for (size_t i = 0; i < 2 * bundle->count; i++)
        ddb_item_free(bundle->items[i]);
    bundle->count = 0;
}
