/* main.c - `gramme`: finds the command. */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static const char help[] = "gramme: a DynamoDB-compatible database\n"
                           "\n"
                           "Usage: gramme COMMAND [OPTIONS]\n"
                           "\n"
                           "Commands:\n"
                           "  serve         answer DynamoDB requests\n"
                           "  apply         make tables from a CloudFormation or SAM template\n"
                           "  backup        write a data directory, in use or not, to one file\n"
                           "  restore       make a data directory from a backup, or verify one\n"
                           "  bench         measure a DynamoDB endpoint\n"
                           "  operations    list the API operations that this version knows\n"
                           "\n"
                           "  gramme COMMAND --help   says what a command takes\n"
                           "  gramme --version        prints the version\n"
                           "\n"
                           "To try it:\n"
                           "  gramme serve --memory\n"
                           "  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"serve", command_serve},     {"apply", command_apply}, {"backup", command_backup},
    {"restore", command_restore}, {"bench", command_bench}, {"operations", command_operations},
};

/* Large blocks go back to the system when they are freed: the default lets the threshold grow to 32
 * MB, and a server that once had large requests would keep their memory. */
enum { OWN_PAGES_FROM_BYTES = 256 * 1024 };

int main(int argc, char **argv) {
    mallopt(M_MMAP_THRESHOLD, OWN_PAGES_FROM_BYTES);
    if (argc < 2) {
        fputs(help, stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("gramme " GRAMME_VERSION);
        return 0;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 2, argv + 2);
    fprintf(stderr, "gramme: there is no command '%s'; see gramme --help\n", argv[1]);
    return 2;
}
