/* remote_store.h - a store that several servers share: made, and looked at, before one is started.
 */
#ifndef GRAMME_ADMIN_REMOTE_STORE_H
#define GRAMME_ADMIN_REMOTE_STORE_H

#include "store/postgres/survey.h"

/* Whether a text names such a store, and not a directory or memory. */
bool remote_store_is_url(const char *text);
/* Where it is, without a password. */
struct error *remote_store_place(struct arena *arena, const char *url, struct slice *ret_place);
/* What its server promises. */
struct error *remote_store_survey(struct arena *arena, const char *url,
                                  struct postgres_survey *ret_survey);
/* Makes it, or what is missing of it; what is there stays. */
struct error *remote_store_init(struct arena *arena, const char *url);

#endif
