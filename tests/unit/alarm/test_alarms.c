/* test_alarms.c - alarms as a server has them: looked at when their periods end by a clock that the
 * test moves, kept across an end, acting once for each change. Messages go to `tee -a`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "alarm/alarms.h"
#include "support/engine_fixture.h"
#include "support/shared_store.h"

enum { MINUTE_MS = 60000, WAIT_MS = 20000 };

#define START_MS INT64_C(1772100780000) /* 2026-02-26T10:13:00Z */
#define TOPIC "arn:aws:sns:us-east-1:000000000000:t"

/* What is measured: nothing before or after a stretch of minutes, there a value. */
static struct {
    int64_t from_ms;
    int64_t to_ms;
    double value;
    _Atomic int reads;
} measured;

struct test {
    struct store *store; /* a handle that stays */
    struct engine_fixture fixture;
    struct alarms *alarms;
    struct arena arena;
    char path[40];
    struct alarm_topic topic;
    char command[100];
};

static struct error *read_points(void *user, struct arena *arena,
                                 const struct alarm_settings *settings, int64_t end_ms,
                                 uint32_t period_s, struct alarm_point *points, size_t count) {
    (void)user, (void)arena, (void)settings;
    measured.reads++;
    for (size_t i = 0; i < count; i++) {
        int64_t start_ms = end_ms - (int64_t)(i + 1) * period_s * 1000;
        points[i] = (struct alarm_point){
            .start_ms = start_ms,
            .present = start_ms >= measured.from_ms && start_ms < measured.to_ms,
            .value = measured.value,
            .samples = 1,
        };
    }
    return NULL;
}

/* ---- a server, as far as alarms need one ---- */

static void open_alarms(struct test *test, const char *command) {
    snprintf(test->command, sizeof(test->command), "exec:%s", command);
    test->topic = (struct alarm_topic){SLICE_LITERAL(TOPIC), slice_text(test->command)};
    struct alarms_options options = {
        .clock = &fixture_clock.clock,
        .random = &system_random,
        .home = {SLICE_LITERAL("us-east-1"), SLICE_LITERAL("000000000000")},
        .source = {.read = read_points},
        .routes = {.topics = &test->topic, .topic_count = 1},
    };
    assert_null(fixture_open(&test->fixture, shared_store_again(test->store)));
    options.engine = test->fixture.engine;
    assert_null(alarms_open(&test->arena, &options, &test->alarms));
}

static void close_alarms(struct test *test) {
    alarms_close(test->alarms);
    fixture_close(&test->fixture);
}

static void reopen(struct test *test, const char *command) {
    close_alarms(test);
    open_alarms(test, command);
}

static int set_up(void **state) {
    struct test *test = calloc(1, sizeof(*test));
    snprintf(test->path, sizeof(test->path), "/tmp/test_alarms.XXXXXX");
    close(mkstemp(test->path));
    arena_init(&test->arena);
    measured.from_ms = measured.to_ms = 0;
    measured.reads = 0;
    measured.value = 10;
    fixture_clock.now_ms = START_MS + ALARM_DELAY_MS;
    test->store = shared_store_new(fixture_store());
    char command[60];
    snprintf(command, sizeof(command), "tee -a %s", test->path);
    open_alarms(test, command);
    *state = test;
    return 0;
}

static int tear_down(void **state) {
    struct test *test = *state;
    close_alarms(test);
    store_close(test->store);
    arena_release(&test->arena);
    unlink(test->path);
    free(test);
    return 0;
}

static struct alarm_settings settings(const char *name, uint32_t period_s, uint32_t periods) {
    struct alarm_settings made = {
        .name = slice_text(name),
        .actions_enabled = true,
        .rule = {.threshold = 5,
                 .comparison = ALARM_COMPARISON_GREATER,
                 .treatment = ALARM_TREATMENT_MISSING,
                 .periods = periods},
        .metric = {.name_space = SLICE_LITERAL("AWS/DynamoDB"),
                   .name = SLICE_LITERAL("UserErrors"),
                   .period_s = period_s,
                   .statistic = SLICE_LITERAL("Sum")},
    };
    for (size_t i = 0; i < ALARM_STATE_COUNT; i++)
        made.actions[i] = (struct alarm_actions){{SLICE_LITERAL(TOPIC)}, 1};
    return made;
}

static void put(struct test *test, const struct alarm_settings *wanted) {
    assert_null(alarms_put(test->alarms, &test->arena, wanted, NULL, 0));
}

static void move_clock(struct test *test, int64_t ms) {
    fixture_clock.now_ms += ms;
    alarms_time_moved(test->alarms);
}

/* ---- what there is to see ---- */

struct sight {
    struct slice name;
    enum alarm_state state;
    char reason[300];
    bool found;
};

static bool see(void *user, const struct alarm *alarm) {
    struct sight *sight = user;
    sight->found = slice_equal(alarm->settings.name, sight->name);
    sight->state = alarm->status.state;
    snprintf(sight->reason, sizeof(sight->reason), "%.*s", SLICE_ARGS(alarm->status.reason));
    return false;
}

static struct sight look_at(struct test *test, const char *name) {
    struct sight sight = {.name = slice_text(name)};
    alarms_visit(test->alarms, sight.name, see, &sight);
    return sight;
}

static void wait_for_state(struct test *test, const char *name, enum alarm_state state) {
    for (int i = 0; i < WAIT_MS && look_at(test, name).state != state; i++)
        usleep(1000);
    assert_string_equal(alarm_state_word(look_at(test, name).state), alarm_state_word(state));
}

static size_t memories(struct test *test, const char *name, struct alarm_memory **ret_memories) {
    size_t count;
    assert_null(alarms_history(test->alarms, &test->arena, slice_text(name), ret_memories, &count));
    return count;
}

/* Waits for so many entries of the history; returns the newest's summary. */
static const char *wait_for_history(struct test *test, const char *name, size_t wanted) {
    struct alarm_memory *list;
    size_t count = memories(test, name, &list);
    for (int i = 0; i < WAIT_MS / 10 && count < wanted; i++) {
        usleep(10000);
        count = memories(test, name, &list);
    }
    assert_int_equal(count, wanted);
    struct history_entry entry;
    bool there;
    assert_null(alarms_recall(test->alarms, &test->arena, &list[0], &entry, &there));
    assert_true(there);
    return (const char *)arena_printf(&test->arena, "%.*s", SLICE_ARGS(entry.summary)).data;
}

static int count_messages(const struct test *test, const char *state) {
    static char text[1 << 20];
    char wanted[60];
    FILE *file = fopen(test->path, "r");
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    snprintf(wanted, sizeof(wanted), "\"NewStateValue\":\"%s\"", state);
    int count = 0;
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; at++)
        count++;
    return count;
}

/* ---- tests ---- */

static void it_goes_off_and_back_and_says_so_once(void **state) {
    struct test *test = *state;
    struct alarm_settings wanted = settings("a", 60, 2);
    put(test, &wanted);
    struct sight sight = look_at(test, "a");
    assert_true(sight.found);
    assert_int_equal(sight.state, ALARM_STATE_INSUFFICIENT_DATA);
    assert_string_equal(sight.reason, "Unchecked: Initial alarm creation");
    measured.from_ms = START_MS;
    measured.to_ms = START_MS + 3 * MINUTE_MS;
    move_clock(test, 3 * MINUTE_MS);
    wait_for_state(test, "a", ALARM_STATE_ALARM);
    assert_string_equal(look_at(test, "a").reason,
                        "Threshold Crossed: 2 datapoints [10.0 (26/02/26 10:14:00), 10.0 "
                        "(26/02/26 10:13:00)] were greater than the threshold (5.0).");
    /* First one point, which is not enough, then the alarm: each with its message. */
    assert_string_equal(wait_for_history(test, "a", 5), "Successfully executed action " TOPIC);
    assert_int_equal(count_messages(test, "ALARM"), 1);
    assert_int_equal(count_messages(test, "OK"), 1);
    measured.from_ms = START_MS + 3 * MINUTE_MS;
    measured.to_ms = START_MS + 5 * MINUTE_MS;
    measured.value = 1;
    move_clock(test, 2 * MINUTE_MS);
    wait_for_state(test, "a", ALARM_STATE_OK);
    wait_for_history(test, "a", 7);
    assert_int_equal(count_messages(test, "ALARM"), 1);
    assert_int_equal(count_messages(test, "OK"), 2);
}

static void a_jump_of_a_year_takes_few_looks(void **state) {
    struct test *test = *state;
    struct alarm_settings wanted = settings("a", 60, 3);
    put(test, &wanted);
    measured.from_ms = START_MS;
    measured.to_ms = START_MS + 5 * MINUTE_MS;
    move_clock(test, 5 * MINUTE_MS);
    wait_for_state(test, "a", ALARM_STATE_ALARM);
    wait_for_history(test, "a", 5);
    measured.reads = 0;
    move_clock(test, INT64_C(365) * 24 * 60 * MINUTE_MS);
    wait_for_state(test, "a", ALARM_STATE_INSUFFICIENT_DATA);
    wait_for_history(test, "a", 1); /* the message: all else was a year ago */
    assert_int_equal(count_messages(test, "ALARM"), 1);
    assert_int_equal(count_messages(test, "INSUFFICIENT_DATA"), 1);
    assert_in_range(measured.reads, 6, 20);
    /* Three times a minute later it is as it was. */
    for (int i = 0; i < 3; i++)
        move_clock(test, MINUTE_MS);
    measured.to_ms = INT64_MAX;
    move_clock(test, MINUTE_MS);
    wait_for_state(test, "a", ALARM_STATE_ALARM);
}

static void it_is_there_after_an_end(void **state) {
    struct test *test = *state;
    struct alarm_pair tags[] = {{SLICE_LITERAL("k"), SLICE_LITERAL("v")}};
    struct alarm_settings wanted = settings("b", 60, 1);
    assert_null(alarms_put(test->alarms, &test->arena, &wanted, tags, 1));
    measured.to_ms = INT64_MAX;
    move_clock(test, MINUTE_MS);
    wait_for_state(test, "b", ALARM_STATE_ALARM);
    wait_for_history(test, "b", 3);
    reopen(test, "true");
    assert_int_equal(look_at(test, "b").state, ALARM_STATE_ALARM);
    wait_for_history(test, "b", 3);
    move_clock(test, MINUTE_MS);
    usleep(50000);
    assert_int_equal(count_messages(test, "ALARM"), 1);
}

static void what_was_not_sent_is_sent_after_the_next_start(void **state) {
    struct test *test = *state;
    char command[60];
    reopen(test, "sleep 100");
    struct alarm_settings wanted = settings("c", 60, 1);
    put(test, &wanted);
    measured.to_ms = INT64_MAX;
    move_clock(test, MINUTE_MS);
    wait_for_state(test, "c", ALARM_STATE_ALARM);
    usleep(50000);
    snprintf(command, sizeof(command), "tee -a %s", test->path);
    reopen(test, command);
    assert_string_equal(wait_for_history(test, "c", 3), "Successfully executed action " TOPIC);
    assert_int_equal(count_messages(test, "ALARM"), 1);
    reopen(test, command);
    usleep(50000);
    assert_int_equal(count_messages(test, "ALARM"), 1);
}

static void what_has_nowhere_to_go_is_said(void **state) {
    struct test *test = *state;
    struct alarm_settings wanted = settings("d", 60, 1);
    struct alarm_status status = {ALARM_STATE_ALARM, SLICE_LITERAL("by hand"), SLICE_NONE, 0, 0};
    bool found;
    wanted.actions[ALARM_STATE_ALARM].names[0] =
        SLICE_LITERAL("arn:aws:lambda:us-east-1:000000000000:function:f");
    put(test, &wanted);
    assert_null(alarms_set_state(test->alarms, &test->arena, wanted.name, &status, &found));
    assert_true(found);
    assert_string_equal(wait_for_history(test, "d", 3),
                        "Failed to execute action "
                        "arn:aws:lambda:us-east-1:000000000000:function:f. Received error: \"this "
                        "server sends messages to URLs and SNS topics only\"");
    /* The same state again is no change. */
    assert_null(alarms_set_state(test->alarms, &test->arena, wanted.name, &status, &found));
    wait_for_history(test, "d", 3);
    assert_null(
        alarms_set_state(test->alarms, &test->arena, SLICE_LITERAL("none"), &status, &found));
    assert_false(found);
}

static void actions_that_are_off_do_nothing(void **state) {
    struct test *test = *state;
    struct alarm_settings wanted = settings("e", 60, 1);
    struct alarm_status status = {ALARM_STATE_ALARM, SLICE_LITERAL("by hand"), SLICE_NONE, 0, 0};
    bool found;
    put(test, &wanted);
    assert_null(alarms_enable(test->alarms, &test->arena, wanted.name, false, &found));
    assert_null(alarms_set_state(test->alarms, &test->arena, wanted.name, &status, &found));
    assert_string_equal(wait_for_history(test, "e", 3),
                        "Alarm updated from INSUFFICIENT_DATA to ALARM");
    usleep(50000);
    assert_int_equal(count_messages(test, "ALARM"), 0);
}

static void history_is_bounded_and_outlives_its_alarm(void **state) {
    struct test *test = *state;
    struct alarm_settings wanted = settings("f", 60, 1);
    struct alarm_memory *list;
    bool found;
    for (int i = 0; i < ALARM_HISTORY_MAX + 20; i++)
        put(test, &wanted);
    assert_int_equal(memories(test, "f", &list), ALARM_HISTORY_MAX);
    assert_null(alarms_delete(test->alarms, &test->arena, wanted.name, &found));
    assert_true(found);
    assert_false(look_at(test, "f").found);
    assert_null(alarms_delete(test->alarms, &test->arena, wanted.name, &found));
    assert_false(found);
    assert_string_equal(wait_for_history(test, "f", ALARM_HISTORY_MAX), "Alarm \"f\" deleted");
    put(test, &wanted);
    assert_string_equal(wait_for_history(test, "f", ALARM_HISTORY_MAX), "Alarm \"f\" created");
    assert_null(alarms_delete(test->alarms, &test->arena, wanted.name, &found));
    /* After 30 days nothing is told, and the next deletion forgets it. */
    move_clock(test, INT64_C(31) * 24 * 60 * MINUTE_MS);
    assert_int_equal(memories(test, "f", &list), 0);
    wanted.name = SLICE_LITERAL("g");
    put(test, &wanted);
    assert_null(alarms_delete(test->alarms, &test->arena, wanted.name, &found));
    struct record *records;
    size_t count;
    assert_null(engine_read_records(test->fixture.engine, &test->arena, SLICE_LITERAL(STORED_ALARM),
                                    &records, &count));
    assert_int_equal(count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(it_goes_off_and_back_and_says_so_once),
        TEST(a_jump_of_a_year_takes_few_looks),
        TEST(it_is_there_after_an_end),
        TEST(what_was_not_sent_is_sent_after_the_next_start),
        TEST(what_has_nowhere_to_go_is_said),
        TEST(actions_that_are_off_do_nothing),
        TEST(history_is_bounded_and_outlives_its_alarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
