/* item.h - items that a document wants in its tables: an aws_dynamodb_table_item of Terraform.
 *
 * An item is put whole, as Terraform does: what is there of that key and differs is replaced.
 * Memory: the template's arena. */
#ifndef GRAMME_TEMPLATE_ITEM_H
#define GRAMME_TEMPLATE_ITEM_H

#include "model/value.h"
#include "template/plan.h"

struct wanted_item {
    struct template_resource *resource;
    struct slice table;
    struct value item;
    struct value key;
};

/* In the order of the document. One that is known only after an apply gets a notice. */
struct error *template_items(struct template *t, struct wanted_item **ret_items, size_t *ret_count);
/* `found` is GetItem's answer; NULL: there is no such item. */
struct error *item_plan(struct template *t, const struct wanted_item *wanted,
                        const struct json_value *found, struct plan *ret_plan);

/* A GetItem. */
struct slice request_item(struct arena *arena, const struct wanted_item *wanted);

#endif
