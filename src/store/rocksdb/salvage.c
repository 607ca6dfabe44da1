/* salvage.c - see salvage.h.
 *
 * RocksDB's iterators stop at a block that they cannot read, and do not tell where the next one
 * begins. So that is searched for: keys as numbers, ever further behind the last that was read,
 * until a look there succeeds, and then between that and the one before. */
#include "store/rocksdb/salvage.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "store/rocksdb/internal.h"
#include "store/rocksdb/judge.h"
#include "store/rocksdb/manifest.h"
#include "store/rocksdb/salvage_raw.h"
#include "store/rocksdb/salvage_view.h"

enum {
    TABLES_MAX = 1 << 16,
    SEARCHED_BYTES = 40, /* of a key; two that differ only behind them are not told apart */
};

struct found_table {
    uint64_t number;
    const char *name;
    struct slice text; /* what cannot be read of it; absent: it is sound */
    bool opened;
};

struct salvage {
    struct arena *arena;
    struct rocksdb_store *source; /* closed; its lock is held */
    const char *scratch;
    const struct keyring *keyring;
    struct files_observer *observer;
    struct error *manifest; /* what is wrong with it; NULL: nothing */
    struct found_table *tables;
    size_t table_count;
    const char **unreadable; /* that cannot be opened, or were not in use.. */
    const char **damaged;    /* ..and those of which some blocks cannot be read; NULL ends both */
    bool lost;               /* one that cannot be opened was in use */
    bool rebuilt;            /* without the manifest */
    bool is_endless;         /* RocksDB would never come to the end of its logs */
    bool partial;
    struct store *view;
    struct store *older; /* without the damaged tables; NULL: not needed yet */
};

bool salvage_is_partial(const struct salvage *salvage) {
    return salvage->partial;
}

static void tell(struct salvage *salvage, struct slice text) {
    salvage->partial = true;
    salvage->observer->fault(salvage->observer, text);
}

/* ---- tables ---- */

static void look_at_table(struct salvage *salvage, const char *name) {
    const struct rocksdb_store *source = salvage->source;
    const char *directory = source->config.options.directory;
    struct slice path = arena_printf(salvage->arena, "%s/%s", directory, name);
    struct found_table table = {.number = strtoull(name, NULL, 10),
                                .name = arena_copy(salvage->arena, name, strlen(name) + 1)};
    char *text =
        extension.table_file_verify(source->env, (const char *)path.data, NULL, &table.opened);
    if (text != NULL)
        table.text = arena_slice(salvage->arena, slice_text(text));
    free(text);
    if (salvage->table_count < TABLES_MAX)
        salvage->tables[salvage->table_count++] = table;
}

static void tell_table(struct salvage *salvage, const struct found_table *table) {
    tell(salvage,
         arena_printf(salvage->arena, "table file %s: %.*s%s", table->name, SLICE_ARGS(table->text),
                      table->opened ? "" : "; nothing in it can be read"));
    salvage->lost |= !table->opened;
}

static int compare_tables(const void *left, const void *right) {
    const struct found_table *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* By a sound manifest; by any other, all were. */
static struct manifest_table *find_used(const struct salvage *salvage) {
    struct manifest_table *used =
        ARENA_ARRAY(salvage->arena, struct manifest_table, salvage->table_count + 1);
    for (size_t i = 0; i < salvage->table_count; i++)
        used[i] = (struct manifest_table){salvage->tables[i].number, true};
    if (salvage->manifest == NULL)
        manifest_find_tables(salvage->source->cipher, salvage->source->config.options.directory,
                             used, salvage->table_count);
    return used;
}

/* Those that were not in use are nobody's loss, and nobody's gain: a job that the end of the server
 * cut off has left them, or one whose tables took their place. */
static void judge_tables(struct salvage *salvage) {
    size_t damaged = 0, unreadable = 0;
    const struct manifest_table *used = find_used(salvage);
    salvage->damaged = ARENA_ARRAY(salvage->arena, const char *, salvage->table_count + 1);
    salvage->unreadable = ARENA_ARRAY(salvage->arena, const char *, salvage->table_count + 1);
    for (size_t i = 0; i < salvage->table_count; i++) {
        const struct found_table *table = &salvage->tables[i];
        bool sound = !slice_present(table->text);
        if (!sound || !used[i].used)
            salvage->damaged[damaged++] = table->name;
        if (!table->opened || !used[i].used)
            salvage->unreadable[unreadable++] = table->name;
        if (!sound && used[i].used)
            tell_table(salvage, table);
    }
}

static struct error *look_at_tables(struct salvage *salvage) {
    const char *directory = salvage->source->config.options.directory;
    DIR *files = opendir(directory);
    if (files == NULL)
        return error_local(salvage->arena, "%s cannot be read: %s", directory, strerror(errno));
    salvage->tables = ARENA_ARRAY(salvage->arena, struct found_table, TABLES_MAX);
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        if (file_ends_with(file->d_name, ".sst"))
            look_at_table(salvage, file->d_name);
    }
    closedir(files);
    qsort(salvage->tables, salvage->table_count, sizeof(*salvage->tables), compare_tables);
    judge_tables(salvage);
    return NULL;
}

/* ---- views ---- */

static struct error *open_view(struct salvage *salvage, const char *name,
                               const char *const *without, bool rebuild, struct store **ret_view) {
    const struct rocksdb_config *config = &salvage->source->config;
    struct slice path = arena_printf(salvage->arena, "%s/%s", salvage->scratch, name);
    struct rocksdb_store_options options = config->options;
    options.directory = (const char *)path.data;
    options.keyring = salvage->keyring;
    struct salvage_files files = {config->options.directory, without, rebuild};
    return salvage_view_open(salvage->arena, &options, config->keyspaces, config->keyspace_count,
                             &files, ret_view);
}

/* As it was, if its manifest is sound, all its tables are there, and RocksDB can read its logs. */
static struct error *open_first(struct salvage *salvage) {
    struct error *error = salvage->manifest;
    salvage->rebuilt = error != NULL || salvage->lost || salvage->is_endless;
    if (!salvage->rebuilt) {
        error = open_view(salvage, "view", salvage->unreadable, false, &salvage->view);
        salvage->rebuilt = error != NULL;
    }
    if (!salvage->rebuilt)
        return NULL;
    if (error != NULL)
        tell(salvage, error->message);
    tell(salvage, SLICE_LITERAL("the database is put together anew from its tables and logs: what "
                                "was deleted not long ago may be back"));
    return open_view(salvage, "rebuilt", salvage->unreadable, true, &salvage->view);
}

static struct error *open_older(struct salvage *salvage) {
    if (salvage->older != NULL)
        return NULL;
    return open_view(salvage, "older", salvage->damaged, true, &salvage->older);
}

/* ---- opening ---- */

static struct error *judge(struct salvage *salvage) {
    struct rocksdb_store *source = salvage->source;
    const char *directory = source->config.options.directory;
    struct judgement judgement;
    if (access(directory, R_OK | X_OK) != 0)
        return error_local(salvage->arena, "%s cannot be read: %s", directory, strerror(errno));
    if (!rocksdb_take_lock(source))
        return error_local(salvage->arena, "the database in %s is in use: stop its server first",
                           directory);
    TRY(rocksdb_library_load_extension(salvage->arena));
    struct error *error = rocksdb_judge(salvage->arena, source->cipher, directory, &judgement);
    if (error != NULL)
        tell(salvage, error->message);
    salvage->is_endless = judgement.is_endless && rocksdb_reads_forever();
    salvage->manifest = rocksdb_judge_manifest(salvage->arena, source->cipher, directory);
    return NULL;
}

struct error *salvage_open(struct arena *arena, const struct rocksdb_store_options *options,
                           const char *scratch, const struct store_keyspace *keyspaces,
                           size_t count, struct files_observer *observer,
                           struct salvage **ret_salvage) {
    struct salvage *salvage = ARENA_NEW(arena, struct salvage);
    *salvage = (struct salvage){
        .arena = arena, .scratch = scratch, .keyring = options->keyring, .observer = observer};
    TRY(rocksdb_store_new(arena, options, keyspaces, count, &salvage->source));
    struct error *error = judge(salvage);
    if (error == NULL)
        error = look_at_tables(salvage);
    if (error == NULL)
        error = open_first(salvage);
    if (error != NULL)
        salvage_close(salvage);
    else
        *ret_salvage = salvage;
    return error;
}

void salvage_close(struct salvage *salvage) {
    store_close(salvage->view);
    store_close(salvage->older);
    store_close(&salvage->source->base);
}

/* ---- where one can read on ---- */

/* Whether a look at that key, or behind it, succeeds. */
static bool can_read(struct salvage *salvage, uint8_t keyspace, const uint8_t *key, size_t len) {
    struct arena arena;
    struct store_txn *txn = NULL;
    struct store_scan *scan = NULL;
    struct store_range range = {keyspace, slice_of(key, len), SLICE_NONE};
    struct slice found_key, found_value;
    bool found = false;
    arena_init(&arena);
    struct error *error = store_begin(salvage->view, &arena, STORE_READ_LATEST, &txn);
    if (error == NULL)
        error = store_scan_open(txn, &range, false, &scan);
    if (error == NULL)
        error = store_scan_next(scan, &found, &found_key, &found_value);
    store_scan_close(scan);
    store_end(txn);
    arena_release(&arena);
    return error == NULL;
}

/* Adds 1 to the number that ends with byte `at`. False: it was the largest. */
static bool add_at(uint8_t number[SEARCHED_BYTES], size_t at) {
    for (;;) {
        if (++number[at] != 0)
            return true;
        if (at-- == 0)
            return false;
    }
}

/* Of two numbers the one in the middle; false when they are neighbours. */
static bool middle(const uint8_t low[SEARCHED_BYTES], const uint8_t high[SEARCHED_BYTES],
                   uint8_t ret_middle[SEARCHED_BYTES]) {
    unsigned sum = 0, carry = 0;
    uint8_t halves[SEARCHED_BYTES + 1] = {0};
    for (size_t i = SEARCHED_BYTES; i > 0; i--) {
        sum = (unsigned)low[i - 1] + high[i - 1] + (sum >> 8);
        halves[i] = (uint8_t)sum;
    }
    carry = sum >> 8;
    for (size_t i = 1; i <= SEARCHED_BYTES; i++) {
        unsigned both = carry << 8 | halves[i];
        ret_middle[i - 1] = (uint8_t)(both >> 1);
        carry = both & 1;
    }
    return memcmp(ret_middle, low, SEARCHED_BYTES) != 0;
}

/* The first key behind `last` from which on one can read; false: there is none. */
static bool find_readable(struct salvage *salvage, uint8_t keyspace, struct slice last,
                          uint8_t ret_key[SEARCHED_BYTES]) {
    uint8_t low[SEARCHED_BYTES] = {0}, high[SEARCHED_BYTES], between[SEARCHED_BYTES];
    memcpy(low, last.data, last.len < SEARCHED_BYTES ? last.len : SEARCHED_BYTES);
    for (size_t at = SEARCHED_BYTES;; at--) {
        if (at == 0)
            return false;
        memcpy(high, low, SEARCHED_BYTES);
        if (add_at(high, at - 1) && can_read(salvage, keyspace, high, SEARCHED_BYTES))
            break;
    }
    while (middle(low, high, between))
        memcpy(can_read(salvage, keyspace, between, SEARCHED_BYTES) ? high : low, between,
               SEARCHED_BYTES);
    memcpy(ret_key, high, SEARCHED_BYTES);
    return true;
}

/* ---- scanning ---- */

struct scanning {
    struct salvage *salvage;
    struct salvage_visitor *visitor;
    uint8_t keyspace;
    uint8_t last[STORE_KEY_MAX + 1]; /* the next key that there may be */
    size_t last_len;
    struct raw_records raw; /* of the gap that is crossed */
    size_t raw_at;
    struct salvage_gap gap;
    bool failed; /* the visitor has */
};

/* The smallest key behind it. */
static void pass(struct scanning *scanning, struct slice key) {
    memcpy(scanning->last, key.data, key.len);
    scanning->last[key.len] = 0;
    scanning->last_len = key.len + 1;
}

static struct error *take(struct scanning *scanning, struct slice key, struct slice value) {
    pass(scanning, key);
    struct error *error = scanning->visitor->record(scanning->visitor, key, value);
    scanning->failed = error != NULL;
    return error;
}

/* Those of the block itself, up to a key (absent: all) and with it, that are vouched for. */
static struct error *take_raw(struct scanning *scanning, struct slice up_to, bool *ret_met) {
    struct salvage_visitor *visitor = scanning->visitor;
    *ret_met = false;
    for (; scanning->raw_at < scanning->raw.count; scanning->raw_at++) {
        const struct raw_record *record = &scanning->raw.list[scanning->raw_at];
        int order = slice_present(up_to) ? slice_compare(record->key, up_to) : -1;
        if (order > 0)
            return NULL;
        if (!visitor->vouches(visitor, record->key, record->value))
            continue;
        *ret_met = order == 0;
        scanning->gap.vouched++;
        TRY(take(scanning, record->key, record->value));
    }
    return NULL;
}

static struct error *visit_all(struct scanning *scanning, struct store_scan *scan) {
    for (;;) {
        bool found = false, met = false;
        struct slice key, value;
        TRY(store_scan_next(scan, &found, &key, &value));
        TRY(take_raw(scanning, found ? key : SLICE_NONE, &met));
        if (!found)
            return NULL;
        scanning->gap.older += !met;
        if (!met)
            TRY(take(scanning, key, value));
    }
}

/* From where it is up to a key. The error is in the arena. */
static struct error *visit(struct scanning *scanning, struct store *store, struct arena *arena,
                           const struct store_range *range) {
    struct store_txn *txn = NULL;
    struct store_scan *scan = NULL;
    TRY(store_begin(store, arena, STORE_READ, &txn));
    struct error *error = store_scan_open(txn, range, false, &scan);
    if (error == NULL)
        error = visit_all(scanning, scan);
    store_scan_close(scan);
    store_end(txn);
    return error;
}

/* What stands in a place that cannot be read: its own records where they are right, older ones
 * where there are any. */
static struct error *fill_gap(struct scanning *scanning, struct arena *arena,
                              const struct store_range *range) {
    struct salvage *salvage = scanning->salvage;
    TRY(open_older(salvage));
    raw_records_read(salvage->view, range, &scanning->raw);
    scanning->raw_at = 0;
    scanning->gap = (struct salvage_gap){.older = 0};
    struct error *error = visit(scanning, salvage->older, arena, range);
    raw_records_release(&scanning->raw);
    scanning->raw = (struct raw_records){.count = 0};
    return scanning->failed ? error : NULL;
}

static struct error *cross(struct scanning *scanning, struct arena *arena, struct slice reason,
                           bool *ret_end) {
    struct salvage *salvage = scanning->salvage;
    uint8_t next[SEARCHED_BYTES];
    struct slice first = arena_slice(arena, slice_of(scanning->last, scanning->last_len));
    bool found = find_readable(salvage, scanning->keyspace, first, next);
    struct store_range range = {scanning->keyspace, first,
                                found ? slice_of(next, sizeof(next)) : SLICE_NONE};
    salvage->partial = true;
    TRY(fill_gap(scanning, arena, &range));
    scanning->visitor->gap(scanning->visitor, &scanning->gap, reason);
    if (found) {
        memcpy(scanning->last, next, sizeof(next));
        scanning->last_len = sizeof(next);
    }
    *ret_end = !found;
    return NULL;
}

struct error *salvage_scan(struct salvage *salvage, uint8_t keyspace,
                           struct salvage_visitor *visitor) {
    struct scanning scanning = {.salvage = salvage, .visitor = visitor, .keyspace = keyspace};
    struct arena arena;
    struct error *error = NULL;
    bool end = false;
    arena_init(&arena);
    while (!end && error == NULL) {
        struct store_range rest = {keyspace, slice_of(scanning.last, scanning.last_len),
                                   SLICE_NONE};
        struct error *stopped = visit(&scanning, salvage->view, &arena, &rest);
        if (stopped == NULL)
            end = true;
        else if (scanning.failed)
            error = stopped;
        else
            error = cross(&scanning, &arena, stopped->message, &end);
        if (error != NULL)
            error = error_local(salvage->arena, "%.*s", SLICE_ARGS(error->message));
        arena_reset(&arena);
    }
    arena_release(&arena);
    return error;
}
