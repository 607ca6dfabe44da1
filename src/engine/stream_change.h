/* stream_change.h - how streams come and go with their tables. Private to this folder; commit
 * thread. */
#ifndef GRAMME_ENGINE_STREAM_CHANGE_H
#define GRAMME_ENGINE_STREAM_CHANGE_H

#include "codec/stream.h"
#include "store/store.h"

struct engine;

/* Reads the stream that ends when a table changes from `before` to `after`; either may be NULL.
 * NULL: none ends. */
struct error *stream_read_ending(struct arena *arena, struct store_txn *txn,
                                 const struct table_definition *before,
                                 const struct table_definition *after,
                                 struct stream_definition **ret_ending);
/* Ends that stream. */
void stream_end(struct engine *engine, struct arena *arena, struct store_txn *txn,
                struct stream_definition *ending, uint64_t *last_number);
/* Makes the stream that the definition asks for and does not have yet, and enters it there. Both
 * use numbers: the last one is raised. */
void stream_make(struct engine *engine, struct arena *arena, struct store_txn *txn,
                 struct table_definition *definition, uint64_t *last_number);

#endif
