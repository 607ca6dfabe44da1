/* read.h - reading items, on the caller's thread.
 *
 * A reader is a read transaction with DynamoDB's words. What it returns lives until reader_end (a
 * cursor's item: until the next step). A reader and its cursors may move to another thread between
 * calls. */
#ifndef GRAMME_ENGINE_READ_H
#define GRAMME_ENGINE_READ_H

#include "codec/item.h"
#include "engine/table.h"
#include "expr/expr.h"

struct engine;

struct reader {
    struct engine *engine;
    struct arena *arena;
    struct store_txn *txn;
    bool eventual; /* it reads what may be a moment old */
    /* Items are handed out as item_decode_unread() gives them, with their checksums checked: for
     * who does nothing with them but item_write_json(), which minds their bounds by itself. */
    bool unread;
};

enum read_mode {
    READ_ONCE,     /* one get */
    READ_SNAPSHOT, /* everything read is of one moment */
};

struct error *reader_begin(struct engine *engine, struct arena *arena, enum read_mode mode,
                           struct reader *ret_reader);
/* Likewise of what may be a moment old, where there is another store for that and it is well. What
 * fails there is to be tried again, after engine_eventual_failed(). */
struct error *reader_begin_eventual(struct engine *engine, struct arena *arena, enum read_mode mode,
                                    struct reader *ret_reader);
void engine_eventual_failed(struct engine *engine);
void reader_end(struct reader *reader); /* also fine when it never began, or twice */

/* `key` has exactly the key attributes, checked. An absent item: there is none. */
struct error *reader_get(struct reader *reader, const struct table *table, struct value key,
                         struct stored_item *ret_item);

struct read_key {
    const struct table *table;
    struct value key;
};
struct error *reader_get_many(struct reader *reader, size_t count, const struct read_key *keys,
                              struct stored_item *ret_items);
/* What is said of an item that turned out to be damaged. */
struct error *reader_damaged(struct reader *reader, const struct read_key *key);

/* ---- gets that take a round trip ---- */

/* Items on their way. */
struct item_fetch {
    const struct read_key *keys; /* they, and their tables, stay until the reader ends */
    size_t count;
    /* Called once, on any thread, possibly before reader_fetch() returns. */
    void (*done)(struct item_fetch *fetch);
    struct reader *reader;
    struct store_fetch store;
};
/* The one read of its reader. */
void reader_fetch(struct reader *reader, struct item_fetch *fetch);
/* One of the items, when it is done. */
struct error *reader_fetched(const struct item_fetch *fetch, size_t i,
                             struct stored_item *ret_item);

/* ---- ranges ---- */

struct read_range {
    const struct table *table;
    const struct table_index *index; /* NULL: the table itself */
    bool reverse;
    /* ExclusiveStartKey: table keys, and index keys; absent: from the beginning. */
    struct value start_key;
    /* Query: the values of the HASH attributes in order, and the conditions on the RANGE attributes
     * in order, of which all but the last are KEY_EQ. Without hash[0]: a scan. */
    struct value hash[KEY_PARTS_MAX];
    struct key_condition sort[KEY_PARTS_MAX];
    size_t sort_count;
    /* Scan: one segment of total_segments. */
    uint32_t segment;
    uint32_t total_segments; /* 0: no segments */
};

struct cursor {
    struct reader *reader;
    const struct read_range *range; /* the caller keeps it */
    struct store_scan *scan;
    uint32_t rank;    /* the start of the hash of the last key; first, where the range begins */
    struct slice key; /* of the last item, until the next step */
};

struct error *cursor_open(struct reader *reader, const struct read_range *range,
                          struct cursor *ret_cursor);
/* Absent item: the end. Of an index: the entry, with what the index projects. */
struct error *cursor_next(struct cursor *cursor, struct stored_item *ret_item);
/* What is said of the last item when it turned out to be damaged. */
struct error *cursor_damaged(const struct cursor *cursor);
void cursor_close(struct cursor *cursor); /* also fine when it never opened, or twice */

/* Of a scan of a table with `count` partitions, even parts of all hashes: that of the last item, or
 * where it begins, and the last that it reaches into. */
uint32_t cursor_partition(const struct cursor *cursor, uint32_t count);
uint32_t cursor_last_partition(const struct cursor *cursor, uint32_t count);

/* True when nothing of a query's range can follow this key: it is the one key of a table without
 * sort keys, or the far bound of <=, >= or BETWEEN. Of an index never: entries share sort keys. */
bool read_range_ends_at(const struct read_range *range, struct value key);

/* True when the start key of a scan lies in its segment. */
bool read_segment_holds(struct engine *engine, struct arena *arena, const struct read_range *range);

#endif
