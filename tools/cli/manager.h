/* manager.h - who started the server: tells them how it is, by the protocol of systemd's
 * Type=notify, and takes the sockets that they listen at, by that of its socket units. */
#ifndef CLI_MANAGER_H
#define CLI_MANAGER_H

/* "READY=1", "STOPPING=1". Without NOTIFY_SOCKET in the environment nothing happens, and a manager
 * that does not listen is no reason to fail. */
void manager_tell(const char *state);

/* How many sockets it has passed to this process, by LISTEN_FDS and LISTEN_PID; these are gone from
 * the environment then. */
unsigned manager_sockets(void);

#endif
