/* shared_store.h - one store for several engines, each of which believes that it is its own. */
#ifndef GRAMME_TESTS_SHARED_STORE_H
#define GRAMME_TESTS_SHARED_STORE_H

#include "store/store.h"

/* A handle on the store, which is closed with its last handle. */
struct store *shared_store_new(struct store *inner);
/* Another handle on the same store. */
struct store *shared_store_again(struct store *handle);

#endif
