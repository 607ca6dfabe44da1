/* case_lines.h - a file of test cases, line by line. */
#ifndef GRAMME_TESTS_CASE_LINES_H
#define GRAMME_TESTS_CASE_LINES_H

#include <stdio.h>
#include <stdlib.h>

#include "base/slice.h"

enum { CASE_FILE_BYTES_MAX = 1 << 22 };

/* What a runner does with a line; `number` is counted from 1. */
typedef void case_line_taker(void *context, struct slice line, int number);

/* The last part of a path, for reports. */
static inline const char *case_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* After the last line comes an empty one, number 0, so that every case has an end. Ends the program
 * when there is no such file. */
static inline void case_lines_read(const char *path, case_line_taker *take, void *context) {
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(CASE_FILE_BYTES_MAX);
    if (file == NULL || bytes == NULL) {
        perror(path);
        exit(2);
    }
    struct slice text = slice_of(bytes, fread(bytes, 1, CASE_FILE_BYTES_MAX, file));
    fclose(file);
    for (int number = 1; text.len > 0; number++) {
        const uint8_t *end = memchr(text.data, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.data);
        take(context, slice_of(text.data, len), number);
        text = slice_skip(text, end == NULL ? len : len + 1);
    }
    take(context, SLICE_LITERAL(""), 0);
    free(bytes);
}

#endif
