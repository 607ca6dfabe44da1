/* test_options.c - arguments read by a table: every kind, every mistake with its exact text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sample_command.h"

enum { WORDS_MAX = 32 };

static struct arena arena;
static struct invocation invocation;

/* The arguments are the words of the text; '' is an empty one. NULL, or the error's text. */
static const char *read_line(const char *line) {
    char *argv[WORDS_MAX];
    int argc = 0;
    char *copy = arena_copy(&arena, line, strlen(line) + 1);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "''") == 0 ? word + 2 : word;
    invocation = (struct invocation){.command = NULL};
    struct error *error = options_read(&arena, &sample_command, argc, argv, &invocation);
    return error == NULL ? NULL : (const char *)error->message.data;
}

static const struct sample *read_well(const char *line) {
    const char *error = read_line(line);
    if (error != NULL)
        fail_msg("%s: %s", line, error);
    return invocation.values;
}

static void test_presets(void **state) {
    (void)state;
    const struct sample *sample = read_well("a b");
    assert_string_equal(sample->in, "a");
    assert_string_equal(sample->out, "b");
    assert_int_equal(sample->port, 8000);
    assert_string_equal(sample->host, "127.0.0.1");
    assert_int_equal(sample->fruit, FRUIT_PEAR);
    assert_null(sample->data);
    assert_false(sample->dry);
    assert_true(sample->rate == 0);
    assert_null(sample->guests);
    assert_int_equal(sample->settings.count, 0);
    assert_false(options_given(&invocation, "port"));
    assert_true(options_given(&invocation, "OUT"));
}

static void test_every_kind(void **state) {
    (void)state;
    const struct sample *sample = read_well(
        "--port 1 --host=h --data=d a --rate 2.5 --timeout=1e1 --cache 4G --log l "
        "--account 0123 b --fruit plum --set x=1 --set=y==2= --set z= --guest 0001 --guest=0002 "
        "--a-name-longer-than-most 9223372036854775807");
    assert_int_equal(sample->port, 1);
    assert_string_equal(sample->host, "h");
    assert_string_equal(sample->data, "d");
    assert_true(sample->rate == 2.5 && sample->timeout_s == 10);
    assert_int_equal(sample->cache_bytes, UINT64_C(4) << 30);
    assert_string_equal(sample->log, "l");
    assert_string_equal(sample->account, "0123");
    assert_int_equal(sample->fruit, FRUIT_PLUM);
    assert_int_equal(sample->seed, INT64_MAX);
    assert_string_equal(sample->guests[0], "0001");
    assert_string_equal(sample->guests[1], "0002");
    assert_null(sample->guests[2]);
    assert_int_equal(sample->settings.count, 3);
    assert_true(slice_is(sample->settings.pairs[1].name, "y"));
    assert_true(slice_is(sample->settings.pairs[1].value, "=2="));
    assert_int_equal(sample->settings.pairs[2].value.len, 0);
    assert_string_equal(sample->out, "b");
    assert_true(options_given(&invocation, "port"));
    assert_int_equal(read_well("a b --cache=512M --dry")->cache_bytes, 512 << 20);
    assert_int_equal(read_well("a b --hold=30s")->hold_ms, 30 * 1000);
    assert_int_equal(read_well("a b --hold=5m")->hold_ms, 5 * 60 * 1000);
    assert_int_equal(read_well("a b --hold=1h")->hold_ms, 60 * 60 * 1000);
    assert_int_equal(read_well("a b --hold=100000d")->hold_ms, UINT64_C(8640000000000));
    assert_int_equal(read_well("a b --hold=0")->hold_ms, 0);
    assert_true(read_well("--dry a b")->dry);
}

static void test_the_later_one_wins(void **state) {
    (void)state;
    assert_int_equal(read_well("--port 1 --port=2 a b")->port, 2);
}

static void test_the_end_of_options(void **state) {
    (void)state;
    const struct sample *sample = read_well("--port 1 -- --port --help");
    assert_string_equal(sample->in, "--port");
    assert_string_equal(sample->out, "--help");
    assert_string_equal(read_well("- b")->in, "-");
    /* A value may look like an option. */
    assert_string_equal(read_well("--host --dry a b")->host, "--dry");
}

static void test_help_comes_first(void **state) {
    (void)state;
    read_well("--wrong --help");
    assert_true(invocation.help);
    read_well("-h");
    assert_true(invocation.help);
    read_well("a b");
    assert_false(invocation.help);
}

static void test_what_an_option_excludes(void **state) {
    (void)state;
    assert_null(read_well("--check a")->out);
    assert_string_equal(read_line("--check a b"), "--check and OUT do not go together");
    assert_string_equal(read_line("--dry --data d a b"), "--dry and --data do not go together");
    assert_string_equal(read_line("--timeout 1 a b"), "--timeout needs --rate");
}

static void test_wrong_values(void **state) {
    (void)state;
    static const struct {
        const char *arguments;
        const char *error;
    } rows[] = {
        {"--port 0", "--port takes a number from 1 to 65535, not '0'"},
        {"--port 65536", "--port takes a number from 1 to 65535, not '65536'"},
        {"--port=", "--port takes a number from 1 to 65535, not ''"},
        {"--port -1", "--port takes a number from 1 to 65535, not '-1'"},
        {"--port +1", "--port takes a number from 1 to 65535, not '+1'"},
        {"--port 1x", "--port takes a number from 1 to 65535, not '1x'"},
        {"--port 18446744073709551617",
         "--port takes a number from 1 to 65535, not '18446744073709551617'"},
        {"--port", "a value is missing after '--port'"},
        {"--rate 0.4", "--rate takes a number from 0.5 to 10000000, not '0.4'"},
        {"--rate nan", "--rate takes a number from 0.5 to 10000000, not 'nan'"},
        {"--timeout 3601", "--timeout takes seconds from 0 to 3600, not '3601'"},
        {"--hold 5", "--hold takes a duration such as 30s, 5m, 1h, 2d or 0, not '5'"},
        {"--hold 5ms", "--hold takes a duration such as 30s, 5m, 1h, 2d or 0, not '5ms'"},
        {"--hold -1s", "--hold takes a duration such as 30s, 5m, 1h, 2d or 0, not '-1s'"},
        {"--hold 100001d", "--hold takes a duration such as 30s, 5m, 1h, 2d or 0, not '100001d'"},
        {"--cache 512", "--cache takes a size such as 512M or 4G, not '512'"},
        {"--cache 0G", "--cache takes a size such as 512M or 4G, not '0G'"},
        {"--cache 1T", "--cache takes a size such as 512M or 4G, not '1T'"},
        {"--cache 1Mb", "--cache takes a size such as 512M or 4G, not '1Mb'"},
        {"--host=", "--host takes HOST, not ''"},
        {"--host ''", "--host takes HOST, not ''"},
        {"--log ''", "--log takes FILE, not ''"},
        {"--account 12", "--account takes 4 digits, not '12'"},
        {"--fruit fig", "--fruit takes apple, pear or plum, not 'fig'"},
        {"--guest 0001 --guest 2", "--guest takes 4 digits, not '2'"},
        {"--guest ''", "--guest takes 4 digits, not ''"},
        {"--set x", "--set takes KEY=VALUE, not 'x'"},
        {"--set =x", "--set takes KEY=VALUE, not '=x'"},
        {"--set x=1 --set x=2", "--set gives x twice, now as '2'"},
        {"--dry=yes", "--dry takes no value, not 'yes'"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *error = read_line(rows[i].arguments);
        assert_non_null(error);
        assert_string_equal(error, rows[i].error);
    }
}

static void test_wrong_names(void **state) {
    (void)state;
    assert_string_equal(read_line("--prot 1"), "there is no option '--prot', but --port");
    assert_string_equal(read_line("--hots=x"), "there is no option '--hots', but --host");
    assert_string_equal(read_line("-port 1"), "there is no option '-port', but --port");
    assert_string_equal(read_line("--x"), "there is no option '--x'");
    assert_string_equal(read_line("--everything"), "there is no option '--everything'");
    assert_string_equal(read_line("--=x"), "there is no option '--'");
}

static void test_wrong_arguments(void **state) {
    (void)state;
    assert_string_equal(read_line(""), "it takes IN and OUT");
    assert_string_equal(read_line("a"), "it takes IN and OUT");
    assert_string_equal(read_line("--check"), "it takes IN");
    assert_string_equal(read_line("a b c"), "unexpected argument 'c'");
    assert_string_equal(read_line("a ''"), "OUT is empty: ''");
}

/* The error of an option that is given `count` times; four digits stand before the tail. */
static const char *read_repeated(const char *head, int count, const char *tail) {
    char **argv = ARENA_ARRAY(&arena, char *, (size_t)count);
    for (int i = 0; i < count; i++) {
        argv[i] = arena_alloc(&arena, 32);
        snprintf(argv[i], 32, "%s%04d%s", head, i, tail);
    }
    struct error *error = options_read(&arena, &sample_command, count, argv, &invocation);
    return (const char *)error->message.data;
}

static void test_too_many(void **state) {
    (void)state;
    assert_string_equal(read_repeated("--set=k", OPTION_PAIRS_MAX + 1, "=v"),
                        "--set is given more than 200 times");
    assert_string_equal(read_repeated("--set=k", OPTION_PAIRS_MAX, "=v"), "it takes IN and OUT");
    assert_string_equal(read_repeated("--guest=", OPTION_TEXTS_MAX + 1, ""),
                        "--guest is given more than 200 times");
    assert_string_equal(read_repeated("--guest=", OPTION_TEXTS_MAX, ""), "it takes IN and OUT");
}

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_the_later_one_wins),
        cmocka_unit_test(test_the_end_of_options),
        cmocka_unit_test(test_help_comes_first),
        cmocka_unit_test(test_what_an_option_excludes),
        cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_wrong_names),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests_name("cli options", tests, set_up, tear_down);
}
