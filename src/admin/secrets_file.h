/* secrets_file.h - the file `SECRETS` of a data directory: the key by which access keys are sealed.
 *
 * Secrets lie sealed in the store, and the key lies beside it, in a file that is its owner's alone:
 * so a backup, which is of the store, opens none of them. In an encrypted directory the key is
 * sealed by the directory's own. */
#ifndef GRAMME_ADMIN_SECRETS_FILE_H
#define GRAMME_ADMIN_SECRETS_FILE_H

#include "crypto/keyring.h"

/* Reads it, or makes it. `over` is the directory's keyring; NULL: the directory is plain. */
struct error *secrets_file_open(struct arena *arena, const char *directory,
                                const struct keyring *over, struct keyring **ret_keyring);

/* NULL: there is none. */
struct error *secrets_file_find(struct arena *arena, const char *directory,
                                const struct keyring *over, struct keyring **ret_keyring);
/* In the place of what is there. */
struct error *secrets_file_write(struct arena *arena, const char *directory,
                                 const struct keyring *over, const struct keyring *keyring);

/* The same key for a directory that is converted, if there is one: it was sealed by `from`, and is
 * to be by `to`. Plain it is read in an encrypted directory too, sealed only where it was sealed.
 */
struct error *secrets_file_convert(struct arena *arena, const char *directory,
                                   const struct keyring *from, const struct keyring *to);

#endif
