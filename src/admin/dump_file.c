/* dump_file.c - makes a backup: through the running server, or from the store itself.
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
#include "admin/dump_sealed.h"
#include "admin/dump_stream.h"
#include "admin/files.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "engine/whole.h"
#include "store/rocksdb/rocksdb.h"

/* ---- from the server ---- */

/* `to` gets the dump as it is read, or NULL. */
static struct error *verify(struct arena *arena, const struct dump_file_options *options,
                            struct dump_source *source, struct dump_sink *to,
                            struct dump_file_summary *ret_summary) {
    struct stream_progress progress = stream_progress_of(options->observer);
    struct dump_read_options read = {
        .source = source,
        .keyspaces = engine_keyspaces,
        .keyspace_count = KEYSPACE_COUNT,
        .sink = to,
        .progress = &progress.base,
    };
    struct dump_summary dump = {0};
    TRY(dump_read(arena, &read, &dump));
    *ret_summary = dump_file_summary_of(&dump);
    return NULL;
}

/* What the server has sealed is passed on as it is, and looked into when there is a key. */
static struct error *from_encrypting(struct arena *arena, const struct dump_file_options *options,
                                     struct dump_source *source, struct dump_sink *to,
                                     struct dump_file_summary *ret_summary) {
    if (options->key == NULL) {
        *ret_summary = (struct dump_file_summary){0};
        return sealed_copy(arena, source, to, &ret_summary->bytes);
    }
    struct tee_source tee = tee_source_of(source, to);
    struct sealed_source sealed;
    struct error *error = sealed_source_open(arena, &sealed, &tee.base, options->key);
    if (error == NULL)
        error = verify(arena, options, &sealed.base, NULL, ret_summary);
    sealed_source_release(&sealed);
    return error;
}

static struct error *from_server(struct arena *arena, const struct dump_file_options *options,
                                 int server, bool encrypted, struct fd_sink *sink,
                                 struct dump_file_summary *ret_summary) {
    struct fd_source source = fd_source_of(server, "from the server");
    TRY(control_request(arena, server, CONTROL_BACKUP));
    return encrypted ? from_encrypting(arena, options, &source.base, &sink->base, ret_summary)
                     : verify(arena, options, &source.base, &sink->base, ret_summary);
}

/* ---- from the directory ---- */

static struct error *write_dump(struct arena *arena, const struct dump_file_options *options,
                                struct store *store, struct dump_sink *sink,
                                struct dump_file_summary *ret_summary) {
    struct stream_progress progress = stream_progress_of(options->observer);
    struct dump_write_options write = {
        .store = store,
        .keyspaces = engine_keyspaces,
        .keyspace_count = KEYSPACE_COUNT,
        .program = options->program,
        .now_ms = clock_now_ms(&system_clock),
        .sink = sink,
        .progress = &progress.base,
        .look = engine_look_whole,
    };
    struct dump_summary dump = {0};
    TRY(dump_write(arena, &write, &dump));
    *ret_summary = dump_file_summary_of(&dump);
    return NULL;
}

/* With a sink that was opened, or the error of that. */
static struct error *end_sealed(struct arena *arena, const struct dump_file_options *options,
                                struct store *store, struct sealed_sink *sealed,
                                struct error *error, struct dump_file_summary *ret_summary) {
    if (error == NULL)
        error = write_dump(arena, options, store, &sealed->base, ret_summary);
    if (error == NULL)
        error = sealed_sink_end(sealed, arena, false);
    sealed_sink_release(sealed);
    return error;
}

static struct error *write_sealed(struct arena *arena, const struct dump_file_options *options,
                                  const struct data_directory *data, struct store *store,
                                  struct dump_sink *to, struct dump_file_summary *ret_summary) {
    struct sealed_sink sealed;
    struct error *error = sealed_sink_open(arena, &sealed, data->path, data->keyring, to);
    return end_sealed(arena, options, store, &sealed, error, ret_summary);
}

static struct error *from_directory(struct arena *arena, const struct dump_file_options *options,
                                    const struct data_directory *data, struct dump_sink *to,
                                    struct dump_file_summary *ret_summary) {
    struct store *store = NULL;
    struct rocksdb_store_options store_options = {.directory = data->store_path,
                                                  .keyring = data->keyring};
    TRY(rocksdb_store_open(arena, &store_options, engine_keyspaces, KEYSPACE_COUNT, &store));
    struct error *error = data->keyring == NULL
                              ? write_dump(arena, options, store, to, ret_summary)
                              : write_sealed(arena, options, data, store, to, ret_summary);
    store_close(store);
    return error;
}

/* ---- from a shared store ---- */

static struct error *write_sealed_new(struct arena *arena, const struct dump_file_options *options,
                                      struct store *store, struct dump_sink *to,
                                      struct dump_file_summary *ret_summary) {
    struct sealed_sink sealed;
    struct error *error = sealed_sink_open_new(arena, &sealed, options->key, to);
    return end_sealed(arena, options, store, &sealed, error, ret_summary);
}

static struct error *from_shared(struct arena *arena, const struct dump_file_options *options,
                                 struct dump_sink *to, struct dump_file_summary *ret_summary) {
    struct found_store found;
    TRY(found_store_open(arena, &options->place, NULL, FOUND_BESIDE, &found));
    struct error *error = options->key == NULL
                              ? write_dump(arena, options, found.store, to, ret_summary)
                              : write_sealed_new(arena, options, found.store, to, ret_summary);
    found_store_close(&found);
    if (error == NULL)
        ret_summary->encrypted = options->key != NULL;
    return error;
}

/* ---- from either ---- */

/* A key that is given has to fit, whoever reads the directory. */
static struct error *copy_from(struct arena *arena, const struct dump_file_options *options,
                               int server, struct fd_sink *sink,
                               struct dump_file_summary *ret_summary) {
    struct data_directory data = {0};
    struct error *error = NULL;
    bool encrypted = false;
    const char *directory = options->place.directory;
    TRY(data_directory_is_encrypted(arena, directory, &encrypted));
    if (server < 0 || options->key != NULL)
        TRY(data_directory_find(arena, directory, options->key, &data));
    if (server >= 0)
        error = from_server(arena, options, server, encrypted, sink, ret_summary);
    else
        error = from_directory(arena, options, &data, &sink->base, ret_summary);
    data_directory_release(&data);
    if (error == NULL) {
        ret_summary->from_server = server >= 0;
        ret_summary->encrypted = encrypted;
    }
    return error;
}

static struct error *copy_to(struct arena *arena, const struct dump_file_options *options, int fd,
                             struct dump_file_summary *ret_summary) {
    struct fd_sink sink = fd_sink_of(fd, options->file);
    int server = -1;
    if (options->place.url != NULL)
        return from_shared(arena, options, &sink.base, ret_summary);
    TRY(control_connect(arena, options->place.directory, &server));
    struct error *error = copy_from(arena, options, server, &sink, ret_summary);
    if (server >= 0)
        close(server);
    return error;
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

/* Whether the open file still has this name: who held its lock until now may have finished, and
 * then it is a backup under its own name. */
static bool has_name(int fd, const char *path) {
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/* A leftover of a backup that was cut short is written over; one that another is writing is not. */
static struct error *open_partial(struct arena *arena, const char *path, int *ret_fd) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return files_failed(arena, "write", path);
    struct error *error = NULL;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !has_name(fd, path))
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
