/* test_trial.c - the trial of engines on engines that are sound, and on those that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/container.h"
#include "store/memory/memory.h"
#include "store/trial/trial.h"
#include "support/shared_store.h"

struct opener {
    struct trial_opener opener;
    struct store *first; /* that others are opened beside; NULL: each is on its own */
    bool shares;
};

static struct error *open_memory(struct trial_opener *base, struct arena *arena,
                                 const struct store_keyspace *keyspaces, size_t count,
                                 struct store **ret_store) {
    struct opener *opener = container_of(base, struct opener, opener);
    if (opener->first != NULL) {
        *ret_store = shared_store_again(opener->first);
        return NULL;
    }
    TRY(memory_store_open(arena, keyspaces, count, ret_store));
    if (opener->shares)
        opener->first = *ret_store = shared_store_new(*ret_store);
    return NULL;
}

struct recorder {
    struct trial_observer observer;
    struct buffer text; /* the names of what failed */
    size_t figures;
};

static void record(struct trial_observer *base, const struct trial_line *line) {
    struct recorder *recorder = container_of(base, struct recorder, observer);
    recorder->figures += line->kind == TRIAL_FIGURE;
    if (line->kind == TRIAL_FAILED)
        buffer_printf(&recorder->text, "%s;", line->name);
}

static void expect_trial(bool shares, size_t failed, const char *names) {
    struct arena arena;
    arena_init(&arena);
    struct opener opener = {.opener.open = open_memory, .shares = shares};
    struct recorder recorder = {.observer.line = record};
    buffer_init(&recorder.text, 1000);
    size_t found = 0;
    assert_null(store_trial(&arena, &opener.opener, &recorder.observer, &found));
    buffer_append_byte(&recorder.text, 0);
    assert_string_equal((const char *)recorder.text.data, names);
    assert_int_equal(found, failed);
    assert_int_equal(recorder.figures, 7);
    buffer_release(&recorder.text);
    arena_release(&arena);
}

/* Writers that wait for each other lose nothing; but both may always write. */
static void an_engine_without_a_lead_does_not_fence(void **state) {
    (void)state;
    expect_trial(true, 1, "fencing;");
}

static void stores_that_do_not_share_are_noticed(void **state) {
    (void)state;
    expect_trial(false, 4, "write skew;lost updates;fencing;keys;");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_engine_without_a_lead_does_not_fence),
        cmocka_unit_test(stores_that_do_not_share_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
