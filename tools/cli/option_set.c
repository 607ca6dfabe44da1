/* option_set.c - one value: from its text to the member of the command's struct, by its kind. */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/check.h"
#include "cli/options.h"

enum { NUMBER_DIGITS_MAX = 19, SIZE_UNITS_MAX = 1024 * 1024, DURATION_UNITS_MAX = 100000 };

/* ---- what a value has to be, in words ---- */

static struct slice list_words(struct arena *arena, const char *const *words) {
    struct slice list = slice_text(words[0]);
    for (size_t i = 1; words[i] != NULL; i++)
        list = arena_printf(arena, "%.*s%s%s", SLICE_ARGS(list),
                            words[i + 1] == NULL ? " or " : ", ", words[i]);
    return list;
}

static bool may_be_formed(const struct option *option) {
    return option->kind == OPTION_TEXT || option->kind == OPTION_TEXTS;
}

static struct slice takes(struct arena *arena, const struct option *option) {
    switch (option->kind) {
    case OPTION_NUMBER:
        return arena_printf(arena, "a number from %llu to %llu",
                            (unsigned long long)option->number.low,
                            (unsigned long long)option->number.high);
    case OPTION_DECIMAL:
    case OPTION_SECONDS:
        return arena_printf(arena, "%s from %.15g to %.15g",
                            option->kind == OPTION_SECONDS ? "seconds" : "a number",
                            option->decimal.low, option->decimal.high);
    case OPTION_DURATION:
        return SLICE_LITERAL("a duration such as 30s, 5m, 1h, 2d or 0");
    case OPTION_SIZE:
        return SLICE_LITERAL("a size such as 512M or 4G");
    case OPTION_CHOICE:
        return list_words(arena, option->words);
    case OPTION_FLAG:
        return SLICE_LITERAL("no value");
    case OPTION_PAIRS:
    case OPTION_TEXT:
    case OPTION_TEXTS:
    case OPTION_FILE:
    case OPTION_DIRECTORY:
        break;
    }
    bool formed = may_be_formed(option) && option->form.takes != NULL;
    return slice_text(formed ? option->form.takes : option->value);
}

/* ---- the kinds ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void store_unsigned(void *to, size_t size, uint64_t n) {
    uint8_t one = (uint8_t)n;
    uint16_t two = (uint16_t)n;
    uint32_t four = (uint32_t)n;
    CHECK(size == 1 || size == 2 || size == 4 || size == 8);
    memcpy(to,
           size == 1   ? (void *)&one
           : size == 2 ? (void *)&two
           : size == 4 ? (void *)&four
                       : &n,
           size);
}

static bool set_number(const struct option *option, void *to, const char *text) {
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    if (!is_digit(*text) || *end != '\0' || end - text > NUMBER_DIGITS_MAX ||
        n < option->number.low || n > option->number.high)
        return false;
    store_unsigned(to, option->size, n);
    return true;
}

static bool set_decimal(const struct option *option, void *to, const char *text) {
    char *end;
    double n = strtod(text, &end);
    if (!is_digit(*text) || *end != '\0' ||
        !(n >= option->decimal.low && n <= option->decimal.high))
        return false;
    CHECK(option->size == sizeof(n));
    memcpy(to, &n, sizeof(n));
    return true;
}

static uint64_t unit_ms(char unit) {
    return unit == 's'   ? 1000
           : unit == 'm' ? 60 * 1000
           : unit == 'h' ? 60 * 60 * 1000
           : unit == 'd' ? 24 * 60 * 60 * 1000
                         : 0;
}

static bool set_duration(const struct option *option, void *to, const char *text) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    bool none = strcmp(text, "0") == 0;
    if (!is_digit(*text) || n > DURATION_UNITS_MAX ||
        (!none && (unit_ms(*end) == 0 || end[1] != '\0')))
        return false;
    store_unsigned(to, option->size, none ? 0 : n * unit_ms(*end));
    return true;
}

static bool set_size(const struct option *option, void *to, const char *text) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (!is_digit(*text) || n == 0 || n > SIZE_UNITS_MAX || (*end != 'M' && *end != 'G') ||
        end[1] != '\0')
        return false;
    store_unsigned(to, option->size, (uint64_t)n << (*end == 'G' ? 30 : 20));
    return true;
}

static bool set_choice(const struct option *option, void *to, const char *text) {
    for (size_t i = 0; option->words[i] != NULL; i++)
        if (strcmp(option->words[i], text) == 0) {
            store_unsigned(to, option->size, i);
            return true;
        }
    return false;
}

static bool fits(const struct option *option, const char *text) {
    bool formed = may_be_formed(option) && option->form.fits != NULL;
    return *text != '\0' && (!formed || option->form.fits(text));
}

static bool set_text(const struct option *option, void *to, const char *text) {
    if (!fits(option, text))
        return false;
    CHECK(option->size == sizeof(text));
    memcpy(to, &text, sizeof(text));
    return true;
}

static bool set_flag(const struct option *option, void *to, const char *text) {
    bool yes = true;
    if (text != NULL)
        return false;
    CHECK(option->size == sizeof(yes));
    memcpy(to, &yes, sizeof(yes));
    return true;
}

static struct error *too_many(struct arena *arena, const struct option *option, int count) {
    return error_local(arena, "--%s is given more than %d times", option->name, count);
}

static struct error *add_text(struct arena *arena, const struct option *option, const char ***texts,
                              const char *text) {
    if (*texts == NULL)
        *texts = ARENA_ARRAY(arena, const char *, OPTION_TEXTS_MAX + 1);
    size_t count = 0;
    while ((*texts)[count] != NULL)
        count++;
    if (count == OPTION_TEXTS_MAX)
        return too_many(arena, option, OPTION_TEXTS_MAX);
    (*texts)[count] = text;
    return NULL;
}

static struct error *add_pair(struct arena *arena, const struct option *option,
                              struct option_pairs *pairs, struct option_pair pair) {
    if (pairs->pairs == NULL)
        pairs->pairs = ARENA_ARRAY(arena, struct option_pair, OPTION_PAIRS_MAX);
    for (size_t i = 0; i < pairs->count; i++)
        if (slice_equal(pairs->pairs[i].name, pair.name))
            return error_local(arena, "--%s gives %.*s twice, now as '%.*s'", option->name,
                               SLICE_ARGS(pair.name), SLICE_ARGS(pair.value));
    if (pairs->count == OPTION_PAIRS_MAX)
        return too_many(arena, option, OPTION_PAIRS_MAX);
    pairs->pairs[pairs->count++] = pair;
    return NULL;
}

static bool split_pair(const char *text, struct option_pair *ret_pair) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return false;
    *ret_pair =
        (struct option_pair){slice_of(text, (size_t)(equals - text)), slice_text(equals + 1)};
    return true;
}

/* ---- all of them ---- */

/* Those that are given once. */
static bool set_single(const struct option *option, void *to, const char *text) {
    switch (option->kind) {
    case OPTION_FLAG:
        return set_flag(option, to, text);
    case OPTION_NUMBER:
        return set_number(option, to, text);
    case OPTION_DECIMAL:
    case OPTION_SECONDS:
        return set_decimal(option, to, text);
    case OPTION_DURATION:
        return set_duration(option, to, text);
    case OPTION_SIZE:
        return set_size(option, to, text);
    case OPTION_CHOICE:
        return set_choice(option, to, text);
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_DIRECTORY:
        return set_text(option, to, text);
    case OPTION_TEXTS:
    case OPTION_PAIRS:
        break;
    }
    return false;
}

struct error *option_set(struct arena *arena, void *values, const struct option *option,
                         const char *text) {
    void *to = (char *)values + option->at;
    struct option_pair pair;
    if (option->kind == OPTION_PAIRS && split_pair(text, &pair))
        return add_pair(arena, option, to, pair);
    if (option->kind == OPTION_TEXTS && fits(option, text))
        return add_text(arena, option, to, text);
    if (set_single(option, to, text))
        return NULL;
    return error_local(arena, "--%s takes %.*s, not '%s'", option->name,
                       SLICE_ARGS(takes(arena, option)), text);
}
