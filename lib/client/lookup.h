/* lookup.h - where settings come from: the caller's options, the environment, a profile.
 *
 * Empty counts as not set, as in the AWS tools. Texts live in the arena, or are the caller's. */
#ifndef GRAMME_CLIENT_LOOKUP_H
#define GRAMME_CLIENT_LOOKUP_H

#include "client/gramme_client.h"
#include "client/profile.h"

/* A variable of the environment; NULL when it is not set. Injected for tests. */
typedef const char *lookup_environment(const char *name);

struct lookup {
    struct arena *arena;
    const struct ddb_options *options;
    lookup_environment *variable;
    const char *profile;             /* its name */
    struct profile_file credentials; /* ~/.aws/credentials */
    struct profile_file config;      /* ~/.aws/config */
};

/* Finds the profile. Returns NULL, or what is wrong. */
const char *lookup_init(struct lookup *lookup, struct arena *arena,
                        const struct ddb_options *options, lookup_environment *variable);

/* The first that is set; NULL when neither is. */
const char *lookup_either(const char *first, const char *second);
const char *lookup_variable(const struct lookup *lookup, const char *name);
/* Of the profile, in the config file. */
const char *lookup_config(const struct lookup *lookup, const char *name);
const char *lookup_profile(const struct lookup *lookup, const struct profile_file *file,
                           const char *name);

/* In the arena. */
const char *lookup_printf(const struct lookup *lookup, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Whether the text may stand in a header: ASCII without blanks. */
bool lookup_printable(const char *text);

#endif
