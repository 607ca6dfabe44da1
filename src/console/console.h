/* console.h - the pages that a browser shows of this server, at /_gramme/.
 *
 * They are files in the program (assets.h) and the same for everybody; what they show they ask for
 * by the API, as any client does, with the rights of who has signed in. So there is nothing to
 * protect here but the pages themselves: no other site may frame them, feed them scripts or read
 * what they read.
 *
 *   /_gramme/                     the page
 *   /_gramme/console/NAME         what it is made of
 *   /_gramme/console/server.json  what it has to know before it can sign: region, whether
 *                                 signatures are verified, and whether keys have their own tables
 *
 * Threads: the exchange's I/O thread. Nothing is allocated before somebody asks. */
#ifndef GRAMME_CONSOLE_CONSOLE_H
#define GRAMME_CONSOLE_CONSOLE_H

#include "endpoint/endpoint.h"

struct console {
    struct slice region;
    bool auth;        /* signatures are verified */
    bool name_spaces; /* each access key has tables of its own in each region */
};

/* False: the path is none of these, or it is not read. */
bool console_handle(struct exchange *exchange, const struct console *console);

#endif
