/* token_keeper.h - forgetting request tokens (token.h) whose time has passed. Private to this
 * folder; commit thread. */
#ifndef GRAMME_ENGINE_TOKEN_KEEPER_H
#define GRAMME_ENGINE_TOKEN_KEEPER_H

#include "engine/chore.h"
#include "store/store.h"

struct token_keeper {
    int64_t end_ms; /* when the first token ends; INT64_MAX: there is none */
};

/* Finds out when the first token ends, whatever was known. */
struct error *token_keeper_load(struct token_keeper *keeper, struct arena *arena,
                                struct store_txn *txn);

/* A token that ends then is being committed. */
static inline void token_keeper_expect(struct token_keeper *keeper, int64_t end_ms) {
    if (end_ms < keeper->end_ms)
        keeper->end_ms = end_ms;
}

/* A chore: forgets what ended before that time, a bounded number. Only jobs make tokens, so it is
 * enough to look after jobs. */
struct error *token_keeper_trim(struct token_keeper *keeper, struct store *store,
                                struct arena *arena, int64_t now_ms, enum chore_state *ret_state);

#endif
