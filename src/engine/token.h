/* token.h - the tokens by which clients retry transactions. Private to this folder; commit thread.
 *
 * A token is remembered in the same commit as the writes that it stands for, for
 * LIMIT_REQUEST_TOKEN_MS, under its keyed hash (codec/token.h). Another key, by its end, finds what
 * has ended.
 *
 * A token that is used again after its end gets a new record in the place of the old one; the old
 * key of its end then finds one that is not its own, and leaves it. */
#ifndef GRAMME_ENGINE_TOKEN_H
#define GRAMME_ENGINE_TOKEN_H

#include "codec/token.h"
#include "engine/group.h"

enum { TOKEN_SLOTS_MAX = 2 };

/* The slot of the token's record, made when it is new; NULL: the transaction has no token. */
struct slot *token_slot(struct group *group, const struct write_job *job);

/* Puts the record into the slot, for a job that has just been run. */
void token_remember(struct group *group, const struct write_job *job, struct slot *token);

#endif
