/* profile.h - the AWS tools' files of profiles, ~/.aws/config and ~/.aws/credentials.
 *
 *     [profile work]            # in config; [work] in credentials; [default] in both
 *     region = eu-central-1
 *     s3 =                      # nested settings are indented, and skipped
 *       addressing_style = path
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

/* Reads a whole file; SLICE_NONE when it cannot be read or is larger than a megabyte. */
struct slice profile_file_read(struct arena *arena, const char *path);
/* Whether the file has that profile. */
bool profile_exists(const struct profile_file *file, const char *profile);
/* NUL-terminated, in the arena; NULL when the profile or the setting is not there. */
const char *profile_setting(struct arena *arena, const struct profile_file *file,
                            const char *profile, const char *name);

#endif
