/* scaled.c - see scaled.h. */
#include "template/scaled.h"

#include <stdio.h>
#include <stdlib.h>

static struct slice text_of(const struct wanted_watch *watch, const char *name) {
    const struct node *node = node_find(watch->properties, name);
    return node == NULL || node->kind != NODE_SCALAR ? SLICE_LITERAL("") : node->text;
}

/* Checked before: it is a number of few digits. */
static int64_t number_of(const struct wanted_watch *watch, const char *name) {
    char digits[24];
    snprintf(digits, sizeof(digits), "%.*s", SLICE_ARGS(text_of(watch, name)));
    return strtoll(digits, NULL, 10);
}

/* "table/orders" or "table/orders/index/by-day". */
static bool is_about(struct slice resource, struct slice table, struct slice index) {
    char text[600];
    if (slice_present(index))
        snprintf(text, sizeof(text), "table/%.*s/index/%.*s", SLICE_ARGS(table), SLICE_ARGS(index));
    else
        snprintf(text, sizeof(text), "table/%.*s", SLICE_ARGS(table));
    return slice_is(resource, text);
}

static void keep(const struct wanted_watch *watch, const char *dimension, int64_t found,
                 int64_t *units) {
    if (slice_is(text_of(watch, "ScalableDimension"), dimension) &&
        found >= number_of(watch, "MinCapacity") && found <= number_of(watch, "MaxCapacity"))
        *units = found;
}

static void keep_index(const struct wanted_watch *watch, struct table_index *wanted,
                       const struct table_definition *found) {
    for (size_t i = 0; i < found->index_count; i++) {
        const struct provisioned_throughput *has = &found->indexes[i].throughput;
        if (!slice_equal(found->indexes[i].name, wanted->name))
            continue;
        keep(watch, "dynamodb:index:ReadCapacityUnits", has->read_units,
             &wanted->throughput.read_units);
        keep(watch, "dynamodb:index:WriteCapacityUnits", has->write_units,
             &wanted->throughput.write_units);
    }
}

void scaled_keep(const struct wanted_watch *watches, size_t count, struct table_definition *wanted,
                 const struct table_definition *found) {
    if (wanted->billing != BILLING_PROVISIONED || found->billing != BILLING_PROVISIONED)
        return;
    for (size_t i = 0; i < count; i++) {
        if (watches[i].resource->kind != RESOURCE_SCALING_TARGET)
            continue;
        struct slice resource = text_of(&watches[i], "ResourceId");
        if (is_about(resource, wanted->name, SLICE_NONE)) {
            keep(&watches[i], "dynamodb:table:ReadCapacityUnits", found->throughput.read_units,
                 &wanted->throughput.read_units);
            keep(&watches[i], "dynamodb:table:WriteCapacityUnits", found->throughput.write_units,
                 &wanted->throughput.write_units);
        }
        for (size_t k = 0; k < wanted->index_count; k++)
            if (is_about(resource, wanted->name, wanted->indexes[k].name))
                keep_index(&watches[i], &wanted->indexes[k], found);
    }
}
