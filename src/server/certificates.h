/* certificates.h - the files that a server speaks TLS with: read, watched, and read again.
 *
 * Who renews a certificate writes two files, one after the other, and may take his time; so they
 * are read again when they differ from those in use and have rested from one look to the next. What
 * cannot be used is told in the log, once, and what is in use stays.
 * Threads: one, but for certificates_tls(), which all may use. */
#ifndef GRAMME_SERVER_CERTIFICATES_H
#define GRAMME_SERVER_CERTIFICATES_H

#include "crypto/tls_server.h"

enum { CERTIFICATES_LOOK_MS = 2000 };

struct certificates;

/* The names of the files must stay. */
struct error *certificates_open(struct arena *arena, const struct tls_server_files *files,
                                struct certificates **ret_certificates);
void certificates_close(struct certificates *certificates);

struct tls_server *certificates_tls(const struct certificates *certificates);

void certificates_reload(struct certificates *certificates);
/* To be called every CERTIFICATES_LOOK_MS or more often: it waits in between. */
void certificates_look(struct certificates *certificates);

#endif
