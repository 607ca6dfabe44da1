/* catalog.h - a table's definition as bytes.
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version, 1
 *   1       rest  one flat value of type M (model/value.h), its entries by name
 *
 * Entries that a reader does not know are passed over, and those it misses have their defaults, so
 * an addition needs no new version. Enumerations are stored as words. */
#ifndef GRAMME_CODEC_CATALOG_H
#define GRAMME_CODEC_CATALOG_H

#include "base/error.h"
#include "model/table.h"

struct slice table_definition_encode(struct arena *arena,
                                     const struct table_definition *definition);

/* Texts of the definition point into `bytes`, its arrays are in the arena. Fails on bytes of a
 * newer version and on damage. */
struct error *table_definition_decode(struct arena *arena, struct slice bytes,
                                      struct table_definition *ret_definition);

#endif
