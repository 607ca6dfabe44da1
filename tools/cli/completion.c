/* completion.c - `gramme completion SHELL`: a script that has a shell complete commands, options
 * and their values, printed from the tables that the arguments are read by.
 *
 * All three scripts tell the same: the words of a command, then its options; of an option's value
 * the words it may be, files or directories, and otherwise nothing. */
#include <string.h>

#include "cli/options.h"

struct completion_options {
    enum completion_shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH } shell;
    const char *name;
};

/* ---- all commands ---- */

typedef void print_command(const struct command *command);

static void each_command(print_command *print) {
    for (size_t i = 0; commands[i] != NULL; i++)
        print(commands[i]);
    for (size_t i = 0; command_families[i] != NULL; i++)
        for (size_t j = 0; command_families[i]->commands[j] != NULL; j++)
            print(command_families[i]->commands[j]);
}

/* The second word of "key create". */
static const char *second_word(const struct command *command) {
    return strchr(command->name, ' ') + 1;
}

static bool takes_files(const struct option *option) {
    return option->kind == OPTION_FILE;
}

/* In single quotes of a shell; `special` are characters that get a backslash. */
static void print_quoted(const char *text, const char *special) {
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (*text == '\n')
            putchar(' ');
        else
            printf("%s%c", strchr(special, *text) != NULL ? "\\" : "", *text);
    }
}

static void print_words(const char *const *words) {
    for (size_t i = 0; words[i] != NULL; i++)
        printf("%s%s", i == 0 ? "" : " ", words[i]);
}

/* ---- bash ---- */

static void bash_values(const struct command *command) {
    for (const struct option *option = command->options; option->name != NULL; option++) {
        if (option->kind == OPTION_FLAG)
            continue;
        printf("    '%s --%s') ", command->name, option->name);
        if (option->kind == OPTION_CHOICE) {
            fputs("COMPREPLY=($(compgen -W '", stdout);
            print_words(option->words);
            fputs("' -- \"$word\")); ", stdout);
        } else if (option->kind == OPTION_DIRECTORY)
            fputs("compopt -o filenames; COMPREPLY=($(compgen -d -- \"$word\")); ", stdout);
        else if (!takes_files(option))
            fputs("compopt +o default +o bashdefault; ", stdout);
        puts("return ;;");
    }
}

static void bash_word(const char *word, const char *value, const char *help) {
    (void)value, (void)help;
    printf(" %s", word);
}

/* Of an argument that is one of some words; it is the first. */
static void bash_argument(const struct command *command) {
    if (command->arguments == NULL || command->arguments[0].words == NULL)
        return;
    printf("    [[ $command == '%s' && $word != -* ]] && COMPREPLY=($(compgen -W '", command->name);
    print_words(command->arguments[0].words);
    puts("' -- \"$word\")) && return");
}

static void bash_options(const struct command *command) {
    printf("    '%s') names='--help", command->name);
    if (command->list_words != NULL)
        command->list_words(bash_word);
    for (const struct option *option = command->options; option->name != NULL; option++)
        printf(" --%s", option->name);
    puts("' ;;");
}

static void bash_families(void) {
    for (size_t i = 0; command_families[i] != NULL; i++) {
        printf("    %s) second='", command_families[i]->name);
        for (size_t j = 0; command_families[i]->commands[j] != NULL; j++)
            printf("%s%s", j == 0 ? "" : " ", second_word(command_families[i]->commands[j]));
        puts("' ;;");
    }
}

static void print_bash(void) {
    fputs("_gramme() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command=${COMP_WORDS[1]} second= names=\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W '--help --version",
          stdout);
    for (size_t i = 0; commands[i] != NULL; i++)
        printf(" %s", commands[i]->name);
    for (size_t i = 0; command_families[i] != NULL; i++)
        printf(" %s", command_families[i]->name);
    puts("' -- \"$word\"))\n"
         "        return\n"
         "    fi\n"
         "    case $command in");
    bash_families();
    puts("    esac\n"
         "    if [[ -n $second ]]; then\n"
         "        if ((COMP_CWORD == 2)); then\n"
         "            COMPREPLY=($(compgen -W \"$second\" -- \"$word\"))\n"
         "            return\n"
         "        fi\n"
         "        command+=\" ${COMP_WORDS[2]}\"\n"
         "    fi\n"
         "    case \"$command $before\" in");
    each_command(bash_values);
    puts("    esac");
    each_command(bash_argument);
    puts("    [[ $word == -* ]] || return\n"
         "    case $command in");
    each_command(bash_options);
    puts("    esac\n"
         "    COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _gramme gramme");
}

/* ---- zsh ---- */

static void zsh_describe(const char *name, const char *summary) {
    printf("        '%s:", name);
    print_quoted(summary, "");
    puts("'");
}

static void zsh_word(const char *word, const char *value, const char *help) {
    printf(" \\\n        '%s[", word);
    print_quoted(help, "[]:\\");
    putchar(']');
    if (value != NULL)
        printf(":%s:%s", value, strcmp(value, "DIR") == 0 ? "_files -/" : "");
    putchar('\'');
}

static void zsh_argument(const struct command *command) {
    if (command->arguments == NULL)
        return;
    if (command->arguments[0].words == NULL) {
        fputs(" '*:argument:_files'", stdout);
        return;
    }
    printf(" ':%s:(", command->arguments[0].name);
    print_words(command->arguments[0].words);
    fputs(")'", stdout);
}

static void zsh_options(const struct command *command) {
    printf("    '%s') _arguments", command->name);
    for (const struct option *option = command->options; option->name != NULL; option++) {
        bool many = option->kind == OPTION_TEXTS || option->kind == OPTION_PAIRS;
        printf(" \\\n        '%s--%s%s[", many ? "*" : "", option->name,
               option->kind == OPTION_FLAG ? "" : "=");
        print_quoted(option->help, "[]:\\");
        putchar(']');
        if (option->kind != OPTION_FLAG)
            printf(":%s:", option->value);
        if (option->kind == OPTION_CHOICE) {
            putchar('(');
            print_words(option->words);
            putchar(')');
        } else if (option->kind == OPTION_DIRECTORY)
            fputs("_files -/", stdout);
        else if (takes_files(option))
            fputs("_files", stdout);
        putchar('\'');
    }
    if (command->list_words != NULL)
        command->list_words(zsh_word);
    fputs(" '--help[say what it takes]'", stdout);
    zsh_argument(command);
    puts(" ;;");
}

static void zsh_families(void) {
    for (size_t i = 0; command_families[i] != NULL; i++) {
        printf("    %s) known=(\n", command_families[i]->name);
        for (size_t j = 0; command_families[i]->commands[j] != NULL; j++)
            zsh_describe(second_word(command_families[i]->commands[j]),
                         command_families[i]->commands[j]->summary);
        puts("        ) ;;");
    }
}

static void print_zsh(void) {
    puts("#compdef gramme\n"
         "_gramme() {\n"
         "    local command=$words[2]\n"
         "    local -a known\n"
         "    if ((CURRENT == 2)); then\n"
         "        known=(");
    for (size_t i = 0; commands[i] != NULL; i++)
        zsh_describe(commands[i]->name, commands[i]->summary);
    for (size_t i = 0; command_families[i] != NULL; i++)
        zsh_describe(command_families[i]->name, command_families[i]->summary);
    puts("        )\n"
         "        _describe command known\n"
         "        return\n"
         "    fi\n"
         "    case $command in");
    zsh_families();
    puts("    esac\n"
         "    if (($#known)); then\n"
         "        if ((CURRENT == 3)); then\n"
         "            _describe command known\n"
         "            return\n"
         "        fi\n"
         "        command+=\" $words[3]\"\n"
         "        shift words\n"
         "        ((CURRENT--))\n"
         "    fi\n"
         "    shift words\n"
         "    ((CURRENT--))\n"
         "    case $command in");
    each_command(zsh_options);
    puts("    esac\n"
         "}\n"
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
         "    _gramme \"$@\"\n"
         "else\n"
         "    compdef _gramme gramme\n"
         "fi");
}

/* ---- fish ---- */

static void fish_command(const char *condition, const char *name, const char *summary) {
    printf("complete -c gramme -f -n '%s' -a %s -d '", condition, name);
    print_quoted(summary, "");
    puts("'");
}

/* "__fish_seen_subcommand_from key; and __fish_seen_subcommand_from create". */
static void fish_condition(const struct command *command) {
    int len = (int)strcspn(command->name, " ");
    printf("__fish_seen_subcommand_from %.*s", len, command->name);
    if (command->name[len] != '\0')
        printf("; and __fish_seen_subcommand_from %s", second_word(command));
}

/* Those of `local`, the one command that has any. */
static void fish_word(const char *word, const char *value, const char *help) {
    printf("complete -c gramme -n '__fish_seen_subcommand_from %s' -o %s -d '", command_local.name,
           word + 1);
    print_quoted(help, "\\");
    puts(value == NULL               ? "'"
         : strcmp(value, "DIR") == 0 ? "' -x -a '(__fish_complete_directories)'"
                                     : "' -x");
}

static void fish_argument(const struct command *command) {
    if (command->arguments == NULL || command->arguments[0].words == NULL)
        return;
    fputs("complete -c gramme -f -n '", stdout);
    fish_condition(command);
    fputs("' -a '", stdout);
    print_words(command->arguments[0].words);
    puts("'");
}

static void fish_options(const struct command *command) {
    if (command->list_words != NULL)
        command->list_words(fish_word);
    fish_argument(command);
    for (const struct option *option = command->options; option->name != NULL; option++) {
        fputs("complete -c gramme -n '", stdout);
        fish_condition(command);
        printf("' -l %s -d '", option->name);
        print_quoted(option->help, "\\");
        putchar('\'');
        if (option->kind == OPTION_CHOICE) {
            fputs(" -x -a '", stdout);
            print_words(option->words);
            putchar('\'');
        } else if (option->kind == OPTION_DIRECTORY)
            fputs(" -x -a '(__fish_complete_directories)'", stdout);
        else if (takes_files(option))
            fputs(" -r -F", stdout);
        else if (option->kind != OPTION_FLAG)
            fputs(" -x", stdout);
        putchar('\n');
    }
}

static void print_fish(void) {
    for (size_t i = 0; commands[i] != NULL; i++)
        fish_command("__fish_use_subcommand", commands[i]->name, commands[i]->summary);
    for (size_t i = 0; command_families[i] != NULL; i++) {
        fish_command("__fish_use_subcommand", command_families[i]->name,
                     command_families[i]->summary);
        for (size_t j = 0; command_families[i]->commands[j] != NULL; j++) {
            const struct command *command = command_families[i]->commands[j];
            char condition[128];
            snprintf(condition, sizeof(condition),
                     "test (count (commandline -opc)) -eq 2; and __fish_seen_subcommand_from %s",
                     command_families[i]->name);
            fish_command(condition, second_word(command), command->summary);
        }
    }
    each_command(fish_options);
}

/* ---- the command ---- */

/* In the order of enum completion_shell. */
static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static struct error *check_completion(struct invocation *invocation) {
    struct completion_options *options = invocation->values;
    for (size_t i = 0; shells[i] != NULL; i++)
        if (strcmp(options->name, shells[i]) == 0) {
            options->shell = (enum completion_shell)i;
            return NULL;
        }
    return error_local(invocation->arena, "SHELL is bash, zsh or fish, not '%s'", options->name);
}

static int run_completion(const struct invocation *invocation) {
    const struct completion_options *options = invocation->values;
    static void (*const print[])(void) = {print_bash, print_zsh, print_fish};
    print[options->shell]();
    return 0;
}

static const struct argument completion_arguments[] = {
    {"SHELL", "bash, zsh or fish", OPTION_TEXT, OPTION_AT(struct completion_options, name),
     .words = shells},
    {.name = NULL},
};

static const struct option no_options[] = {{.name = NULL}};

const struct command command_completion = {
    .name = "completion",
    .summary = "print a script that has a shell complete commands and options",
    .about = "Prints a script that has a shell complete what stands after gramme. make install "
             "puts it where the shells look.",
    .closing = "By hand, in bash:\n  source <(gramme completion bash)",
    .arguments = completion_arguments,
    .options = no_options,
    .values_size = sizeof(struct completion_options),
    .run = run_completion,
    .check = check_completion,
};
