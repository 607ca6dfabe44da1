/* test_settings.c - options from variables and from a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/options.h"

struct values {
    const char *settings;
    uint16_t port;
    const char *data;
    bool memory;
    bool quiet;
    const char **guests;
};

#define AT(member) OPTION_AT(struct values, member)

static const struct option options[] = {
    {"config", "FILE", .kind = OPTION_FILE, AT(settings), .help = "a file"},
    {"port", "N", .kind = OPTION_NUMBER, AT(port), .number = {1, 65535}, .preset = "8000",
     .help = "a port"},
    {"data", "DIR", .kind = OPTION_DIRECTORY, AT(data), .help = "a directory"},
    {"memory", .kind = OPTION_FLAG, AT(memory), .excludes = "data", .help = "no directory"},
    {"be-quiet", .kind = OPTION_FLAG, AT(quiet), .help = "no words"},
    {"guest", "NAME", .kind = OPTION_TEXTS, AT(guests), .help = "who comes"},
    {.name = NULL},
};

static const struct command command = {
    .name = "sample",
    .options = options,
    .values_size = sizeof(struct values),
    .has_settings = true,
    .settings_file = offsetof(struct values, settings),
};

static struct arena arena;
static struct invocation invocation;
static char path[] = "/tmp/test_settings-XXXXXX";

/* The arguments are only read. */
static const char *read_with(int argc, const char *const *argv) {
    struct error *error =
        options_read(&arena, &command, argc, (char *const *)(uintptr_t)argv, &invocation);
    return error == NULL ? NULL : (const char *)error->message.data;
}

static const struct values *read_well(int argc, const char *const *argv) {
    const char *error = read_with(argc, argv);
    if (error != NULL)
        fail_msg("%s", error);
    return invocation.values;
}

static void write_file(const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int forget(void **state) {
    (void)state;
    static const char *const names[] = {"GRAMME_CONFIG", "GRAMME_PORT",     "GRAMME_DATA",
                                        "GRAMME_MEMORY", "GRAMME_BE_QUIET", "GRAMME_GUEST"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unsetenv(names[i]);
    return 0;
}

static void variables_are_options(void **state) {
    (void)state;
    setenv("GRAMME_PORT", "81", 1);
    setenv("GRAMME_BE_QUIET", "yes", 1);
    setenv("GRAMME_GUEST", "ann,,bob", 1);
    setenv("GRAMME_DATA", "", 1);
    const struct values *values = read_well(0, NULL);
    assert_int_equal(values->port, 81);
    assert_true(values->quiet);
    assert_false(values->memory);
    assert_null(values->data);
    assert_string_equal(values->guests[0], "ann");
    assert_string_equal(values->guests[1], "bob");
    assert_null(values->guests[2]);
    assert_true(options_given(&invocation, "port"));
}

static void the_command_line_wins(void **state) {
    (void)state;
    const char *line[] = {"--port", "82", "--memory", "--guest", "carl"};
    setenv("GRAMME_PORT", "81", 1);
    setenv("GRAMME_DATA", "somewhere", 1); /* which --memory excludes */
    setenv("GRAMME_GUEST", "ann", 1);
    const struct values *values = read_well(5, line);
    assert_int_equal(values->port, 82);
    assert_true(values->memory);
    assert_null(values->data);
    assert_string_equal(values->guests[0], "carl");
    assert_null(values->guests[1]);
    assert_true(slice_is(invocation.excluded, "GRAMME_DATA")); /* and that is told */
}

static void a_mark_at_the_beginning_is_none_of_it(void **state) {
    (void)state;
    const char *line[] = {"--config", path};
    write_file("\xef\xbb\xbfport = 85\n");
    assert_int_equal(read_well(2, line)->port, 85);
}

static void a_flag_can_be_off(void **state) {
    (void)state;
    setenv("GRAMME_MEMORY", "0", 1);
    setenv("GRAMME_DATA", "here", 1);
    assert_string_equal(read_well(0, NULL)->data, "here");
    setenv("GRAMME_MEMORY", "maybe", 1);
    assert_string_equal(read_with(0, NULL), "GRAMME_MEMORY: it is on or off, not 'maybe'");
    setenv("GRAMME_MEMORY", "1", 1);
    assert_string_equal(read_with(0, NULL), "--memory and --data do not go together");
}

static void what_is_wrong_is_told_with_its_place(void **state) {
    (void)state;
    setenv("GRAMME_PORT", "many", 1);
    assert_string_equal(read_with(0, NULL),
                        "GRAMME_PORT: --port takes a number from 1 to 65535, not 'many'");
}

static void a_file_comes_last(void **state) {
    (void)state;
    const char *line[] = {"--config", path};
    write_file(
        "# a port\nport = 83\n  data= over there  \r\n\nbe-quiet\nguest = ann\nguest = bob\n");
    const struct values *values = read_well(2, line);
    assert_int_equal(values->port, 83);
    assert_string_equal(values->data, "over there");
    assert_true(values->quiet);
    assert_string_equal(values->guests[1], "bob");
    setenv("GRAMME_PORT", "81", 1);
    setenv("GRAMME_MEMORY", "on", 1);
    values = read_well(2, line);
    assert_int_equal(values->port, 81);
    assert_true(values->memory);
    assert_null(values->data);
}

static void a_variable_names_the_file(void **state) {
    (void)state;
    write_file("port = 84");
    setenv("GRAMME_CONFIG", path, 1);
    assert_int_equal(read_well(0, NULL)->port, 84);
}

static void mistakes_in_a_file(void **state) {
    (void)state;
    const char *line[] = {"--config", path};
    char expected[200];
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"port = 1\nprot = 2\n", "line 2: there is no option 'prot', but port"},
        {"port\n", "line 1: a value is missing after port"},
        {"\n\nport = 0\n", "line 3: --port takes a number from 1 to 65535, not '0'"},
        {"data =\n", "line 1: --data takes DIR, not ''"},
        {"config = another\n", "line 1: a file of options names no other"},
        {"memory = perhaps\n", "line 1: it is on or off, not 'perhaps'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        write_file(cases[i].text);
        snprintf(expected, sizeof(expected), "%s, %s", path, cases[i].error);
        assert_string_equal(read_with(2, line), expected);
    }
    const char *missing[] = {"--config", "/nowhere/at/all"};
    assert_string_equal(read_with(2, missing), "/nowhere/at/all: No such file or directory");
}

static int start(void **state) {
    (void)state;
    arena_init(&arena);
    int fd = mkstemp(path);
    return fd < 0 || close(fd) != 0;
}

static int end(void **state) {
    (void)state;
    arena_release(&arena);
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(variables_are_options, forget),
        cmocka_unit_test_setup(the_command_line_wins, forget),
        cmocka_unit_test_setup(a_mark_at_the_beginning_is_none_of_it, forget),
        cmocka_unit_test_setup(a_flag_can_be_off, forget),
        cmocka_unit_test_setup(what_is_wrong_is_told_with_its_place, forget),
        cmocka_unit_test_setup(a_file_comes_last, forget),
        cmocka_unit_test_setup(a_variable_names_the_file, forget),
        cmocka_unit_test_setup(mistakes_in_a_file, forget),
    };
    return cmocka_run_group_tests(tests, start, end);
}
