/* manifest.c - see manifest.h. */
#include "store/rocksdb/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/container.h"
#include "store/rocksdb/cut.h"
#include "store/rocksdb/log_walk.h"

enum {
    EDIT_BYTES_MAX = 16 << 20,
    FAMILIES_MAX = 64,
    NAME_BYTES_MAX = 64,
    SAFE_TO_IGNORE = 1 << 13, /* a bit in tags of newer versions: a length and so many bytes */
};

/* RocksDB's tags of an edit. */
enum tag {
    TAG_COMPARATOR = 1,
    TAG_LOG_NUMBER = 2,
    TAG_NEXT_FILE = 3,
    TAG_LAST_SEQUENCE = 4,
    TAG_COMPACT_CURSOR = 5,
    TAG_DELETED_FILE = 6,
    TAG_NEW_FILE = 7,
    TAG_PREVIOUS_LOG = 9,
    TAG_FIRST_LOG = 10,
    TAG_NEW_FILE_2 = 100,
    TAG_NEW_FILE_3 = 102,
    TAG_NEW_FILE_4 = 103,
    TAG_FAMILY = 200,
    TAG_FAMILY_ADD = 201,
    TAG_FAMILY_DROP = 202,
    TAG_FAMILY_MAX = 203,
    TAG_ATOMIC_GROUP = 300,
};

struct reading {
    struct log_visitor base;
    struct manifest *manifest;
    struct manifest_table *tables; /* that are asked about */
    size_t table_count;
    uint64_t *others; /* tables that are in use and not among them; grows */
    size_t other_count, other_room;
    uint64_t first_log;          /* by its own tag */
    uint64_t logs[FAMILIES_MAX]; /* the first log that each family needs */
    bool families[FAMILIES_MAX]; /* that are there */
    bool any;                    /* record was read */
    bool bad;                    /* something could not be read.. */
    uint64_t bad_at;             /* ..here.. */
    bool behind;                 /* ..and records follow it */
};

/* ---- one edit ---- */

static bool take_varint(struct slice *rest, uint64_t *ret_n) {
    uint64_t n = 0;
    for (unsigned shift = 0; shift < 64 && rest->len > 0; shift += 7) {
        uint8_t byte = rest->data[0];
        *rest = slice_skip(*rest, 1);
        n |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret_n = n;
            return true;
        }
    }
    return false;
}

static bool skip_varints(struct slice *rest, int count) {
    uint64_t n;
    for (; count > 0; count--)
        if (!take_varint(rest, &n))
            return false;
    return true;
}

static bool skip_texts(struct slice *rest, int count) {
    uint64_t len;
    for (; count > 0; count--) {
        if (!take_varint(rest, &len) || len > rest->len)
            return false;
        *rest = slice_skip(*rest, (size_t)len);
    }
    return true;
}

static int compare_number(const void *number, const void *table) {
    uint64_t a = *(const uint64_t *)number, b = ((const struct manifest_table *)table)->number;
    return (a > b) - (a < b);
}

static void add_other(struct reading *reading, uint64_t number) {
    if (reading->other_count == reading->other_room) {
        reading->other_room = reading->other_room == 0 ? 64 : 2 * reading->other_room;
        reading->others = realloc(reading->others, reading->other_room * sizeof(*reading->others));
        CHECK(reading->others != NULL);
    }
    reading->others[reading->other_count++] = number;
}

static void remove_other(struct reading *reading, uint64_t number) {
    for (size_t i = reading->other_count; i > 0; i--)
        if (reading->others[i - 1] == number) {
            reading->others[i - 1] = reading->others[--reading->other_count];
            return;
        }
}

/* A level and a number. Who is moved to another level is first deleted, and then new. */
static bool take_table(struct reading *reading, struct slice *rest, bool used) {
    uint64_t level, number;
    if (!take_varint(rest, &level) || !take_varint(rest, &number))
        return false;
    if (reading->table_count == 0)
        return true;
    struct manifest_table *found = bsearch(&number, reading->tables, reading->table_count,
                                           sizeof(*reading->tables), compare_number);
    if (found != NULL)
        found->used = used;
    else if (used)
        add_other(reading, number);
    else
        remove_other(reading, number);
    return true;
}

/* Level, number, size and bounds, and what came later. */
static bool take_new_file(struct reading *reading, struct slice *rest, uint64_t tag) {
    uint64_t field = 0;
    if (!take_table(reading, rest, true) || !skip_varints(rest, tag == TAG_NEW_FILE_3 ? 2 : 1) ||
        !skip_texts(rest, 2))
        return false;
    if (tag != TAG_NEW_FILE && !skip_varints(rest, 2))
        return false;
    if (tag != TAG_NEW_FILE_4)
        return true;
    while (take_varint(rest, &field)) {
        if (field == 1)
            return true;
        if (!skip_texts(rest, 1))
            return false;
    }
    return false;
}

struct edit {
    uint64_t family;
    uint64_t log; /* 0: not told */
    bool adds;
    bool drops;
};

static bool take_tag(struct reading *reading, struct slice *rest, uint64_t tag, struct edit *edit) {
    struct manifest *manifest = reading->manifest;
    uint64_t n = 0;
    switch (tag) {
    case TAG_LOG_NUMBER:
        return take_varint(rest, &edit->log);
    case TAG_LAST_SEQUENCE:
        if (!take_varint(rest, &n))
            return false;
        manifest->last_sequence = n > manifest->last_sequence ? n : manifest->last_sequence;
        return true;
    case TAG_FIRST_LOG:
        if (!take_varint(rest, &n))
            return false;
        reading->first_log = n > reading->first_log ? n : reading->first_log;
        return true;
    case TAG_FAMILY:
        return take_varint(rest, &edit->family) && edit->family < FAMILIES_MAX;
    case TAG_FAMILY_ADD:
        return edit->adds = true, skip_texts(rest, 1);
    case TAG_FAMILY_DROP:
        return edit->drops = true;
    case TAG_NEXT_FILE:
    case TAG_PREVIOUS_LOG:
    case TAG_FAMILY_MAX:
    case TAG_ATOMIC_GROUP:
        return skip_varints(rest, 1);
    case TAG_DELETED_FILE:
        return take_table(reading, rest, false);
    case TAG_COMPARATOR:
        return skip_texts(rest, 1);
    case TAG_COMPACT_CURSOR:
        return skip_varints(rest, 1) && skip_texts(rest, 1);
    case TAG_NEW_FILE:
    case TAG_NEW_FILE_2:
    case TAG_NEW_FILE_3:
    case TAG_NEW_FILE_4:
        return take_new_file(reading, rest, tag);
    default:
        return (tag & SAFE_TO_IGNORE) != 0 && skip_texts(rest, 1);
    }
}

static bool take_edit(struct reading *reading, struct slice rest) {
    struct edit edit = {0};
    uint64_t tag;
    while (rest.len > 0)
        if (!take_varint(&rest, &tag) || !take_tag(reading, &rest, tag, &edit))
            return false;
    if (edit.adds || edit.drops)
        reading->families[edit.family] = edit.adds;
    if (edit.log > reading->logs[edit.family])
        reading->logs[edit.family] = edit.log;
    return true;
}

static void take_record(struct log_visitor *base, uint64_t offset, struct slice record) {
    struct reading *reading = container_of(base, struct reading, base);
    (void)offset;
    reading->any = true;
    if (reading->bad)
        reading->behind = true;
    else if (!take_edit(reading, record))
        reading->manifest->known = false;
}

static void note_bad(struct log_visitor *base, uint64_t offset) {
    struct reading *reading = container_of(base, struct reading, base);
    if (!reading->bad)
        reading->bad_at = offset;
    reading->bad = true;
}

/* ---- the file ---- */

static bool parse_current(char text[NAME_BYTES_MAX], uint64_t *ret_number) {
    unsigned long long number = 0;
    int end = 0;
    if (sscanf(text, "MANIFEST-%llu%n", &number, &end) != 1 || strcmp(text + end, "\n") != 0)
        return false;
    text[end] = '\0';
    *ret_number = number;
    return true;
}

/* The manifest's name, as CURRENT tells it. */
static struct error *read_current(struct arena *arena, struct file_cipher *cipher, int directory,
                                  char name[NAME_BYTES_MAX], uint64_t *ret_number) {
    enum log_walked read = log_read_text(cipher, directory, "CURRENT", name, NAME_BYTES_MAX);
    if (read == LOG_FOREIGN)
        return error_local(arena, "its file CURRENT is not encrypted by the key of this directory");
    if (read == LOG_UNREADABLE || !parse_current(name, ret_number))
        return error_local(arena, "its file CURRENT cannot be read");
    return NULL;
}

static uint64_t first_log_of(const struct reading *reading) {
    uint64_t first = reading->logs[0];
    for (size_t i = 1; i < FAMILIES_MAX; i++)
        if (reading->families[i] && reading->logs[i] < first)
            first = reading->logs[i];
    return first > reading->first_log ? first : reading->first_log;
}

static struct error *read_edits(struct arena *arena, struct file_cipher *cipher, int directory,
                                const char *name, struct reading *reading) {
    struct manifest *manifest = reading->manifest;
    reading->base = (struct log_visitor){EDIT_BYTES_MAX, take_record, note_bad, false};
    struct stat status;
    enum log_walked walked = log_walk(cipher, directory, name, &reading->base);
    if (walked == LOG_UNREADABLE || fstatat(directory, name, &status, 0) != 0)
        return error_local(arena, "its file %s cannot be read: %s", name, strerror(errno));
    if (walked == LOG_FOREIGN)
        return error_local(arena, "its file %s is not encrypted by the key of this directory",
                           name);
    if (reading->bad && reading->behind)
        return error_local(arena, "its file %s cannot be read at byte %llu, and goes on behind it",
                           name, (unsigned long long)reading->bad_at);
    manifest->size = (uint64_t)status.st_size;
    manifest->any = reading->any;
    manifest->torn = reading->bad || !reading->any;
    manifest->torn_at = reading->bad_at + (cipher == NULL ? 0 : FILE_HEADER_BYTES);
    manifest->first_log = first_log_of(reading);
    return NULL;
}

static struct error *read_manifest(struct arena *arena, struct file_cipher *cipher,
                                   const char *directory, struct reading *reading) {
    char name[NAME_BYTES_MAX];
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct error *error = NULL;
    *reading->manifest = (struct manifest){.known = true};
    if (fd >= 0 && faccessat(fd, "CURRENT", F_OK, 0) == 0) {
        error = read_current(arena, cipher, fd, name, &reading->manifest->number);
        if (error == NULL)
            error = read_edits(arena, cipher, fd, name, reading);
    }
    if (fd >= 0)
        close(fd);
    return error;
}

struct error *manifest_read(struct arena *arena, struct file_cipher *cipher, const char *directory,
                            struct manifest *ret_manifest) {
    return read_manifest(arena, cipher, directory, &(struct reading){.manifest = ret_manifest});
}

void manifest_find_tables(struct file_cipher *cipher, const char *directory,
                          struct manifest_table *tables, size_t count) {
    struct manifest manifest;
    struct arena CLEANUP(arena_release) arena;
    arena_init(&arena);
    for (size_t i = 0; i < count; i++)
        tables[i].used = false;
    struct reading reading = {.manifest = &manifest, .tables = tables, .table_count = count};
    struct error *error = read_manifest(&arena, cipher, directory, &reading);
    free(reading.others);
    if (error == NULL && manifest.number != 0 && manifest.known && !manifest.torn &&
        reading.other_count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        tables[i].used = true;
}

bool manifest_sync(struct file_cipher *cipher, const char *directory, uint64_t *ret_number,
                   uint64_t *ret_size) {
    char name[NAME_BYTES_MAX];
    struct stat status;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool named = log_read_text(cipher, fd, "CURRENT", name, sizeof(name)) == LOG_WALKED &&
                 parse_current(name, ret_number);
    int file = named ? openat(fd, name, O_RDONLY | O_CLOEXEC) : -1;
    bool synced = file >= 0 && fstat(file, &status) == 0 && fdatasync(file) == 0;
    if (synced)
        *ret_size = (uint64_t)status.st_size;
    if (file >= 0)
        close(file);
    close(fd);
    return synced;
}

/* ---- cutting ---- */

bool manifest_cut(const char *directory, uint64_t number, uint64_t end) {
    char name[NAME_BYTES_MAX];
    snprintf(name, sizeof(name), "MANIFEST-%06llu", (unsigned long long)number);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool cut = fd >= 0 && file_cut(fd, name, number, end);
    if (fd >= 0)
        close(fd);
    return cut;
}
