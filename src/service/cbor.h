/* cbor.h - a CBOR body (RFC 8949) as a tree, the same as that of a JSON text.
 *
 * What the smithy protocol has: maps with texts as names, arrays, texts, integers, floats of all
 * sizes, booleans, null, and times (tag 1), which are their number. Lengths may be indefinite.
 * Byte strings come as base64, as they would in JSON. Numbers are printed, so that whoever reads
 * the tree need not know where it comes from; floats that are no number are the texts "nan", "inf"
 * and "-inf".
 * Memory: the arena; texts are slices of the input. */
#ifndef GRAMME_SERVICE_CBOR_H
#define GRAMME_SERVICE_CBOR_H

#include "json/tree.h"

/* A value takes a byte at least, and a hundred in memory: the largest requests have some
 * 300,000 of them. */
enum { CBOR_DEPTH_MAX = 64, CBOR_VALUES_MAX = 400000 };

/* NULL: that is not one well-formed value. */
const struct json_value *cbor_tree_read(struct arena *arena, struct slice input);

#endif
