/* lookup.h - the address of another server, whose name is looked up on a thread of its own.
 *
 * A name server that is away blocks its callers for many seconds. The main thread has other work:
 * it starts a lookup once, and polls for the result. A lookup that failed is tried again once a
 * second, until it is ended. Numeric addresses are found at once.
 *
 * Threads: start, look and end on one. The thread of a lookup that is ended exits by itself, as
 * soon as the name server answers. */
#ifndef GRAMME_SERVER_LOOKUP_H
#define GRAMME_SERVER_LOOKUP_H

#include <sys/socket.h>

#include "base/slice.h"

struct lookup;

enum lookup_state { LOOKUP_FAILED, LOOKUP_UNDER_WAY, LOOKUP_FOUND };

/* The host of "host:port" or "[::1]:port"; without a port 0. */
struct slice lookup_split(const char *address, uint16_t *ret_port);

struct lookup *lookup_start(const char *address);
/* The address only when it is found. Of NULL: LOOKUP_FAILED. */
enum lookup_state lookup_look(const struct lookup *lookup, struct sockaddr_storage *ret_address);
/* lookup_end(NULL) is fine. */
void lookup_end(struct lookup *lookup);

#endif
