/* work.h - payments that have not ended: who they are, and how they go on by themselves. */
#ifndef PAYMENT_SAGA_WORK_H
#define PAYMENT_SAGA_WORK_H

#include "saga.h"

/* Goes on with the payments that nobody is at: left by a run that has died, or without an answer
 * of the gateway. Several may do so at once; each payment is taken up by one of them. `ended` is
 * called for each that has ended, and may be NULL. */
struct work_result {
    size_t ended;
    size_t pending; /* looked at, and left for later */
    size_t overdue; /* of these: past their deadline */
};
bool work_pass(struct app *app, const struct saga_settings *settings,
               void (*ended)(const struct payment *payment), struct work_result *ret_result);

/* The payments that have not ended, the oldest first, at most `limit`; free() them. False, with a
 * message, when they cannot be read. */
bool work_pending(struct app *app, size_t limit, struct payment **ret_payments, size_t *ret_count);

extern const struct app_option work_options[];
enum app_status work(struct app *app);
extern const struct app_option work_pending_options[];
enum app_status work_show_pending(struct app *app);

#endif
