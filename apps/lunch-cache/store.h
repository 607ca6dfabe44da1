/* store.h - the menus in the table: each access pattern of the design is a function.
 *
 * All of them say what is wrong when they fail. Reads are eventually consistent, which costs half,
 * except where somebody asks for what was just written. */
#ifndef LUNCH_CACHE_STORE_H
#define LUNCH_CACHE_STORE_H

#include "menu.h"

/* One by PutItem, several 25 at a time. A menu that was there for the week is replaced.
 * Long descriptions are packed in `menus`, too. */
bool store_put(struct app *app, const char *table, struct ddb_item *const *menus, size_t count);
/* NULL in `*ret_menu`: there is none, or it has expired: DynamoDB deletes that some time later.
 * `fresh`: as of now, strongly consistent. */
bool store_read(struct app *app, const char *table, const char *pk, bool fresh,
                struct ddb_item **ret_menu);
bool store_delete(struct app *app, const char *table, const char *pk, bool *ret_was_there);

/* What one sees of a restaurant, the newest first, without the lunches themselves. */
struct store_history {
    const char *table;
    const char *restaurant;
    int64_t limit;    /* 0: all */
    bool errors_only; /* only menus that something is wrong with */
};
/* NULL on failure, which is the client's error. */
struct ddb_cursor *store_history(struct app *app, const struct store_history *history);

#endif
