/* nearest.h - of the known names, the one that a mistyped one was probably meant to be. */
#ifndef GRAMME_CLI_NEAREST_H
#define GRAMME_CLI_NEAREST_H

#include "base/slice.h"

struct nearest {
    struct slice text;
    const char *name; /* NULL: none is near */
    size_t distance;  /* of that name: letters to add, to leave out or to exchange */
};

struct nearest nearest_to(struct slice text);
void nearest_offer(struct nearest *nearest, const char *known);

#endif
