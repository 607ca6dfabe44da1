/* world_threads.h - what the I/O threads of a server have of its worlds where there may be several
 * (worlds.h): a context for each, made when a request needs it, and dropped when the world was left
 * or nothing has needed it for some seconds. */
#ifndef GRAMME_SERVER_WORLD_THREADS_H
#define GRAMME_SERVER_WORLD_THREADS_H

#include <stdbool.h>

struct exchange;
struct server_thread;

/* The endpoint's handlers. */
void world_threads_handle(struct exchange *exchange);
void world_threads_handle_form(struct exchange *exchange);
bool world_threads_handle_service(struct exchange *exchange);
bool world_threads_handle_own(struct exchange *exchange);

/* On a thread: replies were sent; some time has passed, true when more of it has to; it ends. */
void world_threads_sent(struct server_thread *thread);
bool world_threads_ticked(struct server_thread *thread);
void world_threads_forget(struct server_thread *thread);

#endif
