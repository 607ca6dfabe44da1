/* backup.c - see the header. Threads: any; no shared state. */
#include "codec/backup.h"

#include "base/bytes.h"
#include "base/check.h"
#include "codec/stored_fields.h"

enum {
    BACKUP_VERSION = 1,
    BACKUP_HEADER = 5,
    BACKUP_SIZE_MAX = 65 * 1024 * 1024,
    BACKUP_DEPTH_MAX = 2,
};

#define BACKUP(member) offsetof(struct backup, member)

/* A name is never given another meaning. */
static const struct stored_field backup_fields[] = {
    {"Name", STORED_TEXT, BACKUP(name), NULL},
    {"Id", STORED_ID, BACKUP(id), NULL},
    {"Type", STORED_WORD, BACKUP(type), &backup_type_words},
    {"Status", STORED_WORD, BACKUP(status), &backup_status_words},
    {"CreatedMs", STORED_INT, BACKUP(created_ms), NULL},
    {"ExpiryMs", STORED_INT, BACKUP(expiry_ms), NULL},
    {"Size", STORED_INT, BACKUP(size_bytes), NULL},
    {"Items", STORED_INT, BACKUP(item_count), NULL},
    {.name = NULL},
};

struct slice backup_encode(struct arena *arena, const struct backup *backup) {
    struct buffer CLEANUP(buffer_release) bytes;
    struct arena CLEANUP(arena_release) scratch;
    uint8_t header[BACKUP_HEADER] = {BACKUP_VERSION};
    buffer_init(&bytes, BACKUP_SIZE_MAX);
    arena_init(&scratch);
    store_u32(header + 1, (uint32_t)backup->definition.len);
    buffer_append(&bytes, header, sizeof(header));
    buffer_append_slice(&bytes, backup->definition);
    struct value_builder out;
    value_builder_init(&out, &bytes, &scratch);
    value_builder_open(&out, VALUE_M);
    stored_fields_write(&out, backup_fields, backup);
    value_builder_close(&out);
    CHECK(!bytes.overflow);
    return arena_slice(arena, buffer_slice(&bytes));
}

static struct error *damaged(struct arena *arena, const char *what) {
    return error_local(arena, "the record of a backup is damaged: %s", what);
}

struct error *backup_decode(struct arena *arena, struct slice bytes, struct backup *ret_backup) {
    if (bytes.len < BACKUP_HEADER)
        return damaged(arena, "it is too short");
    if (bytes.data[0] != BACKUP_VERSION)
        return error_local(arena, "the record of a backup has version %u, this program reads %d",
                           bytes.data[0], BACKUP_VERSION);
    struct slice rest = slice_skip(bytes, BACKUP_HEADER);
    size_t definition_len = load_u32(bytes.data + 1);
    if (definition_len > rest.len)
        return damaged(arena, "it is too short");
    struct slice fields = slice_skip(rest, definition_len);
    if (!value_check(fields, BACKUP_DEPTH_MAX) || fields.data[0] != VALUE_M)
        return damaged(arena, "not a map");
    struct backup backup = {.definition = slice_first(rest, definition_len)};
    const char *wrong = stored_fields_read(value_from_slice(fields), backup_fields, &backup);
    if (wrong != NULL)
        return damaged(arena, wrong);
    if (!slice_present(backup.name) || backup.id == 0)
        return damaged(arena, "Name or Id");
    *ret_backup = backup;
    return NULL;
}
