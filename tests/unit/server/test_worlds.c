/* test_worlds.c - worlds of a server: lookup, reset, snapshots and limits. Each test marks the
 * content of a world by a record. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "base/container.h"
#include "engine/record.h"
#include "server/world.h"
#include "server/worlds.h"
#include "server_scene.h"

static struct arena arena;
static struct server *server;

static void start(unsigned most) {
    struct server_config config = server_scene_config();
    config.name_spaces = config.test_reset = true;
    config.name_spaces_max = most;
    arena_init(&arena);
    assert_null(server_start(&arena, &config, &server));
}

static int teardown(void **state) {
    (void)state;
    server_stop(server);
    arena_release(&arena);
    return 0;
}

/* ---- worlds ---- */

static struct world_name name_of(const char *key) {
    struct world_name name;
    assert_true(world_name_read(slice_text(key), SLICE_LITERAL("us-east-1"), &name));
    return name;
}

struct waiter {
    struct world_wait wait;
    sem_t opened;
};

static void on_opened(struct world_wait *wait) {
    sem_post(&container_of(wait, struct waiter, wait)->opened);
}

/* Returns the world held. A NULL key names the server's own world. */
static struct error *find(const char *key, struct world **ret_world) {
    struct world_name name = {.key = ""};
    if (key != NULL)
        name = name_of(key);
    for (*ret_world = NULL; *ret_world == NULL;) {
        struct waiter waiter = {.wait = {.arena = &arena, .opened = on_opened}};
        assert_int_equal(sem_init(&waiter.opened, 0, 0), 0);
        TRY(worlds_find(server, key == NULL ? NULL : &name, &waiter.wait, ret_world));
        if (*ret_world == NULL)
            assert_int_equal(TEMP_FAILURE_RETRY(sem_wait(&waiter.opened)), 0);
        sem_destroy(&waiter.opened);
        TRY(waiter.wait.error);
    }
    return NULL;
}

static void put_into(struct world *world, const char *value) {
    struct record record = {SLICE_LITERAL("test"), SLICE_LITERAL("what"), slice_text(value),
                            SLICE_NONE};
    assert_null(engine_change_records(world->engine, &arena, &record, 1));
}

static const char *value_in(struct world *world) {
    struct record record = {.kind = SLICE_LITERAL("test"), .name = SLICE_LITERAL("what")};
    assert_null(engine_find_records(world->engine, &arena, &record, 1));
    return slice_present(record.value)
               ? (const char *)arena_printf(&arena, "%.*s", SLICE_ARGS(record.value)).data
               : "nothing";
}

static void put(const char *key, const char *value) {
    struct world *world;
    assert_null(find(key, &world));
    put_into(world, value);
    worlds_give(world);
}

static void expect(const char *key, const char *value) {
    struct world *world;
    assert_null(find(key, &world));
    assert_string_equal(value_in(world), value);
    worlds_give(world);
}

static void expect_error(struct error *error, const char *message) {
    assert_non_null(error);
    if (!slice_is(error->message, message))
        fail_msg("%.*s", SLICE_ARGS(error->message));
}

static struct error *reset(const char *key) {
    struct world_name name = name_of(key);
    return worlds_reset(server, &arena, &name);
}

static struct error *keep(const char *snapshot, const char *key) {
    struct world_name name = name_of(key);
    return worlds_keep(server, &arena, slice_text(snapshot), &name);
}

static struct error *restore(const char *snapshot, const char *key) {
    struct world_name name = name_of(key);
    return worlds_restore(server, &arena, slice_text(snapshot), &name);
}

/* ---- lookup ---- */

static void each_name_has_its_own_world(void **state) {
    (void)state;
    struct world *one, *again, *other, *own;
    start(0);
    assert_null(find("one", &one));
    assert_null(find("one", &again));
    assert_null(find("other", &other));
    assert_null(find(NULL, &own));
    assert_ptr_equal(one, again);
    assert_ptr_not_equal(one, other);
    assert_ptr_not_equal(one, own);
    assert_string_equal(one->name.key, "one");
    assert_string_equal(own->name.key, "");
    put_into(one, "1");
    assert_string_equal(value_in(other), "nothing");
    assert_string_equal(value_in(own), "nothing");
    struct world *const all[] = {one, again, other, own};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        worlds_give(all[i]);
    expect("one", "1");
}

static void watch_all_returns_every_world(void **state) {
    (void)state;
    struct world *all[WORLDS_MAX + 1], *own;
    start(0);
    assert_int_equal(worlds_watch_all(server, all), 1);
    worlds_unwatch(all[0]);
    put("one", "1");
    put("two", "2");
    own = worlds_take(server);
    assert_int_equal(worlds_watch_all(server, all), 3);
    assert_ptr_equal(all[0], own);
    for (size_t i = 0; i < 3; i++)
        worlds_unwatch(all[i]);
    worlds_give(own);
}

/* ---- reset ---- */

static void reset_by_name_keeps_the_others(void **state) {
    (void)state;
    struct world *before;
    start(0);
    put("one", "1");
    put("two", "2");
    put(NULL, "own");
    assert_null(find("one", &before));
    assert_null(reset("one"));
    expect("one", "nothing");
    expect("two", "2");
    expect(NULL, "own");
    assert_true(atomic_load(&before->left));
    assert_string_equal(value_in(before), "1"); /* holders keep using it */
    worlds_give(before);
    assert_null(reset("nobody"));
}

static void reset_without_a_name_resets_all(void **state) {
    (void)state;
    start(0);
    put("one", "1");
    put(NULL, "own");
    assert_null(worlds_reset(server, &arena, NULL));
    expect("one", "nothing");
    expect(NULL, "nothing");
}

/* ---- snapshots ---- */

static void restore_brings_the_content_back(void **state) {
    (void)state;
    start(0);
    put("one", "then");
    assert_null(keep("s", "one"));
    put("one", "later");
    assert_null(restore("s", "two"));
    expect("one", "later");
    expect("two", "then");
    put("two", "changed");
    assert_null(restore("s", "one"));
    expect("one", "then");
    expect("two", "changed");
    assert_null(worlds_reset(server, &arena, NULL));
    assert_null(restore("s", "one")); /* snapshots survive a reset */
    expect("one", "then");
}

static void snapshot_of_an_unused_name_is_empty(void **state) {
    (void)state;
    start(0);
    assert_null(keep("s", "nobody"));
    put("one", "1");
    assert_null(restore("s", "one"));
    expect("one", "nothing");
}

static void expect_list(const char *names) {
    struct snapshot_entry *entries;
    const char *all = "";
    size_t count = worlds_list(server, &arena, &entries);
    for (size_t i = 0; i < count; i++)
        all = (const char *)arena_printf(&arena, "%s%s ", all, entries[i].name).data;
    assert_string_equal(all, names);
}

static void snapshots_are_listed_by_age(void **state) {
    (void)state;
    start(0);
    expect_list("");
    put("one", "1");
    assert_null(keep("b", "one"));
    assert_null(keep("a", "one"));
    expect_list("b a ");
    put("one", "2");
    assert_null(keep("b", "one")); /* replaces the first */
    expect_list("a b ");
    assert_null(restore("b", "two"));
    expect("two", "2");
    assert_null(worlds_drop(server, &arena, SLICE_LITERAL("a")));
    expect_list("b ");
    expect_error(worlds_drop(server, &arena, SLICE_LITERAL("a")), "there is no snapshot a");
    expect_error(restore("a", "one"), "there is no snapshot a");
    expect("one", "2");
}

static void snapshots_are_limited_to_100(void **state) {
    (void)state;
    char name[16];
    start(0);
    for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
        snprintf(name, sizeof(name), "s%u", i);
        assert_null(keep(name, "one"));
    }
    expect_error(keep("more", "one"), "there are 100 snapshots already, and no more may be kept");
    assert_null(keep("s7", "one"));
    assert_null(worlds_drop(server, &arena, SLICE_LITERAL("s8")));
    assert_null(keep("more", "one"));
}

/* ---- limits ---- */

#define TOO_MANY                                                                              \
    "This server has 2 name spaces in use, each for an access key in a region, and takes no " \
    "more: --name-spaces-max allows up to 1000"

static void empty_world_is_evicted(void **state) {
    (void)state;
    struct world *third, *empty;
    start(2);
    put("one", "1");
    assert_null(find("empty", &empty));
    assert_null(find("third", &third));
    assert_true(atomic_load(&empty->left));
    put_into(third, "3");
    worlds_give(empty);
    worlds_give(third);
    struct error *error = find("fourth", &third);
    expect_error(error, TOO_MANY);
    assert_int_equal(error->code, ERROR_LIMIT_EXCEEDED);
    expect("one", "1");
    expect("third", "3");
    expect(NULL, "nothing"); /* the server's own world does not count */
    assert_null(reset("one"));
    expect("fourth", "nothing");
}

static void restore_is_refused_without_room(void **state) {
    (void)state;
    start(2);
    put("one", "1");
    put("two", "2");
    assert_null(keep("s", "one"));
    expect_error(restore("s", "three"), TOO_MANY);
    assert_null(restore("s", "two"));
    expect("two", "1");
}

enum { SEEKERS = 4 };

static void *seek(void *user) {
    struct world **ret_world = user;
    struct waiter waiter = {.wait = {.opened = on_opened}};
    struct arena own;
    struct world_name name = name_of("many");
    arena_init(&own);
    waiter.wait.arena = &own;
    sem_init(&waiter.opened, 0, 0);
    while (worlds_find(server, &name, &waiter.wait, ret_world) == NULL && *ret_world == NULL)
        TEMP_FAILURE_RETRY(sem_wait(&waiter.opened));
    sem_destroy(&waiter.opened);
    arena_release(&own);
    return NULL;
}

static void concurrent_lookups_get_the_same_world(void **state) {
    (void)state;
    pthread_t threads[SEEKERS];
    struct world *found[SEEKERS] = {NULL};
    start(0);
    for (size_t i = 0; i < SEEKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, seek, &found[i]), 0);
    for (size_t i = 0; i < SEEKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < SEEKERS; i++) {
        assert_non_null(found[i]);
        assert_ptr_equal(found[i], found[0]);
    }
    for (size_t i = 0; i < SEEKERS; i++)
        worlds_give(found[i]);
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(each_name_has_its_own_world),
        TEST(watch_all_returns_every_world),
        TEST(reset_by_name_keeps_the_others),
        TEST(reset_without_a_name_resets_all),
        TEST(restore_brings_the_content_back),
        TEST(snapshot_of_an_unused_name_is_empty),
        TEST(snapshots_are_listed_by_age),
        TEST(snapshots_are_limited_to_100),
        TEST(empty_world_is_evicted),
        TEST(restore_is_refused_without_room),
        TEST(concurrent_lookups_get_the_same_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
