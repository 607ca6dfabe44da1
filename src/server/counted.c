/* counted.c - what a server counts while another one leads, on its way there.
 *
 * Its meters count what it reads and writes itself, as those of the leader do. Every TELL_NS what
 * came since becomes a bundle of samples (publish/bundle.h), which it leaves in the store for
 * whoever leads (store/postgres/letters.h). One that cannot be left is kept, and meanwhile the
 * meters gather: memory stays the same. When this server begins to lead it opens the bundle itself,
 * and its publisher goes on from there.
 *
 * Alarms and auto scaling look at a minute some seconds after its end, by when all of it is here.
 * Threads: the main thread. */
#include "base/clock.h"
#include "base/log.h"
#include "publish/bundle.h"
#include "publish/gathering.h"
#include "server/reading.h"
#include "server/services.h"
#include "server/state.h"
#include "server/world.h"
#include "store/postgres/letters.h"

#define TELL_NS (2000 * UINT64_C(1000000))

/* ---- telling ---- */

static void gather(struct server *server, struct buffer *bundle) {
    buffer_init(bundle, BUNDLE_BYTES_MAX);
    gathering_bundle(server->world->gathering, bundle);
    if (bundle->overflow)
        log_repeated_error("there are too many metrics at a time: some of them are lost");
}

void server_tell_counts(struct server *server) {
    struct buffer *bundle = &server->node.counted;
    struct arena CLEANUP(arena_release) scratch;
    bool left = false;
    arena_init(&scratch);
    if (server->reading == NULL || server->world->publisher != NULL)
        return;
    if (bundle->len == 0)
        gather(server, bundle);
    if (bundle->len == 0)
        return;
    struct error *error = postgres_letter_leave(reading_store(server->reading), &scratch,
                                                buffer_slice(bundle), &left);
    if (error != NULL)
        log_repeated_error("metrics wait: %.*s", SLICE_ARGS(error->message));
    if (left)
        buffer_release(bundle);
}

void server_tell_counts_in_time(struct server *server) {
    struct server_node *node = &server->node;
    if (monotonic_ns() < node->tell_at_ns)
        return;
    node->tell_at_ns = monotonic_ns() + TELL_NS;
    server_tell_counts(server);
}

/* ---- hearing ---- */

static void open_bundle(struct server *server, struct slice bytes) {
    if (!bundle_open(bytes, services_series(server->world->services)))
        log_repeated_error("metrics that another server counted cannot be read: is it of another "
                           "version?");
}

void server_hear_counts(struct server *server) {
    struct slice letters[POSTGRES_LETTERS_TAKEN_MAX];
    struct arena CLEANUP(arena_release) scratch;
    size_t count = 0;
    open_bundle(server, buffer_slice(&server->node.counted));
    buffer_release(&server->node.counted);
    arena_init(&scratch);
    struct error *error = postgres_letters_take(server->world->store, &scratch, letters, &count);
    if (error != NULL)
        log_repeated_error("%.*s", SLICE_ARGS(error->message));
    for (size_t i = 0; i < count; i++)
        open_bundle(server, letters[i]);
}
