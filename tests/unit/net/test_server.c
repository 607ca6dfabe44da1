/* test_server.c - admission, distribution over loops, posted tasks and shutdown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <semaphore.h>
#include <unistd.h>

#include "base/check.h"
#include "base/container.h"
#include "net_scene.h"

static int teardown(void **state) {
    (void)state;
    scene_stop(0);
    return 0;
}

/* ---- admission ---- */

static void connections_go_to_the_least_busy_loop(void **state) {
    (void)state;
    struct net_server_options options = scene_options(2);
    struct raw_client clients[6];
    unsigned on_loop[2] = {0};
    scene_start(&options);
    for (size_t i = 0; i < 4; i++) {
        struct heard *heard = scene_connect(&clients[i]);
        assert_int_equal(net_loop_index(heard->stream.loop), scene.loops[i]);
        on_loop[scene.loops[i]]++;
    }
    assert_int_equal(on_loop[0], 2);
    assert_int_equal(on_loop[1], 2);
    assert_int_equal(net_server_stats(scene.server).connections, 4);
    assert_int_equal(net_server_stats(scene.server).accepted, 4);
    for (size_t i = 0; i < 4; i++)
        raw_close(&clients[i]);
}

static void close_ended(struct heard *heard, char event) {
    if (event == 'e')
        net_stream_close(&heard->stream);
}

static void connection_over_the_limit_is_closed(void **state) {
    (void)state;
    struct net_server_options options = scene_options(1);
    struct raw_client clients[4];
    options.connections_max = 2;
    scene_start(&options);
    scene.on = close_ended;
    struct heard *first = scene_connect(&clients[0]);
    scene_connect(&clients[1]);
    raw_connect(&clients[2], scene.port);
    raw_expect_end(&clients[2]);
    scene_await_refused(1);
    assert_int_equal(net_server_stats(scene.server).accepted, 3);
    raw_close(&clients[0]);
    scene_await(first, 'c', 1);
    scene_connect(&clients[3]);
    for (size_t i = 1; i < 4; i++)
        raw_close(&clients[i]);
}

static void set_memory(void *user) {
    scene.no_memory = user != NULL;
}

static void connection_is_closed_without_memory(void **state) {
    (void)state;
    struct net_server_options options = scene_options(1);
    struct raw_client client;
    scene_start(&options);
    scene_run(0, set_memory, &client);
    raw_connect(&client, scene.port);
    raw_expect_end(&client);
    raw_close(&client);
    scene_await_refused(1);
    scene_run(0, set_memory, NULL);
    scene_connect(&client);
    raw_close(&client);
    assert_int_equal(net_server_stats(scene.server).refused, 1);
}

/* ---- tasks ---- */

enum { POSTERS = 4, TASKS = 1000 };

struct counted {
    struct net_task task;
    unsigned poster, number;
};

static struct counted tasks[POSTERS][TASKS];
static unsigned seen[POSTERS]; /* on the loop's thread */
static bool in_order;

static void see(struct net_task *task) {
    struct counted *counted = container_of(task, struct counted, task);
    in_order = in_order && seen[counted->poster] == counted->number;
    seen[counted->poster]++;
}

static void *post_all(void *user) {
    struct counted *own = user;
    for (unsigned i = 0; i < TASKS; i++)
        net_loop_post(net_server_loop(scene.server, 1), &own[i].task);
    return NULL;
}

static void nothing(void *user) {
    (void)user;
}

static void tasks_run_once_in_posting_order(void **state) {
    (void)state;
    struct net_server_options options = scene_options(2);
    pthread_t posters[POSTERS];
    scene_start(&options);
    in_order = true;
    memset(seen, 0, sizeof(seen));
    for (unsigned i = 0; i < POSTERS; i++) {
        for (unsigned j = 0; j < TASKS; j++)
            tasks[i][j] = (struct counted){.task = {.run = see}, .poster = i, .number = j};
        assert_int_equal(pthread_create(&posters[i], NULL, post_all, tasks[i]), 0);
    }
    for (unsigned i = 0; i < POSTERS; i++)
        assert_int_equal(pthread_join(posters[i], NULL), 0);
    scene_run(1, nothing, NULL); /* runs after all of them */
    assert_true(in_order);
    for (unsigned i = 0; i < POSTERS; i++)
        assert_int_equal(seen[i], TASKS);
}

static void post_again(struct net_task *task) {
    struct counted *counted = container_of(task, struct counted, task);
    if (++counted->number < 3)
        net_loop_post(net_server_loop(scene.server, 0), task);
}

static void task_may_repost_itself(void **state) {
    (void)state;
    struct net_server_options options = scene_options(1);
    struct counted counted = {.task = {.run = post_again}};
    scene_start(&options);
    net_loop_post(net_server_loop(scene.server, 0), &counted.task);
    for (int i = 0; i < 3; i++)
        scene_run(0, nothing, NULL);
    assert_int_equal(counted.number, 3);
}

/* ---- shutdown ---- */

static void shutdown_drains_and_closes_every_stream(void **state) {
    (void)state;
    struct net_server_options options = scene_options(2);
    struct raw_client clients[2];
    scene_start(&options);
    struct heard *one = scene_connect(&clients[0]), *other = scene_connect(&clients[1]);
    net_server_stop(scene.server, 0);
    assert_string_equal(one->log, "odc");
    assert_string_equal(other->log, "odc");
    assert_int_equal(scene.started, 2);
    assert_int_equal(scene.stopped, 2);
    for (size_t i = 0; i < 2; i++) {
        raw_expect_end(&clients[i]);
        raw_close(&clients[i]);
        free(scene.streams[i]);
    }
    arena_release(&scene.arena);
}

static void close_drained(struct heard *heard, char event) {
    if (event == 'd')
        net_stream_close(&heard->stream);
}

/* The grace period of an hour is not waited for. */
static void shutdown_ends_when_all_streams_are_closed(void **state) {
    (void)state;
    struct net_server_options options = scene_options(2);
    struct raw_client client;
    scene_start(&options);
    scene.on = close_drained;
    scene_connect(&client);
    scene_stop(3600 * 1000);
    raw_close(&client);
}

static struct net_loop *held;
static sem_t closed;
static _Atomic bool let_go;

static void hold(void *user) {
    (void)user;
    held = net_server_loop(scene.server, 0);
    net_loop_hold(held);
}

static void unhold(struct net_task *task) {
    (void)task;
    atomic_store(&let_go, true);
    net_loop_unhold(held);
}

static void *unhold_when_closed(void *user) {
    struct net_task *task = user;
    CHECK(TEMP_FAILURE_RETRY(sem_wait(&closed)) == 0);
    net_loop_post(held, task);
    return NULL;
}

static void close_and_tell(struct heard *heard, char event) {
    close_drained(heard, event);
    if (event == 'c')
        sem_post(&closed);
}

static void check_let_go(void *user, void *context) {
    (void)user;
    (void)context;
    CHECK(atomic_load(&let_go));
}

/* Until it is let go, which happens after its last stream was closed. */
static void held_loop_keeps_running(void **state) {
    (void)state;
    struct net_server_options options = scene_options(1);
    struct net_task task = {.run = unhold};
    struct raw_client client;
    pthread_t other;
    options.thread_start = NULL;
    options.thread_stop = check_let_go;
    atomic_store(&let_go, false);
    assert_int_equal(sem_init(&closed, 0, 0), 0);
    scene_start(&options);
    scene.on = close_and_tell;
    scene_connect(&client);
    scene_run(0, hold, NULL);
    assert_int_equal(pthread_create(&other, NULL, unhold_when_closed, &task), 0);
    scene_stop(0);
    assert_int_equal(pthread_join(other, NULL), 0);
    sem_destroy(&closed);
    raw_close(&client);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(connections_go_to_the_least_busy_loop, teardown),
        cmocka_unit_test_teardown(connection_over_the_limit_is_closed, teardown),
        cmocka_unit_test_teardown(connection_is_closed_without_memory, teardown),
        cmocka_unit_test_teardown(tasks_run_once_in_posting_order, teardown),
        cmocka_unit_test_teardown(task_may_repost_itself, teardown),
        cmocka_unit_test(shutdown_drains_and_closes_every_stream),
        cmocka_unit_test(shutdown_ends_when_all_streams_are_closed),
        cmocka_unit_test(held_loop_keeps_running),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
