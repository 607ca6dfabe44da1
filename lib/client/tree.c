/* tree.c - the nodes of an item: making, finding, freeing and copying them. */
#include "client/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

enum { QUOTED_MAX = 60, CAPACITY_FIRST = 8 };

struct root_item {
    struct ddb_item item;
    struct mistakes mistakes;
};

struct root_list {
    struct ddb_list list;
    struct mistakes mistakes;
};

void *tree_alloc(size_t size) {
    void *memory = calloc(1, size);
    CHECK(memory != NULL);
    return memory;
}

/* ---- mistakes ---- */

int tree_quoted_len(const char *text) {
    size_t len = strnlen(text, QUOTED_MAX + 1);
    if (len <= QUOTED_MAX)
        return (int)len;
    /* Not in the middle of a character. */
    for (len = QUOTED_MAX; len > 0 && ((uint8_t)text[len] & 0xc0) == 0x80;)
        len--;
    return (int)len;
}

void tree_mistake(char **slot, const char *format, ...) {
    if (*slot != NULL)
        return;
    va_list args;
    va_start(args, format);
    CHECK(vasprintf(slot, format, args) >= 0);
    va_end(args);
}

void place_mistake(struct place place, const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    CHECK(vasprintf(&text, format, args) >= 0);
    va_end(args);
    char **slot = &place.mistakes->building;
    if (place.name == NULL)
        tree_mistake(slot, "an element of a list: %s", text);
    else
        tree_mistake(slot, "attribute \"%.*s\": %s", tree_quoted_len(place.name), place.name, text);
    free(text);
}

/* ---- types ---- */

static const char *const type_names[] = {
    [DDB_NONE] = "",     [DDB_S] = "S",       [DDB_N] = "N",   [DDB_B] = "B",
    [DDB_BOOL] = "BOOL", [DDB_NULL] = "NULL", [DDB_SS] = "SS", [DDB_NS] = "NS",
    [DDB_BS] = "BS",     [DDB_L] = "L",       [DDB_M] = "M",
};

const char *tree_type_name(enum ddb_type type) {
    return type_names[type];
}

bool tree_type_from_name(struct slice name, enum ddb_type *ret_type) {
    for (int type = DDB_S; type <= DDB_M; type++) {
        if (slice_is(name, type_names[type])) {
            *ret_type = (enum ddb_type)type;
            return true;
        }
    }
    return false;
}

/* Frees what the value holds; it is DDB_NONE then. */
static void tree_value_clear(struct ddb_value *value);

/* ---- freeing ---- */

static void list_clear(struct ddb_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        tree_value_clear(list->values[i]);
        free(list->values[i]);
    }
    free(list->values);
    list->values = NULL;
    list->count = list->capacity = 0;
}

static void attribute_free(struct attribute *attribute) {
    tree_value_clear(&attribute->value);
    free(attribute);
}

static void item_clear(struct ddb_item *item) {
    for (size_t i = 0; i < item->count; i++)
        attribute_free(item->attributes[i]);
    free(item->attributes);
    item->attributes = NULL;
    item->count = item->capacity = 0;
}

static void tree_value_clear(struct ddb_value *value) {
    enum ddb_type type = value->type;
    if (type == DDB_S || type == DDB_N || type == DDB_B)
        free(value->data);
    else if (type == DDB_L || tree_type_is_set(type))
        list_clear(&value->list);
    else if (type == DDB_M)
        item_clear(&value->map);
    *value = (struct ddb_value){.type = DDB_NONE};
}

static void mistakes_clear(struct mistakes *mistakes) {
    free(mistakes->building);
    free(mistakes->reading);
    if (mistakes->spare_map != NULL)
        item_clear(mistakes->spare_map);
    free(mistakes->spare_map);
    if (mistakes->spare_list != NULL)
        list_clear(mistakes->spare_list);
    free(mistakes->spare_list);
    *mistakes = (struct mistakes){0};
}

/* ---- places ---- */

static void *grown(void *array, size_t *capacity, size_t element) {
    *capacity = *capacity == 0 ? CAPACITY_FIRST : *capacity * 2;
    void *bigger = realloc(array, *capacity * element);
    CHECK(bigger != NULL);
    return bigger;
}

/* Where the name is, or where it belongs. */
static bool item_find(const struct ddb_item *item, const char *name, size_t *ret_at) {
    size_t low = 0, high = item->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(item->attributes[middle]->name, name);
        if (order == 0) {
            *ret_at = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_at = low;
    return false;
}

const struct ddb_value *ddb_item_value(const struct ddb_item *item, const char *name) {
    size_t at;
    if (item == NULL || !item_find(item, name, &at))
        return NULL;
    return &item->attributes[at]->value;
}

void ddb_item_remove(struct ddb_item *item, const char *name) {
    size_t at;
    if (!item_find(item, name, &at))
        return;
    attribute_free(item->attributes[at]);
    item->count--;
    memmove(item->attributes + at, item->attributes + at + 1,
            (item->count - at) * sizeof(*item->attributes));
}

static struct place item_insert(struct ddb_item *item, size_t at, struct slice name) {
    if (item->count == item->capacity)
        item->attributes = grown(item->attributes, &item->capacity, sizeof(*item->attributes));
    struct attribute *attribute = tree_alloc(sizeof(*attribute) + name.len + 1);
    memcpy(attribute->name, name.data, name.len);
    attribute->order = item->count;
    memmove(item->attributes + at + 1, item->attributes + at,
            (item->count - at) * sizeof(*item->attributes));
    item->attributes[at] = attribute;
    item->count++;
    return (struct place){&attribute->value, item->mistakes, attribute->name, item->depth};
}

struct place tree_item_place(struct ddb_item *item, const char *name) {
    size_t at;
    if (!item_find(item, name, &at))
        return item_insert(item, at, slice_text(name));
    struct attribute *attribute = item->attributes[at];
    tree_value_clear(&attribute->value);
    return (struct place){&attribute->value, item->mistakes, attribute->name, item->depth};
}

struct place tree_item_append(struct ddb_item *item, struct slice name) {
    return item_insert(item, item->count, name);
}

struct place tree_list_place(struct ddb_list *list) {
    if (list->count == list->capacity)
        list->values = grown(list->values, &list->capacity, sizeof(*list->values));
    struct ddb_value *value = tree_alloc(sizeof(*value));
    list->values[list->count++] = value;
    return (struct place){value, list->mistakes, NULL, list->depth};
}

static int compare_attributes(const void *a, const void *b) {
    const struct attribute *left = *(const struct attribute *const *)a;
    const struct attribute *right = *(const struct attribute *const *)b;
    int order = strcmp(left->name, right->name);
    if (order != 0)
        return order;
    return left->order < right->order ? -1 : left->order > right->order;
}

static bool is_sorted(const struct ddb_item *item) {
    for (size_t i = 1; i < item->count; i++)
        if (strcmp(item->attributes[i - 1]->name, item->attributes[i]->name) >= 0)
            return false;
    return true;
}

void tree_item_sort(struct ddb_item *item) {
    if (is_sorted(item))
        return;
    qsort(item->attributes, item->count, sizeof(*item->attributes), compare_attributes);
    size_t kept = 0;
    for (size_t i = 0; i < item->count; i++) {
        if (kept > 0 && strcmp(item->attributes[kept - 1]->name, item->attributes[i]->name) == 0)
            attribute_free(item->attributes[--kept]);
        item->attributes[kept++] = item->attributes[i];
    }
    item->count = kept;
}

/* ---- filling ---- */

void tree_put_bytes(struct place place, enum ddb_type type, struct slice bytes) {
    place.value->data = tree_alloc(bytes.len + 1);
    if (bytes.len > 0)
        memcpy(place.value->data, bytes.data, bytes.len);
    place.value->size = bytes.len;
    place.value->type = type;
}

static bool too_deep(struct place place) {
    if (place.depth + 1 < TREE_DEPTH_MAX)
        return false;
    place_mistake(place, "nested deeper than 32 levels");
    return true;
}

struct ddb_list *tree_put_list(struct place place, enum ddb_type type) {
    struct ddb_list empty = {.mistakes = place.mistakes, .depth = place.depth + 1};
    if (!too_deep(place)) {
        place.value->type = type;
        place.value->list = empty;
        return &place.value->list;
    }
    if (place.mistakes->spare_list == NULL) {
        place.mistakes->spare_list = tree_alloc(sizeof(empty));
        *place.mistakes->spare_list = empty;
    }
    return place.mistakes->spare_list;
}

struct ddb_item *tree_put_map(struct place place) {
    struct ddb_item empty = {.mistakes = place.mistakes, .depth = place.depth + 1};
    if (!too_deep(place)) {
        place.value->type = DDB_M;
        place.value->map = empty;
        return &place.value->map;
    }
    if (place.mistakes->spare_map == NULL) {
        place.mistakes->spare_map = tree_alloc(sizeof(empty));
        *place.mistakes->spare_map = empty;
    }
    return place.mistakes->spare_map;
}

static void copy_map(struct ddb_item *to, const struct ddb_item *from) {
    for (size_t i = 0; i < from->count; i++)
        tree_put_copy(tree_item_append(to, slice_text(from->attributes[i]->name)),
                      &from->attributes[i]->value);
}

static void copy_list(struct ddb_list *to, const struct ddb_list *from) {
    for (size_t i = 0; i < from->count; i++)
        tree_put_copy(tree_list_place(to), from->values[i]);
}

/* Below the deepest level nothing is copied, so that recursion ends there. */
void tree_put_copy(struct place place, const struct ddb_value *value) {
    switch (value->type) {
    case DDB_S:
    case DDB_N:
    case DDB_B:
        tree_put_bytes(place, value->type, slice_of(value->data, value->size));
        return;
    case DDB_M:
        tree_put_map(place);
        if (place.value->type == DDB_M)
            copy_map(&place.value->map, &value->map);
        return;
    case DDB_L:
    case DDB_SS:
    case DDB_NS:
    case DDB_BS:
        tree_put_list(place, value->type);
        if (place.value->type == value->type)
            copy_list(&place.value->list, &value->list);
        return;
    case DDB_NONE:
    case DDB_BOOL:
    case DDB_NULL:
        *place.value = *value;
        return;
    }
}

/* ---- roots ---- */

struct ddb_item *ddb_item_new(void) {
    struct root_item *root = tree_alloc(sizeof(*root));
    root->item.mistakes = &root->mistakes;
    return &root->item;
}

void ddb_item_free(struct ddb_item *item) {
    if (item == NULL || item->depth > 0)
        return;
    ddb_item_clear(item);
    free(item);
}

void ddb_item_clear(struct ddb_item *item) {
    item_clear(item);
    mistakes_clear(item->mistakes);
}

struct ddb_item *ddb_item_copy(const struct ddb_item *item) {
    struct ddb_item *copy = ddb_item_new();
    copy_map(copy, item);
    if (item->mistakes->building != NULL)
        tree_mistake(&copy->mistakes->building, "%s", item->mistakes->building);
    return copy;
}

struct ddb_list *ddb_list_new(void) {
    struct root_list *root = tree_alloc(sizeof(*root));
    root->list.mistakes = &root->mistakes;
    return &root->list;
}

void ddb_list_free(struct ddb_list *list) {
    if (list == NULL || list->depth > 0)
        return;
    list_clear(list);
    mistakes_clear(list->mistakes);
    free(list);
}
