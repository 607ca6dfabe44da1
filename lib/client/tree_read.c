/* tree_read.c - the functions that read attributes, with a default or with a mistake kept.
 *
 * NULL stands for what is absent everywhere, so that callers read into maps without checks. */
#include <locale.h>
#include <stdlib.h>

#include "client/tree.h"
#include "model/number.h"

static const char *const type_words[] = {
    [DDB_NONE] = "absent",
    [DDB_S] = "a string (S)",
    [DDB_N] = "a number (N)",
    [DDB_B] = "a binary (B)",
    [DDB_BOOL] = "a boolean (BOOL)",
    [DDB_NULL] = "null (NULL)",
    [DDB_SS] = "a set of strings (SS)",
    [DDB_NS] = "a set of numbers (NS)",
    [DDB_BS] = "a set of binaries (BS)",
    [DDB_L] = "a list (L)",
    [DDB_M] = "a map (M)",
};

/* ---- values ---- */

enum ddb_type ddb_value_type(const struct ddb_value *value) {
    return value == NULL ? DDB_NONE : value->type;
}

const char *ddb_value_string(const struct ddb_value *value, const char *otherwise) {
    return ddb_value_type(value) == DDB_S ? value->data : otherwise;
}

const char *ddb_value_number(const struct ddb_value *value, const char *otherwise) {
    return ddb_value_type(value) == DDB_N ? value->data : otherwise;
}

static bool value_to_int(const struct ddb_value *value, int64_t *ret_number) {
    struct number number;
    return ddb_value_type(value) == DDB_N &&
           number_parse(slice_of(value->data, value->size), &number) == NUMBER_OK &&
           number_to_int(number_slice(&number), ret_number);
}

int64_t ddb_value_int(const struct ddb_value *value, int64_t otherwise) {
    int64_t number;
    return value_to_int(value, &number) ? number : otherwise;
}

/* The nearest one. DynamoDB's numbers are within a double's range, but for what lies below it. */
double ddb_value_double(const struct ddb_value *value, double otherwise) {
    if (ddb_value_type(value) != DDB_N)
        return otherwise;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double number = strtod_l(value->data, NULL, plain);
    freelocale(plain);
    return number;
}

bool ddb_value_bool(const struct ddb_value *value, bool otherwise) {
    return ddb_value_type(value) == DDB_BOOL ? value->truth : otherwise;
}

const struct ddb_item *ddb_value_map(const struct ddb_value *value) {
    return ddb_value_type(value) == DDB_M ? &value->map : NULL;
}

const struct ddb_list *ddb_value_list(const struct ddb_value *value) {
    enum ddb_type type = ddb_value_type(value);
    return type == DDB_L || tree_type_is_set(type) ? &value->list : NULL;
}

const void *ddb_value_bytes(const struct ddb_value *value, size_t *ret_size) {
    enum ddb_type type = ddb_value_type(value);
    bool has_bytes = type == DDB_S || type == DDB_N || type == DDB_B;
    if (ret_size != NULL)
        *ret_size = has_bytes ? value->size : 0;
    return has_bytes ? value->data : NULL;
}

/* ---- attributes with a default ---- */

const char *ddb_item_string(const struct ddb_item *item, const char *name, const char *otherwise) {
    return ddb_value_string(ddb_item_value(item, name), otherwise);
}

const char *ddb_item_number(const struct ddb_item *item, const char *name, const char *otherwise) {
    return ddb_value_number(ddb_item_value(item, name), otherwise);
}

int64_t ddb_item_int(const struct ddb_item *item, const char *name, int64_t otherwise) {
    return ddb_value_int(ddb_item_value(item, name), otherwise);
}

double ddb_item_double(const struct ddb_item *item, const char *name, double otherwise) {
    return ddb_value_double(ddb_item_value(item, name), otherwise);
}

bool ddb_item_bool(const struct ddb_item *item, const char *name, bool otherwise) {
    return ddb_value_bool(ddb_item_value(item, name), otherwise);
}

const void *ddb_item_binary(const struct ddb_item *item, const char *name, size_t *ret_size) {
    const struct ddb_value *value = ddb_item_value(item, name);
    return ddb_value_bytes(ddb_value_type(value) == DDB_B ? value : NULL, ret_size);
}

const struct ddb_item *ddb_item_map(const struct ddb_item *item, const char *name) {
    return ddb_value_map(ddb_item_value(item, name));
}

const struct ddb_list *ddb_item_list(const struct ddb_item *item, const char *name) {
    return ddb_value_list(ddb_item_value(item, name));
}

/* ---- attributes that must be there ---- */

/* The attribute when it has this type, else NULL and a mistake. */
static const struct ddb_value *need(const struct ddb_item *item, const char *name,
                                    enum ddb_type type) {
    const struct ddb_value *value = ddb_item_value(item, name);
    enum ddb_type found = ddb_value_type(value);
    if (found == type || (type == DDB_L && tree_type_is_set(found)))
        return value;
    if (item == NULL)
        return NULL;
    char **slot = &item->mistakes->reading;
    int len = tree_quoted_len(name);
    if (found == DDB_NONE)
        tree_mistake(slot, "attribute \"%.*s\" is absent", len, name);
    else
        tree_mistake(slot, "attribute \"%.*s\" is %s, not %s", len, name, type_words[found],
                     type_words[type]);
    return NULL;
}

const char *ddb_item_need_string(const struct ddb_item *item, const char *name) {
    return ddb_value_string(need(item, name, DDB_S), "");
}

const char *ddb_item_need_number(const struct ddb_item *item, const char *name) {
    return ddb_value_number(need(item, name, DDB_N), "");
}

int64_t ddb_item_need_int(const struct ddb_item *item, const char *name) {
    const struct ddb_value *value = need(item, name, DDB_N);
    int64_t number = 0;
    if (value != NULL && !value_to_int(value, &number))
        tree_mistake(&item->mistakes->reading, "attribute \"%.*s\" is %.*s, not a 64-bit integer",
                     tree_quoted_len(name), name, tree_quoted_len(value->data), value->data);
    return number;
}

double ddb_item_need_double(const struct ddb_item *item, const char *name) {
    return ddb_value_double(need(item, name, DDB_N), 0);
}

bool ddb_item_need_bool(const struct ddb_item *item, const char *name) {
    return ddb_value_bool(need(item, name, DDB_BOOL), false);
}

const void *ddb_item_need_binary(const struct ddb_item *item, const char *name, size_t *ret_size) {
    return ddb_value_bytes(need(item, name, DDB_B), ret_size);
}

const struct ddb_item *ddb_item_need_map(const struct ddb_item *item, const char *name) {
    return ddb_value_map(need(item, name, DDB_M));
}

const struct ddb_list *ddb_item_need_list(const struct ddb_item *item, const char *name) {
    return ddb_value_list(need(item, name, DDB_L));
}

static const char *first_mistake(const struct mistakes *mistakes) {
    return mistakes->building != NULL ? mistakes->building : mistakes->reading;
}

const char *ddb_item_error(const struct ddb_item *item) {
    return item == NULL ? "there is no item" : first_mistake(item->mistakes);
}

const char *ddb_list_error(const struct ddb_list *list) {
    return list == NULL ? "there is no list" : first_mistake(list->mistakes);
}

/* ---- by position ---- */

size_t ddb_item_count(const struct ddb_item *item) {
    return item == NULL ? 0 : item->count;
}

const char *ddb_item_name_at(const struct ddb_item *item, size_t at) {
    return at < ddb_item_count(item) ? item->attributes[at]->name : NULL;
}

const struct ddb_value *ddb_item_value_at(const struct ddb_item *item, size_t at) {
    return at < ddb_item_count(item) ? &item->attributes[at]->value : NULL;
}

size_t ddb_list_count(const struct ddb_list *list) {
    return list == NULL ? 0 : list->count;
}

const struct ddb_value *ddb_list_at(const struct ddb_list *list, size_t at) {
    return at < ddb_list_count(list) ? list->values[at] : NULL;
}
