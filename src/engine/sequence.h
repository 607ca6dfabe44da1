/* sequence.h - numbers of changes (codec/sequence.h): increasing in the order of commits, and times
 * at once. The next one is the time now, or the last one plus one when that is larger (the clock
 * stood still or went back). The last number is stored in the commit that uses it, so that none is
 * used twice. Commit thread. */
#ifndef GRAMME_ENGINE_SEQUENCE_H
#define GRAMME_ENGINE_SEQUENCE_H

#include "codec/sequence.h"
#include "store/store.h"

struct engine;

struct error *sequence_load(struct engine *engine, struct arena *arena, struct store_txn *txn);
/* The number that comes next at that time. */
uint64_t sequence_next(const struct engine *engine, int64_t now_ms);
/* Stores the last number that the transaction uses. */
void sequence_put(struct store_txn *txn, uint64_t last);
/* The transaction is committed. */
void sequence_used(struct engine *engine, uint64_t last);
/* Stores the time without a change, as the number that it starts with. */
struct error *sequence_keep_time(struct engine *engine, struct arena *arena);

#endif
