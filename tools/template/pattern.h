/* pattern.h - the regular expressions of AllowedPattern.
 *
 * CloudFormation's are Java's, and a pattern must match the whole text. PCRE2 matches them, in
 * UTF-8, after pattern_java.c has rewritten what Java writes otherwise. It may backtrack: steps,
 * memory and the pattern's length are bounded.
 * Memory: the arena; what PCRE2 allocates is gone when a call returns. */
#ifndef GRAMME_TEMPLATE_PATTERN_H
#define GRAMME_TEMPLATE_PATTERN_H

#include "base/error.h"

enum pattern_outcome {
    PATTERN_MATCHES,
    PATTERN_DIFFERS,
    PATTERN_ENDLESS,   /* not told within the bounds */
    PATTERN_JAVA_ONLY, /* it has classes within classes, which PCRE2 does not know */
};

/* An error when it is no regular expression, or PCRE2 is not there; the text says what. */
struct error *pattern_match(struct arena *arena, struct slice pattern, struct slice text,
                            enum pattern_outcome *ret_outcome);

/* The pattern as PCRE2 writes it. False for PATTERN_JAVA_ONLY. */
bool pattern_from_java(struct arena *arena, struct slice pattern, struct slice *ret_pattern);

#endif
