/* check.c - what happens when an assertion fails. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_failed(const char *condition, const char *file, int line) {
    fprintf(stderr, "gramme: bug: %s (%s:%d)\n", condition, file, line);
    abort();
}
