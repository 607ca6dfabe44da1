/* main.c - `gramme`: finds the command, reads its arguments, runs it. */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/nearest.h"
#include "cli/options.h"
#include "cli/say.h"

const struct command *const commands[] = {
    &command_serve,   &command_local,      &command_apply,       &command_backup,
    &command_restore, &command_check,      &command_rekey,       &command_copy_store,
    &command_bench,   &command_top,        &command_healthcheck, &command_cost,
    &command_mcp,     &command_operations, &command_completion,  NULL,
};

const struct command_family *const command_families[] = {&family_user, &family_role,  &family_key,
                                                         &family_cert, &family_store, NULL};

static void print_help(FILE *out) {
    fputs("gramme: a DynamoDB-compatible database\n"
          "\n"
          "Usage: gramme COMMAND [OPTIONS]\n"
          "\n",
          out);
    help_list(commands, command_families, out);
    fputs("\n"
          "  gramme COMMAND --help   says what a command takes\n"
          "  gramme --version        prints the version\n"
          "\n"
          "To try it:\n"
          "  gramme serve --memory\n"
          "  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000\n",
          out);
}

static int no_such_command(const char *name, const struct command *const *list) {
    struct nearest nearest = nearest_to(slice_text(name));
    for (size_t i = 0; list[i] != NULL; i++)
        nearest_offer(&nearest, list[i]->name);
    say(stderr, "gramme: there is no command '%s'%s%s; see gramme --help\n", name,
        nearest.name == NULL ? "" : ", but ", nearest.name == NULL ? "" : nearest.name);
    return 2;
}

static int run(const struct command *command, int argc, char *const *argv) {
    struct arena arena;
    struct invocation invocation;
    int status = 0;
    arena_init(&arena);
    struct command_line line = {command, argc, argv};
    struct error *error = NULL;
    if (command->translate != NULL)
        error = command->translate(&arena, &line);
    if (error == NULL)
        error = options_read(&arena, line.command, line.argc, line.argv, &invocation);
    if (error != NULL) {
        say(stderr, "gramme %s: %.*s; see gramme %s --help\n", command->name,
            SLICE_ARGS(error->message), command->name);
        status = 2;
    } else if (invocation.help) {
        help_print(command, stdout);
    } else {
        status = line.command->run(&invocation);
    }
    arena_release(&arena);
    return status;
}

static bool asks_for_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* The second word tells which of them. */
static int run_family(const struct command_family *family, int argc, char *const *argv) {
    if (argc < 1 || asks_for_help(argv[0])) {
        help_print_family(family, argc < 1 ? stderr : stdout);
        return argc < 1 ? 2 : 0;
    }
    char name[64];
    snprintf(name, sizeof(name), "%s %s", family->name, argv[0]);
    for (size_t i = 0; family->commands[i] != NULL; i++)
        if (strcmp(name, family->commands[i]->name) == 0)
            return run(family->commands[i], argc - 1, argv + 1);
    return no_such_command(name, family->commands);
}

/* Large blocks go back to the system when they are freed: the default lets the threshold grow to 32
 * MB, and a server that once had large requests would keep their memory. */
enum { OWN_PAGES_FROM_BYTES = 256 * 1024 };

int main(int argc, char **argv) {
    mallopt(M_MMAP_THRESHOLD, OWN_PAGES_FROM_BYTES);
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    const char *name = argv[1];
    if (asks_for_help(name)) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(name, "--version") == 0) {
        puts("gramme " GRAMME_VERSION);
        return 0;
    }
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return run(commands[i], argc - 2, argv + 2);
    for (size_t i = 0; command_families[i] != NULL; i++)
        if (strcmp(name, command_families[i]->name) == 0)
            return run_family(command_families[i], argc - 2, argv + 2);
    return no_such_command(name, commands);
}
