/* help.c - see help.h.
 *
 * An entry is its label and, from a column that all labels of a command share, its text. A label
 * that is too long for the column stands on a line of its own. */
#include "cli/help.h"

enum { COLUMNS = 80, INDENT = 2, LABEL_MAX = 22 };

/* ---- text in columns ---- */

/* Words until the line is full; a line break in the text is one here too. `at` is the column where
 * the line stands already. */
static void print_wrapped(FILE *out, const char *text, size_t indent, size_t at) {
    bool fresh = true;
    while (*text != '\0') {
        size_t len = strcspn(text, " \n");
        if (!fresh && at + 1 + len > COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            fresh = true;
        }
        fprintf(out, "%s%.*s", fresh ? "" : " ", (int)len, text);
        at += len + !fresh;
        fresh = text[len] == '\n';
        if (fresh) {
            fprintf(out, "\n%*s", text[len + 1] == '\0' ? 0 : (int)indent, "");
            at = indent;
        }
        text += len + (text[len] != '\0');
    }
    fputc('\n', out);
}

static void print_paragraph(FILE *out, const char *text) {
    fputc('\n', out);
    print_wrapped(out, text, 0, 0);
}

void help_entry(FILE *out, size_t column, const char *label, const char *text) {
    size_t at = INDENT + strlen(label);
    fprintf(out, "%*s%s", INDENT, "", label);
    if (at + INDENT > column) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", (int)(column - at), "");
    print_wrapped(out, text, column, column);
}

/* ---- options and arguments ---- */

static const char *label_of(struct arena *arena, const struct option *option) {
    bool valued = option->value != NULL;
    return (const char *)arena_printf(arena, "--%s%s%s", option->name, valued ? " " : "",
                                      valued ? option->value : "")
        .data;
}

/* With what holds when the option is not given. */
static const char *with_default(struct arena *arena, const char *help, const char *preset,
                                const char *otherwise) {
    if (preset == NULL && otherwise == NULL)
        return help;
    return (const char *)arena_printf(arena, "%s (default%s %s)", help, preset == NULL ? ":" : "",
                                      preset == NULL ? otherwise : preset)
        .data;
}

static const char *text_of(struct arena *arena, const struct option *option) {
    return with_default(arena, option->help, option->preset, option->otherwise);
}

static size_t column_of(struct arena *arena, const struct command *command) {
    size_t longest = 0;
    for (const struct option *option = command->options; option->name != NULL; option++) {
        size_t len = strlen(label_of(arena, option));
        longest = len > longest && len <= LABEL_MAX ? len : longest;
    }
    return INDENT + longest + INDENT;
}

static bool is_optional(const struct command *command, const struct argument *argument) {
    if (argument->otherwise != NULL)
        return true;
    for (const struct option *option = command->options; option->name != NULL; option++)
        if (option->excludes != NULL && strcmp(option->excludes, argument->name) == 0)
            return true;
    return false;
}

static void print_usage(const struct command *command, FILE *out) {
    fprintf(out, "Usage: gramme %s", command->name);
    if (command->options[0].name != NULL)
        fputs(" [OPTIONS]", out);
    for (const struct argument *a = command->arguments; a != NULL && a->name != NULL; a++)
        fprintf(out, is_optional(command, a) ? " [%s]" : " %s", a->name);
    fputc('\n', out);
}

static void print_arguments(struct arena *arena, const struct command *command, size_t column,
                            FILE *out) {
    if (command->arguments == NULL)
        return;
    fputs("\nArguments:\n", out);
    for (const struct argument *argument = command->arguments; argument->name != NULL; argument++)
        help_entry(out, column, argument->name,
                   with_default(arena, argument->help, NULL, argument->otherwise));
}

static void print_options(struct arena *arena, const struct command *command, size_t column,
                          FILE *out) {
    for (const struct option *option = command->options; option->name != NULL; option++) {
        if (option->group != NULL || option == command->options)
            fprintf(out, "\n%s:\n", option->group == NULL ? "Options" : option->group);
        help_entry(out, column, label_of(arena, option), text_of(arena, option));
    }
}

/* ---- all of it ---- */

void help_print(const struct command *command, FILE *out) {
    struct arena arena;
    arena_init(&arena);
    size_t column = column_of(&arena, command);
    print_usage(command, out);
    print_paragraph(out, command->about);
    print_arguments(&arena, command, column, out);
    print_options(&arena, command, column, out);
    if (command->print_more != NULL)
        command->print_more(out);
    if (command->closing != NULL)
        print_paragraph(out, command->closing);
    arena_release(&arena);
}

static size_t wider(size_t column, const char *name) {
    size_t len = INDENT + strlen(name) + INDENT;
    return len > column ? len : column;
}

void help_list(const struct command *const *list, const struct command_family *const *families,
               FILE *out) {
    size_t column = 0;
    for (size_t i = 0; list[i] != NULL; i++)
        column = wider(column, list[i]->name);
    for (size_t i = 0; families[i] != NULL; i++)
        column = wider(column, families[i]->name);
    fputs("Commands:\n", out);
    for (size_t i = 0; list[i] != NULL; i++)
        help_entry(out, column, list[i]->name, list[i]->summary);
    for (size_t i = 0; families[i] != NULL; i++)
        help_entry(out, column, families[i]->name, families[i]->summary);
}

void help_print_family(const struct command_family *family, FILE *out) {
    static const struct command_family *const none[] = {NULL};
    fprintf(out, "Usage: gramme %s COMMAND [OPTIONS]\n", family->name);
    print_paragraph(out, family->about);
    fputc('\n', out);
    help_list(family->commands, none, out);
    fprintf(out, "\n  gramme %s COMMAND --help   says what a command takes\n", family->name);
}
