/* validate.h - which lunches of a menu are as they should be, and how good the menu is. */
#ifndef LUNCH_CACHE_VALIDATE_H
#define LUNCH_CACHE_VALIDATE_H

#include "common/app.h"

/* Fills in `lunches` with those that are right, `lunchCount`, `validationErrors` with what is wrong
 * with the others, and `dataQuality`:
 *   completeness  how many of the fields that the lunches could have are there
 *   accuracy      how many of those are right */
void validate_lunches(const struct ddb_list *lunches, int64_t week, struct ddb_item *menu);

#endif
