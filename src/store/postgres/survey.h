/* survey.h - what a PostgreSQL server promises: whether a commit that it acknowledged can be lost.
 */
#ifndef GRAMME_STORE_POSTGRES_SURVEY_H
#define GRAMME_STORE_POSTGRES_SURVEY_H

#include "store/store.h"

enum { POSTGRES_SETTINGS_MAX = 8 };

struct postgres_setting {
    struct slice name;
    struct slice value;
    const char *wrong; /* what may happen with it; NULL: it is fine */
};

struct postgres_survey {
    struct slice version; /* "PostgreSQL 15.18 on ..." */
    struct postgres_setting settings[POSTGRES_SETTINGS_MAX];
    size_t count;
    size_t wrong;
};

/* Looks at the server. */
struct error *postgres_survey(struct arena *arena, const char *url,
                              struct postgres_survey *ret_survey);

/* Makes the tables of a store, those that are missing. */
struct error *postgres_store_init(struct arena *arena, const char *url,
                                  const struct store_keyspace *keyspaces, size_t count);

#endif
