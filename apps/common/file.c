/* file.c - reads a file, whole. */
#include "common/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asks for one byte more than it may have, to see that there is more. */
static bool read_stream(const struct app *app, const char *path, FILE *stream, size_t size_max,
                        struct file_text *ret_text) {
    char *text = malloc(size_max + 2);
    if (text == NULL)
        abort();
    size_t size = fread(text, 1, size_max + 1, stream);
    if (ferror(stream))
        app_fail(app, "cannot read %s: %s", path, strerror(errno));
    else if (size > size_max)
        app_fail(app, "%s has more than %zu bytes", path, size_max);
    if (ferror(stream) || size > size_max) {
        free(text);
        return false;
    }
    text[size] = '\0';
    *ret_text = (struct file_text){text, size};
    return true;
}

bool file_read(const struct app *app, const char *path, size_t size_max,
               struct file_text *ret_text) {
    if (strcmp(path, "-") == 0)
        return read_stream(app, "standard input", stdin, size_max, ret_text);
    FILE *stream = fopen(path, "r");
    if (stream == NULL) {
        app_fail(app, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    bool ok = read_stream(app, path, stream, size_max, ret_text);
    fclose(stream);
    return ok;
}
