/* bundle.h - writes that happen together or not at all, with the items that they point to.
 *
 * Memory: the items that are added belong to the bundle; bundle_release(). */
#ifndef APPS_COMMON_BUNDLE_H
#define APPS_COMMON_BUNDLE_H

#include "common/app.h"

enum { BUNDLE_MAX = 99 }; /* TransactWriteItems takes 100: one more comes with bundle_send() */

enum bundle_outcome {
    BUNDLE_DONE,
    BUNDLE_LOST,  /* the last write's condition failed: somebody else was faster */
    BUNDLE_BUSY,  /* somebody else was at it; another try may do */
    BUNDLE_TAKEN, /* another write's condition failed */
    BUNDLE_FAILED,
};

struct bundle {
    struct ddb_write writes[BUNDLE_MAX + 1];
    struct ddb_item *items[2 * BUNDLE_MAX];
    size_t count;
};

/* One more write, at most BUNDLE_MAX, with its item or key, and its values or NULL. */
void bundle_add(struct bundle *bundle, struct ddb_write write, struct ddb_item *item,
                struct ddb_item *values);
/* All of them and one more, whose condition guards them. May be sent again. Of failures there is no
 * message yet. */
enum bundle_outcome bundle_send(struct app *app, struct bundle *bundle,
                                const struct ddb_write *last);
void bundle_release(struct bundle *bundle);

#endif
