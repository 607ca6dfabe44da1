/* tree_build.c - the functions that set attributes and add to lists.
 *
 * Each finds the place and fills it; what is wrong with a value is found here, where its attribute
 * has a name, and kept until the item is sent or asked. */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "client/tree.h"
#include "model/number.h"

/* ---- one value ---- */

static void put_text(struct place place, const char *text) {
    if (text == NULL)
        place_mistake(place, "the text is NULL");
    else
        tree_put_bytes(place, DDB_S, slice_text(text));
}

/* Kept as it was written: the service, not the client, says what 1.0 becomes. */
static void put_number(struct place place, const char *number) {
    if (number == NULL) {
        place_mistake(place, "the number is NULL");
        return;
    }
    struct number parsed;
    enum number_status status = number_parse(slice_text(number), &parsed);
    if (status == NUMBER_OK)
        tree_put_bytes(place, DDB_N, slice_text(number));
    else if (status == NUMBER_TOO_PRECISE)
        place_mistake(place, "\"%.*s\" has more than 38 digits", tree_quoted_len(number), number);
    else if (status == NUMBER_INVALID)
        place_mistake(place, "\"%.*s\" is not a number", tree_quoted_len(number), number);
    else
        place_mistake(place, "\"%.*s\" is out of range", tree_quoted_len(number), number);
}

static void put_int(struct place place, int64_t number) {
    char text[32];
    int len = snprintf(text, sizeof(text), "%" PRId64, number);
    tree_put_bytes(place, DDB_N, slice_of(text, (size_t)len));
}

/* The shortest text that reads back as the same double, whatever the program's locale writes for a
 * decimal point. */
static void print_double(double number, char ret_text[32]) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(ret_text, 32, "%.*g", digits, number);
        if (strtod(ret_text, NULL) == number)
            break;
    }
    uselocale(before);
    freelocale(plain);
}

static void put_double(struct place place, double number) {
    char text[32];
    if (!isfinite(number)) {
        place_mistake(place, "a number is neither infinite nor NaN");
        return;
    }
    print_double(number, text);
    put_number(place, text);
}

static void put_binary(struct place place, const void *data, size_t size) {
    if (data == NULL && size > 0)
        place_mistake(place, "the bytes are NULL");
    else
        tree_put_bytes(place, DDB_B, slice_of(data, size));
}

static void put_bool(struct place place, bool truth) {
    place.value->type = DDB_BOOL;
    place.value->truth = truth;
}

static void put_null(struct place place) {
    place.value->type = DDB_NULL;
}

static struct ddb_list *put_set(struct place place, enum ddb_type type, size_t count) {
    if (count == 0)
        place_mistake(place, "a set must have a member");
    return tree_put_list(place, type);
}

/* A member's mistakes name the attribute that the set is. */
static struct place member_place(struct ddb_list *set, const char *name) {
    struct place place = tree_list_place(set);
    place.name = name;
    return place;
}

/* ---- attributes ---- */

void ddb_item_set_string(struct ddb_item *item, const char *name, const char *text) {
    put_text(tree_item_place(item, name), text);
}

void ddb_item_set_text(struct ddb_item *item, const char *name, const char *text, size_t size) {
    tree_put_bytes(tree_item_place(item, name), DDB_S, slice_of(text, size));
}

void ddb_item_set_number(struct ddb_item *item, const char *name, const char *number) {
    put_number(tree_item_place(item, name), number);
}

void ddb_item_set_int(struct ddb_item *item, const char *name, int64_t number) {
    put_int(tree_item_place(item, name), number);
}

void ddb_item_set_double(struct ddb_item *item, const char *name, double number) {
    put_double(tree_item_place(item, name), number);
}

void ddb_item_set_format(struct ddb_item *item, const char *name, const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    CHECK(vasprintf(&text, format, args) >= 0);
    va_end(args);
    put_text(tree_item_place(item, name), text);
    free(text);
}

void ddb_item_set_binary(struct ddb_item *item, const char *name, const void *data, size_t size) {
    put_binary(tree_item_place(item, name), data, size);
}

void ddb_item_set_bool(struct ddb_item *item, const char *name, bool truth) {
    put_bool(tree_item_place(item, name), truth);
}

void ddb_item_set_null(struct ddb_item *item, const char *name) {
    put_null(tree_item_place(item, name));
}

void ddb_item_set_strings(struct ddb_item *item, const char *name, const char *const *texts,
                          size_t count) {
    struct ddb_list *set = put_set(tree_item_place(item, name), DDB_SS, count);
    for (size_t i = 0; i < count; i++)
        put_text(member_place(set, name), texts[i]);
}

void ddb_item_set_numbers(struct ddb_item *item, const char *name, const char *const *numbers,
                          size_t count) {
    struct ddb_list *set = put_set(tree_item_place(item, name), DDB_NS, count);
    for (size_t i = 0; i < count; i++)
        put_number(member_place(set, name), numbers[i]);
}

void ddb_item_set_ints(struct ddb_item *item, const char *name, const int64_t *numbers,
                       size_t count) {
    struct ddb_list *set = put_set(tree_item_place(item, name), DDB_NS, count);
    for (size_t i = 0; i < count; i++)
        put_int(member_place(set, name), numbers[i]);
}

void ddb_item_set_binaries(struct ddb_item *item, const char *name,
                           const struct ddb_bytes *binaries, size_t count) {
    struct ddb_list *set = put_set(tree_item_place(item, name), DDB_BS, count);
    for (size_t i = 0; i < count; i++)
        put_binary(member_place(set, name), binaries[i].data, binaries[i].size);
}

struct ddb_item *ddb_item_set_map(struct ddb_item *item, const char *name) {
    return tree_put_map(tree_item_place(item, name));
}

struct ddb_list *ddb_item_set_list(struct ddb_item *item, const char *name) {
    return tree_put_list(tree_item_place(item, name), DDB_L);
}

void ddb_item_set_value(struct ddb_item *item, const char *name, const struct ddb_value *value) {
    if (value == NULL) {
        ddb_item_remove(item, name);
        return;
    }
    /* The value may be what the attribute has now, or part of it: copied before that goes. */
    struct ddb_value copy = {.type = DDB_NONE};
    struct place place = {&copy, item->mistakes, name, item->depth};
    tree_put_copy(place, value);
    *tree_item_place(item, name).value = copy;
}

/* ---- elements of lists ---- */

void ddb_list_add_string(struct ddb_list *list, const char *text) {
    put_text(tree_list_place(list), text);
}

void ddb_list_add_text(struct ddb_list *list, const char *text, size_t size) {
    tree_put_bytes(tree_list_place(list), DDB_S, slice_of(text, size));
}

void ddb_list_add_number(struct ddb_list *list, const char *number) {
    put_number(tree_list_place(list), number);
}

void ddb_list_add_int(struct ddb_list *list, int64_t number) {
    put_int(tree_list_place(list), number);
}

void ddb_list_add_double(struct ddb_list *list, double number) {
    put_double(tree_list_place(list), number);
}

void ddb_list_add_binary(struct ddb_list *list, const void *data, size_t size) {
    put_binary(tree_list_place(list), data, size);
}

void ddb_list_add_bool(struct ddb_list *list, bool truth) {
    put_bool(tree_list_place(list), truth);
}

void ddb_list_add_null(struct ddb_list *list) {
    put_null(tree_list_place(list));
}

struct ddb_item *ddb_list_add_map(struct ddb_list *list) {
    return tree_put_map(tree_list_place(list));
}

struct ddb_list *ddb_list_add_list(struct ddb_list *list) {
    return tree_put_list(tree_list_place(list), DDB_L);
}

void ddb_list_add_value(struct ddb_list *list, const struct ddb_value *value) {
    if (value != NULL)
        tree_put_copy(tree_list_place(list), value);
}
