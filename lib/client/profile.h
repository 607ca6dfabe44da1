/* profile.h - the AWS tools' files of profiles, ~/.aws/config and ~/.aws/credentials.
 *
 *     [profile work]            # in config; [work] in credentials; [default] in both
 *     region = eu-central-1
 *     services = local
 *
 *     [services local]
 *     dynamodb =                # nested settings are indented
 *       endpoint_url = http://localhost:8000
 *
 * Lines that start with # or ; are comments, and so is what follows " #" or " ;" after a value. */
#ifndef GRAMME_CLIENT_PROFILE_H
#define GRAMME_CLIENT_PROFILE_H

#include "base/arena.h"

/* A file's text; absent when the file is. */
struct profile_file {
    struct slice text;
    bool named_with_prefix; /* config: [profile NAME] */
};

/* Reads a whole file, of less than a megabyte; one that is not there has no text. Returns NULL, or
 * what is wrong, in the arena. */
const char *profile_file_read(struct arena *arena, const char *path, struct slice *ret_text);
/* Whether the file has that profile. */
bool profile_exists(const struct profile_file *file, const char *profile);
/* NUL-terminated, in the arena; NULL when the profile or the setting is not there. */
const char *profile_setting(struct arena *arena, const struct profile_file *file,
                            const char *profile, const char *name);
/* The same of what is nested below `service` in [services SERVICES]. */
const char *profile_service_setting(struct arena *arena, const struct profile_file *file,
                                    const char *services, const char *service, const char *name);

#endif
