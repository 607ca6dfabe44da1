/* entry.h - one entry of the cache, and the commands that write and read entries.
 *
 *   symbol     S  AAPL                       the table's partition key
 *   dataType   S  quote                      its sort key: so a symbol may have other data, too
 *   data       M  {"price": 178.45, ...}     what is cached
 *   ttl        N  1705329000                 when the entry ends, and DynamoDB may delete it
 *   timestamp  N  1705328955                 when it was saved
 *   updatedAt  S  2024-01-15T10:30:00.000Z   the same for people */
#ifndef STOCK_CACHE_ENTRY_H
#define STOCK_CACHE_ENTRY_H

#include "common/app.h"

#define ENTRY_TABLE "stock-price-cache"

enum { ENTRY_LIFETIME_S = 45, ENTRY_DATA_MAX = 64 * 1024 };

/* In capitals: 1 to 16 letters, digits and . - ^ =, as in BRK.B and ^GSPC. Says what is wrong. */
enum { SYMBOL_SIZE = 17 };
bool entry_symbol(const struct app *app, const char *text, char ret_symbol[SYMBOL_SIZE]);

struct ddb_item *entry_key(const char *symbol, const char *type);
/* The live entry, or NULL when there is none, it has expired or it has no data. False, with a
 * message, when it cannot be read. */
bool entry_read(struct app *app, const char *symbol, const char *type, struct ddb_item **ret_entry);
/* With `data`, a map, saved now; yours to free. */
struct ddb_item *entry_new(const char *symbol, const char *type, const struct ddb_value *data,
                           int64_t lifetime_s);

extern const struct app_option entry_put_options[];
enum app_status entry_put(struct app *app);
enum app_status entry_get(struct app *app);
enum app_status entry_list(struct app *app);

#endif
