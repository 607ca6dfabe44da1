/* printable.h - text of unknown origin, made fit for a terminal or a log.
 *
 * Names in files and what servers answer may hold anything: escapes that move the cursor, change
 * what a terminal shows or have it answer, characters that turn the direction of a line. */
#ifndef GRAMME_BASE_PRINTABLE_H
#define GRAMME_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes question marks over control characters, those of two bytes in UTF-8 too, and over the
 * marks of direction. With `lines`, ends of lines and tabs stay. */
void make_printable(char *text, size_t len, bool lines);

#endif
