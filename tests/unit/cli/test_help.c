/* test_help.c - help as it is printed from a table, to the letter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/help.h"
#include "sample_command.h"

static const char sample_help[] =
    "Usage: gramme sample [OPTIONS] IN [OUT]\n"
    "\n"
    "Reads IN and writes OUT. A text that is longer than a line of eighty columns\n"
    "goes on in the next one.\n"
    "\n"
    "Arguments:\n"
    "  IN                 what to read; - is standard input\n"
    "  OUT                where to write\n"
    "\n"
    "Options:\n"
    "  --port N           where to listen (default 8000)\n"
    "  --host HOST        the address that goes with it, which is this machine's own\n"
    "                     unless you say so (default 127.0.0.1)\n"
    "  --data DIR         a directory\n"
    "  --dry              touch nothing\n"
    "  --a-name-longer-than-most N\n"
    "                     on a line of its own\n"
    "\n"
    "How much:\n"
    "  --rate N           per second (default: as fast as it goes)\n"
    "  --timeout SECONDS  the end\n"
    "  --hold DURATION    how long\n"
    "  --cache SIZE       memory\n"
    "  --log FILE         a file\n"
    "  --account ID       whose\n"
    "  --fruit NAME       apple: one\n"
    "                     pear: another\n"
    "                     plum: a third (default pear)\n"
    "  --guest ID         who else\n"
    "  --set KEY=VALUE    any number of times\n"
    "  --check            only read\n"
    "\n"
    "Exit status: 0.\n";

static void test_a_command(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    help_print(&sample_command, out);
    fclose(out);
    assert_string_equal(text, sample_help);
    free(text);
}

static void test_the_list(void **state) {
    (void)state;
    static const struct option no_options[] = {{.name = NULL}};
    static const struct command other = {
        .name = "a-longer-name",
        .summary = "has a summary that does not fit into what is left of the line next to it",
        .options = no_options};
    static const struct command *const list[] = {&sample_command, &other, NULL};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    static const struct command_family family = {"kin", "has members", "Is about members.", list};
    static const struct command_family *const families[] = {&family, NULL};
    help_list(list, families, out);
    fclose(out);
    assert_string_equal(text,
                        "Commands:\n"
                        "  sample         shows what there is\n"
                        "  a-longer-name  has a summary that does not fit into what is left of the "
                        "line\n"
                        "                 next to it\n"
                        "  kin            has members\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_command),
        cmocka_unit_test(test_the_list),
    };
    return cmocka_run_group_tests_name("cli help", tests, NULL, NULL);
}
