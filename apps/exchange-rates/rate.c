/* rate.c - checks rates, and makes and prints their items. */
#include "rate.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/duration.h"

/* ---- fields from text ---- */

/* Always false, so that checks end with it. */
__attribute__((format(printf, 2, 3))) static bool problem(char *ret_problem, const char *format,
                                                          ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ret_problem, RATE_PROBLEM_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static bool set_currency(char ret_code[CURRENCY_SIZE], const char *name, const char *text,
                         char *ret_problem) {
    if (!currency_exists(text))
        return problem(ret_problem, "%s is an ISO 4217 code like USD, not '%.40s'", name, text);
    memcpy(ret_code, text, CURRENCY_SIZE);
    return true;
}

/* "0.85" or "8.5e-1", above zero: JSON's numbers. */
static bool looks_like_rate(const char *text) {
    const char digits[] = "0123456789";
    const char *at = text + strspn(text, digits);
    bool good = at > text;
    if (*at == '.') {
        size_t decimals = strspn(at + 1, digits);
        good = good && decimals > 0;
        at += 1 + decimals;
    }
    good = good && strcspn(text, "123456789") < (size_t)(at - text);
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        size_t exponent = strspn(at, digits);
        good = good && exponent > 0;
        at += exponent;
    }
    return good && *at == '\0';
}

static bool set_number(struct rate *rate, const char *text, char *ret_problem) {
    bool good = looks_like_rate(text) && strlen(text) < RATE_NUMBER_SIZE;
    if (good) {
        struct ddb_item *item = ddb_item_new();
        ddb_item_set_number(item, "Rate", text); /* at most 38 digits, and within range */
        good = ddb_item_error(item) == NULL;
        ddb_item_free(item);
    }
    if (!good)
        return problem(ret_problem, "Rate is a number above zero of up to 38 digits, not '%.40s'",
                       text);
    snprintf(rate->number, sizeof(rate->number), "%s", text);
    return true;
}

static bool set_time(int64_t *ret_time, const char *name, const char *text, char *ret_problem) {
    char *end;
    long long time = strtoll(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || time > TIMESTAMP_MAX_S)
        return problem(ret_problem, "%s is in seconds since 1970, not '%.40s'", name, text);
    *ret_time = time;
    return true;
}

static bool set_stale(struct rate *rate, const char *text, char *ret_problem) {
    rate->stale = strcmp(text, "true") == 0;
    if (!rate->stale && strcmp(text, "false") != 0)
        return problem(ret_problem, "Stale is true or false, not '%.40s'", text);
    return true;
}

/* RATE#USD#EUR */
static void rate_key_text(const char *base, const char *target, char ret_key[RATE_KEY_SIZE]) {
    snprintf(ret_key, RATE_KEY_SIZE, "RATE#%.3s#%.3s", base, target);
}

static bool check_key(const struct rate *rate, const char *text, char *ret_problem) {
    char key[RATE_KEY_SIZE];
    rate_key_text(rate->base, rate->target, key);
    if (strcmp(key, text) != 0)
        return problem(ret_problem, "PK is %s, not '%.40s'", key, text);
    return true;
}

bool rate_set(struct rate *rate, const char *name, const char *text,
              char ret_problem[RATE_PROBLEM_SIZE]) {
    if (strcmp(name, "Base") == 0)
        return set_currency(rate->base, name, text, ret_problem);
    if (strcmp(name, "Target") == 0)
        return set_currency(rate->target, name, text, ret_problem);
    if (strcmp(name, "Rate") == 0)
        return set_number(rate, text, ret_problem);
    if (strcmp(name, "Timestamp") == 0)
        return set_time(&rate->timestamp, name, text, ret_problem);
    if (strcmp(name, "ttl") == 0)
        return set_time(&rate->ttl, name, text, ret_problem);
    if (strcmp(name, "Stale") == 0)
        return set_stale(rate, text, ret_problem);
    if (strcmp(name, "PK") == 0)
        return check_key(rate, text, ret_problem);
    return problem(ret_problem, "a rate has no '%.40s'", name);
}

bool rate_check(const struct rate *rate, char ret_problem[RATE_PROBLEM_SIZE]) {
    if (*rate->base == '\0' || *rate->target == '\0' || *rate->number == '\0')
        return problem(ret_problem, "%s is missing",
                       *rate->base == '\0'     ? "Base"
                       : *rate->target == '\0' ? "Target"
                                               : "Rate");
    if (strcmp(rate->base, rate->target) == 0)
        return problem(ret_problem, "Base and Target are the same currency, %s", rate->base);
    return true;
}

/* ---- items ---- */

struct ddb_item *rate_key(const char *base, const char *target) {
    char text[RATE_KEY_SIZE];
    rate_key_text(base, target, text);
    struct ddb_item *key = ddb_item_new();
    ddb_item_set_string(key, "PK", text);
    return key;
}

/* What DynamoDB would print in another way: zeros at either end, an exponent. */
static bool is_plain(const char *number) {
    const char *point = strchr(number, '.');
    size_t size = strlen(number);
    return strpbrk(number, "eE") == NULL && (number[0] != '0' || number[1] == '.') &&
           (point == NULL || number[size - 1] != '0');
}

struct ddb_item *rate_item(const struct rate *rate) {
    struct ddb_item *item = rate_key(rate->base, rate->target);
    ddb_item_set_string(item, "Base", rate->base);
    ddb_item_set_string(item, "Target", rate->target);
    ddb_item_set_number(item, "Rate", rate->number);
    if (!is_plain(rate->number))
        ddb_item_set_string(item, "RateText", rate->number);
    ddb_item_set_int(item, "Timestamp", rate->timestamp);
    ddb_item_set_bool(item, "Stale", rate->stale);
    ddb_item_set_int(item, "ttl", rate->ttl);
    return item;
}

const char *rate_text(const struct ddb_item *item) {
    return ddb_item_string(item, "RateText", ddb_item_number(item, "Rate", "?"));
}

void rate_print(const struct ddb_item *item) {
    char saved[TIMESTAMP_SIZE], expiry[TTL_TEXT_SIZE];
    seconds_describe(item, "Timestamp", saved);
    ttl_describe(item, expiry);
    bool stale = ddb_item_bool(item, "Stale", false) || ttl_has_passed(item);
    const char *via = ddb_item_string(item, "Via", NULL);
    printf("%s %s %s saved %s %s%s%s%s\n", ddb_item_string(item, "Base", "?"),
           ddb_item_string(item, "Target", "?"), rate_text(item), saved, expiry,
           stale ? " stale" : "", via == NULL ? "" : " via ", via == NULL ? "" : via);
}
