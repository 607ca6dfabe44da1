/* check.c - see check.h. */
#include "store/rocksdb/check.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/rocksdb/internal.h"
#include "store/rocksdb/judge.h"

struct checking {
    struct rocksdb_store *store;
    struct arena *arena;
    struct files_observer *observer;
    struct files_summary *summary;
};

static void fault(struct checking *checking, struct slice text) {
    checking->summary->faults++;
    checking->observer->fault(checking->observer, text);
}

static void take_file(struct checking *checking, uint64_t bytes) {
    struct files_summary *summary = checking->summary;
    summary->files++;
    summary->bytes += bytes;
    checking->observer->report(checking->observer, summary->files, summary->bytes);
}

/* ---- tables ---- */

static void check_table(struct checking *checking, const char *name, uint64_t bytes) {
    struct rocksdb_store *store = checking->store;
    struct arena_mark mark = arena_mark(checking->arena);
    struct slice path =
        arena_printf(checking->arena, "%s/%s", store->config.options.directory, name);
    bool opened;
    char *text = extension.table_file_verify(store->env, (const char *)path.data, NULL, &opened);
    if (text != NULL)
        fault(checking, arena_printf(checking->arena, "table file %s: %s", name, text));
    free(text);
    take_file(checking, bytes);
    arena_rewind(checking->arena, mark);
}

/* Those that the database uses: after a crash there may be others, which were never finished. */
static void check_live_tables(struct checking *checking) {
    const rocksdb_livefiles_t *files = rocks.livefiles(checking->store->db);
    for (int i = 0; i < rocks.livefiles_count(files); i++) {
        const char *name = rocks.livefiles_name(files, i);
        check_table(checking, name[0] == '/' ? name + 1 : name, rocks.livefiles_size(files, i));
    }
    rocks.livefiles_destroy(files);
}

/* Files of the directory that end so. */
static void for_each_file(struct checking *checking, const char *suffix,
                          void (*act)(struct checking *, const char *name, uint64_t bytes)) {
    DIR *files = opendir(checking->store->config.options.directory);
    if (files == NULL)
        return;
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        struct stat status;
        if (file_ends_with(file->d_name, suffix) &&
            fstatat(dirfd(files), file->d_name, &status, 0) == 0)
            act(checking, file->d_name, (uint64_t)status.st_size);
    }
    closedir(files);
}

/* Logs were read when they were judged. */
static void take_log(struct checking *checking, const char *name, uint64_t bytes) {
    (void)name;
    take_file(checking, bytes);
}

/* ---- the database ---- */

static struct error *judge(struct checking *checking) {
    struct rocksdb_store *store = checking->store;
    const char *directory = store->config.options.directory;
    struct judgement judgement;
    TRY(rocksdb_check_not_beheaded(checking->arena, directory));
    struct error *error = rocksdb_judge(checking->arena, store->cipher, directory, &judgement);
    if (error != NULL)
        return error_local(checking->arena, "The database in %s is damaged: %.*s", directory,
                           SLICE_ARGS(error->message));
    checking->summary->commits = judgement.commits;
    checking->summary->dropped_at = judgement.dropped_at;
    memcpy(checking->summary->dropped, judgement.dropped, sizeof(judgement.dropped));
    if (judgement.is_endless && rocksdb_reads_forever())
        return error_local(checking->arena,
                           "its log %s cannot be read to its end: what is there from byte %llu on "
                           "is what a crash cut short, and a start leaves it out: check again "
                           "after one",
                           judgement.dropped, (unsigned long long)judgement.dropped_at);
    error = rocksdb_open_judged_to_read(store, checking->arena, &judgement);
    if (error == NULL || judgement.manifest_end == 0)
        return error;
    return error_local(checking->arena,
                       "%.*s; what cannot be read there, from byte %llu on, is what a crash cut "
                       "short, and a start leaves it out: check again after one",
                       SLICE_ARGS(error->message), (unsigned long long)judgement.manifest_end);
}

static struct error *check_files(struct checking *checking) {
    struct rocksdb_store *store = checking->store;
    const char *directory = store->config.options.directory;
    if (access(directory, R_OK | X_OK) != 0)
        return error_local(checking->arena, "%s cannot be read: %s", directory, strerror(errno));
    if (!rocksdb_take_lock(store))
        return error_local(checking->arena, "the database in %s is in use: stop its server first",
                           directory);
    TRY(rocksdb_library_load_extension(checking->arena));
    struct error *error = judge(checking);
    if (error != NULL)
        fault(checking, error->message);
    for_each_file(checking, ".log", take_log);
    if (store->db != NULL)
        check_live_tables(checking);
    else
        for_each_file(checking, ".sst", check_table);
    return NULL;
}

struct error *rocksdb_check(struct arena *arena, const struct rocksdb_store_options *options,
                            const struct store_keyspace *keyspaces, size_t count,
                            struct files_observer *observer, struct files_summary *ret_summary,
                            struct store **ret_store) {
    struct checking checking = {.arena = arena, .observer = observer, .summary = ret_summary};
    *ret_summary = (struct files_summary){.files = 0};
    TRY(rocksdb_store_new(arena, options, keyspaces, count, &checking.store));
    struct error *error = check_files(&checking);
    if (error == NULL && checking.store->db != NULL) {
        *ret_store = &checking.store->base;
        return NULL;
    }
    store_close(&checking.store->base);
    *ret_store = NULL;
    return error;
}
