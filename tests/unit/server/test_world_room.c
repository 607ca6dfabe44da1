/* test_world_room.c - which world makes room, while requests come to them.
 *
 * The worlds have names in a list and one empty engine, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/state.h"
#include "server/world.h"
#include "server/world_room.h"
#include "support/engine_fixture.h"

enum { WORLDS = 3, ROUNDS = 20000 };

struct scene {
    struct engine_fixture engine;
    struct server server;
    struct world worlds[WORLDS]; /* the one that was used longest ago first */
    atomic_bool over;
};

static struct scene *scene_new(void) {
    struct scene *scene = calloc(1, sizeof(*scene));
    assert_non_null(scene);
    assert_null(fixture_open(&scene->engine, fixture_store()));
    for (size_t i = 0; i < WORLDS; i++) {
        struct world *world = &scene->worlds[i];
        world->server = &scene->server;
        world->engine = scene->engine.engine;
        atomic_init(&world->used, i);
        world->next = scene->server.named;
        scene->server.named = world;
    }
    return scene;
}

static void scene_free(struct scene *scene) {
    fixture_close(&scene->engine);
    free(scene);
}

static void the_oldest_goes_first(void **state) {
    (void)state;
    struct scene *scene = scene_new();
    for (size_t i = 0; i < WORLDS; i++) {
        assert_ptr_equal(world_room_make(&scene->server), &scene->worlds[i]);
        assert_true(scene->worlds[i].left);
    }
    assert_null(world_room_make(&scene->server));
    assert_null(scene->server.named);
    scene_free(scene);
}

static void one_with_a_request_stays(void **state) {
    (void)state;
    struct scene *scene = scene_new();
    atomic_store(&scene->worlds[0].calls, 1);
    assert_ptr_equal(world_room_make(&scene->server), &scene->worlds[1]);
    assert_ptr_equal(world_room_make(&scene->server), &scene->worlds[2]);
    assert_null(world_room_make(&scene->server));
    assert_ptr_equal(scene->server.named, &scene->worlds[0]);
    assert_false(scene->worlds[0].left);
    scene_free(scene);
}

static void *come_and_go(void *user) {
    struct scene *scene = user;
    while (!atomic_load(&scene->over)) {
        atomic_fetch_add(&scene->worlds[0].calls, 1);
        atomic_fetch_sub(&scene->worlds[0].calls, 1);
    }
    return NULL;
}

/* Short requests come to the oldest all the time; one of the others can always go. */
static void one_that_gets_a_request_is_passed_over(void **state) {
    (void)state;
    struct scene *scene = scene_new();
    pthread_t requests;
    assert_int_equal(pthread_create(&requests, NULL, come_and_go, scene), 0);
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct world *world = world_room_make(&scene->server);
        if (world == NULL) {
            refused++;
            continue;
        }
        atomic_store(&world->left, false);
        world->next = scene->server.named;
        scene->server.named = world;
    }
    atomic_store(&scene->over, true);
    assert_int_equal(pthread_join(requests, NULL), 0);
    assert_int_equal(refused, 0);
    for (size_t i = 0; i < WORLDS; i++)
        assert_false(scene->worlds[i].left);
    scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_goes_first),
        cmocka_unit_test(one_with_a_request_stays),
        cmocka_unit_test(one_that_gets_a_request_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
