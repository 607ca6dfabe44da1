/* dump_file.c - makes a backup: through the running server, or from the directory itself.
 *
 * The bytes go to FILE.partial, which is synced and gets its name at the end; so a file of that
 * name is whole, whatever happened before. What the server sends is verified on its way.
 * Memory: one block of the dump. Threads: the caller's. */
#include "admin/dump_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/control_socket.h"
#include "admin/data_directory.h"
#include "admin/dump_stream.h"
#include "admin/files.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "store/rocksdb/rocksdb.h"

/* ---- where it comes from ---- */

static struct error *from_server(struct arena *arena, const struct dump_file_options *options,
                                 int server, struct fd_sink *sink, struct dump_summary *ret_dump) {
    struct stream_progress progress = stream_progress_of(options->observer);
    struct fd_source source = fd_source_of(server, "from the server");
    struct dump_read_options read = {
        .source = &source.base,
        .keyspaces = engine_keyspaces,
        .keyspace_count = KEYSPACE_COUNT,
        .sink = &sink->base,
        .progress = &progress.base,
    };
    TRY(control_request(arena, server, CONTROL_BACKUP));
    return dump_read(arena, &read, ret_dump);
}

static struct error *from_directory(struct arena *arena, const struct dump_file_options *options,
                                    struct fd_sink *sink, struct dump_summary *ret_dump) {
    const char *path = NULL;
    struct store *store = NULL;
    struct stream_progress progress = stream_progress_of(options->observer);
    TRY(data_directory_find(arena, options->directory, &path));
    struct rocksdb_store_options store_options = {.directory = path};
    TRY(rocksdb_store_open(arena, &store_options, engine_keyspaces, KEYSPACE_COUNT, &store));
    struct dump_write_options write = {
        .store = store,
        .keyspaces = engine_keyspaces,
        .keyspace_count = KEYSPACE_COUNT,
        .program = options->program,
        .now_ms = clock_now_ms(&system_clock),
        .sink = &sink->base,
        .progress = &progress.base,
    };
    struct error *error = dump_write(arena, &write, ret_dump);
    store_close(store);
    return error;
}

static struct error *copy_to(struct arena *arena, const struct dump_file_options *options, int fd,
                             struct dump_file_summary *ret_summary) {
    struct fd_sink sink = fd_sink_of(fd, options->file);
    struct dump_summary dump = {0};
    struct error *error;
    int server = -1;
    TRY(control_connect(arena, options->directory, &server));
    if (server >= 0) {
        error = from_server(arena, options, server, &sink, &dump);
        close(server);
    } else {
        error = from_directory(arena, options, &sink, &dump);
    }
    TRY(error);
    *ret_summary = dump_file_summary_of(&dump);
    ret_summary->from_server = server >= 0;
    return NULL;
}

/* ---- where it goes ---- */

static struct error *check_target(struct arena *arena, const struct dump_file_options *options) {
    struct stat status;
    if (lstat(options->file, &status) != 0)
        return errno == ENOENT ? NULL : files_failed(arena, "write", options->file);
    if (!S_ISREG(status.st_mode))
        return error_local(arena, "%s is there and not a file", options->file);
    if (!options->replace)
        return error_local(arena,
                           "%s is there already: choose another name, or replace it with --force",
                           options->file);
    return NULL;
}

/* A leftover of a backup that was cut short is written over; one that another is writing is not. */
static struct error *open_partial(struct arena *arena, const char *path, int *ret_fd) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return files_failed(arena, "write", path);
    struct error *error = NULL;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        error = error_local(arena, "another backup is writing %s at this moment", path);
    else if (fchmod(fd, 0600) != 0 || ftruncate(fd, 0) != 0)
        error = files_failed(arena, "write", path);
    if (error != NULL)
        close(fd);
    else
        *ret_fd = fd;
    return error;
}

static struct error *write_partial(struct arena *arena, const struct dump_file_options *options,
                                   int fd, const char *partial,
                                   struct dump_file_summary *ret_summary) {
    TRY(copy_to(arena, options, fd, ret_summary));
    if (fsync(fd) != 0)
        return files_failed(arena, "write", partial);
    TRY(check_target(arena, options)); /* it may have come meanwhile */
    return files_rename(arena, partial, options->file);
}

static struct error *to_file(struct arena *arena, const struct dump_file_options *options,
                             struct dump_file_summary *ret_summary) {
    const char *partial = (const char *)arena_printf(arena, "%s.partial", options->file).data;
    int fd = -1;
    TRY(check_target(arena, options));
    TRY(open_partial(arena, partial, &fd));
    struct error *error = write_partial(arena, options, fd, partial, ret_summary);
    if (error != NULL)
        unlink(partial);
    close(fd);
    return error;
}

struct error *dump_file_make(struct arena *arena, const struct dump_file_options *options,
                             struct dump_file_summary *ret_summary) {
    if (strcmp(options->file, "-") != 0)
        return to_file(arena, options, ret_summary);
    if (isatty(STDOUT_FILENO))
        return error_local(arena, "a backup is not for a terminal: send it to a file or a program");
    struct dump_file_options named = *options;
    named.file = "standard output";
    return copy_to(arena, &named, STDOUT_FILENO, ret_summary);
}
