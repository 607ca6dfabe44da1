/* document.h - plain JSON, as programs and people write it, to DynamoDB's values and back: what
 * ddb_item_set_document() reads, of files and without NUL characters. */
#ifndef APPS_COMMON_DOCUMENT_H
#define APPS_COMMON_DOCUMENT_H

#include <stddef.h>
#include <stdio.h>

#include "common/app.h"

enum { DOCUMENT_PROBLEM_SIZE = 160 };

/* What is in the JSON text, as the only attribute, `document`, of an item that is yours. NULL when
 * the text is wrong; `ret_problem` then says where and why. */
struct ddb_item *document_parse(const char *text, size_t size,
                                char ret_problem[DOCUMENT_PROBLEM_SIZE]);
/* The same of a file; says what is wrong. */
struct ddb_item *document_read(const struct app *app, const char *path, size_t size_max);

/* Prints plain JSON on one line, names in alphabetical order. */
void document_print(const struct ddb_value *value);
/* A text in quotes. */
void document_write_text(FILE *out, const char *text);
void document_write(FILE *out, const struct ddb_value *value);

#endif
