/* money.c - amounts of money as text and as cents. */
#include "common/money.h"

#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* False when the number gets too large. */
static bool append_digit(money_sum *number, int digit) {
    if (*number > (MONEY_SUM_MAX - digit) / 10)
        return false;
    *number = *number * 10 + digit;
    return true;
}

/* Takes digits; false when the number gets too large. */
static bool take_digits(const char **text, money_sum *number) {
    for (; is_digit(**text); ++*text)
        if (!append_digit(number, **text - '0'))
            return false;
    return true;
}

bool money_sum_parse(const char *text, money_sum *ret_cents) {
    bool negative = *text == '-';
    text += negative;
    money_sum cents = 0;
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
        if (!append_digit(&cents, 0))
            return false;
    if (*text != '\0')
        return false;
    *ret_cents = negative ? -cents : cents;
    return true;
}

bool money_parse(const char *text, int64_t *ret_cents) {
    money_sum cents;
    if (!money_sum_parse(text, &cents) || cents > MONEY_CENTS_MAX || cents < -MONEY_CENTS_MAX)
        return false;
    *ret_cents = (int64_t)cents;
    return true;
}

/* From the last digit to the first. */
void money_format(money_sum cents, char ret_text[MONEY_TEXT_SIZE]) {
    char text[MONEY_TEXT_SIZE];
    char *start = text + sizeof(text) - 1;
    money_sum left = cents < 0 ? -cents : cents;
    *start = '\0';
    for (int digits = 0; left > 0 || digits < 3; digits++) {
        if (digits == 2)
            *--start = '.';
        *--start = (char)('0' + (int)(left % 10));
        left /= 10;
    }
    if (cents < 0)
        *--start = '-';
    memcpy(ret_text, start, (size_t)(text + sizeof(text) - start));
}

void money_set(struct ddb_item *item, const char *name, money_sum cents) {
    char text[MONEY_TEXT_SIZE];
    money_format(cents, text);
    ddb_item_set_number(item, name, text);
}

bool money_get(const struct ddb_item *item, const char *name, int64_t *ret_cents) {
    return money_parse(ddb_item_number(item, name, ""), ret_cents);
}

bool money_sum_get(const struct ddb_item *item, const char *name, money_sum *ret_cents) {
    return money_sum_parse(ddb_item_number(item, name, ""), ret_cents);
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
