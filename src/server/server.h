/* server.h - a whole server: store, engine, endpoint. */
#ifndef GRAMME_SERVER_SERVER_H
#define GRAMME_SERVER_SERVER_H

#include "base/error.h"
#include "server/config.h"

struct server;

/* What its control socket is asked for a page of metrics by. */
#define SERVER_METRICS_SERVICE "metrics"

/* When it returns without an error, the server answers. The error's text is for the person who
 * started it. */
struct error *server_start(struct arena *arena, const struct server_config *config,
                           struct server **ret_server);
uint16_t server_port(const struct server *server);
/* With `auth`, when there was no key at all: the one that was made. Told once: it is wiped. False:
 * there is nothing to tell. */
bool server_take_first_key(struct server *server, char *ret_id, char *ret_secret, size_t size);
/* Has it read again what may change while it runs. On the thread that started it, as the next. */
void server_reload(struct server *server);
/* There are files that it does so with by itself when they change: server_look() is to be called
 * every SERVER_LOOK_MS. */
bool server_has_files(const struct server *server);
void server_look(struct server *server);
/* How many tables asked for encryption when it started, and are on disk in plain text. */
size_t server_tables_unencrypted(const struct server *server);
/* Lets requests under way finish, for a while, then stops. server_stop(NULL) is fine. */
void server_stop(struct server *server);

#endif
