/* access_key.c - `gramme key ...`: keys made, shown, turned on and off, replaced. A secret is
 * printed by the command that made it, as a section of an AWS credentials file, and never again. */
#include "cli/access.h"
#include "cli/say.h"
#include "iam/credentials.h"
#include "json/member.h"

/* ---- printing ---- */

static struct slice user_of(const struct json_value *key) {
    struct slice user = json_find_text(key, "user");
    return user.len == 0 ? SLICE_LITERAL("root") : user;
}

static void print_secret(const struct access_values *values, const struct json_value *key) {
    struct slice id = json_find_text(key, "id"), secret = json_find_text(key, "secret");
    printf("# A key of %.*s. The secret is not shown again: put these lines into "
           "~/.aws/credentials.\n"
           "[%s]\naws_access_key_id = %.*s\naws_secret_access_key = %.*s\n",
           SLICE_ARGS(user_of(key)), values->profile, SLICE_ARGS(id), SLICE_ARGS(secret));
}

static const char *state_of(const struct json_value *key) {
    const struct json_value *usable = json_find(key, "usable"), *active = json_find(key, "active");
    if (usable != NULL && usable->kind != JSON_TRUE)
        return "sealed elsewhere";
    return active != NULL && active->kind == JSON_TRUE ? "active" : "disabled";
}

static void print_key(const struct json_value *key) {
    say(stdout, "%-24.*s %-24.*s %-16s ", SLICE_ARGS(json_find_text(key, "id")),
        SLICE_ARGS(user_of(key)), state_of(key));
    access_print_time(key);
    putchar('\n');
}

/* ---- commands ---- */

static int make(const struct invocation *invocation, const char *name) {
    const struct access_values *values = invocation->values;
    struct access_command command;
    struct slice text;
    const struct json_value *answer;
    access_begin(&command, invocation, name);
    access_member(&command, "user", values->user);
    access_member(&command, "id", values->id);
    struct error *error = access_end(&command, &text, &answer);
    if (error != NULL)
        return access_failed(error);
    if (!access_print_json(values, text))
        print_secret(values, answer);
    return 0;
}

static int run_create(const struct invocation *invocation) {
    return make(invocation, "create-key");
}

static int run_rotate(const struct invocation *invocation) {
    return make(invocation, "rotate-key");
}

static int run_list(const struct invocation *invocation) {
    const struct access_values *values = invocation->values;
    struct access_command command;
    struct slice text;
    const struct json_value *answer;
    access_begin(&command, invocation, "list-keys");
    access_member(&command, "user", values->user);
    struct error *error = access_end(&command, &text, &answer);
    if (error != NULL)
        return access_failed(error);
    if (access_print_json(values, text))
        return 0;
    say(stdout, "%-24s %-24s %-16s %s\n", "KEY", "USER", "STATE", "MADE");
    for (const struct json_value *key = answer->first; key != NULL; key = key->next)
        print_key(key);
    return 0;
}

static int change(const struct invocation *invocation, const char *name, const char *done) {
    const struct access_values *values = invocation->values;
    struct access_command command;
    struct slice text;
    const struct json_value *answer;
    access_begin(&command, invocation, name);
    access_member(&command, "id", values->id);
    struct error *error = access_end(&command, &text, &answer);
    if (error != NULL)
        return access_failed(error);
    if (!access_print_json(values, text))
        say(stdout, "%s %s\n", done, values->id);
    return 0;
}

static int run_enable(const struct invocation *invocation) {
    return change(invocation, "enable-key", "enabled");
}

static int run_disable(const struct invocation *invocation) {
    return change(invocation, "disable-key", "disabled");
}

static int run_delete(const struct invocation *invocation) {
    return change(invocation, "delete-key", "deleted");
}

/* ---- import ---- */

static struct error *import(const struct invocation *invocation, struct slice *ret_text,
                            const struct json_value **ret_answer) {
    const struct access_values *values = invocation->values;
    struct access_command command;
    struct credentials_key key;
    TRY(credentials_read(invocation->arena, values->file, values->profile, &key));
    access_begin(&command, invocation, "import-key");
    access_member(&command, "user", values->user);
    member_text(&command.json, "id", key.id);
    member_text(&command.json, "secret", key.secret);
    return access_end(&command, ret_text, ret_answer);
}

static int run_import(const struct invocation *invocation) {
    struct slice text;
    const struct json_value *answer;
    struct error *error = import(invocation, &text, &answer);
    if (error != NULL)
        return access_failed(error);
    if (!access_print_json(invocation->values, text))
        print_key(answer);
    return 0;
}

/* ---- what they take ---- */

#define USER                                                                                  \
    {                                                                                         \
        "user", "NAME", .kind = OPTION_TEXT, ACCESS_AT(user), .otherwise = "the owner, root", \
                        .help = "whose key it is"                                             \
    }
#define PROFILE(preset_name, text)                                                         \
    {                                                                                      \
        "profile", "NAME", .kind = OPTION_TEXT, ACCESS_AT(profile), .preset = preset_name, \
                           .help = text                                                    \
    }

static const struct argument directory_only[] = {ACCESS_ARGUMENT_DIRECTORY, {.name = NULL}};
static const struct argument with_id[] = {
    ACCESS_ARGUMENT_DIRECTORY,
    {"KEY", "the id of the access key", OPTION_TEXT, ACCESS_AT(id)},
    {.name = NULL},
};
static const struct argument with_file[] = {
    ACCESS_ARGUMENT_DIRECTORY,
    {"FILE", "an AWS credentials file", OPTION_FILE, ACCESS_AT(file)},
    {.name = NULL},
};

static const struct option create_options[] = {
    USER, PROFILE("gramme", "section to print the key in"), ACCESS_OPTIONS, {.name = NULL}};
static const struct option rotate_options[] = {
    PROFILE("gramme", "section to print the key in"), ACCESS_OPTIONS, {.name = NULL}};
static const struct option list_options[] = {{"user", "NAME", .kind = OPTION_TEXT, ACCESS_AT(user),
                                              .otherwise = "of all",
                                              .help = "only the keys of this user"},
                                             ACCESS_OPTIONS,
                                             {.name = NULL}};
static const struct option import_options[] = {
    USER, PROFILE("default", "section of FILE that the key is in"), ACCESS_OPTIONS, {.name = NULL}};
static const struct option common_options[] = {ACCESS_OPTIONS, {.name = NULL}};

#define COMMAND(verb, words, more, given_arguments, given_options) \
    static const struct command command_##verb = {                 \
        .name = "key " #verb,                                      \
        .summary = words,                                          \
        .about = more,                                             \
        .arguments = given_arguments,                              \
        .options = given_options,                                  \
        .values_size = sizeof(struct access_values),               \
        .run = run_##verb,                                         \
    }

COMMAND(create, "make a key and print it",
        "Makes an access key and prints it as a section of an AWS credentials file, this once. A "
        "user has two keys at most.",
        directory_only, create_options);
COMMAND(list, "list keys, without their secrets", "Lists access keys, without their secrets.",
        directory_only, list_options);
COMMAND(disable, "refuse what a key signs, from now on",
        "Turns a key off: from the next request on, what it signs is refused.", with_id,
        common_options);
COMMAND(enable, "accept a disabled key again", "Turns a key that was disabled on again.", with_id,
        common_options);
COMMAND(delete, "delete a key", "Deletes a key, for good.", with_id, common_options);
COMMAND(rotate, "make a key beside another of the same user",
        "Makes a second key for the user of KEY and prints it. KEY goes on working until it is "
        "disabled or deleted; a key that is disabled already makes room.",
        with_id, rotate_options);
COMMAND(import, "take a key that there is already",
        "Takes the key in FILE, so that programs can go on using it.", with_file, import_options);

static const struct command *const key_commands[] = {
    &command_create, &command_list,   &command_disable, &command_enable,
    &command_rotate, &command_import, &command_delete,  NULL,
};

const struct command_family family_key = {
    .name = "key",
    .summary = "access keys, for gramme serve --auth",
    .about = "Access keys of a data directory: they sign requests to gramme serve --auth. All of "
             "it works while a server runs, and takes effect at once.",
    .commands = key_commands,
};
