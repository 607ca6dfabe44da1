/* identity.h - who the client is at the moment: the keys of its settings, or those that a process
 * gives, which expire.
 *
 * The process prints what the AWS tools agree on:
 *
 *     {"Version": 1, "AccessKeyId": "...", "SecretAccessKey": "...", "SessionToken": "...",
 *      "Expiration": "2026-10-17T08:30:00Z"}
 *
 * It is run before the first request, and again before its keys expire. */
#ifndef GRAMME_CLIENT_IDENTITY_H
#define GRAMME_CLIENT_IDENTITY_H

#include "client/settings.h"

struct identity {
    const struct settings *settings;
    struct credentials credentials;
    int64_t expires_s;   /* since 1970; 0: there are none yet; INT64_MAX: never */
    int64_t ask_again_s; /* not before, after a process that failed */
    struct arena arena;  /* of a process's keys */
};

void identity_init(struct identity *identity, const struct settings *settings);
void identity_release(struct identity *identity);

/* Sees to credentials that are good at the time. `ret_new`: they have changed. Returns NULL, or
 * what is wrong, in the arena. */
const char *identity_refresh(struct identity *identity, struct arena *arena, int64_t now_s,
                             int64_t timeout_ms, bool *ret_new);

/* Reads what a process has printed. The texts go to the arena. For tests. */
const char *identity_read(struct arena *arena, struct slice output,
                          struct credentials *ret_credentials, int64_t *ret_expires_s);

#endif
