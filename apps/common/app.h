/* app.h - what the five programs share: commands and their options, the client, messages.
 *
 * A program is a table of commands. app_main() finds the command, checks its operands and options
 * against the table, runs it and returns the exit status: 0 fine, 1 failed, 2 bad usage. What a
 * program says to people goes to stderr and begins with its name; results go to stdout.
 *
 * Memory: operands and options are the strings of argv. Threads: an app belongs to one; others have
 * copies. */
#ifndef APPS_COMMON_APP_H
#define APPS_COMMON_APP_H

#include <gramme_client.h>
#include <stdbool.h>
#include <stdint.h>

enum app_status { APP_OK = 0, APP_FAILED = 1, APP_USAGE = 2 };

struct app;

struct app_option {
    const char *name;  /* "user", for --user */
    const char *value; /* what the help calls its value, "USER"; NULL: a flag, without a value */
    const char *help;
    bool required;
};

struct app_command {
    const char *name;     /* one word or two: "merchant add" */
    const char *operands; /* "USER", "FROM [TO]" where TO may be left out, "NAME..."; NULL: none */
    const char *summary;
    enum app_status (*run)(struct app *app);
    const struct app_option *options; /* ends with an entry that has no name; NULL: none */
};

struct app_program {
    const char *name;
    const char *summary;
    const struct app_command *commands; /* ends with an entry that has no name */
};

/* Every command also takes --endpoint, --region and --help. */
int app_main(const struct app_program *program, int argc, char **argv);

/* The operand at that place, from 0; NULL when it was left out. */
const char *app_operand(const struct app *app, int at);
/* The value of an option, of the variable PROGRAM_OPTION in the environment, else the default. */
const char *app_option(const struct app *app, const char *name, const char *otherwise);
bool app_flag(const struct app *app, const char *name);
/* A whole number within limits; a message and false when the option has anything else. Without the
 * option `*ret_number` stays. */
bool app_number(const struct app *app, const char *name, int64_t low, int64_t high,
                int64_t *ret_number);

/* Made at the first call, from the options and the environment as gramme_client.h tells. */
struct ddb_client *app_client(struct app *app);
/* One more with the same settings, for another thread; yours to free. */
struct ddb_client *app_client_new(const struct app *app);

/* A copy for another thread, with a client of its own. It prints no messages: app_message() has the
 * latest one. */
struct app *app_copy(const struct app *app);
void app_free(struct app *app);
const char *app_message(const struct app *app);
const struct app_program *app_program(const struct app *app);

/* Messages. Each returns its status, so that a command can end with `return app_fail(...)`. */
enum app_status app_fail(const struct app *app, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum app_status app_bad_usage(const struct app *app, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void app_warn(const struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Tells what the client's latest call failed with: "cannot read the wallet: ...". */
enum app_status app_db_fail(const struct app *app, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What people may type. Each says what is wrong, and with which argument, when it returns false.
 *   id    letters, digits, '.', '_' and '-', 1 to 64 of them: safe as a part of a key
 *   text  1 to 200 bytes without control characters */
bool app_check_id(const struct app *app, const char *what, const char *value);
bool app_check_text(const struct app *app, const char *what, const char *value);

/* Waits a random time, up to 5 ms that double with every try, at most half a second: so that those
 * who got into each other's way do not meet again. */
void app_pause(int tries);

#endif
