/* model.c - see the header. */
#include "simulation/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

void model_release(struct model *model) {
    free(model->changes);
}

bool model_item_equal(const struct model_item *a, const struct model_item *b) {
    if (!a->there || !b->there)
        return a->there == b->there;
    return a->e == b->e && a->g == b->g && a->l == b->l && a->n == b->n && a->x == b->x;
}

bool model_allows(const struct model *model, const struct model_write *write) {
    const struct model_item *item = &model->items[write->key];
    switch (write->condition) {
    case MODEL_ALWAYS:
        return true;
    case MODEL_EXISTS:
        return item->there;
    case MODEL_EXISTS_NOT:
        return !item->there;
    case MODEL_N_IS:
        return item->there && item->n == write->condition_n;
    }
    return false;
}

struct model_item model_result(const struct model *model, const struct model_write *write) {
    struct model_item item = model->items[write->key];
    switch (write->action) {
    case MODEL_PUT:
        return write->item;
    case MODEL_DELETE:
        return (struct model_item){.there = false};
    case MODEL_CHECK:
        return item;
    case MODEL_ADD:
        item.n = (item.there ? item.n : 0) + write->item.n;
        break;
    case MODEL_SET:
        item.g = write->item.g;
        item.x = write->item.x;
        break;
    case MODEL_CUT: /* of an item that is not there makes none */
        if (!item.there)
            return item;
        item.g = item.l = 0;
        break;
    case MODEL_EXPIRE:
        item.e = write->item.e;
        break;
    }
    item.there = true;
    return item;
}

void model_set(struct model *model, int key, const struct model_item *item, int64_t ms,
               bool expired) {
    struct model_item *now = &model->items[key];
    if (model_item_equal(now, item))
        return;
    if (model->change_count == model->change_max) {
        model->change_max = model->change_max * 2 + 1024;
        model->changes = realloc(model->changes, model->change_max * sizeof(*model->changes));
        CHECK(model->changes != NULL);
    }
    struct model_item none = {.there = false};
    model->changes[model->change_count++] = (struct model_change){
        .ms = ms,
        .key = key,
        .expired = expired,
        .before = now->there ? *now : none,
        .after = *item,
    };
    *now = item->there ? *item : none;
}

void model_at(const struct model *model, int64_t ms, struct model_item ret_items[MODEL_KEYS]) {
    memcpy(ret_items, model->items, sizeof(model->items));
    for (size_t i = model->change_count; i > 0 && model->changes[i - 1].ms > ms; i--)
        ret_items[model->changes[i - 1].key] = model->changes[i - 1].before;
}

/* ---- text ---- */

const char *model_key_text(int key, char text[64]) {
    snprintf(text, 64, "{\"pk\":{\"S\":\"p%d\"},\"sk\":{\"S\":\"s%d\"}}", key / MODEL_SORTS,
             key % MODEL_SORTS);
    return text;
}

struct text {
    char *at;
    size_t left;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    CHECK(len >= 0 && (size_t)len < text->left);
    text->at += len;
    text->left -= (size_t)len;
}

const char *model_item_text(int key, const struct model_item *item, char text[MODEL_TEXT_MAX]) {
    char xs[MODEL_X_MAX];
    memset(xs, 'x', sizeof(xs) - 1);
    xs[item->there ? item->x : 0] = '\0';
    struct text out = {text, MODEL_TEXT_MAX};
    if (!item->there)
        return "absent";
    add(&out, "{");
    if (item->e != 0)
        add(&out, "\"e\":{\"N\":\"%lld\"},", (long long)item->e);
    if (item->g != 0)
        add(&out, "\"g\":{\"S\":\"g%d\"},", item->g);
    if (item->l != 0)
        add(&out, "\"l\":{\"N\":\"%d\"},", item->l);
    if (item->n != 0)
        add(&out, "\"n\":{\"N\":\"%d\"},", item->n);
    add(&out, "\"pk\":{\"S\":\"p%d\"},\"sk\":{\"S\":\"s%d\"}", key / MODEL_SORTS,
        key % MODEL_SORTS);
    if (item->x != 0)
        add(&out, ",\"x\":{\"S\":\"%s\"}", xs);
    add(&out, "}");
    return text;
}

int model_key_of(const char *text) {
    int partition, sort;
    const char *at = strstr(text, "\"pk\"");
    CHECK(at != NULL);
    CHECK(sscanf(at, "\"pk\":{\"S\":\"p%d\"},\"sk\":{\"S\":\"s%d\"}", &partition, &sort) == 2);
    return partition * MODEL_SORTS + sort;
}
