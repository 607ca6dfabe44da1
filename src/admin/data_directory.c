/* data_directory.c - the marker file and its checks. The marker is written to a temporary name,
 * synced and renamed, so a crash leaves either none or a whole one. */
#include "admin/data_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "admin/files.h"
#include "admin/key_file.h"

enum data_format { FORMAT_NONE, FORMAT_PLAIN, FORMAT_ENCRYPTED };
enum { MARKER_BYTES_MAX = 64 };

#define MARKER "GRAMME"
#define MARKER_NEW "GRAMME.new"
#define MARKER_TEXT "gramme data, format %d\n"
#define FILLING "RESTORING"

#define RESERVE "RESERVE"

#define STORE "store"
#define STORE_ENCRYPTED "encrypted"

static const char *const store_names[] = {
    [FORMAT_PLAIN] = STORE,
    [FORMAT_ENCRYPTED] = STORE_ENCRYPTED,
};

static enum data_format format_of(const struct data_directory *data) {
    return data->keyring == NULL ? FORMAT_PLAIN : FORMAT_ENCRYPTED;
}

static enum data_format format_with(const struct master_key *key) {
    return key == NULL ? FORMAT_PLAIN : FORMAT_ENCRYPTED;
}

static struct data_directory data_of(struct arena *arena, const char *directory,
                                     enum data_format format) {
    return (struct data_directory){.path = directory,
                                   .store_path = files_join(arena, directory, store_names[format]),
                                   .reserve = files_join(arena, directory, RESERVE)};
}

void data_directory_release(struct data_directory *data) {
    keyring_free(data->keyring);
    data->keyring = NULL;
}

/* Whether there is nothing but the names given; the list ends with NULL. */
static struct error *has_only(struct arena *arena, const char *directory, const char *const *names,
                              bool *ret_only) {
    DIR *dir = opendir(directory);
    if (dir == NULL)
        return files_failed(arena, "read the data directory", directory);
    *ret_only = true;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        bool known = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        for (size_t i = 0; names[i] != NULL; i++)
            known = known || strcmp(entry->d_name, names[i]) == 0;
        *ret_only = *ret_only && known;
    }
    closedir(dir);
    return NULL;
}

struct error *data_directory_is_empty(struct arena *arena, const char *directory, bool *ret_empty) {
    return has_only(arena, directory, (const char *const[]){NULL}, ret_empty);
}

/* ---- the marker ---- */

static struct error *write_marker(struct arena *arena, const char *directory,
                                  enum data_format format) {
    const char *fresh = files_join(arena, directory, MARKER_NEW);
    TRY(files_write(arena, fresh, arena_printf(arena, MARKER_TEXT, format)));
    return files_rename(arena, fresh, files_join(arena, directory, MARKER));
}

static struct error *parse_marker(struct arena *arena, const char *directory, const char *text,
                                  enum data_format *ret_format) {
    int format;
    if (sscanf(text, MARKER_TEXT, &format) != 1 || format < FORMAT_PLAIN)
        return error_local(arena, "%s is damaged: its file %s cannot be read", directory, MARKER);
    if (format > FORMAT_ENCRYPTED)
        return error_local(
            arena,
            "%s has data format %d, and this version of gramme knows formats up to %d: "
            "use a newer gramme",
            directory, format, FORMAT_ENCRYPTED);
    *ret_format = (enum data_format)format;
    return NULL;
}

/* FORMAT_NONE: there is none. */
static struct error *read_marker(struct arena *arena, const char *directory,
                                 enum data_format *ret_format) {
    char text[MARKER_BYTES_MAX + 1];
    int fd = open(files_join(arena, directory, MARKER), O_RDONLY | O_CLOEXEC);
    *ret_format = FORMAT_NONE;
    if (fd < 0)
        return errno == ENOENT ? NULL : files_failed(arena, "read the marker in", directory);
    ssize_t len = read(fd, text, MARKER_BYTES_MAX);
    close(fd);
    if (len < 0)
        return files_failed(arena, "read the marker in", directory);
    text[len] = '\0';
    return parse_marker(arena, directory, text, ret_format);
}

static struct error *read_marker_there(struct arena *arena, const char *directory,
                                       enum data_format *ret_format) {
    TRY(read_marker(arena, directory, ret_format));
    if (*ret_format == FORMAT_NONE)
        return error_local(arena, "%s is not a data directory of gramme: it has no file %s",
                           directory, MARKER);
    return NULL;
}

struct error *data_directory_is_encrypted(struct arena *arena, const char *directory,
                                          bool *ret_encrypted) {
    enum data_format format = FORMAT_NONE;
    TRY(read_marker_there(arena, directory, &format));
    *ret_encrypted = format == FORMAT_ENCRYPTED;
    return NULL;
}

/* ---- opening ---- */

/* The store's directory and the key come before the marker: where there is a marker, there is a
 * store, or something was lost. */
static struct error *make_store(struct arena *arena, const struct master_key *key,
                                struct data_directory *data) {
    TRY(files_make_directory(arena, data->store_path, 0700));
    if (key == NULL)
        return NULL;
    data->keyring = keyring_new_random();
    return key_file_write(arena, data->path, key, data->keyring);
}

/* A store that has something in it was made after its marker: without one it is a directory that
 * lost it. Whoever took it for new would give it another key. */
static struct error *check_has_no_store(struct arena *arena, const char *directory) {
    static const char *const names[] = {STORE, STORE_ENCRYPTED};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *store = files_join(arena, directory, names[i]);
        bool empty = true;
        if (access(store, F_OK) == 0)
            TRY(data_directory_is_empty(arena, store, &empty));
        if (!empty)
            return error_local(arena, "%s is damaged: it has a store, %s, but not its file %s",
                               directory, store, MARKER);
    }
    return NULL;
}

bool data_directory_is_begun(struct arena *arena, const char *directory) {
    return access(files_join(arena, directory, MARKER), F_OK) == 0 ||
           check_has_no_store(arena, directory) != NULL;
}

static struct error *make_new(struct arena *arena, const char *directory,
                              const struct master_key *key, struct data_directory *data) {
    static const char *const ours[] = {
        MARKER_NEW, KEY_FILE, KEY_FILE_NEW, RESERVE, STORE, STORE_ENCRYPTED, NULL,
    };
    bool empty = false;
    *data = data_of(arena, directory, format_with(key));
    TRY(has_only(arena, directory, ours, &empty));
    if (!empty)
        return error_local(arena,
                           "%s is not empty and not a data directory of gramme: choose another, or "
                           "an empty one",
                           directory);
    TRY(check_has_no_store(arena, directory));
    TRY(make_store(arena, key, data));
    return write_marker(arena, directory, format_of(data));
}

static struct error *check_key(struct arena *arena, const char *directory, enum data_format format,
                               const struct master_key *key) {
    if (format == FORMAT_ENCRYPTED && key == NULL)
        return error_local(arena, "%s is encrypted: give its key with --encrypt-with", directory);
    if (format == FORMAT_PLAIN && key != NULL)
        return error_local(
            arena,
            "%s is not encrypted, and a key was given: gramme rekey %s --new-key KEY "
            "encrypts it; without --encrypt-with it is opened as it is",
            directory, directory);
    return NULL;
}

static struct error *open_there(struct arena *arena, const char *directory, enum data_format format,
                                const struct master_key *key, struct data_directory *data) {
    *data = data_of(arena, directory, format);
    TRY(check_key(arena, directory, format, key));
    if (access(data->store_path, F_OK) != 0)
        return error_local(arena, "%s is damaged: it has the file %s but not its store, %s",
                           directory, MARKER, data->store_path);
    return key == NULL ? NULL : key_file_open(arena, directory, key, &data->keyring);
}

/* Hands it out, or frees what was made of it. */
static struct error *opened(struct error *error, struct data_directory *data,
                            struct data_directory *ret_data) {
    if (error == NULL)
        *ret_data = *data;
    else
        data_directory_release(data);
    return error;
}

struct error *data_directory_open(struct arena *arena, const char *directory,
                                  const struct master_key *key, struct data_directory *ret_data) {
    enum data_format format = FORMAT_NONE;
    struct data_directory data = {0};
    TRY(files_make_directories(arena, directory));
    TRY(read_marker(arena, directory, &format));
    struct error *error = format == FORMAT_NONE ? make_new(arena, directory, key, &data)
                                                : open_there(arena, directory, format, key, &data);
    return opened(error, &data, ret_data);
}

struct error *data_directory_find(struct arena *arena, const char *directory,
                                  const struct master_key *key, struct data_directory *ret_data) {
    enum data_format format = FORMAT_NONE;
    struct data_directory data = {0};
    TRY(read_marker_there(arena, directory, &format));
    return opened(open_there(arena, directory, format, key, &data), &data, ret_data);
}

struct error *data_directory_find_damaged(struct arena *arena, const char *directory,
                                          const struct master_key *key,
                                          struct data_directory *ret_data) {
    enum data_format format = FORMAT_NONE;
    struct data_directory data = {0};
    if (read_marker(arena, directory, &format) != NULL || format == FORMAT_NONE)
        format = format_with(key);
    return opened(open_there(arena, directory, format, key, &data), &data, ret_data);
}

struct error *data_directory_settle(struct arena *arena, const struct data_directory *data) {
    enum data_format format = FORMAT_NONE, mine = format_of(data);
    TRY(read_marker_there(arena, data->path, &format));
    if (format != mine)
        return error_local(arena, "%s was converted at this moment: start again", data->path);
    enum data_format other = mine == FORMAT_PLAIN ? FORMAT_ENCRYPTED : FORMAT_PLAIN;
    TRY(files_remove_tree(arena, files_join(arena, data->path, store_names[other])));
    return mine == FORMAT_PLAIN ? key_file_remove(arena, data->path) : NULL;
}

/* ---- converting ---- */

struct error *data_directory_prepare(struct arena *arena, const struct data_directory *data,
                                     const struct master_key *key,
                                     struct data_directory *ret_data) {
    struct data_directory prepared = data_of(arena, data->path, format_with(key));
    TRY(files_remove_tree(arena, prepared.store_path));
    return opened(make_store(arena, key, &prepared), &prepared, ret_data);
}

struct error *data_directory_switch(struct arena *arena, const struct data_directory *prepared) {
    return write_marker(arena, prepared->path, format_of(prepared));
}

/* ---- filling ---- */

static struct error *check_may_fill(struct arena *arena, const char *directory) {
    bool ours = access(files_join(arena, directory, FILLING), F_OK) == 0, empty = false;
    TRY(data_directory_is_empty(arena, directory, &empty));
    if (ours || empty)
        return NULL;
    return error_local(arena,
                       "%s is in the way: a restore works there, and did not make what is in it",
                       directory);
}

static struct error *lock_filling(struct arena *arena, const char *directory, int *ret_lock) {
    int fd = open(files_join(arena, directory, FILLING), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return files_failed(arena, "write in", directory);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return error_local(arena, "another restore is working in %s at this moment", directory);
    }
    *ret_lock = fd;
    return NULL;
}

static struct error *make_empty(struct arena *arena, const struct master_key *key,
                                struct data_directory *data) {
    static const char *const leftovers[] = {MARKER, MARKER_NEW, STORE, STORE_ENCRYPTED,
                                            DATA_SCRATCH};
    for (size_t i = 0; i < sizeof(leftovers) / sizeof(*leftovers); i++)
        TRY(files_remove_tree(arena, files_join(arena, data->path, leftovers[i])));
    TRY(key_file_remove(arena, data->path));
    return make_store(arena, key, data);
}

struct error *data_directory_fill(struct arena *arena, const char *directory,
                                  const struct master_key *key, struct data_directory *ret_data,
                                  int *ret_lock) {
    int lock = -1;
    struct data_directory data = data_of(arena, directory, format_with(key));
    TRY(files_make_directories(arena, directory));
    TRY(check_may_fill(arena, directory));
    TRY(lock_filling(arena, directory, &lock));
    struct error *error = opened(make_empty(arena, key, &data), &data, ret_data);
    if (error != NULL)
        close(lock);
    else
        *ret_lock = lock;
    return error;
}

struct error *data_directory_filled(struct arena *arena, const struct data_directory *data) {
    TRY(write_marker(arena, data->path, format_of(data)));
    TRY(files_remove_tree(arena, files_join(arena, data->path, FILLING)));
    return files_sync_directory(arena, data->path);
}
