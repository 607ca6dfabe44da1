/* totals.h - what came to a merchant in a day, and what moved in an account in a month: sums of the
 * items of the table, in memory and as items.
 *
 *     PK TOTAL#MERCHANT#<id>, SK DAY#<day>#<currency> -> of its transactions by status,
 *     CompletedCount and CompletedSum, Pending.., Failed..; and Reversed..: of the completed, those
 *     that were moved back
 *     PK TOTAL#ACCOUNT#<id>, SK MONTH#<month>#<currency> -> of its legs, Debit.. and Credit..
 *
 * An item of the table adds to one total at most, by what it says itself: so a change is the new
 * image less the old one, and a total is the sum of all items, whatever the order. The day and the
 * month are those of CreatedAt, in UTC. A transaction that tells no currency, as those made by hand
 * or by older versions, has XXX, ISO 4217's name of none.
 *
 * Memory: `all` belongs to the struct; totals_release(). */
#ifndef LEDGER_TOTALS_H
#define LEDGER_TOTALS_H

#include "common/bundle.h"
#include "common/money.h"
#include "entity.h"

enum total_kind { TOTAL_MERCHANT, TOTAL_ACCOUNT };
enum { TOTAL_FIGURES = 4, TOTAL_PERIOD_SIZE = 11 };

struct figure {
    int64_t count;
    money_sum cents;
};

struct total {
    enum total_kind kind;
    char id[LEDGER_ID_SIZE];
    char period[TOTAL_PERIOD_SIZE]; /* 2024-01-15 or 2024-01 */
    char currency[LEDGER_CURRENCY_SIZE];
    struct figure figures[TOTAL_FIGURES]; /* named by total_figure() */
};

struct totals {
    struct total *all;
    size_t count;
    size_t capacity;
    uint32_t *slots; /* a hash table of places in `all` plus one; twice the capacity, or more */
    size_t slot_count;
};

/* "Completed"; NULL when that kind has no more. */
const char *total_figure(enum total_kind kind, size_t at);
/* "TOTAL#MERCHANT#" and "DAY#" */
const char *total_key_prefix(enum total_kind kind);
const char *total_sort_prefix(enum total_kind kind);
bool total_is_zero(const struct total *total);

/* Adds what an item of the table, which may be NULL, comes to; or takes it away. An item that is a
 * total itself is there then, with zeros. False when there are too many. */
bool totals_add(struct totals *totals, const struct ddb_item *image);
bool totals_subtract(struct totals *totals, const struct ddb_item *image);
/* Whether nothing comes of it. */
bool totals_are_zero(const struct totals *totals);
void totals_clear(struct totals *totals);
void totals_release(struct totals *totals);

/* Adds to the bundle what puts a total as it is, or adds to it. */
void total_put(const struct total *total, struct bundle *bundle);
void total_change(const struct total *total, struct bundle *bundle);

#endif
