/* pattern.h - the regular expressions of AllowedPattern.
 *
 * A pattern must match the whole text. It is compiled to a small program that runs in time
 * proportional to text times program, whatever the pattern: nothing backtracks. What is understood:
 * literals, ., classes, \d \w \s and their opposites, groups, |, * + ? {m,n}, ^ and $ at the ends.
 * Characters are bytes. What is not (look-around, back references, flags) is an outcome, not an
 * error: the caller says that the pattern was not checked. */
#ifndef GRAMME_TEMPLATE_PATTERN_H
#define GRAMME_TEMPLATE_PATTERN_H

#include "base/arena.h"

enum pattern_outcome { PATTERN_MATCHES, PATTERN_DIFFERS, PATTERN_NOT_UNDERSTOOD };

enum pattern_outcome pattern_match(struct arena *arena, struct slice pattern, struct slice text);

#endif
