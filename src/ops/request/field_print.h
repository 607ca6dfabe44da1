/* field_print.h - members of a request as the service prints them in constraint errors. */
#ifndef GRAMME_OPS_REQUEST_FIELD_PRINT_H
#define GRAMME_OPS_REQUEST_FIELD_PRINT_H

#include "ops/request/field.h"

/* "TableName" as "tableName": the first letter only, whatever follows. */
void field_print_name(struct buffer *out, const struct field *field);

/* The member at `member`, as Java prints it: text as it is, [a, b], {k=v},
 * KeySchemaElement(attributeName=a, keyType=HASH); null when absent. What does not fit in the
 * buffer is cut off at a character, and the buffer's overflow is set. */
void field_print(struct buffer *out, const struct field *field, const void *member);

/* JSON without the white space between its tokens, cut off in the same way. */
void field_print_json(struct buffer *out, struct slice json);

#endif
