/* access.h - what the commands about users, roles and keys have in common: their values, and asking
 * the directory. For access*.c only. */
#ifndef GRAMME_CLI_ACCESS_H
#define GRAMME_CLI_ACCESS_H

#include "cli/options.h"
#include "json/tree.h"
#include "json/writer.h"

/* Every command uses some of them. */
struct access_values {
    const char *directory;
    const char *name; /* of a user or role */
    const char *id;   /* of a key */
    const char *user;
    const char *file; /* of credentials */
    const char *profile;
    struct option_pairs policies; /* NAME=FILE */
    struct option_pairs tags;     /* NAME=VALUE */
    const char *remove_policy;
    const char *remove_tag;
    const char *boundary; /* files */
    const char *trust;
    bool no_boundary;
    uint32_t session_max_s;
    const char *encrypt_with;
    const char *account;
    bool json;
};

#define ACCESS_AT(member) OPTION_AT(struct access_values, member)

/* What every command takes. */
#define ACCESS_ARGUMENT_DIRECTORY                                                                  \
    {                                                                                              \
        "DIR",                                                                                     \
            "the data directory, whether a server runs on it or not; or the postgres:// URL of a " \
            "shared store, whose servers are to be stopped to change something",                   \
            OPTION_DIRECTORY, ACCESS_AT(directory)                                                 \
    }
#define ACCESS_OPTIONS                                                                             \
    {"encrypt-with",                                                                               \
     "KEY",                                                                                        \
     .kind = OPTION_TEXT,                                                                          \
     ACCESS_AT(encrypt_with),                                                                      \
     .group = "Directory",                                                                         \
     .help = "key of an encrypted DIR, as for gramme serve, not needed when a server runs on it; " \
             "of a URL always"},                                                                   \
        {"account",                                                                                \
         "NUMBER",                                                                                 \
         .kind = OPTION_TEXT,                                                                      \
         ACCESS_AT(account),                                                                       \
         .form = {"12 digits", option_is_account},                                                 \
         .preset = ACCOUNT_PRESET,                                                                 \
         .help = "account in ARNs, when no server runs on DIR"},                                   \
    {                                                                                              \
        "json", .kind = OPTION_FLAG, ACCESS_AT(json), .help = "print the answer as JSON"           \
    }

/* Begins a command: {"command": name. The writer is the caller's to go on with, up to the end of
 * the object. */
struct access_command {
    struct arena *arena;
    const struct access_values *values;
    bool changes; /* it may change something */
    struct buffer input;
    struct json_writer json;
};

void access_begin(struct access_command *command, const struct invocation *invocation,
                  const char *name);
/* The same text as a member, unless it is NULL. */
void access_member(struct access_command *command, const char *name, const char *text);
/* The text of a file as a member, unless the path is NULL. */
struct error *access_member_file(struct access_command *command, const char *name,
                                 const char *path);
/* Ends the object and asks. Releases the command in any case. The tree is of `ret_text`. */
struct error *access_end(struct access_command *command, struct slice *ret_text,
                         const struct json_value **ret_answer);

/* Prints the error; returns the exit status. */
int access_failed(const struct error *error);
/* With --json: prints the answer and returns true. */
bool access_print_json(const struct access_values *values, struct slice text);
/* Of seconds since 1970 as text. */
void access_print_time(const struct json_value *answer);

#endif
