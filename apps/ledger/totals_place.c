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

enum bundle_outcome place_claim(struct app *app, const struct totals_place *seen,
                                const char *name) {
    struct ddb_client *db = app_client(app);
    struct ddb_item *key = entity_key("TOTALS#", "PLACE"), *values = now_values();
    ddb_item_set_string(values, ":name", name);
    ddb_item_set_string(values, ":type", "TotalsPlace");
    const char *condition = NULL;
    if (seen != NULL && !seen->found) {
        condition = "attribute_not_exists(PK)";
    } else if (seen != NULL && seen->position != NULL) {
        condition = "#position = :seen";
        ddb_item_set_string(values, ":seen", seen->position);
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
    return ok                                                              ? BUNDLE_DONE
           : ddb_client_failed_with(db, "ConditionalCheckFailedException") ? BUNDLE_LOST
                                                                           : BUNDLE_FAILED;
}

enum bundle_outcome place_move(struct app *app, const struct place_move *move,
                               struct bundle *totals) {
    static const char *const position[] = {"#position", "Position", NULL};
    struct ddb_item *key = entity_key("TOTALS#", "PLACE"), *values = now_values();
    bool builds = move->from == NULL;
    ddb_item_set_string(values, ":from", builds ? move->rebuild : move->from);
    if (move->to != NULL)
        ddb_item_set_string(values, ":to", move->to);
    struct ddb_write place = {.action = DDB_UPDATE,
                              .table = LEDGER_TABLE,
                              .key = key,
                              .condition = builds ? "Builder = :from" : "#position = :from",
                              .values = values};
    if (!builds || move->to != NULL)
        place.names = position;
    place.update = !builds            ? "SET #position = :to, SavedAt = :now"
                   : move->to == NULL ? "SET SavedAt = :now"
                                      : "SET #position = :to, SavedAt = :now, RebuiltAt = :now "
                                        "REMOVE Builder";
    enum bundle_outcome outcome = bundle_send(app, totals, &place);
    ddb_item_free(values);
    ddb_item_free(key);
    return outcome;
}
