/* app.c - the command line of the five programs, their messages, and the client. */
#include "common/app.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/random.h"

enum {
    OPERANDS_MAX = 64,
    OPTIONS_MAX = 24,
    ID_MAX = 64,
    TEXT_MAX = 200,
    HELP_COLUMN = 28,
    MESSAGE_SIZE = 1000,
    VARIABLE_SIZE = 100
};

static const struct app_option common_options[] = {
    {"endpoint", "URL", "the server, http://localhost:8000; else AWS_ENDPOINT_URL", false},
    {"region", "REGION", "else AWS_REGION or the profile", false},
    {"help", NULL, "tells this", false},
    {0},
};

struct app {
    const struct app_program *program;
    const struct app_command *command;
    const char *operands[OPERANDS_MAX];
    int operand_count;
    struct {
        const struct app_option *option;
        const char *value; /* "" of a flag */
    } given[OPTIONS_MAX];
    int given_count;
    struct ddb_client *client;
    bool keeps_messages; /* and does not print them: app_message() */
    char *message;       /* MESSAGE_SIZE bytes: the latest one */
};

/* ---- messages ---- */

/* One line in one write, so that those of programs that run side by side do not mix. */
static void say(const struct app *app, const char *end) {
    if (app->keeps_messages)
        return;
    char line[MESSAGE_SIZE + 200];
    int size = snprintf(line, sizeof(line), "%s: %s%s\n", app->program->name, app->message, end);
    fflush(stdout);
    fwrite(line, 1, (size_t)size < sizeof(line) ? (size_t)size : sizeof(line) - 1, stderr);
}

#define KEEP_MESSAGE(app, format)                                   \
    do {                                                            \
        va_list arguments;                                          \
        va_start(arguments, format);                                \
        vsnprintf((app)->message, MESSAGE_SIZE, format, arguments); \
        va_end(arguments);                                          \
    } while (0)

enum app_status app_fail(const struct app *app, const char *format, ...) {
    KEEP_MESSAGE(app, format);
    say(app, "");
    return APP_FAILED;
}

enum app_status app_bad_usage(const struct app *app, const char *format, ...) {
    char hint[200];
    KEEP_MESSAGE(app, format);
    snprintf(hint, sizeof(hint), "; see %s %s%s--help", app->program->name,
             app->command == NULL ? "" : app->command->name, app->command == NULL ? "" : " ");
    say(app, hint);
    return APP_USAGE;
}

void app_warn(const struct app *app, const char *format, ...) {
    KEEP_MESSAGE(app, format);
    say(app, "");
}

enum app_status app_db_fail(const struct app *app, const char *format, ...) {
    const struct ddb_error *error = app->client == NULL ? NULL : ddb_client_error(app->client);
    KEEP_MESSAGE(app, format);
    size_t size = strlen(app->message), room = MESSAGE_SIZE - size;
    if (error != NULL && error->kind == DDB_ERROR_SERVICE)
        snprintf(app->message + size, room, ": %s: %s", error->type, error->message);
    else if (error != NULL)
        snprintf(app->message + size, room, ": %s", error->message);
    say(app, "");
    return APP_FAILED;
}

const char *app_message(const struct app *app) {
    return app->message;
}

const struct app_program *app_program(const struct app *app) {
    return app->program;
}

/* ---- help ---- */

/* "  name values            text"; on two lines where the left side is long. */
static void print_entry(FILE *out, const char *dashes, const char *name, const char *values) {
    int size = fprintf(out, "  %s%s%s%s", dashes, name, values == NULL ? "" : " ",
                       values == NULL ? "" : values);
    fprintf(out, size > HELP_COLUMN - 2 ? "\n%*s" : "%*s",
            size > HELP_COLUMN - 2 ? HELP_COLUMN : HELP_COLUMN - size, "");
}

static void print_options(FILE *out, const struct app_option *options) {
    for (; options != NULL && options->name != NULL; options++) {
        print_entry(out, "--", options->name, options->value);
        fprintf(out, "%s%s\n", options->help, options->required ? " (must be given)" : "");
    }
}

static void print_program_help(FILE *out, const struct app_program *program) {
    fprintf(out, "%s: %s\n\nUsage: %s COMMAND [OPERANDS] [OPTIONS]\n\nCommands:\n", program->name,
            program->summary, program->name);
    for (const struct app_command *command = program->commands; command->name != NULL; command++) {
        print_entry(out, "", command->name, command->operands);
        fprintf(out, "%s\n", command->summary);
    }
    fprintf(out, "\nOptions of every command:\n");
    print_options(out, common_options);
}

static void print_command_help(const struct app *app) {
    const struct app_command *command = app->command;
    printf("Usage: %s %s %s%s[OPTIONS]\n\n%s\n\n", app->program->name, command->name,
           command->operands == NULL ? "" : command->operands, command->operands == NULL ? "" : " ",
           command->summary);
    print_options(stdout, command->options);
    print_options(stdout, common_options);
}

/* ---- the command line ---- */

/* How many arguments the command's name takes up at the beginning of argv; 0 when it is another. */
static int match_name(const char *name, int argc, char **argv) {
    const char *space = strchr(name, ' ');
    if (space == NULL)
        return argc >= 1 && strcmp(argv[0], name) == 0 ? 1 : 0;
    size_t first = (size_t)(space - name);
    return argc >= 2 && strlen(argv[0]) == first && memcmp(argv[0], name, first) == 0 &&
                   strcmp(argv[1], space + 1) == 0
               ? 2
               : 0;
}

static int find_command(struct app *app, int argc, char **argv) {
    for (const struct app_command *command = app->program->commands; command->name != NULL;
         command++) {
        int words = match_name(command->name, argc, argv);
        if (words > 0) {
            app->command = command;
            return words;
        }
    }
    return 0;
}

static const struct app_option *find_in(const struct app_option *options, const char *name,
                                        size_t size) {
    for (; options != NULL && options->name != NULL; options++)
        if (strlen(options->name) == size && memcmp(options->name, name, size) == 0)
            return options;
    return NULL;
}

static const char *given_option(const struct app *app, const char *name) {
    for (int i = 0; i < app->given_count; i++)
        if (strcmp(app->given[i].option->name, name) == 0)
            return app->given[i].value;
    return NULL;
}

/* Takes `--name value` or `--name=value`: one argument or two. */
static enum app_status take_option(struct app *app, int argc, char **argv, int *at) {
    const char *name = argv[*at] + 2;
    const char *equals = strchr(name, '=');
    size_t size = equals == NULL ? strlen(name) : (size_t)(equals - name);
    const struct app_option *option = find_in(app->command->options, name, size);
    if (option == NULL)
        option = find_in(common_options, name, size);
    if (option == NULL)
        return app_bad_usage(app, "there is no option --%.*s", (int)size, name);
    if (given_option(app, option->name) != NULL || app->given_count == OPTIONS_MAX)
        return app_bad_usage(app, "--%s is given twice", option->name);
    const char *value = "";
    if (option->value == NULL && equals != NULL)
        return app_bad_usage(app, "--%s takes no value", option->name);
    if (option->value != NULL && equals != NULL)
        value = equals + 1;
    else if (option->value != NULL && ++*at < argc)
        value = argv[*at];
    if (option->value != NULL && *value == '\0')
        return app_bad_usage(app, "--%s needs a value, %s", option->name, option->value);
    app->given[app->given_count].option = option;
    app->given[app->given_count++].value = value;
    return APP_OK;
}

static enum app_status take_arguments(struct app *app, int argc, char **argv) {
    bool options_ended = false;
    for (int at = 0; at < argc; at++) {
        enum app_status status = APP_OK;
        if (!options_ended && strcmp(argv[at], "--") == 0)
            options_ended = true;
        else if (!options_ended && strncmp(argv[at], "--", 2) == 0)
            status = take_option(app, argc, argv, &at);
        else if (app->operand_count == OPERANDS_MAX)
            status = app_bad_usage(app, "too many operands: '%s'", argv[at]);
        else
            app->operands[app->operand_count++] = argv[at];
        if (status != APP_OK)
            return status;
    }
    return APP_OK;
}

/* The operands are the words of "FROM [TO]"; one in brackets may be left out, and "NAME..." is one
 * or more. */
static enum app_status check_operands(const struct app *app) {
    const char *word = app->command->operands == NULL ? "" : app->command->operands;
    int count = 0;
    while (*word != '\0') {
        size_t size = strcspn(word, " ");
        bool more = size > 3 && memcmp(word + size - 3, "...", 3) == 0;
        bool missing = count >= app->operand_count || *app->operands[count] == '\0';
        if (missing && (*word != '[' || count < app->operand_count))
            return app_bad_usage(app, "%.*s is missing", (int)(more ? size - 3 : size), word);
        count = more && app->operand_count > count ? app->operand_count : count + 1;
        word += size + strspn(word + size, " ");
    }
    if (app->operand_count > count)
        return app_bad_usage(app, "unexpected operand '%s'", app->operands[count]);
    return APP_OK;
}

static enum app_status check_options(const struct app *app) {
    const struct app_option *option = app->command->options;
    for (; option != NULL && option->name != NULL; option++)
        if (option->required && app_option(app, option->name, NULL) == NULL)
            return app_bad_usage(app, "--%s is missing", option->name);
    return APP_OK;
}

static bool wants_help(const char *argument) {
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static enum app_status run_command(struct app *app, int argc, char **argv) {
    int words = find_command(app, argc, argv);
    if (words == 0)
        return app_bad_usage(app, "there is no command '%s'", argv[0]);
    for (int at = words; at < argc; at++) {
        if (wants_help(argv[at])) {
            print_command_help(app);
            return APP_OK;
        }
    }
    enum app_status status = take_arguments(app, argc - words, argv + words);
    if (status == APP_OK)
        status = check_operands(app);
    if (status == APP_OK)
        status = check_options(app);
    return status == APP_OK ? app->command->run(app) : status;
}

int app_main(const struct app_program *program, int argc, char **argv) {
    char message[MESSAGE_SIZE] = "";
    struct app app = {.program = program, .message = message};
    if (argc < 2) {
        print_program_help(stderr, program);
        return APP_USAGE;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* results line by line, too */
    enum app_status status = APP_OK;
    if (wants_help(argv[1]))
        print_program_help(stdout, program);
    else
        status = run_command(&app, argc - 1, argv + 1);
    ddb_client_free(app.client);
    /* A result that cannot be written is a failure: the disk behind stdout may be full. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == APP_OK)
        status = app_fail(&app, "cannot write the result: %s", strerror(errno));
    return (int)status;
}

/* ---- what a command asks for ---- */

const char *app_operand(const struct app *app, int at) {
    return at < app->operand_count ? app->operands[at] : NULL;
}

/* "gramme-ledger" and "reconcile-hour" make GRAMME_LEDGER_RECONCILE_HOUR. */
static const char *variable_option(const struct app *app, const char *name) {
    char variable[VARIABLE_SIZE];
    snprintf(variable, sizeof(variable), "%s_%s", app->program->name, name);
    for (char *c = variable; *c != '\0'; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    const char *value = getenv(variable);
    return value == NULL || *value == '\0' ? NULL : value;
}

const char *app_option(const struct app *app, const char *name, const char *otherwise) {
    const char *value = given_option(app, name);
    if (value == NULL)
        value = variable_option(app, name);
    return value == NULL ? otherwise : value;
}

struct app *app_copy(const struct app *app) {
    struct app *copy = malloc(sizeof(*copy));
    char *message = calloc(1, MESSAGE_SIZE);
    if (copy == NULL || message == NULL)
        abort();
    *copy = *app;
    copy->client = NULL;
    copy->keeps_messages = true;
    copy->message = message;
    return copy;
}

void app_free(struct app *app) {
    if (app == NULL)
        return;
    ddb_client_free(app->client);
    free(app->message);
    free(app);
}

bool app_flag(const struct app *app, const char *name) {
    return app_option(app, name, NULL) != NULL;
}

bool app_number(const struct app *app, const char *name, int64_t low, int64_t high,
                int64_t *ret_number) {
    const char *text = app_option(app, name, NULL);
    if (text == NULL)
        return true;
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (isspace((unsigned char)*text) || *end != '\0' || errno != 0 || number < low ||
        number > high) {
        app_bad_usage(app, "--%s takes a number from %lld to %lld, not '%s'", name, (long long)low,
                      (long long)high, text);
        return false;
    }
    *ret_number = number;
    return true;
}

struct ddb_client *app_client_new(const struct app *app) {
    return ddb_client_new(&(struct ddb_options){
        .endpoint = app_option(app, "endpoint", NULL),
        .region = app_option(app, "region", NULL),
    });
}

struct ddb_client *app_client(struct app *app) {
    if (app->client == NULL)
        app->client = app_client_new(app);
    return app->client;
}

bool app_check_id(const struct app *app, const char *what, const char *value) {
    size_t good =
        strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    if (good >= 1 && good <= ID_MAX && value[good] == '\0')
        return true;
    app_bad_usage(app, "%s is 1 to %d letters, digits, '.', '_' or '-', not '%s'", what, ID_MAX,
                  value);
    return false;
}

bool app_check_text(const struct app *app, const char *what, const char *value) {
    size_t size = strlen(value);
    bool good = size >= 1 && size <= TEXT_MAX;
    for (const char *c = value; *c != '\0'; c++)
        good = good && !iscntrl((unsigned char)*c);
    if (!good)
        app_bad_usage(app, "%s is 1 to %d bytes of text without control characters", what,
                      TEXT_MAX);
    return good;
}

void app_pause(int tries) {
    int64_t limit_us = tries >= 7 ? 500000 : INT64_C(5000) << tries;
    int64_t wait_us = (int64_t)(random_u64() % (uint64_t)limit_us);
    nanosleep(&(struct timespec){.tv_nsec = (long)wait_us * 1000}, NULL);
}
