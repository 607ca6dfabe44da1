/* upkeep.h - looks after the table: what has to go, what nobody has graded, whether it works.
 *
 * Each may be run by several at once: what another has done meanwhile is left alone. They say what
 * is wrong. */
#ifndef LUNCH_CACHE_UPKEEP_H
#define LUNCH_CACHE_UPKEEP_H

#include "common/app.h"

/* Deletes the menus that have expired and that DynamoDB has not deleted yet. The count is right
 * also on failure. */
bool upkeep_cleanup(struct app *app, const char *table, int *ret_deleted);
/* Gives `dataQuality`, `validationErrors` and `lunchCount` to menus that others have written
 * without. Their lunches stay as they are. */
bool upkeep_grade(struct app *app, const char *table, int *ret_graded);
/* A put, a get and a delete. */
bool upkeep_check(struct app *app, const char *table);

#endif
