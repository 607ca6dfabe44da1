/* credentials.h - whom the client signs as: keys of the options, the environment or a profile, or a
 * process that gives them. */
#ifndef GRAMME_CLIENT_CREDENTIALS_H
#define GRAMME_CLIENT_CREDENTIALS_H

#include "client/lookup.h"
#include "crypto/signer.h"

/* Fills in id, secret and token, or gives a process. Returns NULL, or what is wrong. */
const char *credentials_load(const struct lookup *lookup, struct credentials *credentials,
                             const char **ret_process);

/* Both halves must be there, in characters that a header may hold: a line end would start another
 * header. NULL, or what is wrong: the credentials ... */
const char *credentials_problem(const struct credentials *credentials);

#endif
