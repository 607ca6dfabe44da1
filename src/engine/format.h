/* format.h - the record that makes a store a gramme database (codec/format.h): the owner of the
 * next id. Private to this folder.
 *
 * Threads: the keys never change once they are loaded, and belong to all; the rest is for the
 * commit thread. */
#ifndef GRAMME_ENGINE_FORMAT_H
#define GRAMME_ENGINE_FORMAT_H

#include "codec/format.h"
#include "engine/options.h"

/* When the engine is opened. */
struct error *format_load_or_create(struct format_record *format,
                                    const struct engine_options *options, struct arena *arena);
/* Likewise, of a database that is there. */
struct error *format_find(struct format_record *format, const struct engine_options *options,
                          struct arena *arena);
/* Reads the next id again, whatever was known. The keys must be those that are known. */
struct error *format_load(struct format_record *format, struct arena *arena, struct store_txn *txn);

/* An id for a table, an index, a stream or a backup. It counts once the record is committed; one
 * that was taken for nothing is not used. */
static inline uint32_t format_take_id(struct format_record *format) {
    return format->next_id++;
}
void format_put(const struct format_record *format, struct store_txn *txn);

#endif
