/* totals_rebuild.h - builds the totals anew, from the transactions and legs that are there. */
#ifndef LEDGER_TOTALS_REBUILD_H
#define LEDGER_TOTALS_REBUILD_H

#include "totals_place.h"

/* Says why it fails. The totals are then neither shown nor kept until it has been done. */

/* Builds, unless another copy has begun since the place was read; then nothing is done. */
enum app_status totals_rebuild_unless(struct app *app, const struct totals_place *seen);
/* `totals rebuild`: builds in any case, and prints how many there are. */
enum app_status totals_rebuild(struct app *app);

#endif
