/* check.c - see check.h. */
#include "admin/check.h"

#include <sys/stat.h>

#include "admin/data_directory.h"
#include "admin/files.h"
#include "base/container.h"
#include "engine/check.h"

/* ---- who listens ---- */

struct listener {
    struct files_observer files;
    struct check_observer records;
    const struct data_check_options *options;
};

static void tell(const struct data_check_options *options, struct slice text) {
    options->faults->fault(options->faults, text);
}

static void file_fault(struct files_observer *base, struct slice text) {
    tell(container_of(base, struct listener, files)->options, text);
}

static void record_fault(struct check_observer *base, struct slice text) {
    tell(container_of(base, struct listener, records)->options, text);
}

static void files_progress(struct files_observer *base, uint64_t files, uint64_t bytes) {
    struct dump_observer *observer = container_of(base, struct listener, files)->options->observer;
    (void)files;
    observer->report(observer, 0, bytes);
}

static void records_progress(struct check_observer *base, uint64_t records, uint64_t bytes) {
    struct dump_observer *observer =
        container_of(base, struct listener, records)->options->observer;
    observer->report(observer, records, bytes);
}

static struct listener listener_of(const struct data_check_options *options) {
    return (struct listener){
        {file_fault, files_progress}, {record_fault, records_progress}, options};
}

/* ---- a shared store ---- */

static struct error *check_shared(struct arena *arena, const struct data_check_options *options,
                                  const struct store_place *place, struct data_check *check) {
    struct listener listener = listener_of(options);
    struct found_store found;
    TRY(found_store_open(arena, place, NULL, FOUND_BESIDE, &found));
    engine_check(arena, found.store, &listener.records, &check->records);
    found_store_close(&found);
    check->opened = true;
    check->faults = check->records.faults;
    return NULL;
}

/* ---- a directory ---- */

static struct error *check_store(struct arena *arena, const struct data_check_options *options,
                                 const struct data_directory *data, struct data_check *check) {
    struct listener listener = listener_of(options);
    struct rocksdb_store_options store_options = {.directory = data->store_path,
                                                  .keyring = data->keyring};
    struct store *store = NULL;
    TRY(rocksdb_check(arena, &store_options, engine_keyspaces, KEYSPACE_COUNT, &listener.files,
                      &check->files, &store));
    check->opened = store != NULL;
    if (check->opened)
        engine_check(arena, store, &listener.records, &check->records);
    store_close(store);
    check->faults = check->files.faults + check->records.faults;
    return NULL;
}

static struct error *check_directory(struct arena *arena, const struct data_check_options *options,
                                     const char *directory, struct data_check *check) {
    struct data_directory data = {0};
    check->has_files = true;
    TRY(data_directory_find(arena, directory, options->key, &data));
    struct error *error = check_store(arena, options, &data, check);
    data_directory_release(&data);
    return error;
}

/* ---- a backup ---- */

static struct error *check_backup(struct arena *arena, const struct data_check_options *options,
                                  struct data_check *check) {
    struct dump_restore_options restore = {
        .file = options->path, .key = options->key, .observer = options->observer};
    struct error *damage = NULL;
    check->is_backup = true;
    TRY(dump_file_check(arena, &restore, &check->backup, &damage));
    if (damage == NULL)
        return NULL;
    check->faults = 1;
    tell(options, damage->message);
    return NULL;
}

struct error *data_check(struct arena *arena, const struct data_check_options *options,
                         struct data_check *ret_check) {
    struct stat status;
    struct store_place place;
    *ret_check = (struct data_check){.faults = 0};
    TRY(store_place_of(arena, options->path, &place));
    ret_check->name = place.name;
    if (place.url != NULL)
        return check_shared(arena, options, &place, ret_check);
    if (stat(place.directory, &status) != 0)
        return files_failed(arena, "read", place.directory);
    return S_ISDIR(status.st_mode) ? check_directory(arena, options, place.directory, ret_check)
                                   : check_backup(arena, options, ret_check);
}
