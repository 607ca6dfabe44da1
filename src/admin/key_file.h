/* key_file.h - the file KEY of an encrypted data directory: the directory's own key, sealed by the
 * master key. Everything else is encrypted by keys that the directory's key seals, so another
 * master key means another 84 bytes, and no data is written anew.
 *   OFFSET SIZE  MEANING
 *   0      12    "gramme keys\n"
 *   12     4     format: 1, little-endian
 *   16     8     which master key: derived from it, so that a wrong one is told from damage
 *   24     60    the directory's key, sealed in the context of the 24 bytes before it
 * The same bytes stand at the beginning of an encrypted backup. */
#ifndef GRAMME_ADMIN_KEY_FILE_H
#define GRAMME_ADMIN_KEY_FILE_H

#include "admin/master_key.h"

enum { KEY_BLOCK_BYTES = 24 + CIPHER_KEY_BYTES + SEAL_BYTES };

/* The directory's key, sealed. */
struct error *key_block_make(struct arena *arena, const struct master_key *master,
                             const struct keyring *keyring, uint8_t ret_block[KEY_BLOCK_BYTES]);
/* `owner` is what it is the key of, for errors. */
struct error *key_block_open(struct arena *arena, const struct master_key *master,
                             const uint8_t block[KEY_BLOCK_BYTES], const char *owner,
                             struct keyring **ret_keyring);

/* Of a data directory. The file is whole and durable under its name, or the old one is. */
struct error *key_file_write(struct arena *arena, const char *directory,
                             const struct master_key *master, const struct keyring *keyring);
struct error *key_file_read(struct arena *arena, const char *directory,
                            uint8_t ret_block[KEY_BLOCK_BYTES]);
struct error *key_file_open(struct arena *arena, const char *directory,
                            const struct master_key *master, struct keyring **ret_keyring);
/* Of a directory that is no longer encrypted, or not yet; fine when there is none. */
struct error *key_file_remove(struct arena *arena, const char *directory);

/* For who looks at what is in a directory. */
#define KEY_FILE "KEY"
#define KEY_FILE_NEW "KEY.new"

#endif
