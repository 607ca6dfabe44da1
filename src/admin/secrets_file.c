/* secrets_file.c - see secrets_file.h. A line that says what it is, a line of base64. */
#include "admin/secrets_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/files.h"
#include "base/base64.h"
#include "base/secret.h"

#define NAME "SECRETS"
#define PURPOSE "access keys"
#define PLAIN_LINE "gramme secrets, format 1, plain\n"
#define SEALED_LINE "gramme secrets, format 1, sealed\n"

enum { FILE_MAX = 256, SEALED_KEY_BYTES = CIPHER_KEY_BYTES + SEAL_BYTES };

/* ---- writing ---- */

static struct slice encode(struct arena *arena, const char *line, struct slice bytes) {
    uint8_t text[128];
    base64_encode(bytes, text);
    return arena_printf(arena, "%s%.*s\n", line, (int)base64_encoded_len(bytes.len),
                        (const char *)text);
}

static struct error *describe(struct arena *arena, const struct keyring *over, struct slice key,
                              struct slice *ret_text) {
    if (over == NULL) {
        *ret_text = encode(arena, PLAIN_LINE, key);
        return NULL;
    }
    uint8_t sealed[SEALED_KEY_BYTES];
    struct seal *seal;
    TRY(keyring_seal(arena, over, PURPOSE, &seal));
    seal_close(seal, SLICE_LITERAL(NAME), key, sealed);
    seal_free(seal);
    *ret_text = encode(arena, SEALED_LINE, slice_of(sealed, sizeof(sealed)));
    return NULL;
}

static struct error *write_file(struct arena *arena, const char *path, const struct keyring *over,
                                const struct keyring *keyring) {
    struct slice text;
    const char *partial = (const char *)arena_printf(arena, "%s.new", path).data;
    TRY(describe(arena, over, keyring_key(keyring), &text));
    TRY(files_write(arena, partial, text));
    return files_rename(arena, partial, path);
}

static struct error *make(struct arena *arena, const char *path, const struct keyring *over,
                          struct keyring **ret_keyring) {
    struct keyring *keyring = keyring_new_random();
    struct error *error = write_file(arena, path, over, keyring);
    if (error != NULL)
        keyring_free(keyring);
    else
        *ret_keyring = keyring;
    return error;
}

/* ---- reading ---- */

static struct error *damaged(struct arena *arena, const char *path) {
    return error_local(arena, "%s is damaged: without it no access key can be opened", path);
}

static bool decode(struct slice text, const char *line, size_t len, uint8_t *ret_bytes) {
    size_t skip = strlen(line), got;
    uint8_t bytes[FILE_MAX];
    if (text.len < skip + 1 || !slice_starts_with(text, slice_text(line)) ||
        base64_decode(slice_part(text, skip, text.len - skip - 1), bytes, &got) != BASE64_OK ||
        got != len)
        return false;
    memcpy(ret_bytes, bytes, len);
    return true;
}

static struct error *open_sealed(struct arena *arena, const char *path, const struct keyring *over,
                                 struct slice text, uint8_t ret_key[CIPHER_KEY_BYTES]) {
    uint8_t sealed[SEALED_KEY_BYTES];
    struct seal *seal;
    if (!decode(text, SEALED_LINE, sizeof(sealed), sealed))
        return damaged(arena, path);
    if (over == NULL)
        return error_local(arena, "%s is of an encrypted directory, and this one is not", path);
    TRY(keyring_seal(arena, over, PURPOSE, &seal));
    bool opened = seal_open(seal, SLICE_LITERAL(NAME), slice_of(sealed, sizeof(sealed)), ret_key);
    seal_free(seal);
    return opened ? NULL : damaged(arena, path);
}

/* One that is plain in an encrypted directory was made before that was encrypted: it is sealed
 * now. */
static struct error *read_file(struct arena *arena, const char *path, const struct keyring *over,
                               struct slice text, struct keyring **ret_keyring) {
    uint8_t key[CIPHER_KEY_BYTES];
    bool plain = decode(text, PLAIN_LINE, sizeof(key), key);
    if (!plain)
        TRY(open_sealed(arena, path, over, text, key));
    struct keyring *keyring = keyring_new(key);
    secret_wipe(key, sizeof(key));
    struct error *error = plain && over != NULL ? write_file(arena, path, over, keyring) : NULL;
    if (error != NULL)
        keyring_free(keyring);
    else
        *ret_keyring = keyring;
    return error;
}

struct error *secrets_file_open(struct arena *arena, const char *directory,
                                const struct keyring *over, struct keyring **ret_keyring) {
    const char *path = files_join(arena, directory, NAME);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return make(arena, path, over, ret_keyring);
    uint8_t bytes[FILE_MAX];
    struct stat status;
    ssize_t got = fd < 0 || fstat(fd, &status) != 0 ? -1 : read(fd, bytes, sizeof(bytes));
    if (fd >= 0)
        close(fd);
    if (got < 0)
        return files_failed(arena, "read", path);
    if ((status.st_mode & 077) != 0)
        return error_local(arena, "others may read %s: chmod 600 it", path);
    struct error *error = read_file(arena, path, over, slice_of(bytes, (size_t)got), ret_keyring);
    secret_wipe(bytes, sizeof(bytes));
    return error;
}

struct error *secrets_file_find(struct arena *arena, const char *directory,
                                const struct keyring *over, struct keyring **ret_keyring) {
    const char *path = files_join(arena, directory, NAME);
    *ret_keyring = NULL;
    if (access(path, F_OK) != 0)
        return errno == ENOENT ? NULL : files_failed(arena, "read", path);
    return secrets_file_open(arena, directory, over, ret_keyring);
}

struct error *secrets_file_write(struct arena *arena, const char *directory,
                                 const struct keyring *over, const struct keyring *keyring) {
    return write_file(arena, files_join(arena, directory, NAME), over, keyring);
}

struct error *secrets_file_convert(struct arena *arena, const char *directory,
                                   const struct keyring *from, const struct keyring *to) {
    struct keyring *keyring = NULL;
    TRY(secrets_file_find(arena, directory, from, &keyring));
    if (keyring == NULL)
        return NULL;
    struct error *error = secrets_file_write(arena, directory, to, keyring);
    keyring_free(keyring);
    return error;
}
