/* remote_store.h - a store that several servers share: made, and looked at, before one is started.
 */
#ifndef GRAMME_ADMIN_REMOTE_STORE_H
#define GRAMME_ADMIN_REMOTE_STORE_H

#include "store/postgres/survey.h"
#include "store/trial/trial.h"

/* Whether a text names such a store, and not a directory or memory. */
bool remote_store_is_url(const char *text);
/* Where it is, without a password. */
struct error *remote_store_place(struct arena *arena, const char *url, struct slice *ret_place);
/* What its server promises. */
struct error *remote_store_survey(struct arena *arena,
                                  const struct postgres_survey_options *options,
                                  struct postgres_survey *ret_survey);
/* Makes it, or what is missing of it; what is there stays. With `single` its servers are content
 * with one copy. `groups`: of keys, of one that is not there yet; 0: as it has, or one. */
struct error *remote_store_init(struct arena *arena, const char *url, bool single, uint32_t groups);

/* Tries a store of its own there, which is gone afterwards. */
struct error *remote_store_try(struct arena *arena, const char *url,
                               struct trial_observer *observer, size_t *ret_failed);

#endif
