/* statistics.c - what RocksDB tells of itself, in words of this program.
 *
 * Numbers of a family are added up; those of the whole database are asked of one. None of them
 * costs RocksDB anything while nobody asks. */
#include <stdio.h>
#include <string.h>

#include "store/rocksdb/internal.h"
#include "store/rocksdb/scrub.h"

static const struct property {
    const char *property; /* RocksDB's name, after "rocksdb." */
    const char *name;
    const char *help;
    bool whole; /* of the whole database */
} properties[] = {
    {"block-cache-usage", "cache_bytes", "Data read from disk that is held in memory.", true},
    {"block-cache-capacity", "cache_limit_bytes", "How much of it may be held.", true},
    {"cur-size-all-mem-tables", "write_buffer_bytes", "Writes in memory, not yet in files.", false},
    {"estimate-table-readers-mem", "file_index_bytes", "Memory for the indexes of files.", false},
    {"live-sst-files-size", "files_bytes", "Size of the files in use.", false},
    {"total-sst-files-size", "files_with_old_bytes", "The same, with those that readers hold.",
     false},
    {"estimate-pending-compaction-bytes", "compaction_pending_bytes",
     "What compactions have still to rewrite.", false},
    {"num-running-compactions", "compactions_running", "Compactions under way.", true},
    {"num-running-flushes", "flushes_running", "Write buffers on their way to files.", true},
    {"compaction-pending", "compactions_waiting", "Keyspaces that wait for one.", false},
    {"mem-table-flush-pending", "flushes_waiting", "Keyspaces that wait for one.", false},
    {"is-write-stopped", "writes_stopped", "1 while no write is let in.", true},
    {"actual-delayed-write-rate", "write_delay_rate_bytes",
     "Bytes a second that writes are slowed down to; 0: they are not.", true},
    {"background-errors", "background_errors", "Failures of flushes and compactions.", true},
    {"num-snapshots", "snapshots", "Readers that hold what was there when they began.", true},
};

static double value_of(const struct rocksdb_store *store, const struct property *property) {
    char name[64];
    double sum = 0;
    snprintf(name, sizeof(name), "rocksdb.%s", property->property);
    size_t count = property->whole ? 1 : store->config.keyspace_count;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        if (rocks.property_int_cf(store->db, store->keyspaces[i], name, &value) == 0)
            sum += (double)value;
    }
    return sum;
}

/* RocksDB tells this in a report for people only. False: it is not in there. */
static bool stalled_seconds(const struct rocksdb_store *store, double *ret_seconds) {
    static const char label[] = "Cumulative stall: ";
    char *report = rocks.property_value_cf(store->db, store->keyspaces[0], "rocksdb.dbstats");
    const char *at = report == NULL ? NULL : strstr(report, label);
    int hours, minutes;
    double seconds;
    bool told = at != NULL &&
                sscanf(at + sizeof(label) - 1, "%d:%d:%lf H:M:S", &hours, &minutes, &seconds) == 3;
    if (told)
        *ret_seconds = hours * 3600.0 + minutes * 60.0 + seconds;
    rocks.free(report);
    return told;
}

size_t rocksdb_store_statistics(struct store *base, struct arena *arena,
                                struct store_statistic ret_list[STORE_STATISTICS_MAX]) {
    struct rocksdb_store *store = rocksdb_of(base);
    size_t count = sizeof(properties) / sizeof(properties[0]);
    double seconds;
    _Static_assert(sizeof(properties) / sizeof(properties[0]) + 3 + SCRUB_STATISTICS <=
                       STORE_STATISTICS_MAX,
                   "room");
    if (rocksdb_gate_enter(store, arena) != NULL)
        return 0;
    for (size_t i = 0; i < count; i++)
        ret_list[i] = (struct store_statistic){properties[i].name, properties[i].help,
                                               value_of(store, &properties[i])};
    if (stalled_seconds(store, &seconds))
        ret_list[count++] = (struct store_statistic){
            "stalled_seconds", "For how long writes were slowed down or stopped.", seconds};
    rocksdb_gate_leave(store);
    ret_list[count++] = (struct store_statistic){"commits", "Commits since the store was opened.",
                                                 (double)atomic_load(&store->commits)};
    ret_list[count++] = (struct store_statistic){
        "reserve_bytes", "Room that is kept for a start on a full disk; 0: none, or given up.",
        (double)reserve_kept_bytes(&store->reserve)};
    return count + scrubber_statistics(store, &ret_list[count]);
}
