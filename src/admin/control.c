/* control.c - the server's end of the control socket.
 *
 * A thread waits for connections and for the end; each client has a thread of its own while its
 * request runs. Both wait with poll, on their socket and on `stop`, an eventfd that becomes
 * readable once and stays so.
 * Invariants: whoever holds the store holds its directory, so a socket that is there when
 * control_start comes is a leftover of a server that was killed.
 * Memory: an arena per request. Threads: started and stopped from one; the store's read
 * transactions may run in any. */
#include "admin/control.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/control_socket.h"
#include "admin/dump_sealed.h"
#include "admin/files.h"
#include "base/check.h"
#include "base/container.h"
#include "base/log.h"
#include "store/dump/dump.h"

enum { ACCEPT_PAUSE_MS = 100 };

enum client_state { CLIENT_FREE, CLIENT_RUNNING, CLIENT_ENDED };

struct control_client {
    struct control *control;
    atomic_int state; /* the client's thread sets CLIENT_ENDED, the listening one all else */
    pthread_t thread;
    int fd;
};

struct control {
    struct control_options options;
    int place; /* the directory, as control_address has it */
    struct sockaddr_un address;
    bool bound;
    int listener;
    int stop;
    bool started;
    pthread_t thread;
    struct control_client clients[CONTROL_CLIENTS_MAX];
};

/* ---- one client ---- */

struct socket_sink {
    struct dump_sink base;
    struct control_client *client;
    bool answered; /* "ok" was sent */
    bool stopped;  /* the stop was noticed */
    bool broken;   /* part of something was sent: nothing more can be said */
};

static bool stopping(const struct control *control) {
    struct pollfd stop = {.fd = control->stop, .events = POLLIN};
    return poll(&stop, 1, 0) > 0;
}

/* Waits for room in the socket. False: none by the deadline, or the server stops. */
static bool wait_writable(const struct control_client *client, int64_t deadline_ms) {
    struct pollfd wanted[2] = {{.fd = client->fd, .events = POLLOUT},
                               {.fd = client->control->stop, .events = POLLIN}};
    int64_t left_ms = deadline_ms - control_now_ms();
    if (left_ms <= 0)
        return false;
    int ready = poll(wanted, 2, (int)left_ms);
    return (ready > 0 && wanted[1].revents == 0) || (ready < 0 && errno == EINTR);
}

static const char *send_by(const struct control_client *client, struct slice bytes,
                           int64_t deadline_ms) {
    while (bytes.len > 0) {
        ssize_t sent = send(client->fd, bytes.data, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) {
            bytes = slice_skip(bytes, (size_t)sent);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait_writable(client, deadline_ms))
                return stopping(client->control) ? "the server is stopping"
                                                 : "the client stopped reading";
        } else if (errno != EINTR) {
            return "the client went away";
        }
    }
    return NULL;
}

static const char *send_text(const struct control_client *client, struct slice text) {
    return send_by(client, text, control_now_ms() + client->control->options.stall_ms);
}

static struct error *sink_failed(struct arena *arena, const char *why) {
    return error_local(arena, "%s", why);
}

/* A stop is noticed between blocks, where the stream is whole and the block that tells why may
 * still follow, and while the client does not read. */
static struct error *socket_sink_write(struct dump_sink *base, struct arena *arena,
                                       struct slice bytes) {
    struct socket_sink *sink = container_of(base, struct socket_sink, base);
    bool first_of_stop = !sink->stopped && stopping(sink->client->control);
    sink->stopped = sink->stopped || first_of_stop;
    if (first_of_stop || (sink->stopped && !sink->answered))
        return sink_failed(arena, "the server is stopping");
    if (sink->broken)
        return sink_failed(arena, "the connection is broken");
    const char *failure = sink->answered ? NULL : send_text(sink->client, SLICE_LITERAL("ok\n"));
    sink->answered = true;
    if (failure == NULL)
        failure = send_text(sink->client, bytes);
    sink->broken = failure != NULL;
    return failure == NULL ? NULL : sink_failed(arena, failure);
}

static void send_error(const struct control_client *client, struct arena *arena,
                       struct slice text) {
    send_text(client, arena_printf(arena, "error %.*s\n", SLICE_ARGS(text)));
}

static struct error *send_dump(const struct control_options *options, struct arena *arena,
                               struct dump_sink *sink, struct dump_summary *ret_summary) {
    struct dump_write_options dump = {
        .store = options->store,
        .keyspaces = options->keyspaces,
        .keyspace_count = options->keyspace_count,
        .program = options->program,
        .now_ms = clock_now_ms(options->clock),
        .sink = sink,
    };
    return dump_write(arena, &dump, ret_summary);
}

static struct error *send_sealed_dump(const struct control_options *options, struct arena *arena,
                                      struct dump_sink *to, struct dump_summary *ret_summary) {
    struct sealed_sink sealed;
    struct error *error =
        sealed_sink_open(arena, &sealed, options->directory, options->keyring, to);
    if (error == NULL) {
        error = send_dump(options, arena, &sealed.base, ret_summary);
        struct error *end = sealed_sink_end(&sealed, arena, error != NULL);
        error = error == NULL ? end : error;
    }
    sealed_sink_release(&sealed);
    return error;
}

static void count_backup(const struct control_options *options, bool done) {
    struct control_tally *tally = options->tally;
    if (tally == NULL)
        return;
    atomic_fetch_add(done ? &tally->done : &tally->failed, 1);
    if (done)
        atomic_store(&tally->last_done_ms, clock_now_ms(options->clock));
}

static void backup(struct control_client *client, struct arena *arena) {
    const struct control_options *options = &client->control->options;
    struct socket_sink sink = {.base = {socket_sink_write}, .client = client};
    struct dump_summary summary;
    int64_t begin_ms = control_now_ms();
    struct error *error = options->keyring == NULL
                              ? send_dump(options, arena, &sink.base, &summary)
                              : send_sealed_dump(options, arena, &sink.base, &summary);
    count_backup(options, error == NULL);
    if (error == NULL) {
        log_info("backup: %llu records, %llu bytes, %lld ms",
                 (unsigned long long)summary.record_count, (unsigned long long)summary.bytes,
                 (long long)(control_now_ms() - begin_ms));
        return;
    }
    log_error("backup given up: %.*s", SLICE_ARGS(error->message));
    if (!sink.answered)
        send_error(client, arena, error->message);
}

/* Of "NAME LENGTH": the service, and how many bytes follow. NULL: neither. */
static const struct control_service *find_service(const struct control_options *options,
                                                  const char *line, size_t *ret_len) {
    const char *blank = strchr(line, ' ');
    for (size_t i = 0; blank != NULL && i < options->service_count; i++) {
        const char *name = options->services[i].name;
        if (strlen(name) == (size_t)(blank - line) && strncmp(line, name, strlen(name)) == 0) {
            char *end;
            *ret_len = strtoul(blank + 1, &end, 10);
            return *end == '\0' && *ret_len <= CONTROL_BYTES_MAX ? &options->services[i] : NULL;
        }
    }
    return NULL;
}

static void ask_service(struct control_client *client, struct arena *arena,
                        const struct control_service *service, size_t len) {
    uint8_t *input = arena_alloc(arena, len + 1);
    if (!control_read_bytes(client->fd, control_now_ms() + CONTROL_REQUEST_MS, input, len))
        return;
    CLEANUP(buffer_release) struct buffer output;
    buffer_init(&output, CONTROL_BYTES_MAX);
    struct error *error = service->run(service->user, arena, slice_of(input, len), &output);
    if (error == NULL && output.overflow)
        error = error_local(arena, "the answer is too long");
    if (error != NULL)
        send_error(client, arena, error->message);
    else if (send_text(client, SLICE_LITERAL("ok\n")) == NULL)
        send_text(client, buffer_slice(&output));
}

static void serve(struct control_client *client, struct arena *arena) {
    char line[CONTROL_LINE_MAX];
    size_t len;
    if (!control_read_line(client->fd, control_now_ms() + CONTROL_REQUEST_MS, line))
        return;
    const struct control_service *service = find_service(&client->control->options, line, &len);
    if (strcmp(line, CONTROL_BACKUP) == 0)
        backup(client, arena);
    else if (service != NULL)
        ask_service(client, arena, service, len);
    else
        send_error(client, arena, SLICE_LITERAL("this version of gramme knows no such request"));
}

static void *client_main(void *argument) {
    struct control_client *client = argument;
    struct arena arena;
    arena_init(&arena);
    serve(client, &arena);
    arena_release(&arena);
    /* Now, so that the client sees the end; the number is free again when the thread is joined. */
    shutdown(client->fd, SHUT_RDWR);
    atomic_store(&client->state, CLIENT_ENDED);
    return NULL;
}

/* ---- listening ---- */

static void clients_reap(struct control *control, bool all) {
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[i];
        int state = atomic_load(&client->state);
        if (state == CLIENT_FREE || (state == CLIENT_RUNNING && !all))
            continue;
        if (state == CLIENT_RUNNING) /* ends a wait for its request */
            shutdown(client->fd, SHUT_RD);
        pthread_join(client->thread, NULL);
        close(client->fd);
        atomic_store(&client->state, CLIENT_FREE);
    }
}

static void refuse(int fd) {
    static const char text[] = "error too many backups run at the same time\n";
    ssize_t sent = send(fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)sent; /* it learns it from the end of the connection too */
    close(fd);
}

static void client_start(struct control *control, int fd) {
    clients_reap(control, false);
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[i];
        if (atomic_load(&client->state) != CLIENT_FREE)
            continue;
        client->control = control;
        client->fd = fd;
        atomic_store(&client->state, CLIENT_RUNNING);
        if (pthread_create(&client->thread, NULL, client_main, client) == 0)
            return;
        atomic_store(&client->state, CLIENT_FREE);
        break;
    }
    refuse(fd);
}

static void *control_main(void *argument) {
    struct control *control = argument;
    struct pollfd wanted[2] = {{.fd = control->listener, .events = POLLIN},
                               {.fd = control->stop, .events = POLLIN}};
    for (;;) {
        if (poll(wanted, 2, -1) < 0 && errno != EINTR)
            break;
        if (wanted[1].revents != 0)
            break;
        if (wanted[0].revents == 0)
            continue;
        int fd = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            client_start(control, fd);
        else /* for instance no file descriptor is free: not at once again */
            poll(&wanted[1], 1, ACCEPT_PAUSE_MS);
    }
    clients_reap(control, true);
    return NULL;
}

/* The mode is set before the socket has a name, so that at no moment others can connect. */
static struct error *listen_at(struct control *control, struct arena *arena) {
    const char *directory = control->options.directory;
    TRY(control_address(arena, directory, &control->address, &control->place));
    if (unlink(control->address.sun_path) != 0 && errno != ENOENT)
        return files_failed(arena, "replace the control socket in", directory);
    control->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    control->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (control->listener < 0 || control->stop < 0 || fchmod(control->listener, 0600) != 0 ||
        bind(control->listener, (struct sockaddr *)&control->address, sizeof(control->address)) !=
            0)
        return files_failed(arena, "make the control socket in", directory);
    control->bound = true;
    if (listen(control->listener, SOMAXCONN) != 0)
        return files_failed(arena, "listen at the control socket in", directory);
    control->started = pthread_create(&control->thread, NULL, control_main, control) == 0;
    return control->started ? NULL : error_local(arena, "the control thread did not start");
}

struct error *control_start(struct arena *arena, const struct control_options *options,
                            struct control **ret_control) {
    struct control *control = calloc(1, sizeof(*control));
    CHECK(control != NULL);
    control->options = *options;
    if (control->options.stall_ms == 0)
        control->options.stall_ms = CONTROL_STALL_MS;
    control->place = control->listener = control->stop = -1;
    struct error *error = listen_at(control, arena);
    if (error != NULL) {
        control_stop(control);
        return error;
    }
    *ret_control = control;
    return NULL;
}

static void close_if_open(int fd) {
    if (fd >= 0)
        close(fd);
}

void control_stop(struct control *control) {
    if (control == NULL)
        return;
    if (control->started) {
        CHECK(eventfd_write(control->stop, 1) == 0);
        pthread_join(control->thread, NULL);
    }
    if (control->bound)
        unlink(control->address.sun_path);
    close_if_open(control->listener);
    close_if_open(control->stop);
    close_if_open(control->place);
    free(control);
}
