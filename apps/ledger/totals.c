/* totals.c - sums of the items of the table. */
#include "totals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/money.h"
#include "common/timestamp.h"
#include "transaction.h"

enum { TOTALS_MAX = 1000000, FIRST_CAPACITY = 128 };

static const struct {
    const char *key_prefix;
    const char *sort_prefix;
    size_t period_length;
    const char *figures[TOTAL_FIGURES];
    const char *update;
} kinds[] = {
    [TOTAL_MERCHANT] = {"TOTAL#MERCHANT#",
                        "DAY#",
                        10,
                        {"Completed", "Reversed", "Pending", "Failed"},
                        "SET #type = :Type, ID = :ID, Period = :Period, Currency = :Currency "
                        "ADD CompletedCount :CompletedCount, CompletedSum :CompletedSum, "
                        "ReversedCount :ReversedCount, ReversedSum :ReversedSum, "
                        "PendingCount :PendingCount, PendingSum :PendingSum, "
                        "FailedCount :FailedCount, FailedSum :FailedSum"},
    [TOTAL_ACCOUNT] = {"TOTAL#ACCOUNT#",
                       "MONTH#",
                       7,
                       {"Debit", "Credit"},
                       "SET #type = :Type, ID = :ID, Period = :Period, Currency = :Currency "
                       "ADD DebitCount :DebitCount, DebitSum :DebitSum, "
                       "CreditCount :CreditCount, CreditSum :CreditSum"},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

const char *total_figure(enum total_kind kind, size_t at) {
    return at < TOTAL_FIGURES ? kinds[kind].figures[at] : NULL;
}

const char *total_key_prefix(enum total_kind kind) {
    return kinds[kind].key_prefix;
}

const char *total_sort_prefix(enum total_kind kind) {
    return kinds[kind].sort_prefix;
}

/* ---- what an item comes to ---- */

/* False when it belongs to nobody, or to no time. */
static bool set_names(struct total *total, enum total_kind kind, const char *id, const char *time,
                      const char *currency) {
    int64_t time_ms;
    size_t length = kinds[kind].period_length;
    if (*id == '\0' || strlen(id) >= sizeof(total->id) || !timestamp_parse(time, &time_ms))
        return false;
    *total = (struct total){.kind = kind};
    snprintf(total->id, sizeof(total->id), "%s", id);
    snprintf(total->period, sizeof(total->period), "%.*s", (int)length, time);
    snprintf(total->currency, sizeof(total->currency), "%s",
             strlen(currency) == 3 ? currency : "XXX");
    return true;
}

static bool read_transaction(const struct ddb_item *item, struct total *ret_total) {
    static const char *const statuses[] = {"completed", "", "pending", "failed"};
    const char *status = ddb_item_string(item, "Status", "");
    int64_t cents;
    if (!transaction_status_is_known(status) || !money_get(item, "Amount", &cents) ||
        !set_names(ret_total, TOTAL_MERCHANT, ddb_item_string(item, "MerchantID", ""),
                   ddb_item_string(item, "CreatedAt", ""), ddb_item_string(item, "Currency", "")))
        return false;
    for (size_t i = 0; i < TOTAL_FIGURES; i++)
        if (strcmp(status, statuses[i]) == 0)
            ret_total->figures[i] = (struct figure){1, cents};
    if (strcmp(status, "completed") == 0 && ddb_item_value(item, "ReversedBy") != NULL)
        ret_total->figures[1] = (struct figure){1, cents};
    return true;
}

static bool read_leg(const struct ddb_item *item, struct total *ret_total) {
    struct leg leg;
    leg_read(item, &leg);
    if (!leg.sound || !set_names(ret_total, TOTAL_ACCOUNT, ddb_item_string(item, "AccountID", ""),
                                 ddb_item_string(item, "CreatedAt", ""), leg.currency))
        return false;
    ret_total->figures[strcmp(leg.type, "credit") == 0] = (struct figure){1, leg.amount};
    return true;
}

/* A total that is an item: its names alone. */
static bool read_total(const struct ddb_item *item, struct total *ret_total) {
    const char *key = ddb_item_string(item, "PK", ""),
               *period = ddb_item_string(item, "Period", "");
    for (size_t kind = 0; kind < KINDS; kind++) {
        const char *prefix = kinds[kind].key_prefix;
        if (strncmp(key, prefix, strlen(prefix)) == 0) {
            char day[TIMESTAMP_SIZE];
            snprintf(day, sizeof(day), "%.10s%s", period, kind == TOTAL_ACCOUNT ? "-01" : "");
            return set_names(ret_total, kind, key + strlen(prefix), day,
                             ddb_item_string(item, "Currency", ""));
        }
    }
    return false;
}

static bool read_item(const struct ddb_item *item, struct total *ret_total) {
    const char *key = ddb_item_string(item, "PK", ""), *sort = ddb_item_string(item, "SK", "");
    if (strncmp(key, "TXN#", 4) != 0)
        return read_total(item, ret_total);
    if (strcmp(sort, "METADATA") == 0)
        return read_transaction(item, ret_total);
    return strncmp(sort, "LEG#", 4) == 0 && read_leg(item, ret_total);
}

/* ---- many of them ---- */

static bool is_same(const struct total *a, const struct total *b) {
    return a->kind == b->kind && strcmp(a->id, b->id) == 0 && strcmp(a->period, b->period) == 0 &&
           strcmp(a->currency, b->currency) == 0;
}

static uint32_t hash_text(uint32_t hash, const char *text) {
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619U;
    return hash;
}

/* The slot where it is, or where it is to be. */
static uint32_t *find_slot(const struct totals *totals, const struct total *total) {
    uint32_t hash = hash_text(2166136261U + (uint32_t)total->kind, total->id);
    hash = hash_text(hash_text(hash, total->period), total->currency);
    for (size_t at = hash % totals->slot_count;; at = (at + 1) % totals->slot_count) {
        uint32_t *slot = &totals->slots[at];
        if (*slot == 0 || is_same(&totals->all[*slot - 1], total))
            return slot;
    }
}

static bool grow(struct totals *totals) {
    size_t capacity = totals->capacity == 0 ? FIRST_CAPACITY : 2 * totals->capacity;
    struct total *all =
        capacity > 2 * TOTALS_MAX ? NULL : realloc(totals->all, capacity * sizeof(*all));
    if (all == NULL)
        return false;
    totals->all = all;
    uint32_t *slots = calloc(2 * capacity, sizeof(*slots));
    if (slots == NULL)
        return false;
    free(totals->slots);
    totals->slots = slots;
    totals->slot_count = 2 * capacity;
    totals->capacity = capacity;
    for (size_t i = 0; i < totals->count; i++)
        *find_slot(totals, &totals->all[i]) = (uint32_t)i + 1;
    return true;
}

static bool add_signed(struct totals *totals, const struct ddb_item *image, int sign) {
    struct total total;
    if (image == NULL || !read_item(image, &total))
        return true;
    if (totals->count == totals->capacity && !grow(totals))
        return false;
    uint32_t *slot = find_slot(totals, &total);
    if (*slot == 0) {
        struct total *added = &totals->all[totals->count++];
        *added = total;
        memset(added->figures, 0, sizeof(added->figures));
        *slot = (uint32_t)totals->count;
    }
    struct figure *figures = totals->all[*slot - 1].figures;
    for (size_t i = 0; i < TOTAL_FIGURES; i++) {
        figures[i].count += sign * total.figures[i].count;
        figures[i].cents += sign * total.figures[i].cents;
    }
    return true;
}

bool totals_add(struct totals *totals, const struct ddb_item *image) {
    return add_signed(totals, image, 1);
}

bool totals_subtract(struct totals *totals, const struct ddb_item *image) {
    return add_signed(totals, image, -1);
}

bool total_is_zero(const struct total *total) {
    for (size_t i = 0; i < TOTAL_FIGURES; i++)
        if (total->figures[i].count != 0 || total->figures[i].cents != 0)
            return false;
    return true;
}

bool totals_are_zero(const struct totals *totals) {
    bool zero = true;
    for (size_t i = 0; zero && i < totals->count; i++)
        zero = total_is_zero(&totals->all[i]);
    return zero;
}

void totals_clear(struct totals *totals) {
    totals->count = 0;
    if (totals->slots != NULL)
        memset(totals->slots, 0, totals->slot_count * sizeof(*totals->slots));
}

void totals_release(struct totals *totals) {
    free(totals->all);
    free(totals->slots);
    *totals = (struct totals){0};
}

/* ---- as items ---- */

/* The attributes, or the values ":ID" and so on of an update. */
static void fill(struct ddb_item *item, const char *colon, const struct total *total) {
    static const char *const names[] = {"Type", "ID", "Period", "Currency"};
    const char *const texts[] = {"Total", total->id, total->period, total->currency};
    char name[32];
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        snprintf(name, sizeof(name), "%s%s", colon, names[i]);
        ddb_item_set_string(item, name, texts[i]);
    }
    const char *figure;
    for (size_t i = 0; (figure = total_figure(total->kind, i)) != NULL; i++) {
        snprintf(name, sizeof(name), "%s%sCount", colon, figure);
        ddb_item_set_int(item, name, total->figures[i].count);
        snprintf(name, sizeof(name), "%s%sSum", colon, figure);
        money_set(item, name, total->figures[i].cents);
    }
}

static struct ddb_item *total_key(const struct total *total) {
    struct ddb_item *key = ddb_item_new();
    entity_set(key, "PK", total_key_prefix(total->kind), total->id);
    ddb_item_set_format(key, "SK", "%s%s#%s", total_sort_prefix(total->kind), total->period,
                        total->currency);
    return key;
}

void total_put(const struct total *total, struct bundle *bundle) {
    struct ddb_item *item = total_key(total);
    fill(item, "", total);
    bundle_add(bundle, (struct ddb_write){.action = DDB_PUT, .table = LEDGER_TABLE, .item = item},
               item, NULL);
}

void total_change(const struct total *total, struct bundle *bundle) {
    static const char *const names[] = {"#type", "Type", NULL};
    struct ddb_item *key = total_key(total), *values = ddb_item_new();
    fill(values, ":", total);
    bundle_add(bundle,
               (struct ddb_write){.action = DDB_UPDATE,
                                  .table = LEDGER_TABLE,
                                  .key = key,
                                  .update = kinds[total->kind].update,
                                  .names = names,
                                  .values = values},
               key, values);
}
