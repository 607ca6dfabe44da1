/* credentials.h - a key out of an AWS credentials file: sections of "name = value" lines. */
#ifndef GRAMME_IAM_CREDENTIALS_H
#define GRAMME_IAM_CREDENTIALS_H

#include "base/error.h"

struct credentials_key {
    struct slice id;
    struct slice secret;
};

/* In a text; its parts are absent when it is not there whole. `profile` is as below. */
struct credentials_key credentials_find(struct slice text, const char *profile);

/* Reads the file and finds the key of a profile; NULL: of "default", or of a file's only section.
 * In the arena; the caller wipes the secret. */
struct error *credentials_read(struct arena *arena, const char *path, const char *profile,
                               struct credentials_key *ret_key);

#endif
