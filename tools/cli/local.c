/* local.c - `gramme local`: takes the arguments of DynamoDB Local and serves in its place.
 *
 * It only translates: what comes out are arguments of `gramme serve --like-local`, which tells the
 * rest. A command line of java's is taken as a whole: what is meant for the machine that Local runs
 * on is skipped.
 * Memory: all of it is in the arena of the call. */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/settings.h"

enum { WORDS_MAX = 512 };

/* Where Local keeps its own file; what is there of ours has a name of its own. */
#define DATA_NAME "gramme-local"

struct local {
    struct arena *arena;
    char **words; /* of serve */
    int count;
    const char *port;
    const char *db_path;
    const char *cors;
    bool in_memory;
    bool shared;
    bool help;
    bool version;
    bool ignored;
};

/* ---- what Local takes ---- */

static const struct local_option {
    const char *name;
    const char *value; /* NULL: a flag */
    size_t at;         /* in struct local: a text or a flag */
    const char *help;
} local_options[] = {
#define AT(member) offsetof(struct local, member)
    {"port", "N", AT(port), "port to listen at, of all addresses (default 8000)"},
    {"inMemory", NULL, AT(in_memory), "keep data in memory"},
    {"dbPath", "DIR", AT(db_path), "keep data below DIR, in " DATA_NAME " (default .)"},
    {"cors", "LIST", AT(cors), "origins of web pages that may ask, by commas (default *)"},
    {"sharedDb", NULL, AT(shared),
     "one set of tables for all; without it each access key has its own in each region"},
    {"delayTransientStatuses", NULL, AT(ignored), "taken, and of no effect"},
    {"optimizeDbBeforeStartup", NULL, AT(ignored), "likewise"},
    {"disableTelemetry", NULL, AT(ignored), "there is none"},
    {"help", NULL, AT(help), "this text"},
    {"version", NULL, AT(version), "the version"},
#undef AT
    {.name = NULL},
};

static const struct local_option *find(const char *word) {
    const char *name = word + (word[0] == '-') + (word[0] == '-' && word[1] == '-');
    for (const struct local_option *option = local_options; option->name != NULL; option++)
        if (word[0] == '-' && strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

/* How many words are java's own, of "java -ea -Xmx1g -jar Local.jar": all up to what it runs. */
static int of_java(int argc, char *const *argv) {
    for (int at = 0; at < argc; at++) {
        if (strcmp(argv[at], "-jar") == 0)
            return at + 1 < argc ? at + 2 : argc;
        if (strncmp(argv[at], "com.amazonaws.", 14) == 0)
            return at + 1;
    }
    return 0;
}

/* Where what it runs is left out. */
static bool is_of_java(const char *word) {
    return strcmp(word, "java") == 0 || strncmp(word, "-D", 2) == 0 || strncmp(word, "-X", 2) == 0;
}

/* Of Local's own words java knows two, by another meaning; at the others it ends. */
static struct error *check_java(const struct local *local, int count, char *const *argv) {
    for (int at = 0; at < count; at++) {
        const struct local_option *option = find(argv[at]);
        if (option != NULL && option->at != offsetof(struct local, help) &&
            option->at != offsetof(struct local, version))
            return error_local(local->arena, "java has no option '%s': it goes behind what is run",
                               argv[at]);
    }
    return NULL;
}

static struct error *read_words(struct local *local, int argc, char *const *argv) {
    int first = of_java(argc, argv);
    TRY(check_java(local, first, argv));
    for (int at = first; at < argc; at++) {
        if (is_of_java(argv[at]))
            continue;
        const struct local_option *option = find(argv[at]);
        if (option == NULL)
            return error_local(local->arena, "DynamoDB Local has no argument '%s'", argv[at]);
        void *to = (char *)local + option->at;
        if (option->value == NULL)
            *(bool *)to = true;
        else if (at + 1 == argc || argv[at + 1][0] == '\0')
            return error_local(local->arena, "a value is missing after '%s'", argv[at]);
        else
            *(const char **)to = argv[++at];
    }
    if (local->in_memory && local->db_path != NULL)
        return error_local(local->arena, "-inMemory and -dbPath do not go together");
    return NULL;
}

/* ---- as serve takes it ---- */

static void add(struct local *local, const char *word) {
    if (local->count < WORDS_MAX)
        local->words[local->count++] =
            (char *)(uintptr_t)arena_printf(local->arena, "%s", word).data;
}

/* Of a list by commas; a bare domain is one that may have either scheme. */
static void add_origins(struct local *local, const char *list) {
    while (*list != '\0') {
        struct slice one = slice_of(list, strcspn(list, ","));
        bool whole = slice_is(one, "*") || slice_is(one, "null") ||
                     memmem(one.data, one.len, "://", 3) != NULL;
        for (int i = 0; one.len > 0 && i < (whole ? 1 : 2); i++) {
            const char *scheme = whole ? "" : i == 0 ? "http://" : "https://";
            add(local, "--allow-origin");
            add(local,
                (const char *)arena_printf(local->arena, "%s%.*s", scheme, SLICE_ARGS(one)).data);
        }
        list += one.len + (list[one.len] == ',');
    }
}

/* All addresses, as Local: "::" is those of IPv4 too, where there is IPv6. */
static const char *all_addresses(void) {
    struct sockaddr_in6 any = {.sin6_family = AF_INET6};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool has = fd >= 0 && bind(fd, (struct sockaddr *)&any, sizeof(any)) == 0;
    if (fd >= 0)
        close(fd);
    return has ? "::" : "0.0.0.0";
}

static void add_pair(struct local *local, const char *option, const char *value) {
    add(local, option);
    add(local, value);
}

static bool is_set(const char *variable) {
    const char *text = getenv(variable);
    return text != NULL && *text != '\0';
}

/* What Local has no argument for, or was not given, may be a variable of serve. */
static void add_all(struct local *local) {
    add(local, "--like-local");
    add(local, "--no-auth");
    if (!is_set("GRAMME_HOST"))
        add_pair(local, "--host", all_addresses());
    if (local->port != NULL)
        add_pair(local, "--port", local->port);
    if (!local->shared)
        add(local, "--name-spaces");
    if (local->in_memory) {
        add(local, "--memory");
    } else if (local->db_path != NULL || !is_set("GRAMME_DATA")) {
        const char *path = local->db_path == NULL ? "." : local->db_path;
        add_pair(local, "--data",
                 (const char *)arena_printf(local->arena, "%s/" DATA_NAME, path).data);
    }
    add_origins(local, local->cors == NULL ? "*" : local->cors);
}

static int print_version(const struct invocation *invocation) {
    (void)invocation;
    puts("gramme " GRAMME_VERSION);
    return 0;
}

static const struct option no_options[] = {{.name = NULL}};
static const struct command version = {
    .name = "local", .options = no_options, .run = print_version};

static struct error *translate(struct arena *arena, struct command_line *line) {
    struct local local = {.arena = arena, .words = ARENA_ARRAY(arena, char *, WORDS_MAX)};
    TRY(read_words(&local, line->argc, line->argv));
    if (settings_turn_on("GRAMME_AUTH"))
        return error_local(arena,
                           "DynamoDB Local verifies no signatures: GRAMME_AUTH is for serve");
    if (local.help)
        add(&local, "--help");
    else if (!local.version)
        add_all(&local);
    if (local.version)
        line->command = &version;
    else if (!local.help)
        line->command = &command_serve;
    line->argc = local.count;
    line->argv = local.words;
    return NULL;
}

static void print_options(FILE *out) {
    fputs("\nArguments, as of DynamoDB Local; those of java before them are skipped:\n", out);
    for (const struct local_option *option = local_options; option->name != NULL; option++) {
        char label[64];
        snprintf(label, sizeof(label), "-%s %s", option->name,
                 option->value == NULL ? "" : option->value);
        help_entry(out, 28, label, option->help);
    }
}

static void list_words(void (*take)(const char *word, const char *value, const char *help)) {
    for (const struct local_option *option = local_options; option->name != NULL; option++) {
        char word[64];
        snprintf(word, sizeof(word), "-%s", option->name);
        take(word, option->value, option->help);
    }
}

const struct command command_local = {
    .name = "local",
    .summary = "take the place of DynamoDB Local, with its arguments",
    .about =
        "Serves with the arguments of DynamoDB Local, at all addresses and to web pages of all "
        "sites, as that does, and is as lenient as that where tools rely on it: see gramme "
        "serve --like-local.",
    .options = no_options,
    .translate = translate,
    .print_more = print_options,
    .list_words = list_words,
};
