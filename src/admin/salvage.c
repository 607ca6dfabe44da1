/* salvage.c - see salvage.h. */
#include "admin/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/files.h"
#include "admin/new_directory.h"
#include "admin/secrets_file.h"
#include "base/clock.h"
#include "base/container.h"
#include "store/dump/dump.h"
#include "store/rocksdb/salvage.h"

#define SECRETS "SECRETS"

enum { REPORT_EVERY = 4096, SECRETS_BYTES_MAX = 4096 };

struct salvage_run {
    struct files_observer files;
    struct salvage_observer records;
    struct salvage_visitor visitor;
    struct dump_check dumped;
    struct arena *arena;
    const struct data_check_options *options;
    struct salvaging *salvaging;
    uint8_t keyspace;
    uint64_t faults;
    uint64_t taken, bytes;
};

/* ---- who listens ---- */

static void tell(struct salvage_run *run, struct slice text) {
    run->faults++;
    run->options->faults->fault(run->options->faults, text);
}

static void file_fault(struct files_observer *base, struct slice text) {
    tell(container_of(base, struct salvage_run, files), text);
}

static void file_report(struct files_observer *base, uint64_t files, uint64_t bytes) {
    (void)base, (void)files, (void)bytes;
}

static void record_lost(struct salvage_observer *base, struct slice text) {
    tell(container_of(base, struct salvage_run, records), text);
}

static struct error *take(struct salvage_run *run, struct slice key, struct slice value) {
    struct dump_observer *observer = run->options->observer;
    run->bytes += key.len + value.len;
    if (++run->taken % REPORT_EVERY == 0)
        observer->report(observer, run->taken, run->bytes);
    return salvaging_take(run->salvaging, key, value);
}

/* ---- a directory ---- */

static struct error *take_record(struct salvage_visitor *base, struct slice key,
                                 struct slice value) {
    return take(container_of(base, struct salvage_run, visitor), key, value);
}

static bool vouch(struct salvage_visitor *base, struct slice key, struct slice value) {
    return salvaging_vouches(container_of(base, struct salvage_run, visitor)->salvaging, key,
                             value);
}

static void take_gap(struct salvage_visitor *base, const struct salvage_gap *gap,
                     struct slice reason) {
    struct salvage_run *run = container_of(base, struct salvage_run, visitor);
    struct arena_mark mark = arena_mark(run->arena);
    tell(run,
         arena_printf(run->arena,
                      "keyspace %s: some records cannot be read; around them %llu are right by "
                      "their own word, and %llu of older files stand in the place of others, "
                      "which may have been changed or deleted since: %.*s",
                      engine_keyspaces[run->keyspace].name, (unsigned long long)gap->vouched,
                      (unsigned long long)gap->older, SLICE_ARGS(reason)));
    arena_rewind(run->arena, mark);
}

/* What follows from items is not looked at. */
static struct error *take_keyspaces(struct salvage_run *run, struct salvage *salvage) {
    static const uint8_t keyspaces[] = {KEYSPACE_CATALOG, KEYSPACE_ITEMS, KEYSPACE_CHANGES};
    for (size_t i = 0; i < sizeof(keyspaces); i++) {
        run->keyspace = keyspaces[i];
        TRY(salvaging_next(run->salvaging, keyspaces[i]));
        TRY(salvage_scan(salvage, keyspaces[i], &run->visitor));
    }
    return NULL;
}

static struct error *from_store(struct salvage_run *run, const struct data_directory *source,
                                const char *scratch, struct salvage_totals *ret_totals) {
    struct rocksdb_store_options options = {.directory = source->store_path,
                                            .keyring = source->keyring};
    struct salvage *salvage = NULL;
    TRY(files_make_directory(run->arena, scratch, 0700));
    TRY(salvage_open(run->arena, &options, scratch, engine_keyspaces, KEYSPACE_COUNT, &run->files,
                     &salvage));
    struct error *error = take_keyspaces(run, salvage);
    if (error == NULL)
        error = salvaging_end(run->salvaging, salvage_is_partial(salvage), ret_totals);
    salvage_close(salvage);
    return error;
}

/* Without it nobody's secret could be opened. */
static struct error *copy_secrets(struct arena *arena, const struct data_directory *from,
                                  const struct data_directory *to) {
    char text[SECRETS_BYTES_MAX];
    int fd = open(files_join(arena, from->path, SECRETS), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? NULL : files_failed(arena, "read the secrets of", from->path);
    ssize_t len = read(fd, text, sizeof(text));
    close(fd);
    if (len < 0)
        return files_failed(arena, "read the secrets of", from->path);
    TRY(files_write(arena, files_join(arena, to->path, SECRETS), slice_of(text, (size_t)len)));
    return secrets_file_convert(arena, to->path, from->keyring, to->keyring);
}

static struct error *from_directory(struct salvage_run *run, const struct data_directory *data,
                                    struct salvage_totals *ret_totals) {
    struct data_directory source = {0};
    const char *scratch = files_join(run->arena, data->path, DATA_SCRATCH);
    TRY(data_directory_find_damaged(run->arena, run->options->path, run->options->key, &source));
    struct error *error = from_store(run, &source, scratch, ret_totals);
    struct error *removed = files_remove_tree(run->arena, scratch);
    struct error *secrets = copy_secrets(run->arena, &source, data);
    if (secrets != NULL)
        tell(run, secrets->message);
    data_directory_release(&source);
    return error != NULL ? error : removed;
}

/* ---- a backup ---- */

static struct error *take_dumped(struct dump_check *base, struct arena *arena,
                                 const struct store_key *key, struct slice value) {
    struct salvage_run *run = container_of(base, struct salvage_run, dumped);
    (void)arena;
    if (key->keyspace != run->keyspace)
        TRY(salvaging_next(run->salvaging, key->keyspace));
    run->keyspace = key->keyspace;
    return key->keyspace == KEYSPACE_INDEXES ? NULL : take(run, key->key, value);
}

static struct error *from_backup(struct salvage_run *run, struct salvage_totals *ret_totals) {
    struct dump_restore_options restore = {.file = run->options->path,
                                           .key = run->options->key,
                                           .observer = run->options->observer,
                                           .check = &run->dumped};
    struct dump_file_summary summary;
    struct error *damage = NULL;
    TRY(dump_file_check(run->arena, &restore, &summary, &damage));
    if (damage != NULL)
        tell(run, damage->message);
    TRY(salvaging_next(run->salvaging, KEYSPACE_CHANGES));
    return salvaging_end(run->salvaging, damage != NULL, ret_totals);
}

/* ---- either ---- */

static struct error *fill(struct salvage_run *run, const struct data_directory *data,
                          bool directory, struct salvage_totals *ret_totals) {
    struct rocksdb_store_options options = {
        .directory = data->store_path, .create = true, .keyring = data->keyring};
    struct store *store = NULL;
    TRY(rocksdb_store_open(run->arena, &options, engine_keyspaces, KEYSPACE_COUNT, &store));
    salvaging_begin(run->arena, store, &run->records, clock_now_ms(&system_clock), &run->salvaging);
    struct error *error =
        directory ? from_directory(run, data, ret_totals) : from_backup(run, ret_totals);
    salvaging_free(run->salvaging);
    store_close(store);
    return error;
}

struct error *data_salvage(struct arena *arena, const struct data_check_options *options,
                           const char *target, struct data_salvage *ret_salvage) {
    struct salvage_run run = {.files = {file_fault, file_report},
                              .records = {record_lost},
                              .visitor = {take_record, vouch, take_gap},
                              .dumped = {take_dumped},
                              .arena = arena,
                              .options = options};
    struct new_directory new_directory;
    struct store_place place;
    struct stat status;
    TRY(store_place_of(arena, options->path, &place));
    if (place.url != NULL)
        return error_local(arena,
                           "%s is on a PostgreSQL server, whose own tools salvage it: what can be "
                           "salvaged here is a data directory or a backup",
                           place.name);
    if (stat(options->path, &status) != 0)
        return files_failed(arena, "read", options->path);
    TRY(new_directory_begin(arena, target, options->key, &new_directory));
    struct error *error =
        fill(&run, &new_directory.data, S_ISDIR(status.st_mode), &ret_salvage->totals);
    TRY(new_directory_end(arena, &new_directory, error));
    ret_salvage->faults = run.faults;
    return NULL;
}
