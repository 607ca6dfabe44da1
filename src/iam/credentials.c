/* credentials.c - see credentials.h. Comments start with # or ;, later lines win. */
#include "iam/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/secret.h"

enum { FILE_MAX = 64 * 1024 };

static struct slice trimmed(struct slice text) {
    while (text.len > 0 && strchr(" \t\r", text.data[0]) != NULL)
        text = slice_skip(text, 1);
    while (text.len > 0 && strchr(" \t\r", text.data[text.len - 1]) != NULL)
        text.len--;
    return text;
}

static bool next_line(struct slice *rest, struct slice *ret_line) {
    if (rest->len == 0)
        return false;
    const uint8_t *end = memchr(rest->data, '\n', rest->len);
    size_t len = end == NULL ? rest->len : (size_t)(end - rest->data);
    *ret_line = trimmed(slice_first(*rest, len));
    *rest = slice_skip(*rest, end == NULL ? len : len + 1);
    return true;
}

static bool is_section(struct slice line) {
    return line.len > 1 && line.data[0] == '[' && line.data[line.len - 1] == ']';
}

/* The section to look in: the profile's, or else as the header says. Absent: there is none. */
static struct slice choose(struct slice text, const char *profile) {
    struct slice line, chosen = SLICE_NONE;
    size_t count = 0;
    while (next_line(&text, &line)) {
        if (!is_section(line))
            continue;
        struct slice name = trimmed(slice_part(line, 1, line.len - 2));
        if (slice_is(name, profile == NULL ? "default" : profile))
            return line;
        chosen = line;
        count++;
    }
    return profile == NULL && count == 1 ? chosen : SLICE_NONE;
}

static struct credentials_key find(struct slice text, struct slice section) {
    struct credentials_key key = {SLICE_NONE, SLICE_NONE};
    struct slice line;
    bool inside = false;
    while (next_line(&text, &line)) {
        if (is_section(line))
            inside = slice_equal(line, section);
        const uint8_t *sign = line.len == 0 ? NULL : memchr(line.data, '=', line.len);
        if (!inside || sign == NULL)
            continue;
        size_t name_len = (size_t)(sign - line.data);
        struct slice name = trimmed(slice_first(line, name_len));
        struct slice value = trimmed(slice_skip(line, name_len + 1));
        if (slice_is(name, "aws_access_key_id"))
            key.id = value;
        else if (slice_is(name, "aws_secret_access_key"))
            key.secret = value;
    }
    return key;
}

struct credentials_key credentials_find(struct slice text, const char *profile) {
    struct credentials_key key = {SLICE_NONE, SLICE_NONE};
    struct slice section = choose(text, profile);
    if (slice_present(section))
        key = find(text, section);
    if (key.id.len == 0 || key.secret.len == 0)
        key = (struct credentials_key){SLICE_NONE, SLICE_NONE};
    return key;
}

struct error *credentials_read(struct arena *arena, const char *path, const char *profile,
                               struct credentials_key *ret_key) {
    uint8_t *bytes = arena_alloc(arena, FILE_MAX);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, bytes, FILE_MAX);
    if (fd >= 0)
        close(fd);
    if (got < 0)
        return error_local(arena, "%s: cannot be read: %s", path, strerror(errno));
    struct credentials_key key = credentials_find(slice_of(bytes, (size_t)got), profile);
    if (slice_present(key.id))
        *ret_key =
            (struct credentials_key){arena_slice(arena, key.id), arena_slice(arena, key.secret)};
    secret_wipe(bytes, FILE_MAX);
    if (slice_present(key.id))
        return NULL;
    return error_local(arena,
                       "%s has no aws_access_key_id and aws_secret_access_key in its "
                       "section [%s]",
                       path, profile == NULL ? "default" : profile);
}
