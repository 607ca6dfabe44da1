/* key_file.c - see key_file.h. Threads: the caller's. */
#include "admin/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "admin/files.h"
#include "base/bytes.h"

#define MAGIC "gramme keys\n"
#define PURPOSE_SEAL "gramme directory key"
#define PURPOSE_ID "gramme key id"

enum {
    FORMAT = 1,
    FORMAT_AT = sizeof(MAGIC) - 1,
    ID_AT = FORMAT_AT + 4,
    ID_BYTES = 8,
    KEY_AT = 24
};

_Static_assert(ID_AT + ID_BYTES == KEY_AT, "the key follows the id");

/* ---- the block ---- */

static struct error *id_of(struct arena *arena, const struct master_key *master,
                           uint8_t ret_id[ID_BYTES]) {
    uint8_t derived[CIPHER_KEY_BYTES];
    TRY(keyring_derive(arena, master->keyring, PURPOSE_ID, derived));
    memcpy(ret_id, derived, ID_BYTES);
    return NULL;
}

struct error *key_block_make(struct arena *arena, const struct master_key *master,
                             const struct keyring *keyring, uint8_t ret_block[KEY_BLOCK_BYTES]) {
    struct seal *seal = NULL;
    TRY(id_of(arena, master, ret_block + ID_AT));
    TRY(keyring_seal(arena, master->keyring, PURPOSE_SEAL, &seal));
    memcpy(ret_block, MAGIC, FORMAT_AT);
    store_u32(ret_block + FORMAT_AT, FORMAT);
    seal_close(seal, slice_of(ret_block, KEY_AT), keyring_key(keyring), ret_block + KEY_AT);
    seal_free(seal);
    return NULL;
}

static struct error *check_head(struct arena *arena, const uint8_t *block, const char *owner) {
    if (memcmp(block, MAGIC, FORMAT_AT) != 0)
        return error_local(arena, "the key of %s is damaged", owner);
    if (load_u32(block + FORMAT_AT) != FORMAT)
        return error_local(arena,
                           "the key of %s has format %u, and this version of gramme knows format "
                           "%d: use a newer gramme",
                           owner, load_u32(block + FORMAT_AT), FORMAT);
    return NULL;
}

static struct error *check_id(struct arena *arena, const struct master_key *master,
                              const uint8_t *block, const char *owner) {
    uint8_t id[ID_BYTES];
    char given[2 * ID_BYTES + 1] = {0}, wanted[2 * ID_BYTES + 1] = {0};
    TRY(id_of(arena, master, id));
    if (memcmp(id, block + ID_AT, ID_BYTES) == 0)
        return NULL;
    hex_print(id, ID_BYTES, given);
    hex_print(block + ID_AT, ID_BYTES, wanted);
    return error_local(arena,
                       "%s is encrypted with another key than %s: it needs the key with the id %s, "
                       "and this one has %s",
                       owner, master->name, wanted, given);
}

struct error *key_block_open(struct arena *arena, const struct master_key *master,
                             const uint8_t block[KEY_BLOCK_BYTES], const char *owner,
                             struct keyring **ret_keyring) {
    uint8_t key[CIPHER_KEY_BYTES];
    struct seal *seal = NULL;
    TRY(check_head(arena, block, owner));
    TRY(check_id(arena, master, block, owner));
    TRY(keyring_seal(arena, master->keyring, PURPOSE_SEAL, &seal));
    bool opened = seal_open(seal, slice_of(block, KEY_AT),
                            slice_of(block + KEY_AT, KEY_BLOCK_BYTES - KEY_AT), key);
    seal_free(seal);
    if (!opened)
        return error_local(arena, "the key of %s is damaged", owner);
    *ret_keyring = keyring_new(key);
    explicit_bzero(key, sizeof(key));
    return NULL;
}

/* ---- the file ---- */

struct error *key_file_write(struct arena *arena, const char *directory,
                             const struct master_key *master, const struct keyring *keyring) {
    uint8_t block[KEY_BLOCK_BYTES];
    const char *fresh = files_join(arena, directory, KEY_FILE_NEW);
    TRY(key_block_make(arena, master, keyring, block));
    TRY(files_write(arena, fresh, slice_of(block, sizeof(block))));
    return files_rename(arena, fresh, files_join(arena, directory, KEY_FILE));
}

struct error *key_file_read(struct arena *arena, const char *directory,
                            uint8_t ret_block[KEY_BLOCK_BYTES]) {
    const char *path = files_join(arena, directory, KEY_FILE);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return error_local(arena,
                           "%s is damaged: it is encrypted, and its file " KEY_FILE
                           ", without which nothing in it can be read, is missing",
                           directory);
    if (fd < 0)
        return files_failed(arena, "read", path);
    uint8_t bytes[KEY_BLOCK_BYTES + 1];
    ssize_t len = read(fd, bytes, sizeof(bytes));
    struct error *error = NULL;
    if (len < 0)
        error = files_failed(arena, "read", path);
    else if (len != KEY_BLOCK_BYTES)
        error = error_local(arena, "the key of %s is damaged", directory);
    else
        memcpy(ret_block, bytes, KEY_BLOCK_BYTES);
    close(fd);
    return error;
}

struct error *key_file_open(struct arena *arena, const char *directory,
                            const struct master_key *master, struct keyring **ret_keyring) {
    uint8_t block[KEY_BLOCK_BYTES];
    TRY(key_file_read(arena, directory, block));
    return key_block_open(arena, master, block, directory, ret_keyring);
}

struct error *key_file_remove(struct arena *arena, const char *directory) {
    TRY(files_remove_tree(arena, files_join(arena, directory, KEY_FILE)));
    return files_remove_tree(arena, files_join(arena, directory, KEY_FILE_NEW));
}
