/* stored_fields.h - which members of a struct are stored, under which names.
 *
 * One list serves encoding and decoding, so what is written can be read. Entries that a reader does
 * not know are passed over, and those it misses have their defaults. Enumerations are stored as
 * words. */
#ifndef GRAMME_CODEC_STORED_FIELDS_H
#define GRAMME_CODEC_STORED_FIELDS_H

#include "model/value_builder.h"
#include "model/words.h"

enum stored_kind {
    STORED_TEXT,  /* struct slice; left out when absent */
    STORED_INT,   /* int64_t; left out when it is the default */
    STORED_ID,    /* uint32_t; left out when 0 */
    STORED_BOOL,  /* left out when false */
    STORED_WORD,  /* an enumeration, by the words */
    STORED_UNITS, /* int64_t; left out when it is -1 */
};

struct stored_field {
    const char *name;
    enum stored_kind kind;
    size_t offset;
    const struct words *words; /* STORED_WORD */
};

/* The list ends with a field without a name. The builder is inside a map. */
void stored_fields_write(struct value_builder *out, const struct stored_field *fields,
                         const void *base);
/* What is not stored gets its default: zero (which `base` is filled with already), or -1 for units.
 * Returns the name of an entry that is not what its field wants, NULL when all are fine. */
const char *stored_fields_read(struct value map, const struct stored_field *fields, void *base);

#endif
