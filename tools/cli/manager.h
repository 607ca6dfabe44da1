/* manager.h - tells who started the server how it is: the protocol of systemd's Type=notify. */
#ifndef CLI_MANAGER_H
#define CLI_MANAGER_H

/* "READY=1", "STOPPING=1". Without NOTIFY_SOCKET in the environment nothing happens, and a manager
 * that does not listen is no reason to fail. */
void manager_tell(const char *state);

#endif
