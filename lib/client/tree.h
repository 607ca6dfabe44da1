/* tree.h - items, lists and values as the client holds them: a tree of nodes.
 *
 * A caller builds and reads items in any order and keeps pointers to maps and lists inside them, so
 * every value is an allocation of its own that never moves. Attributes are sorted by name.
 *
 * Invariants: `attributes` is sorted and without duplicates, except while tree_json.c reads a map;
 * `data` of a string, a number or a binary ends with a NUL that `size` does not count; a node is
 * never deeper than TREE_DEPTH_MAX, so recursion is bounded.
 * Memory: a root owns its tree and its mistakes; nodes inside point to the root's mistakes.
 * Threads: a tree belongs to whoever holds it. */
#ifndef GRAMME_CLIENT_TREE_H
#define GRAMME_CLIENT_TREE_H

#include "base/slice.h"
#include "client/gramme_client.h"
#include "json/reader.h"
#include "json/writer.h"

enum { TREE_DEPTH_MAX = 33 }; /* one more than the service allows: the level where it shows */

/* The first mistake of each kind, malloc()ed texts, and what a caller gets to fill when a map or a
 * list would be too deep: that is a mistake already, so what goes in there is never sent. */
struct mistakes {
    char *building;
    char *reading;
    struct ddb_item *spare_map;
    struct ddb_list *spare_list;
};

struct ddb_item {
    struct mistakes *mistakes;
    struct attribute **attributes;
    size_t count;
    size_t capacity;
    int depth; /* 0: a root */
};

struct ddb_list {
    struct mistakes *mistakes;
    struct ddb_value **values;
    size_t count;
    size_t capacity;
    int depth;
};

struct ddb_value {
    enum ddb_type type;
    union {
        bool truth;
        struct {
            char *data;
            size_t size;
        };
        struct ddb_list list; /* L and the sets */
        struct ddb_item map;
    };
};

struct attribute {
    struct ddb_value value;
    size_t order; /* in which it was appended */
    char name[];
};

/* Where a value goes, and whom to tell about mistakes. */
struct place {
    struct ddb_value *value;
    struct mistakes *mistakes;
    const char *name; /* NULL in a list */
    int depth;        /* of the map or list that holds the value */
};

/* Memory or the end of the program. */
void *tree_alloc(size_t size);

/* The value that the attribute of that name has, or gets: emptied, to be filled. */
struct place tree_item_place(struct ddb_item *item, const char *name);
struct place tree_list_place(struct ddb_list *list);
/* The same at the end of the attributes, in no order; tree_item_sort() must follow. */
struct place tree_item_append(struct ddb_item *item, struct slice name);
/* The later of two equal names wins. */
void tree_item_sort(struct ddb_item *item);

void tree_put_bytes(struct place place, enum ddb_type type, struct slice bytes);
/* A list, a set or a map without anything in it. Never NULL: where it would be too deep that is a
 * mistake, and the value stays absent. */
struct ddb_list *tree_put_list(struct place place, enum ddb_type type);
struct ddb_item *tree_put_map(struct place place);
void tree_put_copy(struct place place, const struct ddb_value *value);

/* Keeps the first one. `place_mistake` puts the attribute's name before the text. */
void place_mistake(struct place place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tree_mistake(char **slot, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* How many bytes of a text to quote in a message: short, and whole characters. */
int tree_quoted_len(const char *text);

const char *tree_type_name(enum ddb_type type); /* "S" */
bool tree_type_from_name(struct slice name, enum ddb_type *ret_type);

static inline bool tree_type_is_set(enum ddb_type type) {
    return type == DDB_SS || type == DDB_NS || type == DDB_BS;
}

/* The type of a set's members. */
static inline enum ddb_type tree_member_type(enum ddb_type set) {
    return set == DDB_SS ? DDB_S : set == DDB_NS ? DDB_N : DDB_B;
}

/* ---- JSON ---- */

/* {"pk":{"S":"x"}} */
void tree_write_item(struct json_writer *writer, const struct ddb_item *item);
/* [{"S":"x"}] */
void tree_write_list(struct json_writer *writer, const struct ddb_list *list);
/* Where the reader stands on the first token. False when the JSON is no item; what was read so far
 * is in the item. */
bool tree_read_item(struct json_reader *reader, struct ddb_item *item);
/* The same of plain JSON, {"pk":"x"}; writing leaves the braces to the caller. */
void tree_write_plain_members(struct json_writer *writer, const struct ddb_item *item);
bool tree_read_plain(struct json_reader *reader, struct ddb_item *item);

#endif
