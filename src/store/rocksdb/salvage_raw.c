/* salvage_raw.c - see salvage_raw.h.
 *
 * Through the pipe comes, of each record: the lengths of key and value, 4 bytes each, then both. */
#include "store/rocksdb/salvage_raw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/check.h"
#include "store/rocksdb/internal.h"

enum { PATIENCE_S = 60, LENGTHS = 8, CHUNK = 1 << 16 };

/* ---- the other process ---- */

static bool send_bytes(int fd, const void *bytes, size_t len) {
    for (size_t done = 0; done < len;) {
        ssize_t sent = write(fd, (const char *)bytes + done, len - done);
        if (sent < 0 && errno != EINTR)
            return false;
        done += sent < 0 ? 0 : (size_t)sent;
    }
    return true;
}

static bool send_record(int fd, const rocksdb_iterator_t *iterator) {
    size_t key_len, value_len;
    uint8_t lengths[LENGTHS];
    const char *key = rocks.iter_key(iterator, &key_len);
    const char *value = rocks.iter_value(iterator, &value_len);
    store_u32(lengths, (uint32_t)key_len);
    store_u32(lengths + 4, (uint32_t)value_len);
    return send_bytes(fd, lengths, sizeof(lengths)) && send_bytes(fd, key, key_len) &&
           send_bytes(fd, value, value_len);
}

/* What it says of its end is of no interest to anyone, and neither is what it leaves. */
_Noreturn static void read_and_send(struct rocksdb_store *store, const struct store_range *range,
                                    int fd) {
    struct rlimit none = {0, 0};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &none);
    alarm(PATIENCE_S);
    rocksdb_readoptions_t *options = rocks.readoptions_create();
    rocks.readoptions_set_verify_checksums(options, 0);
    rocks.readoptions_set_fill_cache(options, 0);
    if (slice_present(range->last))
        rocks.readoptions_set_iterate_upper_bound(options, (const char *)range->last.data,
                                                  range->last.len);
    rocksdb_iterator_t *iterator =
        rocks.create_iterator_cf(store->db, options, store->keyspaces[range->keyspace]);
    rocks.iter_seek(iterator, (const char *)range->first.data, range->first.len);
    while (rocks.iter_valid(iterator) && send_record(fd, iterator))
        rocks.iter_next(iterator);
    _exit(0);
}

/* ---- this one ---- */

static void receive(int fd, struct buffer *bytes) {
    uint8_t chunk[CHUNK];
    for (;;) {
        ssize_t len = read(fd, chunk, sizeof(chunk));
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0 || bytes->len + (size_t)len > RAW_BYTES_MAX)
            return;
        buffer_append(bytes, chunk, (size_t)len);
    }
}

static int compare_keys(const void *a, const void *b) {
    const struct raw_record *one = a, *other = b;
    return slice_compare(one->key, other->key);
}

/* A key that is too long for a store, or outside of the range, was none. */
static bool belongs(const struct store_range *range, struct slice key) {
    return key.len > 0 && key.len <= STORE_KEY_MAX && slice_compare(key, range->first) >= 0 &&
           (!slice_present(range->last) || slice_compare(key, range->last) < 0);
}

static bool take_record(struct slice *rest, struct raw_record *ret_record) {
    if (rest->len < LENGTHS)
        return false;
    size_t key_len = load_u32(rest->data), value_len = load_u32(rest->data + 4);
    *rest = slice_skip(*rest, LENGTHS);
    if (key_len > rest->len || value_len > rest->len - key_len)
        return false;
    *ret_record =
        (struct raw_record){slice_first(*rest, key_len), slice_part(*rest, key_len, value_len)};
    *rest = slice_skip(*rest, key_len + value_len);
    return true;
}

static void sort_out(struct raw_records *records, const struct store_range *range) {
    struct slice rest = buffer_slice(&records->bytes);
    struct raw_record record;
    size_t count = 0, kept = 0;
    records->list = calloc(rest.len / LENGTHS + 1, sizeof(*records->list));
    CHECK(records->list != NULL);
    while (take_record(&rest, &record))
        if (belongs(range, record.key))
            records->list[count++] = record;
    qsort(records->list, count, sizeof(*records->list), compare_keys);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || !slice_equal(records->list[kept - 1].key, records->list[i].key))
            records->list[kept++] = records->list[i];
    records->count = kept;
}

void raw_records_read(struct store *base, const struct store_range *range,
                      struct raw_records *ret_records) {
    int ends[2];
    *ret_records = (struct raw_records){.count = 0};
    buffer_init(&ret_records->bytes, RAW_BYTES_MAX);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid_t child = fork();
    if (child == 0)
        read_and_send(rocksdb_of(base), range, ends[1]);
    close(ends[1]);
    if (child > 0)
        receive(ends[0], &ret_records->bytes);
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    sort_out(ret_records, range);
}

void raw_records_release(struct raw_records *records) {
    free(records->list);
    buffer_release(&records->bytes);
}
