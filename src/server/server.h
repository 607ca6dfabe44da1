/* server.h - a whole server: store, engine, endpoint. */
#ifndef GRAMME_SERVER_SERVER_H
#define GRAMME_SERVER_SERVER_H

#include "base/error.h"
#include "server/config.h"

struct server;

/* What its control socket is asked for a page of metrics by. */
#define SERVER_METRICS_SERVICE "metrics"

/* What of it cannot be had together; the rest is found when it starts. */
struct error *server_check(struct arena *arena, const struct server_config *config);
/* When it returns without an error, the server answers. The error's text is for the person who
 * started it. */
struct error *server_start(struct arena *arena, const struct server_config *config,
                           struct server **ret_server);
uint16_t server_port(const struct server *server);
/* As endpoint_address(). */
const char *server_address(const struct server *server, unsigned index);
/* With `auth`, when there was no key at all: the one that was made. Told once: it is wiped. False:
 * there is nothing to tell. */
bool server_take_first_key(struct server *server, char *ret_id, char *ret_secret, size_t size);
/* Has it read again what may change while it runs. On the thread that started it, as the next. */
void server_reload(struct server *server);
/* How often server_look() is to be called; 0: never. */
unsigned server_look_ms(const struct server *server);
/* Looks whether files that it reads have changed, and at who leads its store. False: another server
 * does, and this one is to end. */
bool server_look(struct server *server);
/* Where its data is, for people; absent: in memory or in the directory. */
struct slice server_place(const struct server *server);
/* How many tables asked for encryption when it started, and are on disk in plain text. */
size_t server_tables_unencrypted(const struct server *server);
/* Lets requests under way finish, for a while, then stops. server_stop(NULL) is fine. */
void server_stop(struct server *server);

#endif
