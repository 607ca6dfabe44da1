/* master_key.h - the key that comes from outside and opens a data directory.
 *
 * It is named by where it is:
 *   FILE              a file that only its owner may read
 *   credential:NAME   a credential that systemd hands to the service
 *   command:COMMAND   what a shell command prints
 * and is 32 bytes: as they are, as 64 hexadecimal digits, or in base64, the texts with or without a
 * newline. No error tells any of it, nor the command, in which it may stand. A process that has
 * read one writes no core file any more. */
#ifndef GRAMME_ADMIN_MASTER_KEY_H
#define GRAMME_ADMIN_MASTER_KEY_H

#include "crypto/keyring.h"

struct master_key {
    struct keyring *keyring;
    const char *name; /* for messages */
};

struct error *master_key_read(struct arena *arena, const char *source, struct master_key *ret_key);
/* Of one that was never read too, if it is zeros. */
void master_key_release(struct master_key *key);

#endif
