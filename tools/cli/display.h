/* display.h - how far a command is that works on a whole database: a line on standard error, when
 * that is a terminal. */
#ifndef GRAMME_CLI_DISPLAY_H
#define GRAMME_CLI_DISPLAY_H

#include "admin/dump_file.h"

struct display {
    struct dump_observer observer;
    bool terminal;
    double begin_s;
    double next_s;
};

struct display display_begin(void);
/* Since then. */
double display_seconds(const struct display *display);
/* MB a second. */
double display_rate(const struct display *display, uint64_t bytes);
void display_clear(const struct display *display);
/* Prints the error; the exit status. */
int display_failed(const struct display *display, const struct error *error);

#endif
