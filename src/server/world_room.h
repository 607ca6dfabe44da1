/* world_room.h - room for another world where as many are open as there may be: one is taken out
 * that nobody misses.
 *
 * In memory that is one in which nothing is kept: no table, no stream, no backup, no alarm, no
 * user. On disk it is any that no request came to for a while: it is opened anew when one comes. Of
 * all that may go it is the one whose last request was first.
 *
 * Threads: any, with the lock of the worlds held. */
#ifndef GRAMME_SERVER_WORLD_ROOM_H
#define GRAMME_SERVER_WORLD_ROOM_H

struct server;
struct world;

/* Taken out of those with names, and left; the caller gives it back. NULL: all are wanted. */
struct world *world_room_make(struct server *server);

#endif
