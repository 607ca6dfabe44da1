/* say.h - what commands print, when it has in it what a file, a server or an argument says. */
#ifndef GRAMME_CLI_SAY_H
#define GRAMME_CLI_SAY_H

#include <stdio.h>

/* As fprintf(), with what a terminal would act on made visible (base/printable.h). */
void say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
