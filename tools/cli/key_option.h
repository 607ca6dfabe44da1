/* key_option.h - options that name a master key (admin/master_key.h). */
#ifndef GRAMME_CLI_KEY_OPTION_H
#define GRAMME_CLI_KEY_OPTION_H

#include "admin/master_key.h"

/* *ret_key is NULL when the option was not given. The key is released by the caller in any case. */
struct error *key_option_read(struct arena *arena, const char *source, struct master_key *key,
                              const struct master_key **ret_key);

#endif
