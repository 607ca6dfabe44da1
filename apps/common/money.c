/* money.c - amounts of money as text and as cents. */
#include "common/money.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Takes digits; false when the number gets too large. */
static bool take_digits(const char **text, int64_t *number) {
    for (; is_digit(**text); ++*text) {
        *number = *number * 10 + (**text - '0');
        if (*number > MONEY_CENTS_MAX)
            return false;
    }
    return true;
}

bool money_parse(const char *text, int64_t *ret_cents) {
    bool negative = *text == '-';
    text += negative;
    int64_t cents = 0;
    if (!is_digit(*text) || !take_digits(&text, &cents))
        return false;
    int decimals = 0;
    if (*text == '.') {
        const char *fraction = ++text;
        if (!is_digit(*text) || !take_digits(&text, &cents) || text - fraction > 2)
            return false;
        decimals = (int)(text - fraction);
    }
    for (; decimals < 2; decimals++)
        cents *= 10;
    if (*text != '\0' || cents > MONEY_CENTS_MAX)
        return false;
    *ret_cents = negative ? -cents : cents;
    return true;
}

void money_format(int64_t cents, char ret_text[MONEY_TEXT_SIZE]) {
    int64_t size = cents < 0 ? -cents : cents;
    snprintf(ret_text, MONEY_TEXT_SIZE, "%s%" PRId64 ".%02d", cents < 0 ? "-" : "", size / 100,
             (int)(size % 100));
}

void money_set(struct ddb_item *item, const char *name, int64_t cents) {
    char text[MONEY_TEXT_SIZE];
    money_format(cents, text);
    ddb_item_set_number(item, name, text);
}

bool money_get(const struct ddb_item *item, const char *name, int64_t *ret_cents) {
    return money_parse(ddb_item_number(item, name, ""), ret_cents);
}

bool money_option(const struct app *app, const char *name, int64_t low, int64_t *ret_cents) {
    const char *text = app_option(app, name, "");
    int64_t cents;
    if (money_parse(text, &cents) && cents >= low) {
        *ret_cents = cents;
        return true;
    }
    char least[MONEY_TEXT_SIZE];
    money_format(low, least);
    app_bad_usage(app, "--%s takes an amount from %s on, with at most two decimals, not '%s'", name,
                  least, text);
    return false;
}

bool money_check_currency(const struct app *app, const char *currency) {
    if (strlen(currency) == 3 && strspn(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3)
        return true;
    app_bad_usage(app, "--currency takes three capital letters, not '%s'", currency);
    return false;
}
