/* shared_secrets.c - see shared_secrets.h. The note is a key block (key_file.h) in base64. */
#include "admin/shared_secrets.h"

#include "admin/key_file.h"
#include "base/base64.h"
#include "store/postgres/postgres.h"

#define NAME "secrets"
#define OWNER "the store's access keys"

enum { TEXT_MAX = 2 * KEY_BLOCK_BYTES };

static struct error *encode(struct arena *arena, const struct master_key *key,
                            const struct keyring *keyring, struct slice *ret_text) {
    uint8_t block[KEY_BLOCK_BYTES], text[TEXT_MAX];
    TRY(key_block_make(arena, key, keyring, block));
    base64_encode(slice_of(block, sizeof(block)), text);
    *ret_text = arena_slice(arena, slice_of(text, base64_encoded_len(sizeof(block))));
    return NULL;
}

static struct error *decode(struct arena *arena, const struct master_key *key, struct slice text,
                            struct keyring **ret_keyring) {
    uint8_t block[TEXT_MAX];
    size_t len = 0;
    if (text.len > TEXT_MAX || base64_decode(text, block, &len) != BASE64_OK ||
        len != KEY_BLOCK_BYTES)
        return error_local(arena, "The store's note of its access keys is damaged");
    return key_block_open(arena, key, block, OWNER, ret_keyring);
}

struct error *shared_secrets_open(struct arena *arena, struct store *store,
                                  const struct master_key *key, struct keyring **ret_keyring) {
    struct keyring *fresh = keyring_new_random();
    struct slice text;
    struct error *error = encode(arena, key, fresh, &text);
    keyring_free(fresh);
    if (error == NULL)
        error = postgres_note_offer(store, arena, NAME, text, &text);
    return error != NULL ? error : decode(arena, key, text, ret_keyring);
}

struct error *shared_secrets_find(struct arena *arena, struct store *store,
                                  const struct master_key *key, struct keyring **ret_keyring) {
    struct slice text;
    *ret_keyring = NULL;
    TRY(postgres_note_read(store, arena, NAME, &text));
    if (!slice_present(text))
        return NULL;
    if (key == NULL)
        return error_local(arena, "The store has access keys: give the key that its servers are "
                                  "started with");
    return decode(arena, key, text, ret_keyring);
}

struct error *shared_secrets_write(struct arena *arena, struct store *store,
                                   const struct master_key *key, const struct keyring *keyring) {
    struct slice text;
    TRY(encode(arena, key, keyring, &text));
    return postgres_note_write(store, arena, NAME, text);
}
