/* service.c - a service put together: it listens, works, and comes to its end. */
#include "common/service.h"

#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/duration.h"
#include "common/service_frame.h"
#include "common/service_routes.h"

enum { IDLE_TIMEOUT_S = 10, STOP_WAIT_MS = 10000, STOP_STEP_MS = 20 };

void *frame_make(size_t count, size_t size) {
    void *memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL)
        abort();
    return memory;
}

static struct addrinfo *find_address(struct app *app, const char *host, int64_t port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    char number[16];
    snprintf(number, sizeof(number), "%lld", (long long)port);
    int status = getaddrinfo(host, number, &hints, &found);
    if (status != 0)
        app_fail(app, "cannot listen at %s: %s", host, gai_strerror(status));
    return found;
}

static struct MHD_Daemon *listen_at(struct frame *frame, const char *host, int64_t port,
                                    int64_t threads) {
    struct addrinfo *address = find_address(frame->app, host, port);
    if (address == NULL)
        return NULL;
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
                     MHD_USE_POLL | MHD_USE_ITC |
                     (address->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, http_handle, frame, MHD_OPTION_SOCK_ADDR, address->ai_addr,
        MHD_OPTION_NOTIFY_COMPLETED, http_forget, frame, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_TIMEOUT_S, MHD_OPTION_CONNECTION_LIMIT, (unsigned)threads,
        MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U, MHD_OPTION_END);
    freeaddrinfo(address);
    if (daemon == NULL)
        app_fail(frame->app, "cannot listen at %s, port %lld", host, (long long)port);
    return daemon;
}

static void serve_until_told(struct frame *frame, struct MHD_Daemon *daemon, const char *host,
                             const sigset_t *signals) {
    int received;
    bool v6 = strchr(host, ':') != NULL;
    printf("listening on http://%s%s%s:%u\n", v6 ? "[" : "", host, v6 ? "]" : "",
           MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    tasks_start(frame);
    sigwait(signals, &received);
    int listener = MHD_quiesce_daemon(daemon);
    tasks_stop(frame);
    for (int waited = 0; waited < STOP_WAIT_MS && atomic_load(&frame->open_requests) > 0;
         waited += STOP_STEP_MS)
        nanosleep(&(struct timespec){.tv_nsec = STOP_STEP_MS * 1000000L}, NULL);
    MHD_stop_daemon(daemon);
    if (listener >= 0)
        close(listener);
}

static void frame_init(struct frame *frame, struct app *app, struct service *service,
                       const char *host) {
    *frame = (struct frame){.app = app, .service = service, .lock = PTHREAD_MUTEX_INITIALIZER};
    frame->loopback =
        strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0;
    while (service->routes[frame->route_count].path != NULL)
        frame->route_count++;
    while (service->tasks != NULL && service->tasks[frame->task_count].name != NULL)
        frame->task_count++;
    frame->routes = frame_make(frame->route_count + 1, sizeof(*frame->routes));
    for (struct service_counter *counter = service->counters;
         counter != NULL && counter->name != NULL; counter++)
        if (counter->age)
            atomic_store(&counter->count, (uint64_t)ttl_now());
}

static void frame_release(struct frame *frame) {
    while (frame->idle_count > 0)
        app_free(frame->idle[--frame->idle_count]);
    free(frame->routes);
    free(frame->tasks);
    free(frame->task_metrics);
}

enum app_status service_run(struct app *app, struct service *service) {
    const char *host = app_option(app, "host", "127.0.0.1");
    int64_t port = 8080, threads = 64;
    struct frame frame;
    sigset_t signals;
    if (app_flag(app, "openapi")) {
        const struct app_program *program = app_program(app);
        routes_describe(stdout, program->name, program->summary, service->routes);
        return APP_OK;
    }
    if (!app_number(app, "port", 0, 65535, &port) ||
        !app_number(app, "threads", 1, THREADS_MAX, &threads))
        return APP_USAGE;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    frame_init(&frame, app, service, host);
    enum app_status status = tasks_prepare(&frame) ? APP_OK : APP_USAGE;
    struct MHD_Daemon *daemon = status == APP_OK ? listen_at(&frame, host, port, threads) : NULL;
    if (daemon != NULL)
        serve_until_told(&frame, daemon, host, &signals);
    else if (status == APP_OK)
        status = APP_FAILED;
    frame_release(&frame);
    return status;
}
