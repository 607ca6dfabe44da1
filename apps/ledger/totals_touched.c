/* totals_touched.c - see totals_touched.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for tdestroy() */
#endif
#include "totals_touched.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { TOUCHED_MAX = 200000 };

struct item {
    char *key;              /* in DynamoDB's JSON */
    struct ddb_item *first; /* before its first change, or NULL: it was not there */
    bool removed;
    bool met; /* by a page, after its first change */
};

static int compare(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static void free_item(void *node) {
    struct item *item = node;
    free(item->key);
    ddb_item_free(item->first);
    free(item);
}

static char *key_of(const struct ddb_item *item) {
    struct ddb_item *key = ddb_item_new();
    ddb_item_set_value(key, "PK", ddb_item_value(item, "PK"));
    ddb_item_set_value(key, "SK", ddb_item_value(item, "SK"));
    char *text = ddb_item_json(key);
    ddb_item_free(key);
    return text;
}

static struct item *find(const struct touched *touched, char *key) {
    struct item **node = tfind(&(struct item){.key = key}, &touched->tree, compare);
    return node == NULL ? NULL : *node;
}

static struct item *add(struct touched *touched, char *key, const struct ddb_item *first) {
    struct item *item = calloc(1, sizeof(*item));
    if (item == NULL)
        abort();
    *item = (struct item){.key = key, .first = first == NULL ? NULL : ddb_item_copy(first)};
    if (tsearch(item, &touched->tree, compare) == NULL)
        abort();
    touched->count++;
    return item;
}

bool touched_note(struct touched *touched, const struct ddb_record *record) {
    char *key = key_of(record->keys);
    struct item *item = find(touched, key);
    if (item == NULL)
        item = add(touched, key, record->old_image);
    else
        free(key);
    if (record->event == DDB_REMOVE && item->first != NULL && !item->met && !item->removed) {
        item->removed = true;
        touched->unclear++;
    }
    return touched->count < TOUCHED_MAX;
}

bool touched_meet(struct touched *touched, const struct ddb_item *item,
                  const struct ddb_item **ret_first) {
    char *key = key_of(item);
    struct item *found = find(touched, key);
    free(key);
    if (found == NULL)
        return false;
    if (found->removed && !found->met)
        touched->unclear--;
    found->met = true;
    *ret_first = found->first;
    return true;
}

void touched_release(struct touched *touched) {
    tdestroy(touched->tree, free_item);
    *touched = (struct touched){0};
}
