/* log_walk.c - see log_walk.h. */
#include "store/rocksdb/log_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/crc32c.h"

enum {
    CHUNK = 32 * LOG_BLOCK,
    CIPHER_BLOCK = 16,
    RECYCLED = 4,         /* what is added to the types of a log that is used again.. */
    RECYCLED_HEADER = 11, /* ..and their header */
    TYPE_NEWER = 9,       /* from here on, of which these are of logs that are used again: */
    TYPE_RECYCLED_TIMES = 11,
    TYPE_RECYCLED_PREDECESSOR = 131,
    SEARCHED_BLOCKS_MAX = 256, /* byte by byte for a fragment */
};

struct walk {
    struct log_visitor *visitor;
    struct buffer gathered; /* of the record that is open */
    uint64_t record_at;     /* where it begins */
    bool open;              /* a first fragment was read, and not its last */
    bool lost;    /* behind a bad place: fragments of a record without its first are not news */
    int searched; /* blocks */
};

struct fragment {
    uint8_t type; /* enum log_fragment, or 0: of another kind */
    size_t header;
    size_t len;
};

static uint32_t unmasked(uint32_t masked) {
    uint32_t rotated = masked - UINT32_C(0xa282ead8);
    return rotated >> 17 | rotated << 15;
}

static bool is_recycled(uint8_t type) {
    return type > FRAGMENT_LAST && type <= FRAGMENT_LAST + RECYCLED;
}

static bool is_endless(uint8_t type) {
    return is_recycled(type) || type == TYPE_RECYCLED_TIMES || type == TYPE_RECYCLED_PREDECESSOR;
}

/* Whether a whole fragment begins the bytes, which are of one block. */
static bool fragment_at(struct slice bytes, struct fragment *ret_fragment) {
    if (bytes.len < LOG_HEADER)
        return false;
    uint8_t type = bytes.data[6];
    bool recycled = is_recycled(type);
    size_t header = recycled ? RECYCLED_HEADER : LOG_HEADER;
    size_t len = bytes.data[4] | (size_t)bytes.data[5] << 8;
    if (type == 0 || header + len > bytes.len)
        return false;
    if (crc32c(0, slice_part(bytes, 6, 1 + header - LOG_HEADER + len)) !=
        unmasked(load_u32(bytes.data)))
        return false;
    *ret_fragment = (struct fragment){recycled            ? (uint8_t)(type - RECYCLED)
                                      : type < TYPE_NEWER ? type
                                                          : 0,
                                      header, len};
    return true;
}

/* ---- records ---- */

static void note_bad(struct walk *walk, uint64_t offset) {
    walk->open = false;
    if (!walk->lost)
        walk->visitor->bad(walk->visitor, offset);
    walk->lost = true;
}

static void gather(struct walk *walk, struct slice payload) {
    size_t room = walk->visitor->gather_max - walk->gathered.len;
    buffer_append(&walk->gathered, payload.data, payload.len < room ? payload.len : room);
}

static void end_record(struct walk *walk) {
    walk->open = walk->lost = false;
    walk->visitor->record(walk->visitor, walk->record_at, buffer_slice(&walk->gathered));
}

static void take_fragment(struct walk *walk, uint64_t offset, const struct fragment *fragment,
                          struct slice payload) {
    bool begins = fragment->type == FRAGMENT_WHOLE || fragment->type == FRAGMENT_FIRST;
    if (fragment->type == 0)
        return;
    if (begins && walk->open)
        note_bad(walk, walk->record_at);
    if (begins) {
        buffer_reset(&walk->gathered);
        walk->record_at = offset;
        walk->open = true;
    } else if (!walk->open) {
        note_bad(walk, offset);
        return;
    }
    gather(walk, payload);
    if (fragment->type == FRAGMENT_WHOLE || fragment->type == FRAGMENT_LAST)
        end_record(walk);
}

/* ---- blocks ---- */

/* Where a fragment begins that can be read, behind one that cannot; or the end. */
static size_t find_fragment(struct walk *walk, struct slice block, size_t at) {
    struct fragment fragment;
    size_t len = block.data[at + 4] | (size_t)block.data[at + 5] << 8, next = at + LOG_HEADER + len;
    if (next < block.len && fragment_at(slice_skip(block, next), &fragment))
        return next;
    if (++walk->searched > SEARCHED_BLOCKS_MAX)
        return block.len;
    for (at++; at + LOG_HEADER <= block.len; at++) {
        uint8_t type = block.data[at + 6];
        if (type >= FRAGMENT_WHOLE && type <= FRAGMENT_LAST + RECYCLED &&
            fragment_at(slice_skip(block, at), &fragment))
            return at;
    }
    return block.len;
}

static void walk_block(struct walk *walk, uint64_t offset, struct slice block) {
    for (size_t at = 0; at + LOG_HEADER <= block.len;) {
        struct fragment fragment;
        if (fragment_at(slice_skip(block, at), &fragment)) {
            size_t payload = at + fragment.header;
            take_fragment(walk, offset + at, &fragment, slice_part(block, payload, fragment.len));
            at = payload + fragment.len;
        } else {
            note_bad(walk, walk->open ? walk->record_at : offset + at);
            walk->visitor->is_endless |= is_endless(block.data[at + 6]);
            at = find_fragment(walk, block, at);
        }
    }
}

/* ---- files ---- */

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

size_t log_find(DIR *files, uint64_t first, uint64_t ret_numbers[LOGS_MAX]) {
    size_t count = 0;
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        char *end;
        unsigned long long number = strtoull(file->d_name, &end, 10);
        if (end != file->d_name && strcmp(end, ".log") == 0 && number >= first && count < LOGS_MAX)
            ret_numbers[count++] = number;
    }
    qsort(ret_numbers, count, sizeof(*ret_numbers), compare_numbers);
    return count;
}

/* As much as there is, up to `len`; -1 and errno. */
static ssize_t read_fully(int fd, uint8_t *data, size_t len, uint64_t offset) {
    size_t done = 0;
    while (done < len) {
        ssize_t got = pread(fd, data + done, len - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* As encrypted_files.cc does: blocks of zeros were never written, and stay zeros. */
static void decrypt(struct ctr *key, uint64_t offset, uint8_t *data, size_t len) {
    static const uint8_t zeros[CIPHER_BLOCK];
    size_t from = 0;
    for (size_t at = 0; at + CIPHER_BLOCK <= len; at += CIPHER_BLOCK) {
        if (memcmp(data + at, zeros, CIPHER_BLOCK) != 0)
            continue;
        file_cipher_calls.apply(key, offset + from, data + from, data + from, at - from);
        from = at + CIPHER_BLOCK;
    }
    file_cipher_calls.apply(key, offset + from, data + from, data + from, len - from);
}

static enum log_walked walk_file(struct walk *walk, int fd, uint64_t begin, struct ctr *key) {
    uint8_t *chunk = malloc(CHUNK);
    ssize_t len = 1;
    CHECK(chunk != NULL);
    for (uint64_t offset = 0; len > 0; offset += CHUNK) {
        len = read_fully(fd, chunk, CHUNK, begin + offset);
        if (len > 0 && key != NULL)
            decrypt(key, offset, chunk, (size_t)len);
        for (ssize_t at = 0; at < len; at += LOG_BLOCK) {
            size_t left = (size_t)(len - at);
            walk_block(walk, offset + (uint64_t)at,
                       slice_of(chunk + at, left < LOG_BLOCK ? left : LOG_BLOCK));
        }
    }
    free(chunk);
    if (len < 0)
        return LOG_UNREADABLE;
    if (walk->open)
        note_bad(walk, walk->record_at);
    return LOG_WALKED;
}

/* The key of a file; NULL: it is empty. */
static enum log_walked open_key(struct file_cipher *cipher, int fd, struct ctr **ret_key) {
    uint8_t header[FILE_HEADER_BYTES];
    *ret_key = NULL;
    ssize_t len = read_fully(fd, header, sizeof(header), 0);
    if (len < 0)
        return LOG_UNREADABLE;
    return file_cipher_calls.open(cipher, header, (size_t)len, ret_key) == FILE_FOREIGN
               ? LOG_FOREIGN
               : LOG_WALKED;
}

static enum log_walked walk_encrypted(struct walk *walk, struct file_cipher *cipher, int fd) {
    struct ctr *key;
    enum log_walked opened = open_key(cipher, fd, &key);
    if (key == NULL)
        return opened;
    enum log_walked result = walk_file(walk, fd, FILE_HEADER_BYTES, key);
    file_cipher_calls.release(key);
    return result;
}

enum log_walked log_walk(struct file_cipher *cipher, int directory, const char *name,
                         struct log_visitor *visitor) {
    struct walk walk = {.visitor = visitor};
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return LOG_UNREADABLE;
    buffer_init(&walk.gathered, visitor->gather_max);
    enum log_walked result =
        cipher != NULL ? walk_encrypted(&walk, cipher, fd) : walk_file(&walk, fd, 0, NULL);
    int error = errno;
    buffer_release(&walk.gathered);
    close(fd);
    errno = error;
    return result;
}

enum log_walked log_read_text(struct file_cipher *cipher, int directory, const char *name,
                              char *ret_text, size_t size) {
    struct ctr *key = NULL;
    enum log_walked result = LOG_WALKED;
    ssize_t len = 0;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    ret_text[0] = '\0';
    if (fd < 0)
        return LOG_UNREADABLE;
    if (cipher != NULL)
        result = open_key(cipher, fd, &key);
    if (cipher == NULL || key != NULL)
        len = read_fully(fd, (uint8_t *)ret_text, size - 1, cipher == NULL ? 0 : FILE_HEADER_BYTES);
    if (len > 0 && key != NULL)
        file_cipher_calls.apply(key, 0, ret_text, ret_text, (size_t)len);
    if (key != NULL)
        file_cipher_calls.release(key);
    close(fd);
    ret_text[len < 0 ? 0 : len] = '\0';
    return len < 0 ? LOG_UNREADABLE : result;
}
