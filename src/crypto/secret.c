/* secret.c - see secret.h. */
#include "crypto/secret.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/check.h"

void *secret_new(size_t size) {
    void *secret = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(secret != MAP_FAILED);
    madvise(secret, size, MADV_DONTDUMP);
    (void)mlock(secret, size); /* where the limit is 0, it may be swapped out */
    return secret;
}

void secret_free(void *secret, size_t size) {
    if (secret == NULL)
        return;
    explicit_bzero(secret, size);
    CHECK(munmap(secret, size) == 0);
}

void secret_process(void) {
    CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
}
