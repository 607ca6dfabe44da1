/* rekey.c - see rekey.h. Threads: the caller's, and the stores'. */
#include "admin/rekey.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "admin/control_socket.h"
#include "admin/data_directory.h"
#include "admin/files.h"
#include "admin/key_file.h"
#include "admin/secrets_file.h"
#include "base/container.h"
#include "engine/engine.h"
#include "store/rocksdb/rocksdb.h"

/* ---- the copy ---- */

struct progress {
    struct copy_observer base;
    struct dump_observer *observer; /* or NULL */
};

static void report(struct copy_observer *base, uint64_t records, uint64_t bytes) {
    struct dump_observer *observer = container_of(base, struct progress, base)->observer;
    if (observer != NULL)
        observer->report(observer, records, bytes);
}

static struct error *open_store(struct arena *arena, const struct data_directory *data, bool create,
                                struct store **ret_store) {
    struct rocksdb_store_options options = {
        .directory = data->store_path, .create = create, .keyring = data->keyring};
    return rocksdb_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, ret_store);
}

static struct error *copy_store(struct arena *arena, const struct rekey_options *options,
                                struct store *from, const struct data_directory *prepared,
                                struct copy_totals *ret_totals) {
    struct store *to = NULL;
    TRY(open_store(arena, prepared, true, &to));
    struct progress progress = {{report}, options->observer};
    struct copy_options copy = {.from = from, .to = to, .observer = &progress.base};
    struct error *error = store_copy(arena, &copy, ret_totals);
    store_close(to);
    return error;
}

/* As the next start will find it: from the files, with the key that its file KEY has. */
static struct error *compare_store(struct arena *arena, const struct rekey_options *options,
                                   struct store *from, const struct data_directory *prepared) {
    struct progress progress = {{report}, options->observer};
    struct data_directory found = {.store_path = prepared->store_path};
    struct store *to = NULL;
    struct copy_totals totals;
    if (options->new_key != NULL)
        TRY(key_file_open(arena, prepared->path, options->new_key, &found.keyring));
    struct error *error = open_store(arena, &found, false, &to);
    if (error == NULL) {
        struct copy_options copy = {.from = from, .to = to, .observer = &progress.base};
        error = store_compare(arena, &copy, &totals);
        store_close(to);
    }
    data_directory_release(&found);
    return error;
}

static struct error *fill(struct arena *arena, const struct rekey_options *options,
                          struct store *from, const struct data_directory *prepared,
                          struct copy_totals *ret_totals) {
    TRY(copy_store(arena, options, from, prepared, ret_totals));
    return compare_store(arena, options, from, prepared);
}

/* The key of secrets is plain on both sides of the step: so it can be read whichever side a crash
 * falls on. */
static struct error *switch_to(struct arena *arena, const struct data_directory *data,
                               const struct data_directory *prepared) {
    TRY(secrets_file_convert(arena, data->path, data->keyring, NULL));
    TRY(data_directory_switch(arena, prepared));
    return secrets_file_convert(arena, data->path, NULL, prepared->keyring);
}

/* The source is open all the while, so nobody else opens it. */
static struct error *convert_to(struct arena *arena, const struct rekey_options *options,
                                const struct data_directory *data, struct store *from,
                                struct data_directory *prepared, struct copy_totals *ret_totals) {
    TRY(data_directory_prepare(arena, data, options->new_key, prepared));
    struct error *error = fill(arena, options, from, prepared, ret_totals);
    if (error != NULL) {
        files_remove_tree(arena, prepared->store_path); /* what went wrong first is what counts */
        return error;
    }
    return switch_to(arena, data, prepared);
}

static struct error *convert(struct arena *arena, const struct rekey_options *options,
                             const struct data_directory *data, struct copy_totals *ret_totals) {
    struct data_directory prepared = {0};
    struct store *from = NULL;
    TRY(open_store(arena, data, false, &from));
    struct error *error = data_directory_settle(arena, data);
    if (error == NULL)
        error = convert_to(arena, options, data, from, &prepared, ret_totals);
    store_close(from);
    if (error == NULL)
        error = data_directory_settle(arena, &prepared);
    if (error == NULL)
        error = files_sync_directory(arena, data->path);
    data_directory_release(&prepared);
    return error;
}

/* ---- either ---- */

static struct error *check_stopped(struct arena *arena, const char *directory) {
    int server = -1;
    TRY(control_connect(arena, directory, &server));
    if (server < 0)
        return NULL;
    close(server);
    return error_local(arena,
                       "a server runs on %s: stop it first. Only a change from one key to another "
                       "can be made while it runs",
                       directory);
}

static struct error *change(struct arena *arena, const struct rekey_options *options,
                            const struct data_directory *data, struct rekey_summary *ret_summary) {
    if (options->key != NULL && options->new_key != NULL)
        return key_file_write(arena, options->directory, options->new_key, data->keyring);
    TRY(check_stopped(arena, options->directory));
    ret_summary->outcome = options->key == NULL ? REKEY_ENCRYPTED : REKEY_DECRYPTED;
    return convert(arena, options, data, &ret_summary->totals);
}

/* Two at a time would write over each other's work. */
static struct error *lock(struct arena *arena, const char *directory, int *ret_lock) {
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return files_failed(arena, "open", directory);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return error_local(arena, "another gramme rekey works on %s at this moment", directory);
    }
    *ret_lock = fd;
    return NULL;
}

/* Of a directory that was encrypted just before a crash: what is left of it in plain text goes. */
static struct error *finish(struct arena *arena, const struct data_directory *data) {
    struct store *store = NULL;
    TRY(check_stopped(arena, data->path));
    TRY(open_store(arena, data, false, &store));
    struct error *error = data_directory_settle(arena, data);
    if (error == NULL)
        error = secrets_file_convert(arena, data->path, data->keyring, data->keyring);
    store_close(store);
    return error;
}

static struct error *rekey_locked(struct arena *arena, const struct rekey_options *options,
                                  struct rekey_summary *ret_summary) {
    bool encrypted = false;
    struct data_directory data = {0};
    TRY(data_directory_is_encrypted(arena, options->directory, &encrypted));
    if (options->key == NULL && options->new_key == NULL && !encrypted)
        return error_local(arena, "%s is plain already", options->directory);
    bool again = encrypted && options->key == NULL;
    const struct master_key *key = again ? options->new_key : options->key;
    TRY(data_directory_find(arena, options->directory, key, &data));
    *ret_summary = (struct rekey_summary){.outcome = REKEY_CHANGED};
    struct error *error = again ? finish(arena, &data) : change(arena, options, &data, ret_summary);
    data_directory_release(&data);
    return error;
}

struct error *rekey(struct arena *arena, const struct rekey_options *options,
                    struct rekey_summary *ret_summary) {
    int held = -1;
    TRY(lock(arena, options->directory, &held));
    struct error *error = rekey_locked(arena, options, ret_summary);
    close(held);
    return error;
}
