/* percent.h - percent-encoding, as URLs and signatures have it. Memory: the arena, or the text
 * itself where nothing has to change. */
#ifndef GRAMME_HTTP_PERCENT_H
#define GRAMME_HTTP_PERCENT_H

#include "base/arena.h"

/* What is no valid escape stays as it is. */
struct slice percent_decode(struct arena *arena, struct slice text);

/* All but letters, digits, "-._~" and the byte `kept` (0: none of these) becomes %XX, in capitals.
 */
struct slice percent_encode(struct arena *arena, struct slice text, uint8_t kept);

#endif
