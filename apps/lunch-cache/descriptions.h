/* descriptions.h - the descriptions of a large menu, compressed.
 *
 * A menu is paid for by its size, and most of a large one are descriptions. When they are more than
 * DESCRIPTIONS_PLAIN_MAX bytes, the item has them in one attribute, `descriptions`: a JSON array of
 * texts, one for each lunch, null where there is none, in the form of gzip. The lunches stay a list
 * as it is in the design, where a description may be absent. */
#ifndef LUNCH_CACHE_DESCRIPTIONS_H
#define LUNCH_CACHE_DESCRIPTIONS_H

#include "common/app.h"

enum { DESCRIPTIONS_PLAIN_MAX = 4096 };

/* Before a menu is written. */
void descriptions_pack(struct ddb_item *menu);
/* After it was read. What is no such attribute is left alone. */
void descriptions_unpack(struct ddb_item *menu);

#endif
