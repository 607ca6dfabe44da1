/* look.h - what gramme and the five tell of themselves, asked for again and again.
 *
 * The page gets all of it from here in one document, so the services need no door for pages of
 * others, and ten browsers cost them no more than one. Threads: any. */
#ifndef DEMO_LOOK_H
#define DEMO_LOOK_H

#include <stdio.h>

#include "common/app.h"

/* Asks what is due: tasks of every second. What may take longer than that is asked apart. */
enum app_status look_around(struct app *app);
enum app_status look_deeper(struct app *app);
/* The document, JSON: what was answered last, and the events. */
void look_write(FILE *out);

#endif
