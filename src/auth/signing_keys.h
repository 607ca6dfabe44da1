/* signing_keys.h - the keys that secrets come to on a day, kept so that a request costs one HMAC
 * and not five.
 *
 * A fixed number of places; a new key takes the place that was used longest ago among the few that
 * it may take. A secret is part of what is looked up: one that was changed finds nothing old.
 * Threads: belongs to one. */
#ifndef GRAMME_AUTH_SIGNING_KEYS_H
#define GRAMME_AUTH_SIGNING_KEYS_H

#include "crypto/sigv4.h"

struct signing_keys;

struct error *signing_keys_new(struct arena *arena, struct signing_keys **ret_keys);
void signing_keys_free(struct signing_keys *keys);

/* A digest with the key set, good until the next call. */
struct digest *signing_keys_get(struct signing_keys *keys, struct slice secret,
                                const struct sigv4_scope *scope);

#endif
