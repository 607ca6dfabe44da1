/* access_principal.c - `gramme user ...` and `gramme role ...`: who there is, and what they may. */
#include "cli/access.h"
#include "cli/say.h"
#include "json/member.h"

/* ---- printing ---- */

static void print_line(const struct json_value *principal) {
    size_t policies = 0;
    const struct json_value *list = json_find(principal, "policies");
    for (const struct json_value *p = list == NULL ? NULL : list->first; p != NULL; p = p->next)
        policies++;
    say(stdout, "%-32.*s %8zu   ", SLICE_ARGS(json_find_text(principal, "name")), policies);
    access_print_time(principal);
    putchar('\n');
}

static void print_document(const char *title, struct slice name, struct slice document) {
    if (slice_present(document))
        say(stdout, "\n%s%s%.*s:\n%.*s\n", title, name.len == 0 ? "" : " ", SLICE_ARGS(name),
            SLICE_ARGS(document));
}

static void print_whole(const struct json_value *principal) {
    const struct json_value *policies = json_find(principal, "policies");
    const struct json_value *tags = json_find(principal, "tags");
    say(stdout, "%.*s  %.*s  made ", SLICE_ARGS(json_find_text(principal, "arn")),
        SLICE_ARGS(json_find_text(principal, "id")));
    access_print_time(principal);
    putchar('\n');
    for (const struct json_value *t = tags == NULL ? NULL : tags->first; t != NULL; t = t->next)
        say(stdout, "tag %.*s = %.*s\n", SLICE_ARGS(t->name), SLICE_ARGS(t->text));
    print_document("trust", SLICE_LITERAL(""), json_find_text(principal, "trust"));
    print_document("boundary", SLICE_LITERAL(""), json_find_text(principal, "boundary"));
    for (const struct json_value *p = policies == NULL ? NULL : policies->first; p != NULL;
         p = p->next)
        print_document("policy", p->name, p->text);
}

/* ---- asking ---- */

static const char *text_of(struct arena *arena, struct slice text) {
    return (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(text)).data;
}

static struct error *add_policies(struct access_command *command) {
    const struct access_values *values = command->values;
    if (values->policies.count == 0 && values->remove_policy == NULL)
        return NULL;
    member_object(&command->json, "policies");
    for (size_t i = 0; i < values->policies.count; i++)
        TRY(access_member_file(command, text_of(command->arena, values->policies.pairs[i].name),
                               text_of(command->arena, values->policies.pairs[i].value)));
    if (values->remove_policy != NULL) {
        json_name(&command->json, slice_text(values->remove_policy));
        json_null(&command->json);
    }
    json_object_end(&command->json);
    return NULL;
}

static void add_tags(struct access_command *command) {
    const struct access_values *values = command->values;
    if (values->tags.count == 0 && values->remove_tag == NULL)
        return;
    member_object(&command->json, "tags");
    for (size_t i = 0; i < values->tags.count; i++) {
        json_name(&command->json, values->tags.pairs[i].name);
        json_string(&command->json, values->tags.pairs[i].value);
    }
    if (values->remove_tag != NULL) {
        json_name(&command->json, slice_text(values->remove_tag));
        json_null(&command->json);
    }
    json_object_end(&command->json);
}

static struct error *add_members(struct access_command *command) {
    const struct access_values *values = command->values;
    access_member(command, "name", values->name);
    TRY(add_policies(command));
    add_tags(command);
    TRY(access_member_file(command, "boundary", values->boundary));
    TRY(access_member_file(command, "trust", values->trust));
    if (values->no_boundary) {
        json_name(&command->json, SLICE_LITERAL("boundary"));
        json_null(&command->json);
    }
    if (values->session_max_s != 0)
        member_integer(&command->json, "session_max_s", values->session_max_s);
    return NULL;
}

/* Prints what `print` makes of the answer. */
static int ask(const struct invocation *invocation, const char *name,
               void (*print)(const struct json_value *answer)) {
    struct access_command command;
    struct slice text;
    const struct json_value *answer;
    access_begin(&command, invocation, name);
    struct error *error = add_members(&command);
    if (error != NULL)
        buffer_release(&command.input);
    else
        error = access_end(&command, &text, &answer);
    if (error != NULL)
        return access_failed(error);
    if (!access_print_json(invocation->values, text))
        print(answer);
    return 0;
}

static void print_list(const struct json_value *answer) {
    say(stdout, "%-32s %8s   %s\n", "NAME", "POLICIES", "MADE");
    for (const struct json_value *item = answer->first; item != NULL; item = item->next)
        print_line(item);
}

static void print_done(const struct json_value *answer) {
    say(stdout, "done: %.*s\n", SLICE_ARGS(json_find_text(answer, "name")));
}

/* ---- what they take ---- */

static const struct argument directory_only[] = {ACCESS_ARGUMENT_DIRECTORY, {.name = NULL}};
static const struct argument with_name[] = {
    ACCESS_ARGUMENT_DIRECTORY,
    {"NAME", "of the user or role", OPTION_TEXT, ACCESS_AT(name)},
    {.name = NULL},
};

#define POLICY_OPTIONS                                                                          \
    {"policy", "NAME=FILE", .kind = OPTION_PAIRS, ACCESS_AT(policies),                          \
     .help = "IAM policy that says what they may; any number of times"},                        \
        {"boundary", "FILE", .kind = OPTION_FILE, ACCESS_AT(boundary),                          \
         .help =                                                                                \
             "permissions boundary: what goes beyond it is refused whatever the policies say"}, \
    {                                                                                           \
        "tag", "NAME=VALUE",                                                                    \
            .kind = OPTION_PAIRS, ACCESS_AT(tags),                                              \
            .help = "tag, aws:PrincipalTag/NAME in conditions; any number of times"             \
    }
#define REMOVE_OPTIONS                                                                      \
    {"remove-policy", "NAME", .kind = OPTION_TEXT, ACCESS_AT(remove_policy),                \
     .help = "take a policy away"},                                                         \
        {"remove-tag", "NAME", .kind = OPTION_TEXT, ACCESS_AT(remove_tag),                  \
         .help = "take a tag away"},                                                        \
    {                                                                                       \
        "no-boundary", .kind = OPTION_FLAG, ACCESS_AT(no_boundary), .excludes = "boundary", \
                       .help = "take the boundary away"                                     \
    }
#define ROLE_OPTIONS                                                               \
    {"trust", "FILE", .kind = OPTION_FILE, ACCESS_AT(trust),                       \
     .help = "trust policy: who may take the role, by sts:AssumeRole"},            \
    {                                                                              \
        "session-max", "SECONDS", .kind = OPTION_NUMBER, ACCESS_AT(session_max_s), \
                                  .number = {3600, 43200}, .otherwise = "3600",    \
                                  .help = "how long a session may last"            \
    }

static const struct option user_create[] = {POLICY_OPTIONS, ACCESS_OPTIONS, {.name = NULL}};
static const struct option user_update[] = {
    POLICY_OPTIONS, REMOVE_OPTIONS, ACCESS_OPTIONS, {.name = NULL}};
static const struct option role_create[] = {
    ROLE_OPTIONS, POLICY_OPTIONS, ACCESS_OPTIONS, {.name = NULL}};
static const struct option role_update[] = {
    ROLE_OPTIONS, POLICY_OPTIONS, REMOVE_OPTIONS, ACCESS_OPTIONS, {.name = NULL}};
static const struct option common[] = {ACCESS_OPTIONS, {.name = NULL}};

#define COMMAND(kind, verb, asked, print, words, more, given_arguments, given_options) \
    static int run_##kind##_##verb(const struct invocation *invocation) {              \
        return ask(invocation, asked, print);                                          \
    }                                                                                  \
    static const struct command command_##kind##_##verb = {                            \
        .name = #kind " " #verb,                                                       \
        .summary = words,                                                              \
        .about = more,                                                                 \
        .arguments = given_arguments,                                                  \
        .options = given_options,                                                      \
        .values_size = sizeof(struct access_values),                                   \
        .run = run_##kind##_##verb,                                                    \
    }

COMMAND(user, create, "create-user", print_done, "make a user",
        "Makes a user. Without a policy a user may do nothing; gramme key create gives them a key.",
        with_name, user_create);
COMMAND(user, update, "update-user", print_done, "change a user's policies, boundary or tags",
        "Changes a user; what is not named stays as it is.", with_name, user_update);
COMMAND(user, show, "show-user", print_whole, "show a user with all policies",
        "Shows a user with all policies.", with_name, common);
COMMAND(user, list, "list-users", print_list, "list users", "Lists users.", directory_only, common);
COMMAND(user, delete, "delete-user", print_done, "delete a user with their keys",
        "Deletes a user with their keys.", with_name, common);
COMMAND(role, create, "create-role", print_done, "make a role",
        "Makes a role, which others take for a while by sts:AssumeRole.", with_name, role_create);
COMMAND(role, update, "update-role", print_done, "change a role's trust, policies or boundary",
        "Changes a role; what is not named stays as it is. Sessions that there are see it too.",
        with_name, role_update);
COMMAND(role, show, "show-role", print_whole, "show a role with all policies",
        "Shows a role with all policies.", with_name, common);
COMMAND(role, list, "list-roles", print_list, "list roles", "Lists roles.", directory_only, common);
COMMAND(role, delete, "delete-role", print_done, "delete a role, and end its sessions",
        "Deletes a role, and ends its sessions.", with_name, common);

static const struct command *const user_commands[] = {
    &command_user_create, &command_user_update, &command_user_show,
    &command_user_list,   &command_user_delete, NULL,
};
static const struct command *const role_commands[] = {
    &command_role_create, &command_role_update, &command_role_show,
    &command_role_list,   &command_role_delete, NULL,
};

const struct command_family family_user = {
    .name = "user",
    .summary = "users and their policies, for gramme serve --auth",
    .about = "Users of a data directory: whose keys they are, and what they may do. All of it "
             "works while a server runs, and takes effect at once.",
    .commands = user_commands,
};
const struct command_family family_role = {
    .name = "role",
    .summary = "roles and their policies, for gramme serve --auth",
    .about = "Roles of a data directory: users take them for a while by sts:AssumeRole. All of it "
             "works while a server runs, and takes effect at once.",
    .commands = role_commands,
};
