/* connection_server.c - a constant reply through the server's own connections: what is left of the
 * machine when the pipeline costs nothing. Compare with bare_server.
 *     connection_server PORT [BODY_BYTES [THREADS]] */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "endpoint/endpoint.h"

static struct slice body;

static void handle(struct exchange *exchange) {
    buffer_append_slice(&exchange->reply, body);
    exchange_reply(exchange, 200);
}

int main(int argc, char **argv) {
    size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 200;
    char *bytes = malloc(size + 1);
    CHECK(bytes != NULL);
    memset(bytes, 'x', size);
    body = slice_of(bytes, size);
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    struct arena arena;
    arena_init(&arena);
    struct endpoint *endpoint;
    struct endpoint_config config = {.host = SLICE_LITERAL("127.0.0.1"),
                                     .port = (uint16_t)(argc > 1 ? atoi(argv[1]) : 8002),
                                     .threads = argc > 3 ? (unsigned)atoi(argv[3]) : 1,
                                     .limits = endpoint_limits_default(),
                                     .random = &system_random,
                                     .handle = handle};
    struct error *error = endpoint_start(&arena, &config, &endpoint);
    if (error != NULL) {
        fprintf(stderr, "%.*s\n", SLICE_ARGS(error->message));
        return 1;
    }
    printf("listening on http://127.0.0.1:%u\n", endpoint_port(endpoint));
    fflush(stdout);
    int signal_number;
    sigwait(&stops, &signal_number);
    endpoint_stop(endpoint, 1000);
    arena_release(&arena);
    free(bytes);
    return 0;
}
