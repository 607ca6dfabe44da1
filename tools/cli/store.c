/* store.c - `gramme store`: a store that several servers share. */
#include "admin/remote_store.h"
#include "cli/options.h"
#include "cli/say.h"

struct store_given {
    const char *url;
    const char **standbys;
    bool single;
    bool unsafe;
    uint32_t groups; /* 0: not said */
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

/* ---- what servers promise ---- */

static struct error *survey_one(struct arena *arena, const struct postgres_survey_options *options,
                                size_t *wrong) {
    struct postgres_survey survey;
    struct slice place;
    TRY(remote_store_place(arena, options->url, &place));
    TRY(remote_store_survey(arena, options, &survey));
    if (options->standby)
        say(stdout, "%-26s %.*s\n", "standby", SLICE_ARGS(place));
    print_survey(&survey);
    *wrong += survey.wrong;
    return NULL;
}

/* How many settings are wrong, of all of them. */
static struct error *survey_all(struct arena *arena, const struct store_given *given,
                                size_t *ret_wrong) {
    struct postgres_survey_options options = {.url = given->url, .single = given->single};
    *ret_wrong = 0;
    TRY(survey_one(arena, &options, ret_wrong));
    options.standby = true;
    for (const char **url = given->standbys; url != NULL && *url != NULL; url++) {
        options.url = *url;
        TRY(survey_one(arena, &options, ret_wrong));
    }
    return NULL;
}

/* ---- making one ---- */

static int run_init(const struct invocation *invocation) {
    const struct store_given *given = invocation->values;
    if ((given->groups & (given->groups - 1)) != 0) {
        say(stderr, "gramme: --groups is a power of two\n");
        return 2;
    }
    size_t wrong = 0;
    struct slice place;
    struct error *error = remote_store_place(invocation->arena, given->url, &place);
    if (error == NULL)
        error = survey_all(invocation->arena, given, &wrong);
    if (error != NULL)
        return failed(error);
    if (wrong > 0 && !given->unsafe) {
        say(stderr,
            "gramme: %.*s may lose what it acknowledged, so no store was made there; --single "
            "makes one that is content with one copy, --unsafe makes it whatever is wrong\n",
            SLICE_ARGS(place));
        return 1;
    }
    error = remote_store_init(invocation->arena, given->url, given->single || given->unsafe,
                              given->groups);
    if (error != NULL)
        return failed(error);
    say(stdout, "%.*s has a store of this version: gramme serve --store\n", SLICE_ARGS(place));
    return 0;
}

/* ---- trying one ---- */

static void print_line(struct trial_observer *observer, const struct trial_line *line) {
    static const char *const words[] = {"ok", "WRONG", ""};
    (void)observer;
    say(stdout, "%-22s %-6s %.*s\n", line->name, words[line->kind], SLICE_ARGS(line->text));
    fflush(stdout);
}

static int run_test(const struct invocation *invocation) {
    const struct store_given *given = invocation->values;
    struct trial_observer observer = {print_line};
    size_t settings = 0, trials = 0;
    struct error *error = survey_all(invocation->arena, given, &settings);
    if (error == NULL)
        error = remote_store_try(invocation->arena, given->url, &observer, &trials);
    if (error != NULL)
        return failed(error);
    if (settings > 0 || trials > 0) {
        say(stderr,
            "gramme: this server cannot be trusted with a store: %zu settings, %zu trials\n",
            settings, trials);
        return 1;
    }
    say(stdout, "this server can be trusted with a store\n");
    return 0;
}

/* ---- what they take ---- */

#define AT(member) OPTION_AT(struct store_given, member)

static const struct argument store_arguments[] = {
    {"URL", "postgres://USER@HOST:PORT/DATABASE, or whatever else libpq reads", OPTION_TEXT,
     AT(url)},
    {.name = NULL},
};

#define SURVEYED                                                                                 \
    {"standby", "URL", .kind = OPTION_TEXTS, AT(standbys),                                       \
     .help =                                                                                     \
         "a standby of the server, which may become the primary: its settings are judged, too. " \
         "Give it for each"},                                                                    \
    {                                                                                            \
        "single", .kind = OPTION_FLAG, AT(single),                                               \
                  .help = "one copy will do: nobody minds that commits wait for no standby"      \
    }

static const struct option init_options[] = {
    SURVEYED,
    {"groups", "N", .kind = OPTION_NUMBER, AT(groups), .number = {1, 32}, .otherwise = "1",
     .help = "of a store that is new: into how many groups keys are divided, a power of two. With "
             "several, all servers write, each in groups of its own; it is for good, and gramme "
             "copy-store takes the data to a store with others"},
    {"unsafe", .kind = OPTION_FLAG, AT(unsafe),
     .help = "make it though the server's settings let acknowledged writes be lost: for tests"},
    {.name = NULL},
};

static const struct command init_command = {
    .name = "store init",
    .summary = "make a store on a PostgreSQL server",
    .about =
        "Looks at the settings of the server and of its standbys, and makes the tables of a store "
        "in the database of the URL. What is there stays, so that it may be run again, and is "
        "after an update. Unless --single is given, commits have to wait for a standby, and "
        "gramme serve refuses a server whose commits do not.",
    .closing =
        "The database is one that you made, and its user may create tables there. A password "
        "is best in PGPASSFILE, where other users of this machine do not see it.",
    .arguments = store_arguments,
    .options = init_options,
    .values_size = sizeof(struct store_given),
    .run = run_init,
};

static const struct option test_options[] = {SURVEYED, {.name = NULL}};

static const struct command test_command = {
    .name = "store test",
    .summary = "try whether a PostgreSQL server can be trusted with a store",
    .about = "Has two stores on the server race for the lead and for each other's writes, in a "
             "schema that is made for it and gone afterwards, and measures how long commits and "
             "reads take. A server may use a store there meanwhile.",
    .closing = "The status is 0 when nothing is wrong. Try it on every server that speaks "
               "PostgreSQL's protocol and is not PostgreSQL.",
    .arguments = store_arguments,
    .options = test_options,
    .values_size = sizeof(struct store_given),
    .run = run_test,
};

static const struct command *const store_commands[] = {&init_command, &test_command, NULL};

const struct command_family family_store = {
    .name = "store",
    .summary = "a store on a PostgreSQL server, for several servers",
    .about =
        "A store on a PostgreSQL server is shared by the servers that are started with it: one "
        "leads, the others wait to take over. See docs/CLUSTER.md.",
    .commands = store_commands,
};
