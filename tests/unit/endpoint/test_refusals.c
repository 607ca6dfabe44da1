/* test_refusals.c - the system refuses: sockets that cannot be accepted, threads that do not start.
 *
 * The functions below replace the C library's, for libuv too. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "echo_server.h"
#include "raw_client.h"

static struct echo_server server;

static atomic_int accept_error;    /* of the next accepts; */
static atomic_int accepts_failing; /* so many of them */
static atomic_int threads_left = 1000;

int accept4(int fd, __SOCKADDR_ARG address, socklen_t *restrict len, int flags) {
    if (atomic_load(&accepts_failing) > 0 && atomic_fetch_sub(&accepts_failing, 1) > 0) {
        errno = atomic_load(&accept_error);
        return -1;
    }
    return (int)syscall(SYS_accept4, fd, address.__sockaddr__, len, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static create *real;
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (atomic_fetch_sub(&threads_left, 1) <= 0)
        return EAGAIN;
    return real(thread, attributes, run, argument);
}

/* Whoever comes after those that could not be accepted is served. */
static void an_accept_that_fails_is_not_the_last(void **state) {
    (void)state;
    static const int errors[] = {EINTR, ECONNABORTED, EAGAIN, EMFILE, ENFILE};
    echo_server_start(&server, echo_server_config());
    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
        struct raw_client client;
        atomic_store(&accept_error, errors[i]);
        atomic_store(&accepts_failing, 3);
        raw_connect(&client, server.port); /* EMFILE: may be closed with the spare descriptor */
        while (atomic_load(&accepts_failing) > 0)
            usleep(1000);
        raw_close(&client);
        raw_connect(&client, server.port);
        raw_expect_echo(&client, "/", "after");
        raw_close(&client);
    }
    echo_server_stop(&server, 1000);
}

static void handle_none(struct exchange *exchange) {
    (void)exchange; /* nobody asks */
}

static void threads_that_do_not_start_are_told(void **state) {
    (void)state;
    for (int count = 0; count < 3; count++) {
        struct arena arena;
        struct endpoint *endpoint;
        struct endpoint_config config = echo_server_config();
        config.threads = 3;
        config.handle = handle_none;
        arena_init(&arena);
        atomic_store(&threads_left, count);
        struct error *error = endpoint_start(&arena, &config, &endpoint);
        atomic_store(&threads_left, 1000);
        assert_non_null(error);
        assert_true(slice_is(error->message, "cannot start 3 I/O threads"));
        arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accept_that_fails_is_not_the_last),
        cmocka_unit_test(threads_that_do_not_start_are_told),
    };
    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
