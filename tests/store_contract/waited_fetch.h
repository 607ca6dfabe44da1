/* waited_fetch.h - a fetch with a transaction of its own, and somebody who waits for it after all.
 * Keys are text. */
#ifndef GRAMME_TESTS_STORE_CONTRACT_WAITED_FETCH_H
#define GRAMME_TESTS_STORE_CONTRACT_WAITED_FETCH_H

#include <semaphore.h>

#include "base/check.h"
#include "base/container.h"
#include "store/store.h"

enum { FETCH_KEYS_MAX = 40 };

struct waited_fetch {
    struct store_fetch fetch;
    struct arena arena;
    struct store_key keys[FETCH_KEYS_MAX];
    struct slice values[FETCH_KEYS_MAX];
    sem_t done;
};

static inline void waited_fetch_done(struct store_fetch *fetch) {
    sem_post(&container_of(fetch, struct waited_fetch, fetch)->done);
}

/* The keys are there already. */
static inline void waited_fetch_start(struct waited_fetch *waited, struct store *store,
                                      enum store_mode mode, size_t count) {
    struct store_txn *txn = NULL;
    arena_init(&waited->arena);
    sem_init(&waited->done, 0, 0);
    CHECK(store_begin(store, &waited->arena, mode, &txn) == NULL);
    waited->fetch = (struct store_fetch){
        .count = count, .keys = waited->keys, .values = waited->values, .done = waited_fetch_done};
    store_get_many_start(txn, &waited->fetch);
}

static inline struct error *waited_fetch_wait(struct waited_fetch *waited) {
    while (sem_wait(&waited->done) != 0)
        ;
    return waited->fetch.error;
}

/* What it brought is gone then, and so is its error. */
static inline void waited_fetch_end(struct waited_fetch *waited) {
    store_end(waited->fetch.txn);
    sem_destroy(&waited->done);
    arena_release(&waited->arena);
}

#endif
