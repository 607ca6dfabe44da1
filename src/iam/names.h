/* names.h - what users, roles, sessions and keys may be called, and what new keys are called. */
#ifndef GRAMME_IAM_NAMES_H
#define GRAMME_IAM_NAMES_H

#include "base/random.h"

enum { KEY_ID_CHARS = 20, SECRET_CHARS = 40 };

/* Letters, digits and +=,.@_- */
bool name_is_valid(struct slice name, size_t min, size_t max);

/* `prefix` and random letters and digits, as many as it takes. */
struct slice key_make_id(struct arena *arena, const struct random *random, const char *prefix);
struct slice key_make_secret(struct arena *arena, const struct random *random);

#endif
