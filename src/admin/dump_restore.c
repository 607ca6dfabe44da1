/* dump_restore.c - verifies a backup, and makes a store of it.
 *
 * One pass: the records go to a new store (new_store.h) while they are verified, without a sync per
 * step, with one at the end. So damage that shows only at the end leaves nothing.
 * Memory: one block of the dump and the store's own. Threads: the caller's, and the store's. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "admin/dump_file.h"
#include "admin/dump_sealed.h"
#include "admin/dump_stream.h"
#include "admin/files.h"
#include "admin/new_store.h"
#include "engine/dump_check.h"
#include "engine/engine.h"

/* *ret_damage is what is wrong with a dump that could be opened. */
static struct error *look_through(struct arena *arena, const struct dump_restore_options *options,
                                  int fd, struct store *store,
                                  struct dump_file_summary *ret_summary,
                                  struct error **ret_damage) {
    struct fd_source source = fd_source_of(fd, options->file);
    struct stream_progress progress = stream_progress_of(options->observer);
    struct sealed_source sealed;
    struct dump_checker CLEANUP(dump_checker_release) checker;
    dump_checker_init(&checker);
    struct dump_read_options read = {
        .source = &sealed.base,
        .keyspaces = engine_keyspaces,
        .keyspace_count = KEYSPACE_COUNT,
        .store = store,
        .progress = &progress.base,
        .check = options->check != NULL ? options->check : &checker.base,
    };
    struct dump_summary dump;
    struct error *error = sealed_source_open(arena, &sealed, &source.base, options->key);
    if (error == NULL)
        *ret_damage = dump_read(arena, &read, &dump);
    if (error == NULL && *ret_damage == NULL) {
        *ret_summary = dump_file_summary_of(&dump);
        ret_summary->encrypted = sealed.seal != NULL;
    }
    sealed_source_release(&sealed);
    return error;
}

static struct error *read_dump(struct arena *arena, const struct dump_restore_options *options,
                               int fd, struct store *store, struct dump_file_summary *ret_summary) {
    struct error *damage = NULL;
    TRY(look_through(arena, options, fd, store, ret_summary, &damage));
    return damage;
}

/* ---- the store ---- */

static struct error *restore_to(struct arena *arena, const struct dump_restore_options *options,
                                int fd, struct dump_file_summary *ret_summary) {
    struct new_store_options target = {.place = options->place,
                                       .key = options->key,
                                       .replace = options->replace,
                                       .by = "gramme restore"};
    struct new_store made;
    TRY(new_store_begin(arena, &target, &made));
    return new_store_end(arena, &made, read_dump(arena, options, fd, made.store, ret_summary));
}

/* ---- the file ---- */

static struct error *open_dump(struct arena *arena, struct dump_restore_options *options,
                               int *ret_fd) {
    *ret_fd = STDIN_FILENO;
    if (strcmp(options->file, "-") == 0)
        options->file = "standard input";
    else if ((*ret_fd = open(options->file, O_RDONLY | O_CLOEXEC)) < 0)
        return files_failed(arena, "read", options->file);
    return NULL;
}

static void close_dump(int fd) {
    if (fd != STDIN_FILENO)
        close(fd);
}

struct error *dump_file_check(struct arena *arena, const struct dump_restore_options *options,
                              struct dump_file_summary *ret_summary, struct error **ret_damage) {
    struct dump_restore_options named = *options;
    int fd;
    *ret_damage = NULL;
    TRY(open_dump(arena, &named, &fd));
    struct error *error = look_through(arena, &named, fd, NULL, ret_summary, ret_damage);
    close_dump(fd);
    return error;
}

struct error *dump_file_restore(struct arena *arena, const struct dump_restore_options *options,
                                struct dump_file_summary *ret_summary) {
    struct dump_restore_options named = *options;
    int fd;
    TRY(open_dump(arena, &named, &fd));
    struct error *error = restore_to(arena, &named, fd, ret_summary);
    close_dump(fd);
    return error;
}
