/* unescape.h - one escape of a string, for the reader. */
#ifndef GRAMME_JSON_UNESCAPE_H
#define GRAMME_JSON_UNESCAPE_H

#include <stdint.h>

/* `p` is at a backslash. Writes what the escape means at `*out`, which moves on, and returns what
 * follows it; NULL when it is no escape. The UTF-8 is never longer than the escape. */
const uint8_t *json_unescape(const uint8_t *p, const uint8_t *end, uint8_t **out);

#endif
