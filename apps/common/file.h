/* file.h - reads a file that a user names, whole, up to a size. */
#ifndef APPS_COMMON_FILE_H
#define APPS_COMMON_FILE_H

#include <stddef.h>

#include "common/app.h"

struct file_text {
    char *text; /* with a NUL after it; free() it */
    size_t size;
};

/* "-" is standard input. False, with a message, when it cannot be read or is larger. */
bool file_read(const struct app *app, const char *path, size_t size_max,
               struct file_text *ret_text);

#endif
