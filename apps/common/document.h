/* document.h - plain JSON, as programs and people write it, to DynamoDB's values and back.
 *
 * A string becomes S, a number N, true and false BOOL, null NULL, an array L, an object M. Strict:
 * RFC 8259, no NUL characters, numbers that DynamoDB can hold, at most DOCUMENT_DEPTH_MAX levels.
 * Where an object has a name twice, the later one counts. */
#ifndef APPS_COMMON_DOCUMENT_H
#define APPS_COMMON_DOCUMENT_H

#include <stddef.h>
#include <stdio.h>

#include "common/app.h"

enum { DOCUMENT_DEPTH_MAX = 24, DOCUMENT_PROBLEM_SIZE = 160 };

/* What is in the JSON text, as the only attribute, `document`, of an item that is yours. NULL when
 * the text is wrong; `ret_problem` then says where and why. */
struct ddb_item *document_parse(const char *text, size_t size,
                                char ret_problem[DOCUMENT_PROBLEM_SIZE]);
/* The same of a file; says what is wrong. */
struct ddb_item *document_read(const struct app *app, const char *path, size_t size_max);

/* Prints plain JSON on one line, names in alphabetical order. Sets become arrays, and binary "?".
 */
void document_print(const struct ddb_value *value);
/* A text in quotes. */
void document_write_text(FILE *out, const char *text);
void document_write(FILE *out, const struct ddb_value *value);

#endif
