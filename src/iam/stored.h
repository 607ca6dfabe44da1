/* stored.h - users, roles and keys as records (engine/record.h): JSON objects, so that a later
 * version can add members.
 *
 * A secret is sealed together with its key's id: a record that is copied to another name opens
 * nothing. Memory: the arena. */
#ifndef GRAMME_IAM_STORED_H
#define GRAMME_IAM_STORED_H

#include "crypto/cipher.h"
#include "engine/record.h"
#include "iam/principal.h"

#define STORED_USER "user"
#define STORED_ROLE "role"
#define STORED_KEY "key"

struct record principal_record(struct arena *arena, const struct principal *principal);
struct error *principal_of_record(struct arena *arena, enum principal_kind kind,
                                  const struct record *record, struct principal *ret_principal);

struct record key_record(struct arena *arena, struct seal *seal, const struct access_key *key);
/* A secret that does not open is absent, and nobody can sign with it: it was sealed elsewhere. */
struct error *key_of_record(struct arena *arena, struct seal *seal, const struct record *record,
                            struct access_key *ret_key);

/* The same record, without a value. */
struct record record_gone(struct record record);

#endif
