/* store.c - `gramme store`: a store that several servers share. */
#include "admin/remote_store.h"
#include "cli/options.h"
#include "cli/say.h"

struct store_given {
    const char *url;
    bool unsafe;
};

static int failed(const struct error *error) {
    say(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
    return 1;
}

static void print_survey(const struct postgres_survey *survey) {
    say(stdout, "server                     %.*s\n", SLICE_ARGS(survey->version));
    for (size_t i = 0; i < survey->count; i++) {
        const struct postgres_setting *setting = &survey->settings[i];
        say(stdout, "%-26.*s %.*s%s%s\n", SLICE_ARGS(setting->name),
            SLICE_ARGS(setting->value.len == 0 ? SLICE_LITERAL("none") : setting->value),
            setting->wrong == NULL ? "" : ": ", setting->wrong == NULL ? "" : setting->wrong);
    }
}

static int run_init(const struct invocation *invocation) {
    const struct store_given *given = invocation->values;
    struct postgres_survey survey;
    struct slice place;
    struct error *error = remote_store_place(invocation->arena, given->url, &place);
    if (error == NULL)
        error = remote_store_survey(invocation->arena, given->url, &survey);
    if (error != NULL)
        return failed(error);
    print_survey(&survey);
    if (survey.wrong > 0 && !given->unsafe) {
        say(stderr,
            "gramme: %.*s may lose what it acknowledged, so no store was made there; "
            "--unsafe makes it all the same\n",
            SLICE_ARGS(place));
        return 1;
    }
    error = remote_store_init(invocation->arena, given->url);
    if (error != NULL)
        return failed(error);
    say(stdout, "%.*s has a store of this version: gramme serve --store\n", SLICE_ARGS(place));
    return 0;
}

#define AT(member) OPTION_AT(struct store_given, member)

static const struct argument store_arguments[] = {
    {"URL", "postgres://USER@HOST:PORT/DATABASE, or whatever else libpq reads", OPTION_TEXT,
     AT(url)},
    {.name = NULL},
};

static const struct option init_options[] = {
    {"unsafe", .kind = OPTION_FLAG, AT(unsafe),
     .help = "make it though the server's settings let acknowledged writes be lost: for tests"},
    {.name = NULL},
};

static const struct command init_command = {
    .name = "store init",
    .summary = "make a store on a PostgreSQL server",
    .about =
        "Looks at the settings of the server, and makes the tables of a store in the database "
        "of the URL. What is there stays, so that it may be run again, and is after an update.",
    .closing =
        "The database is one that you made, and its user may create tables there. A password "
        "is best in PGPASSFILE, where other users of this machine do not see it.",
    .arguments = store_arguments,
    .options = init_options,
    .values_size = sizeof(struct store_given),
    .run = run_init,
};

static const struct command *const store_commands[] = {&init_command, NULL};

const struct command_family family_store = {
    .name = "store",
    .summary = "a store on a PostgreSQL server, for several servers",
    .about =
        "A store on a PostgreSQL server is shared by the servers that are started with it: one "
        "leads, the others wait to take over. See docs/CLUSTER.md.",
    .commands = store_commands,
};
