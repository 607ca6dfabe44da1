/* catalog_fields.h - which members of a table's definition are stored, under which names.
 *
 * One list serves encoding and decoding, so what is written can be read. Lists inside a definition
 * (keys, attributes, indexes, tags) are in catalog.c. */
#ifndef GRAMME_CODEC_CATALOG_FIELDS_H
#define GRAMME_CODEC_CATALOG_FIELDS_H

#include "codec/stored_fields.h"
#include "model/stream.h"

extern const struct stored_field stored_table_fields[];     /* of struct table_definition */
extern const struct stored_field stored_index_fields[];     /* of struct table_index */
extern const struct stored_field stored_attribute_fields[]; /* of struct key_attribute */
extern const struct stored_field stored_tag_fields[];       /* of struct table_tag */
extern const struct stored_field stored_stream_fields[];    /* of struct stream_definition */

#endif
