/* settings.c - how RocksDB is tuned.
 *
 * The aim is small point reads and writes on a small machine: little memory until it is used, two
 * background threads, a bounded log so that a start after a crash replays little.
 * Memory: the caller destroys what it gets. Threads: any. */
#include <sys/resource.h>

#include "store/rocksdb/internal.h"

#define MIB ((size_t)1 << 20)

enum {
    OPEN_FILES_MAX = 8192,
    OPEN_FILES_MIN = 64,
    BLOCK_BYTES = 8192,
    BLOCK_BYTES_ENCRYPTED = 4096, /* a get decrypts a whole one, which costs more than finding it */
    FILTER_BITS_PER_KEY = 16,
    LEVEL_BASE_BUFFERS = 8,
    DIAGNOSTICS_NONE = 4, /* RocksDB's name for it is FATAL, a level it does not use */
};

static size_t or_default(size_t size, size_t fallback) {
    return size != 0 ? size : fallback;
}

/* Of one family: half of a small budget, a quarter of a large one, since while one buffer is
 * written to disk the next one fills. Where no points are read, ranges come and go: there the
 * newest files, which stay when their range was deleted, are kept small. */
static size_t family_buffer_bytes(size_t write_buffer_bytes, bool point_reads) {
    size_t half = write_buffer_bytes / 2, small = half < 32 * MIB ? half : 32 * MIB;
    return point_reads && write_buffer_bytes / 4 > small ? write_buffer_bytes / 4 : small;
}

/* RocksDB keeps a file open per table; half of what is allowed leaves room for connections. */
static int open_files_max(const struct rocksdb_store_options *options) {
    struct rlimit limit;
    if (options->open_files_max > 0)
        return options->open_files_max;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 2 >= OPEN_FILES_MAX)
        return OPEN_FILES_MAX;
    return limit.rlim_cur / 2 < OPEN_FILES_MIN ? OPEN_FILES_MIN : (int)(limit.rlim_cur / 2);
}

/* As much as fits in the write buffers, or 128 MB: with less, buffers would be written out before
 * they are full. A start after a crash replays the log. */
static size_t log_bytes_max(size_t write_buffer_bytes) {
    return write_buffer_bytes > 128 * MIB ? write_buffer_bytes : 128 * MIB;
}

/* The log is always written. Recovery stops at the first record that is torn: everything synced
 * comes before it. The stricter modes would refuse to start after a power loss that left a hole in
 * what was not synced. */
static void set_log(rocksdb_options_t *settings, size_t write_buffer_bytes) {
    rocks.options_set_wal_recovery_mode(settings, rocksdb_point_in_time_recovery);
    rocks.options_set_max_total_wal_size(settings, log_bytes_max(write_buffer_bytes));
    rocks.options_set_paranoid_checks(settings, 1);
    rocks.options_set_max_manifest_file_size(settings, 16 * MIB);
}

/* RocksDB describes what it does in a file LOG. When a line cannot be written there, because the
 * disk is full, the next one runs into an assertion; so it writes none. What matters comes back as
 * an error. */
static void set_diagnostics(rocksdb_options_t *settings) {
    rocks.options_set_info_log_level(settings, DIAGNOSTICS_NONE);
    rocks.options_set_keep_log_file_num(settings, 2);
    rocks.options_set_stats_dump_period_sec(settings, 0);
    rocks.options_set_stats_persist_period_sec(settings, 0);
}

/* Only where data stays: level 0 and the first one below it are rewritten soon, and what is in the
 * lowest is compressed whichever level that is. */
static void set_compression(rocksdb_options_t *settings, int compression) {
    const int levels[] = {rocksdb_no_compression, rocksdb_no_compression, compression};
    rocks.options_set_compression_per_level(settings, levels, sizeof(levels) / sizeof(*levels));
    rocks.options_set_bottommost_compression(settings, compression);
}

static void set_background(rocksdb_options_t *settings) {
    rocks.options_set_max_background_jobs(settings, 2);
    rocks.options_set_max_file_opening_threads(settings, 2);
    rocks.options_set_bytes_per_sync(settings, MIB);
    rocks.options_set_skip_stats_update_on_db_open(settings, 1);
}

static void set_tables(rocksdb_options_t *settings, rocksdb_cache_t *cache, bool encrypted,
                       bool point_reads) {
    rocksdb_block_based_table_options_t *table = rocks.block_based_options_create();
    rocks.block_based_options_set_block_cache(table, cache);
    rocks.block_based_options_set_block_size(table,
                                             encrypted ? BLOCK_BYTES_ENCRYPTED : BLOCK_BYTES);
    if (point_reads) {
        /* Hashed keys share too little for delta encoding to pay, and decoding it costs a get. */
        rocks.block_based_options_set_block_restart_interval(table, 1);
        rocks.block_based_options_set_filter_policy(
            table, rocks.filterpolicy_create_bloom_full(FILTER_BITS_PER_KEY));
        rocks.block_based_options_set_whole_key_filtering(table, 1);
        rocks.block_based_options_set_data_block_index_type(
            table, rocksdb_block_based_table_data_block_index_type_binary_search_and_hash);
    }
    rocks.options_set_block_based_table_factory(settings, table);
    rocks.block_based_options_destroy(table);
}

void rocksdb_settings_lenient(rocksdb_options_t *settings) {
    rocks.options_set_wal_recovery_mode(settings, rocksdb_skip_any_corrupted_records_recovery);
    rocks.options_set_disable_auto_compactions(settings, 1);
}

rocksdb_cache_t *rocksdb_settings_cache(const struct rocksdb_store_options *options) {
    return rocks.cache_create_lru(or_default(options->block_cache_bytes, 64 * MIB));
}

rocksdb_options_t *rocksdb_settings_new(const struct rocksdb_store *store, rocksdb_cache_t *cache,
                                        bool point_reads, int compression) {
    const struct rocksdb_store_options *options = &store->config.options;
    size_t write_buffer_bytes = or_default(options->write_buffer_bytes, 64 * MIB);
    size_t family_bytes = family_buffer_bytes(write_buffer_bytes, point_reads);
    rocksdb_options_t *settings = rocks.options_create();
    if (store->env != NULL)
        rocks.options_set_env(settings, store->env);
    rocks.options_set_create_if_missing(settings, options->create);
    rocks.options_set_create_missing_column_families(settings, 1);
    rocks.options_set_max_open_files(settings, open_files_max(options));
    rocks.options_set_db_write_buffer_size(settings, write_buffer_bytes);
    rocks.options_set_write_buffer_size(settings, family_bytes);
    /* As much as gathers in level 0 before it is merged down, so that a merge rewrites about as
     * much as it adds. */
    rocks.options_set_max_bytes_for_level_base(settings, LEVEL_BASE_BUFFERS * family_bytes);
    rocks.options_set_allow_concurrent_memtable_write(settings, 0); /* there is one writer */
    rocks.options_set_level_compaction_dynamic_level_bytes(settings, 1);
    set_compression(settings, compression);
    if (point_reads) { /* so that keys in tables are not searched for in recent writes first */
        rocks.options_set_memtable_prefix_bloom_size_ratio(settings, 0.01);
        rocks.options_set_memtable_whole_key_filtering(settings, 1);
    }
    set_log(settings, write_buffer_bytes);
    set_background(settings);
    set_diagnostics(settings);
    set_tables(settings, cache, store->env != NULL, point_reads);
    return settings;
}
