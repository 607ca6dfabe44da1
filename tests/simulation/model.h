/* model.h - what the table of a simulation must hold: a plain map, and every change that led there.
 *
 * The table has the keys and indexes of fixture_create_indexed() and few keys, so that everything
 * meets. It is a struct of numbers; text is made of it only to be compared with what the engine
 * says. One thread. */
#ifndef GRAMME_TESTS_MODEL_H
#define GRAMME_TESTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_SORTS = 4, MODEL_KEYS = 24, MODEL_TEXT_MAX = 4096, MODEL_X_MAX = 3000 };

/* Key k is partition k / MODEL_SORTS, sort key k % MODEL_SORTS. */
struct model_item {
    bool there;
    int64_t e; /* the second in which it expires; 0: never */
    int g;     /* hash key of the global index; 0: it has none */
    int l;     /* sort key of the local index; likewise */
    int n;     /* what is counted; likewise */
    int x;     /* length of a text; likewise */
};

struct model_change {
    int64_t ms;
    int key;
    bool expired;
    struct model_item before, after;
};

struct model {
    struct model_item items[MODEL_KEYS];
    struct model_change *changes; /* malloc'ed */
    size_t change_count, change_max;
};

enum model_action {
    MODEL_PUT,
    MODEL_ADD,
    MODEL_SET,
    MODEL_CUT,
    MODEL_EXPIRE,
    MODEL_DELETE,
    MODEL_CHECK
};
enum model_condition { MODEL_ALWAYS, MODEL_EXISTS, MODEL_EXISTS_NOT, MODEL_N_IS };

/* A write as a client means it. */
struct model_write {
    int key;
    enum model_action action;
    struct model_item item; /* of a put; of others what they set */
    enum model_condition condition;
    int condition_n;
};

void model_release(struct model *model);

bool model_item_equal(const struct model_item *a, const struct model_item *b);
/* Whether the condition holds. */
bool model_allows(const struct model *model, const struct model_write *write);
/* What the write makes of the item, whatever its condition says. */
struct model_item model_result(const struct model *model, const struct model_write *write);
/* Takes a change in; nothing when the item is as it was. */
void model_set(struct model *model, int key, const struct model_item *item, int64_t ms,
               bool expired);

/* The items as they were after all changes up to and including that ms, or after so many. */
void model_at(const struct model *model, int64_t ms, struct model_item ret_items[MODEL_KEYS]);

/* As fixture_json() writes it; "absent". */
const char *model_item_text(int key, const struct model_item *item, char text[MODEL_TEXT_MAX]);
const char *model_key_text(int key, char text[64]);
/* The key that the text of an item has. */
int model_key_of(const char *text);

#endif
