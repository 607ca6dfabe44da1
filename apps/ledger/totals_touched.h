/* totals_touched.h - the items that have changed while the table is read, so that its sums come out
 * right all the same.
 *
 * Pages of the table are added up, and changes by what they add and take away. For an item that has
 * changed, that is right when a page had it before its first change. When a page has it later, what
 * the page says does not count, and what was there before the first change is to be added: the
 * changes have taken it away, but no page had it. One that was removed before any page had it is
 * unclear: nobody knows whether an earlier page did.
 *
 * Memory: its own; touched_release(). */
#ifndef LEDGER_TOTALS_TOUCHED_H
#define LEDGER_TOTALS_TOUCHED_H

#include "common/app.h"

struct touched {
    void *tree;
    size_t count;
    size_t unclear;
};

/* A change that was read. False when there are too many. */
bool touched_note(struct touched *touched, const struct ddb_record *record);
/* Whether an item of a page has changed, as far as the stream was read, which is to be up to when
 * the page was. Then `*ret_first` is what was there before, or NULL. */
bool touched_meet(struct touched *touched, const struct ddb_item *item,
                  const struct ddb_item **ret_first);
void touched_release(struct touched *touched);

#endif
