/* shared_secrets.h - the key by which the access keys in a shared store are sealed.
 *
 * It is what the file SECRETS is to a directory (secrets_file.h): a note beside the keyspaces, so
 * that a backup opens none of them; sealed by the master key that all servers of the store are
 * started with. */
#ifndef GRAMME_ADMIN_SHARED_SECRETS_H
#define GRAMME_ADMIN_SHARED_SECRETS_H

#include "admin/master_key.h"
#include "store/store.h"

/* Reads it, or makes it. */
struct error *shared_secrets_open(struct arena *arena, struct store *store,
                                  const struct master_key *key, struct keyring **ret_keyring);
/* NULL: there is none. The key may be NULL then. */
struct error *shared_secrets_find(struct arena *arena, struct store *store,
                                  const struct master_key *key, struct keyring **ret_keyring);
/* In the place of what is there. */
struct error *shared_secrets_write(struct arena *arena, struct store *store,
                                   const struct master_key *key, const struct keyring *keyring);

#endif
