/* ask.h - one question to the server that runs on a data directory. */
#ifndef GRAMME_CLI_ASK_H
#define GRAMME_CLI_ASK_H

#include "base/error.h"

/* Through its control socket, which works with TLS and --auth as well. The answer is in the arena;
 * that nobody runs there is an error. */
struct error *ask_directory(struct arena *arena, const char *directory, const char *service,
                            struct slice *ret_text);
/* Whether one answers there. */
bool ask_is_there(struct arena *arena, const char *directory);

#endif
