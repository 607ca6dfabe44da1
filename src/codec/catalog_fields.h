/* catalog_fields.h - which members of a table's definition are stored, under which names.
 *
 * One list serves encoding and decoding, so what is written can be read. Lists inside a definition
 * (keys, attributes, indexes, tags) are in catalog.c. */
#ifndef GRAMME_CODEC_CATALOG_FIELDS_H
#define GRAMME_CODEC_CATALOG_FIELDS_H

#include "model/table.h"

enum stored_kind {
    STORED_TEXT,  /* struct slice; left out when absent */
    STORED_INT,   /* int64_t; left out when it is the default */
    STORED_ID,    /* uint32_t */
    STORED_BOOL,  /* left out when false */
    STORED_WORD,  /* an enumeration, by the words */
    STORED_UNITS, /* int64_t; left out when it is -1 */
};

struct stored_field {
    const char *name;
    enum stored_kind kind;
    size_t offset;
    const char *const *words; /* STORED_WORD: one per value of the enumeration, then NULL */
};

extern const struct stored_field stored_table_fields[];     /* of struct table_definition */
extern const struct stored_field stored_index_fields[];     /* of struct table_index */
extern const struct stored_field stored_attribute_fields[]; /* of struct key_attribute */
extern const struct stored_field stored_tag_fields[];       /* of struct table_tag */

#endif
