/* server_scene.h - a server in this process, in memory, on any free port. */
#ifndef GRAMME_TESTS_SERVER_SCENE_H
#define GRAMME_TESTS_SERVER_SCENE_H

#include "server/server.h"

static inline struct server_config server_scene_config(void) {
    return (struct server_config){.host = "127.0.0.1",
                                  .region = "us-east-1",
                                  .account = "000000000000",
                                  .threads = 1,
                                  .no_console = true};
}

#endif
