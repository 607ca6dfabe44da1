/* master_key.c - from the name of a key to the key.
 *
 * Memory: what is read is in secret memory and wiped. Threads: the caller's. */
#include "admin/master_key.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin/files.h"
#include "base/base64.h"
#include "crypto/secret.h"

enum {
    TEXT_MAX = 256, /* more than any form of a key takes */
    HEX_CHARS = 2 * CIPHER_KEY_BYTES,
};

#define CREDENTIAL "credential:"
#define COMMAND "command:"
#define COMMAND_NAME "the command that prints the key"
#define CREDENTIALS "CREDENTIALS_DIRECTORY"

/* ---- its forms ---- */

static bool hex_digit(uint8_t c, uint8_t *ret_n) {
    static const char digits[] = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c);
    *ret_n = at == NULL ? 0 : (uint8_t)(at - digits);
    return at != NULL;
}

static bool from_hex(struct slice text, uint8_t *ret_key) {
    bool good = text.len == HEX_CHARS;
    for (size_t i = 0; good && i < CIPHER_KEY_BYTES; i++) {
        uint8_t high = 0, low = 0;
        good = hex_digit(text.data[2 * i], &high) && hex_digit(text.data[2 * i + 1], &low);
        ret_key[i] = (uint8_t)(high << 4 | low);
    }
    return good;
}

static bool from_base64(struct slice text, uint8_t *ret_key) {
    size_t len = 0;
    return text.len == base64_encoded_len(CIPHER_KEY_BYTES) &&
           base64_decode(text, ret_key, &len) == BASE64_OK && len == CIPHER_KEY_BYTES;
}

/* `ret_key` has room for what base64 may decode to. */
static bool key_from(struct slice text, uint8_t *ret_key) {
    if (text.len == CIPHER_KEY_BYTES) {
        memcpy(ret_key, text.data, CIPHER_KEY_BYTES);
        return true;
    }
    if (text.len > 0 && text.data[text.len - 1] == '\n')
        text.len--;
    if (text.len > 0 && text.data[text.len - 1] == '\r')
        text.len--;
    return from_hex(text, ret_key) || from_base64(text, ret_key);
}

/* ---- where it is ---- */

static bool is_command(const char *source) {
    return strncmp(source, COMMAND, strlen(COMMAND)) == 0;
}

/* Up to `size` bytes; false when reading fails. */
static bool read_text(int fd, uint8_t *text, size_t size, size_t *ret_len) {
    size_t len = 0;
    while (len < size) {
        ssize_t got = read(fd, text + len, size - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    *ret_len = len;
    return true;
}

/* Systemd keeps credentials from everyone but the service, whatever their modes say. */
static bool is_credential(const char *path) {
    const char *directory = getenv(CREDENTIALS);
    size_t len = directory == NULL ? 0 : strlen(directory);
    return len > 0 && strncmp(path, directory, len) == 0 && path[len] == '/' &&
           strstr(path, "/../") == NULL;
}

static struct error *check_private(struct arena *arena, const char *path, int fd) {
    struct stat status;
    if (fstat(fd, &status) != 0)
        return files_failed(arena, "read the key", path);
    if (!S_ISREG(status.st_mode) || (status.st_mode & 077) == 0 || is_credential(path))
        return NULL;
    return error_local(arena, "the key %s may be read by others than its owner: chmod 600 %s", path,
                       path);
}

static struct error *read_file(struct arena *arena, const char *path, uint8_t *text,
                               size_t *ret_len) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return files_failed(arena, "read the key", path);
    struct error *error = check_private(arena, path, fd);
    if (error == NULL && !read_text(fd, text, TEXT_MAX, ret_len))
        error = files_failed(arena, "read the key", path);
    close(fd);
    return error;
}

static struct error *read_credential(struct arena *arena, const char *name, uint8_t *text,
                                     size_t *ret_len) {
    const char *directory = getenv(CREDENTIALS);
    if (*name == '\0' || strchr(name, '/') != NULL)
        return error_local(arena, "'%s' is not the name of a credential", name);
    if (directory == NULL || *directory == '\0')
        return error_local(arena,
                           "there is no credential %s: " CREDENTIALS
                           " is not set, as systemd does for a service with LoadCredential=",
                           name);
    return read_file(arena, files_join(arena, directory, name), text, ret_len);
}

/* With the signals and the mask that a program expects: a server has blocked some already. */
static int start_command(const char *command, int out, pid_t *ret_child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    const char *const arguments[] = {"sh", "-c", command, NULL};
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failure = posix_spawn(ret_child, "/bin/sh", &actions, &attributes,
                              (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

static struct error *read_command(struct arena *arena, const char *command, uint8_t *text,
                                  size_t *ret_len) {
    int ends[2], status = 0;
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return files_failed(arena, "run", COMMAND_NAME);
    errno = start_command(command, ends[1], &child);
    close(ends[1]);
    if (errno != 0) {
        struct error *error = files_failed(arena, "run", COMMAND_NAME);
        close(ends[0]);
        return error;
    }
    bool whole = read_text(ends[0], text, TEXT_MAX, ret_len);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (whole && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return NULL;
    if (WIFSIGNALED(status))
        return error_local(arena, "%s was ended by signal %d", COMMAND_NAME, WTERMSIG(status));
    return error_local(arena, "%s failed with status %d", COMMAND_NAME, WEXITSTATUS(status));
}

static struct error *read_source(struct arena *arena, const char *source, uint8_t *text,
                                 size_t *ret_len) {
    if (is_command(source))
        return read_command(arena, source + strlen(COMMAND), text, ret_len);
    if (strncmp(source, CREDENTIAL, strlen(CREDENTIAL)) == 0)
        return read_credential(arena, source + strlen(CREDENTIAL), text, ret_len);
    return read_file(arena, source, text, ret_len);
}

struct error *master_key_read(struct arena *arena, const char *source, struct master_key *ret_key) {
    struct {
        uint8_t text[TEXT_MAX];
        uint8_t key[TEXT_MAX];
    } *secret = secret_new(sizeof(*secret));
    const char *name = is_command(source) ? COMMAND_NAME : source;
    size_t len = 0;
    secret_process();
    struct error *error = read_source(arena, source, secret->text, &len);
    if (error == NULL && !key_from(slice_of(secret->text, len), secret->key))
        error = error_local(arena,
                            "%s gives no key: a key is 32 random bytes, as they are, as 64 "
                            "hexadecimal digits, or in base64; openssl rand -hex 32 makes one",
                            name);
    if (error == NULL)
        *ret_key = (struct master_key){keyring_new(secret->key), name};
    secret_free(secret, sizeof(*secret));
    return error;
}

void master_key_release(struct master_key *key) {
    keyring_free(key->keyring);
    key->keyring = NULL;
}
