/* cross.c - division of decimals, and the ways from one currency to another. */
#include "cross.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/duration.h"
#include "store.h"

enum { DIGITS_IN = 18, DIGITS_OUT = 12, ZEROS_MAX = 30 };

/* ---- division ---- */

__extension__ typedef unsigned __int128 wide; /* 38 digits */

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* Of "0.85" or "8.5e-1", above zero: its first 18 digits. */
static struct decimal parse(const char *text) {
    struct decimal n = {0, 0};
    bool point = false;
    int count = 0;
    for (; *text == '.' || (*text >= '0' && *text <= '9'); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        count += n.digits > 0 || *text != '0';
        if (count <= DIGITS_IN)
            n.digits = n.digits * 10 + (uint64_t)(*text - '0');
        n.exponent += (count > DIGITS_IN) - point;
    }
    if (*text == 'e' || *text == 'E')
        n.exponent += (int)strtol(text + 1, NULL, 10);
    return n;
}

/* Plain digits with a point, without zeros at the end. */
static void print(struct decimal n, char ret_number[RATE_NUMBER_SIZE]) {
    static const char zeros[ZEROS_MAX + 1] = "000000000000000000000000000000";
    char digits[DIGITS_OUT + 2];
    while (n.digits % 10 == 0) {
        n.digits /= 10;
        n.exponent++;
    }
    int size = snprintf(digits, sizeof(digits), "%llu",
                        (unsigned long long)n.digits % (unsigned long long)1e13);
    int before = size + n.exponent; /* digits before the point */
    if (n.exponent >= 0)
        snprintf(ret_number, RATE_NUMBER_SIZE, "%s%.*s", digits, n.exponent, zeros);
    else if (before > 0)
        snprintf(ret_number, RATE_NUMBER_SIZE, "%.*s.%s", before, digits, digits + before);
    else
        snprintf(ret_number, RATE_NUMBER_SIZE, "0.%.*s%s", -before, zeros, digits);
}

bool cross_divide(const char *a, const char *b, char ret_number[RATE_NUMBER_SIZE]) {
    struct decimal x = parse(a), y = parse(b);
    wide part = x.digits;
    int exponent = x.exponent - y.exponent;
    while (part < (wide)1000000000000000000 * 1000000000000000000) {
        part *= 10;
        exponent--;
    }
    part /= y.digits; /* at least 18 digits */
    wide limit = 1;
    for (int i = 0; i < DIGITS_OUT; i++)
        limit *= 10;
    unsigned dropped = 0;
    while (part >= limit) {
        dropped = (unsigned)(part % 10);
        part /= 10;
        exponent++;
    }
    part += dropped >= 5;
    if (exponent > ZEROS_MAX - DIGITS_OUT || exponent < -ZEROS_MAX)
        return false;
    print((struct decimal){(uint64_t)part, exponent}, ret_number);
    return true;
}

/* ---- ways ---- */

static bool find_live(struct app *app, const char *base, const char *target,
                      struct ddb_item **ret_item) {
    struct rate rate = {.base = ""};
    snprintf(rate.base, sizeof(rate.base), "%.3s", base);
    snprintf(rate.target, sizeof(rate.target), "%.3s", target);
    *ret_item = NULL;
    if (!store_find(app, &rate, ret_item))
        return false;
    if (*ret_item != NULL && ttl_has_passed(*ret_item)) {
        ddb_item_free(*ret_item);
        *ret_item = NULL;
    }
    return true;
}

static int64_t smaller(const struct ddb_item *a, const struct ddb_item *b, const char *name) {
    int64_t x = ddb_item_int(a, name, INT64_MAX), y = ddb_item_int(b, name, INT64_MAX);
    return x < y ? x : y;
}

/* `rate` is x / y. NULL when it is out of range. */
static struct ddb_item *derive(const struct rate *rate, const char *via, const struct ddb_item *x,
                               const struct ddb_item *y) {
    struct rate derived = *rate;
    if (!cross_divide(x == NULL ? "1" : ddb_item_number(x, "Rate", "1"),
                      ddb_item_number(y, "Rate", "1"), derived.number))
        return NULL;
    derived.timestamp = smaller(x, y, "Timestamp");
    derived.ttl = smaller(x, y, "ttl");
    derived.stale = ddb_item_bool(x, "Stale", false) || ddb_item_bool(y, "Stale", false);
    struct ddb_item *item = rate_item(&derived);
    ddb_item_set_string(item, "Via", via);
    return item;
}

static bool find_by_way(struct app *app, const struct rate *rate, const char *via,
                        struct ddb_item **ret_item) {
    struct ddb_item *x = NULL, *y = NULL;
    bool ok = find_live(app, via, rate->target, &x) && find_live(app, via, rate->base, &y);
    if (ok && x != NULL && y != NULL)
        *ret_item = derive(rate, via, x, y);
    ddb_item_free(x);
    ddb_item_free(y);
    return ok;
}

bool cross_find(struct app *app, const struct rate *rate, const char *via,
                struct ddb_item **ret_item) {
    struct ddb_item *inverse = NULL;
    if (!find_live(app, rate->base, rate->target, ret_item))
        return false;
    if (*ret_item != NULL)
        return true;
    if (!find_live(app, rate->target, rate->base, &inverse))
        return false;
    if (inverse != NULL) {
        *ret_item = derive(rate, "inverse", NULL, inverse);
        ddb_item_free(inverse);
        return true;
    }
    return via == NULL || find_by_way(app, rate, via, ret_item);
}
