/* operations.c - `gramme operations`: the API as this version knows it, from the table of
 * operations. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "ops/op.h"

static const char help[] =
    "Usage: gramme operations [--markdown]\n"
    "\n"
    "Lists the operations of the DynamoDB API and whether this version knows them.\n"
    "With --markdown: the table that docs/COMPATIBILITY.md holds.\n";

static void print_plain(const struct op_listing *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        printf("%-40s %s\n", list[i].name, list[i].op == NULL ? "missing" : "yes");
}

static void print_markdown(const struct op_listing *list, size_t count) {
    size_t present = 0;
    for (size_t i = 0; i < count; i++)
        present += list[i].op != NULL;
    printf("%zu of %zu operations are there; any other answers UnknownOperationException.\n\n",
           present, count);
    puts("| operation | |\n|---|---|");
    for (size_t i = 0; i < count; i++)
        printf("| %s | %s |\n", list[i].name, list[i].op == NULL ? "missing" : "yes");
}

int command_operations(int argc, char **argv) {
    const struct op_listing *list;
    size_t count = op_list(&list);
    if (argc == 0) {
        print_plain(list, count);
        return 0;
    }
    if (argc == 1 && strcmp(argv[0], "--markdown") == 0) {
        print_markdown(list, count);
        return 0;
    }
    if (argc == 1 && strcmp(argv[0], "--help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    fprintf(stderr,
            "gramme operations: it takes --markdown or nothing, not '%s'; see gramme "
            "operations --help\n",
            argv[argc - 1]);
    return 2;
}
