/* replay.c - see replay.h. */
#include "store/rocksdb/replay.h"

#include <stdio.h>

#include "base/bytes.h"
#include "store/rocksdb/log_walk.h"

enum {
    RECORD_BYTES_MAX = 1 << 30,
    BATCH_HEADER = 12,
    TAG_LOG_DATA = 3,
    TAG_FAMILY_DELETE = 4,
    TAG_FAMILY_PUT = 5,
    TAG_NOTHING = 13,
    TAG_FAMILY_DELETE_RANGE = 14,
};

struct replay {
    struct log_visitor base;
    struct rocksdb_store *store;
    rocksdb_writebatch_t *batch;
    char *failed; /* RocksDB's text */
};

/* ---- one record ---- */

static bool take_text(struct slice *rest, struct slice *ret_text) {
    uint32_t len;
    size_t size = varint_decode_checked(rest->data, rest->len, &len);
    if (size == 0 || len > rest->len - size)
        return false;
    *ret_text = slice_part(*rest, size, len);
    *rest = slice_skip(*rest, size + len);
    return true;
}

static bool take_family(const struct replay *replay, struct slice *rest,
                        rocksdb_column_family_handle_t **ret_family) {
    uint32_t number;
    size_t size = varint_decode_checked(rest->data, rest->len, &number);
    if (size == 0 || number == 0 || number > replay->store->config.keyspace_count)
        return false;
    *rest = slice_skip(*rest, size);
    *ret_family = replay->store->keyspaces[number - 1];
    return true;
}

#define TEXT(slice) (const char *)(slice).data, (slice).len

static bool take_change(const struct replay *replay, struct slice *rest) {
    rocksdb_column_family_handle_t *family;
    struct slice one, other;
    uint8_t tag = rest->data[0];
    *rest = slice_skip(*rest, 1);
    switch (tag) {
    case TAG_NOTHING:
        return true;
    case TAG_LOG_DATA:
        return take_text(rest, &one);
    case TAG_FAMILY_PUT:
        if (!take_family(replay, rest, &family) || !take_text(rest, &one) ||
            !take_text(rest, &other))
            return false;
        rocks.writebatch_put_cf(replay->batch, family, TEXT(one), TEXT(other));
        return true;
    case TAG_FAMILY_DELETE:
        if (!take_family(replay, rest, &family) || !take_text(rest, &one))
            return false;
        rocks.writebatch_delete_cf(replay->batch, family, TEXT(one));
        return true;
    case TAG_FAMILY_DELETE_RANGE:
        if (!take_family(replay, rest, &family) || !take_text(rest, &one) ||
            !take_text(rest, &other))
            return false;
        rocks.writebatch_delete_range_cf(replay->batch, family, TEXT(one), TEXT(other));
        return true;
    default:
        return false;
    }
}

static void take_record(struct log_visitor *base, uint64_t offset, struct slice record) {
    struct replay *replay = container_of(base, struct replay, base);
    (void)offset;
    if (record.len < BATCH_HEADER || replay->failed != NULL)
        return;
    struct slice rest = slice_skip(record, BATCH_HEADER);
    bool known = true;
    while (known && rest.len > 0)
        known = take_change(replay, &rest);
    if (known)
        rocks.write(replay->store->db, replay->store->write_relaxed, replay->batch,
                    &replay->failed);
    rocks.writebatch_clear(replay->batch);
}

static void pass_over(struct log_visitor *base, uint64_t offset) {
    (void)base, (void)offset;
}

/* ---- all of them ---- */

struct error *rocksdb_replay(struct rocksdb_store *store, struct arena *arena,
                             const char *directory) {
    struct replay replay = {.base = {RECORD_BYTES_MAX, take_record, pass_over}, .store = store};
    uint64_t *numbers = ARENA_ARRAY(arena, uint64_t, LOGS_MAX);
    DIR *files = opendir(directory);
    if (files == NULL)
        return NULL;
    replay.batch = rocks.writebatch_create();
    size_t count = log_find(files, 0, numbers);
    for (size_t i = 0; i < count && replay.failed == NULL; i++) {
        char name[32];
        snprintf(name, sizeof(name), "%06llu.log", (unsigned long long)numbers[i]);
        log_walk(store->cipher, dirfd(files), name, &replay.base);
    }
    rocks.writebatch_destroy(replay.batch);
    closedir(files);
    return replay.failed == NULL ? NULL
                                 : rocksdb_error(arena, "The store failed to write", replay.failed);
}
