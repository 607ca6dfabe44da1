/* totals_place.c - how far the totals have come. */
#include "totals_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/timestamp.h"

bool place_read(struct app *app, struct totals_place *ret_place) {
    struct ddb_item *item = NULL;
    *ret_place = (struct totals_place){0};
    if (!entity_read(app, "TOTALS#", "PLACE", &item))
        return false;
    const char *position = ddb_item_string(item, "Position", NULL);
    ret_place->found = item != NULL;
    ret_place->position = position == NULL ? NULL : strdup(position);
    snprintf(ret_place->rebuild, sizeof(ret_place->rebuild), "%s",
             ddb_item_string(item, "Builder", ""));
    timestamp_parse(ddb_item_string(item, "SavedAt", ""), &ret_place->saved_ms);
    ddb_item_free(item);
    return true;
}

void place_release(struct totals_place *place) {
    free(place->position);
    place->position = NULL;
}

static struct ddb_item *now_values(void) {
    char now[TIMESTAMP_SIZE];
    struct ddb_item *values = ddb_item_new();
    timestamp_format_ms(timestamp_now_ms(), now);
    ddb_item_set_string(values, ":now", now);
    return values;
}

static const char *const names[] = {"#type", "Type", "#position", "Position", NULL};

enum place_outcome place_claim(struct app *app, const struct totals_place *seen, const char *name) {
    struct ddb_client *db = app_client(app);
    struct ddb_item *key = entity_key("TOTALS#", "PLACE"), *values = now_values();
    ddb_item_set_string(values, ":name", name);
    ddb_item_set_string(values, ":type", "TotalsPlace");
    const char *condition = NULL;
    if (seen != NULL && !seen->found) {
        condition = "attribute_not_exists(PK)";
    } else if (seen != NULL) {
        condition = "Builder = :seen";
        ddb_item_set_string(values, ":seen", seen->rebuild);
    }
    bool ok = ddb_update_item(
        db,
        &(struct ddb_write){
            .table = LEDGER_TABLE,
            .key = key,
            .update = "SET #type = :type, Builder = :name, SavedAt = :now REMOVE #position",
            .condition = condition,
            .names = names,
            .values = values},
        NULL);
    ddb_item_free(values);
    ddb_item_free(key);
    return ok                                                              ? PLACE_MOVED
           : ddb_client_failed_with(db, "ConditionalCheckFailedException") ? PLACE_LOST
                                                                           : PLACE_FAILED;
}

static enum place_outcome outcome_of(struct ddb_client *db, bool ok) {
    if (ok)
        return PLACE_MOVED;
    if (!ddb_client_failed_with(db, "TransactionCanceledException"))
        return PLACE_FAILED;
    const struct ddb_error *error = ddb_client_error(db);
    enum place_outcome outcome = PLACE_FAILED;
    for (size_t i = 0; i < error->reason_count; i++)
        if (strcmp(error->reasons[i].code, "ConditionalCheckFailed") == 0)
            return PLACE_LOST;
        else if (strcmp(error->reasons[i].code, "TransactionConflict") == 0)
            outcome = PLACE_BUSY;
    return outcome;
}

void place_add(struct place_move *move, struct ddb_write write, struct ddb_item *item,
               struct ddb_item *values) {
    write.table = LEDGER_TABLE;
    move->items[2 * move->count] = item;
    move->items[2 * move->count + 1] = values;
    move->writes[move->count++] = write;
}

void place_move_release(struct place_move *move) {
    for (size_t i = 0; i < 2 * move->count; i++)
        ddb_item_free(move->items[i]);
    move->count = 0;
}

enum place_outcome place_move(struct app *app, struct place_move *move) {
    struct ddb_item *key = entity_key("TOTALS#", "PLACE"), *values = now_values();
    bool builds = move->from == NULL;
    ddb_item_set_string(values, ":from", builds ? move->rebuild : move->from);
    if (move->to != NULL)
        ddb_item_set_string(values, ":to", move->to);
    struct ddb_write *place = &move->writes[move->count];
    *place = (struct ddb_write){.action = DDB_UPDATE,
                                .table = LEDGER_TABLE,
                                .key = key,
                                .condition = builds ? "Builder = :from" : "#position = :from",
                                .values = values};
    static const char *const position[] = {"#position", "Position", NULL};
    if (!builds || move->to != NULL)
        place->names = position;
    place->update = !builds            ? "SET #position = :to, SavedAt = :now"
                    : move->to == NULL ? "SET SavedAt = :now"
                                       : "SET #position = :to, SavedAt = :now, RebuiltAt = :now "
                                         "REMOVE Builder";
    bool ok = ddb_transact_write_items(app_client(app), move->writes, move->count + 1, NULL);
    enum place_outcome outcome = outcome_of(app_client(app), ok);
    ddb_item_free(values);
    ddb_item_free(key);
    return outcome;
}
