/* secret.h - memory for keys: it is not swapped out where that is allowed, not in core files, and
 * wiped when it is freed. */
#ifndef GRAMME_CRYPTO_SECRET_H
#define GRAMME_CRYPTO_SECRET_H

#include <stddef.h>

/* Zeros, in pages of their own. */
void *secret_new(size_t size);
/* secret_free(NULL, ...) is fine. */
void secret_free(void *secret, size_t size);

/* From here on this process writes no core file, and no other process of its user looks into it.
 * What a server with encrypted files has in memory, keys and data, is not to lie on a disk. */
void secret_process(void);

#endif
