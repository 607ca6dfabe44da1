/* survey.h - what a PostgreSQL server promises: whether a commit that it acknowledged can be lost.
 *
 * A primary is judged by its own settings. A standby is judged by what it will do when it is
 * promoted: one that waits for nobody makes a failover the end of the second copy, without a word.
 */
#ifndef GRAMME_STORE_POSTGRES_SURVEY_H
#define GRAMME_STORE_POSTGRES_SURVEY_H

#include "store/store.h"

enum { POSTGRES_SETTINGS_MAX = 12 };

struct postgres_survey_options {
    const char *url;
    bool standby; /* it takes no writes now, and may have to */
    bool single;  /* one copy will do: no standby need be waited for */
};

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
    bool waits_for_none; /* commits wait for no standby, though one copy will not do */
};

/* Looks at the server. */
struct error *postgres_survey(struct arena *arena, const struct postgres_survey_options *options,
                              struct postgres_survey *ret_survey);

/* Makes the tables of a store, those that are missing, and notes whether one copy will do.
 * `groups`: of keys, of one that is not there yet; 0: as it has, or one. */
struct error *postgres_store_init(struct arena *arena, const char *url, bool single,
                                  uint32_t groups, const struct store_keyspace *keyspaces,
                                  size_t count);
/* What was noted. */
struct error *postgres_is_single(struct store *store, struct arena *arena, bool *ret_single);

#endif
