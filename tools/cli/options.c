/* options.c - see options.h. */
#include "cli/options.h"

#include "base/check.h"
#include "cli/nearest.h"
#include "cli/settings.h"

/* ---- finding ---- */

static const struct option *find_option(const struct command *command, struct slice name) {
    for (const struct option *option = command->options; option->name != NULL; option++)
        if (slice_is(name, option->name))
            return option;
    return NULL;
}

static size_t count_arguments(const struct command *command) {
    size_t count = 0;
    while (command->arguments != NULL && command->arguments[count].name != NULL)
        count++;
    return count;
}

bool options_given(const struct invocation *invocation, const char *name) {
    const struct command *command = invocation->command;
    const struct option *option = find_option(command, slice_text(name));
    if (option != NULL)
        return invocation->given[option - command->options];
    size_t at = 0;
    while (at < count_arguments(command) && strcmp(command->arguments[at].name, name) != 0)
        at++;
    CHECK(at < count_arguments(command));
    return at < invocation->argument_count;
}

/* ---- one argument ---- */

static struct error *no_such_option(const struct invocation *invocation, const char *argument) {
    struct slice text = slice_of(argument, strcspn(argument, "="));
    struct nearest nearest = nearest_to(slice_skip(text, strspn(argument, "-")));
    for (const struct option *option = invocation->command->options; option->name != NULL; option++)
        nearest_offer(&nearest, option->name);
    if (nearest.name == NULL)
        return error_local(invocation->arena, "there is no option '%.*s'", SLICE_ARGS(text));
    return error_local(invocation->arena, "there is no option '%.*s', but --%s", SLICE_ARGS(text),
                       nearest.name);
}

/* `--flag`, `--name=value` or, of two arguments, `--name value`. */
static struct error *take_option(struct invocation *invocation, int argc, char *const *argv,
                                 int *at) {
    const char *argument = argv[*at];
    size_t len = strcspn(argument, "=");
    const char *value = argument[len] == '=' ? argument + len + 1 : NULL;
    const struct option *option = NULL;
    if (strncmp(argument, "--", 2) == 0)
        option = find_option(invocation->command, slice_of(argument + 2, len - 2));
    if (option == NULL)
        return no_such_option(invocation, argument);
    if (value == NULL && option->kind != OPTION_FLAG) {
        if (*at + 1 >= argc)
            return error_local(invocation->arena, "a value is missing after '%s'", argument);
        value = argv[++*at];
    }
    invocation->given[option - invocation->command->options] = true;
    return option_set(invocation->arena, invocation->values, option, value);
}

static struct error *take_argument(struct invocation *invocation, const char *text) {
    const struct command *command = invocation->command;
    if (invocation->argument_count == count_arguments(command))
        return error_local(invocation->arena, "unexpected argument '%s'", text);
    const struct argument *argument = &command->arguments[invocation->argument_count++];
    if (*text == '\0')
        return error_local(invocation->arena, "%s is empty: '%s'", argument->name, text);
    memcpy((char *)invocation->values + argument->at, &text, sizeof(text));
    return NULL;
}

static struct error *take_all(struct invocation *invocation, int argc, char *const *argv) {
    bool only_arguments = false;
    for (int at = 0; at < argc; at++) {
        bool dashed = argv[at][0] == '-' && argv[at][1] != '\0' && !only_arguments;
        if (dashed && strcmp(argv[at], "--") == 0)
            only_arguments = true;
        else if (dashed)
            TRY(take_option(invocation, argc, argv, &at));
        else
            TRY(take_argument(invocation, argv[at]));
    }
    return NULL;
}

/* ---- all of them together ---- */

static bool is_excluded(const struct invocation *invocation, const char *name) {
    const struct option *options = invocation->command->options;
    for (size_t i = 0; options[i].name != NULL; i++)
        if (invocation->given[i] && options[i].excludes != NULL &&
            strcmp(options[i].excludes, name) == 0)
            return true;
    return false;
}

static struct error *check_exclusions(const struct invocation *invocation) {
    const struct option *options = invocation->command->options;
    for (size_t i = 0; options[i].name != NULL; i++) {
        const char *other = options[i].excludes;
        if (!invocation->given[i] || other == NULL || !options_given(invocation, other))
            continue;
        bool is_option = find_option(invocation->command, slice_text(other)) != NULL;
        return error_local(invocation->arena, "--%s and %s%s do not go together", options[i].name,
                           is_option ? "--" : "", other);
    }
    return NULL;
}

static struct error *check_needs(const struct invocation *invocation) {
    const struct option *options = invocation->command->options;
    for (size_t i = 0; options[i].name != NULL; i++)
        if (invocation->given[i] && options[i].needs != NULL &&
            !options_given(invocation, options[i].needs))
            return error_local(invocation->arena, "--%s needs --%s", options[i].name,
                               options[i].needs);
    return NULL;
}

/* "it takes DIR and FILE". */
static struct error *check_arguments(const struct invocation *invocation) {
    const struct command *command = invocation->command;
    struct slice list = SLICE_LITERAL("");
    bool missing = false;
    for (size_t i = 0; i < count_arguments(command); i++) {
        const char *name = command->arguments[i].name;
        if (is_excluded(invocation, name) || command->arguments[i].otherwise != NULL)
            continue;
        list = arena_printf(invocation->arena, "%.*s%s%s", SLICE_ARGS(list),
                            list.len == 0 ? "" : " and ", name);
        missing = missing || i >= invocation->argument_count;
    }
    return !missing ? NULL : error_local(invocation->arena, "it takes %.*s", SLICE_ARGS(list));
}

static void set_presets(struct invocation *invocation) {
    const struct option *options = invocation->command->options;
    size_t count = 0;
    for (; options[count].name != NULL; count++)
        if (options[count].preset != NULL)
            CHECK(option_set(invocation->arena, invocation->values, &options[count],
                             options[count].preset) == NULL);
    CHECK(count <= OPTIONS_MAX);
}

static bool asks_for_help(int argc, char *const *argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

struct error *options_read(struct arena *arena, const struct command *command, int argc,
                           char *const *argv, struct invocation *ret_invocation) {
    struct invocation invocation = {.arena = arena,
                                    .command = command,
                                    .values = arena_zalloc(arena, command->values_size),
                                    .help = asks_for_help(argc, argv)};
    if (!invocation.help) {
        set_presets(&invocation);
        TRY(take_all(&invocation, argc, argv));
        if (command->has_settings)
            TRY(settings_read(&invocation));
        TRY(check_exclusions(&invocation));
        TRY(check_arguments(&invocation));
        TRY(check_needs(&invocation));
        if (command->check != NULL)
            TRY(command->check(&invocation));
    }
    *ret_invocation = invocation;
    return NULL;
}

struct error *options_read_settings(struct arena *arena, const struct command *command,
                                    struct invocation *ret_invocation) {
    *ret_invocation = (struct invocation){
        .arena = arena, .command = command, .values = arena_zalloc(arena, command->values_size)};
    set_presets(ret_invocation);
    return settings_read(ret_invocation);
}

bool option_is_account(const char *text) {
    size_t digits = strlen(ACCOUNT_PRESET);
    return strlen(text) == digits && strspn(text, "0123456789") == digits;
}
