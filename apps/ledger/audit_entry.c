/* audit_entry.c - an entry made of a change, sealed, and as an item. */
#include "audit_entry.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"

enum { TEXT_MAX = 150 * 1024 }; /* of Old, and of New: an item takes 400 KB */

static void digest_text(const char *text, size_t size, char ret_digest[AUDIT_DIGEST_SIZE]) {
    uint8_t hash[EVP_MAX_MD_SIZE] = {0};
    EVP_Digest(text, size, hash, NULL, EVP_sha256(), NULL);
    hex_format(hash, 32, ret_digest);
}

/* ---- of a change ---- */

static bool is_same(const struct ddb_value *a, const struct ddb_value *b) {
    struct ddb_item *both[2] = {ddb_item_new(), ddb_item_new()};
    char *texts[2];
    const struct ddb_value *values[2] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        ddb_item_set_value(both[i], "v", values[i]);
        texts[i] = ddb_item_json(both[i]);
        ddb_item_free(both[i]);
    }
    bool same = strcmp(texts[0], texts[1]) == 0;
    free(texts[0]);
    free(texts[1]);
    return same;
}

/* What `image` has and `other` has not; both may be NULL. */
static char *difference(const struct ddb_record *record, const struct ddb_item *image,
                        const struct ddb_item *other) {
    struct ddb_item *rest = ddb_item_new();
    for (size_t i = 0; image != NULL && i < ddb_item_count(image); i++) {
        const char *name = ddb_item_name_at(image, i);
        const struct ddb_value *value = ddb_item_value_at(image, i);
        if (ddb_item_value(record->keys, name) == NULL &&
            !is_same(value, other == NULL ? NULL : ddb_item_value(other, name)))
            ddb_item_set_value(rest, name, value);
    }
    char *text = ddb_item_json(rest), digest[AUDIT_DIGEST_SIZE];
    size_t size = strlen(text);
    ddb_item_free(rest);
    if (size > TEXT_MAX) {
        digest_text(text, size, digest);
        snprintf(text, size, "sha256 %s", digest);
    }
    return text;
}

/* The account that the item is, or whose leg it is. An id that is none has no entry in the index,
 * and cannot be asked for. */
static void set_account(const struct ddb_record *record, struct audit_entry *entry) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *key = ddb_item_string(record->keys, "PK", "");
    const char *id =
        strncmp(key, "ACCOUNT#", 8) == 0
            ? key + 8
            : ddb_item_string(record->new_image != NULL ? record->new_image : record->old_image,
                              "AccountID", "");
    size_t size = strlen(id);
    if (size < sizeof(entry->account) && strspn(id, plain) == size)
        memcpy(entry->account, id, size + 1);
}

void audit_entry_of(const struct ddb_record *record, struct audit_entry *ret_entry) {
    static const char *const events[] = {
        [DDB_INSERT] = "INSERT", [DDB_MODIFY] = "MODIFY", [DDB_REMOVE] = "REMOVE"};
    *ret_entry =
        (struct audit_entry){.key = ddb_item_json(record->keys),
                             .old = difference(record, record->old_image, record->new_image),
                             .new = difference(record, record->new_image, record->old_image)};
    snprintf(ret_entry->event, sizeof(ret_entry->event), "%s",
             record->expired ? "EXPIRE" : events[record->event]);
    snprintf(ret_entry->sequence, sizeof(ret_entry->sequence), "%s", record->sequence_number);
    timestamp_format_s(record->created_s * 1000, ret_entry->changed_at);
    set_account(record, ret_entry);
}

void audit_entry_mark(const char *event, const char *changed_at, struct audit_entry *ret_entry) {
    *ret_entry =
        (struct audit_entry){.key = strdup("{}"), .old = strdup("{}"), .new = strdup("{}")};
    snprintf(ret_entry->event, sizeof(ret_entry->event), "%s", event);
    snprintf(ret_entry->changed_at, sizeof(ret_entry->changed_at), "%s", changed_at);
}

void audit_entry_release(struct audit_entry *entry) {
    free(entry->key);
    free(entry->old);
    free(entry->new);
    *entry = (struct audit_entry){0};
}

size_t audit_entry_size(const struct audit_entry *entry) {
    return strlen(entry->key) + strlen(entry->old) + strlen(entry->new);
}

/* ---- sealed ---- */

static void digest_entry(const struct audit_entry *entry, char ret_digest[AUDIT_DIGEST_SIZE]) {
    size_t size = audit_entry_size(entry) + 512, length;
    char *text = malloc(size);
    if (text == NULL)
        abort();
    length = (size_t)snprintf(text, size, "%s\n%" PRId64 "\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n",
                              entry->previous, entry->number, entry->recorded_at, entry->changed_at,
                              entry->event, entry->sequence, entry->account, entry->key, entry->old,
                              entry->new);
    digest_text(text, length, ret_digest);
    free(text);
}

void audit_entry_seal(struct audit_entry *entry) {
    digest_entry(entry, entry->digest);
}

bool audit_entry_is_sealed(const struct audit_entry *entry) {
    char digest[AUDIT_DIGEST_SIZE];
    digest_entry(entry, digest);
    return strcmp(digest, entry->digest) == 0;
}

/* ---- as an item ---- */

/* The texts that have a place of their own; in both directions. */
struct field {
    const char *name;
    char *text;
    size_t size;
};
enum { FIELDS = 7 };

static void list_fields(struct audit_entry *entry, struct field ret_fields[FIELDS]) {
    const struct field fields[FIELDS] = {
        {"RecordedAt", entry->recorded_at, sizeof(entry->recorded_at)},
        {"ChangedAt", entry->changed_at, sizeof(entry->changed_at)},
        {"Event", entry->event, sizeof(entry->event)},
        {"Sequence", entry->sequence, sizeof(entry->sequence)},
        {"Account", entry->account, sizeof(entry->account)},
        {"Previous", entry->previous, sizeof(entry->previous)},
        {"Digest", entry->digest, sizeof(entry->digest)},
    };
    memcpy(ret_fields, fields, sizeof(fields));
}

struct ddb_item *audit_entry_item(const struct audit_entry *entry) {
    struct ddb_item *item = ddb_item_new();
    struct audit_entry copy = *entry;
    struct field fields[FIELDS];
    list_fields(&copy, fields);
    ddb_item_set_format(item, "Day", "%.10s", entry->recorded_at);
    ddb_item_set_int(item, "Number", entry->number);
    for (size_t i = 0; i < FIELDS; i++)
        if (*fields[i].text != '\0') /* the key of an index may not be empty */
            ddb_item_set_string(item, fields[i].name, fields[i].text);
    ddb_item_set_string(item, "Key", entry->key);
    ddb_item_set_string(item, "Old", entry->old);
    ddb_item_set_string(item, "New", entry->new);
    return item;
}

bool audit_entry_read(const struct ddb_item *item, struct audit_entry *ret_entry) {
    struct field fields[FIELDS];
    *ret_entry = (struct audit_entry){.number = ddb_item_int(item, "Number", 0),
                                      .key = strdup(ddb_item_string(item, "Key", "")),
                                      .old = strdup(ddb_item_string(item, "Old", "")),
                                      .new = strdup(ddb_item_string(item, "New", ""))};
    list_fields(ret_entry, fields);
    bool fits = strncmp(ddb_item_string(item, "Day", ""), ddb_item_string(item, "RecordedAt", ""),
                        AUDIT_DAY_SIZE - 1) == 0;
    for (size_t i = 0; i < FIELDS; i++) {
        const char *text = ddb_item_string(item, fields[i].name, "");
        fits = fits && strlen(text) < fields[i].size;
        snprintf(fields[i].text, fields[i].size, "%s", text);
    }
    return fits;
}
