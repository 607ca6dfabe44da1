/* backup.c - `gramme backup` and `gramme restore`: a line that shows how far it is, and a line that
 * says what was done. */
#include <signal.h>

#include "admin/dump_file.h"
#include "base/timestamp.h"
#include "cli/display.h"
#include "cli/key_option.h"
#include "cli/named_note.h"
#include "cli/options.h"
#include "cli/say.h"

/* ---- what both print ---- */

/* "N records (M items), X MB in T s, R MB/s", to go on with. */
static void print_totals(const struct display *display, FILE *out,
                         const struct dump_file_summary *summary) {
    if (summary->counted)
        say(out, "%llu records (%llu items), ", (unsigned long long)summary->records,
            (unsigned long long)summary->items);
    say(out, "%.1f MB%s in %.1f s, %.0f MB/s", (double)summary->bytes / 1e6,
        summary->encrypted ? ", encrypted," : "", display_seconds(display),
        display_rate(display, summary->bytes));
}

/* ---- backup ---- */

static bool is_stream(const char *file) {
    return strcmp(file, "-") == 0;
}

static void print_made(const struct display *display, const struct dump_file_options *options,
                       const struct dump_file_summary *summary) {
    FILE *out = is_stream(options->file) ? stderr : stdout;
    display_clear(display);
    say(out, "backed up %s to %s: ", options->place.name,
        is_stream(options->file) ? "standard output" : options->file);
    print_totals(display, out, summary);
    say(out, "; %s\n",
        options->place.url != NULL ? "read beside its servers"
        : summary->from_server     ? "taken from the running server"
                                   : "no server was running");
}

struct backup_options {
    const char *store;
    const char *file;
    const char *encrypt_with;
    bool force;
};

static int run_backup(const struct invocation *invocation) {
    const struct backup_options *given = invocation->values;
    signal(SIGPIPE, SIG_IGN); /* a reader or a server that goes away is an error to tell */
    signal(SIGXFSZ, SIG_IGN);
    struct display display = display_begin();
    struct dump_file_options options = {
        .file = given->file,
        .replace = given->force,
        .program = "gramme " GRAMME_VERSION,
        .observer = &display.observer,
    };
    struct dump_file_summary summary;
    struct master_key key = {0};
    struct error *error = store_place_of(invocation->arena, given->store, &options.place);
    if (error == NULL)
        error = key_option_read(invocation->arena, given->encrypt_with, &key, &options.key);
    if (error == NULL)
        error = dump_file_make(invocation->arena, &options, &summary);
    master_key_release(&key);
    if (error != NULL)
        return display_failed(&display, error);
    print_made(&display, &options, &summary);
    named_note(invocation->arena, given->store, "backup");
    return 0;
}

static const struct argument backup_arguments[] = {
    {"STORE", "the data directory, or the postgres:// URL, whether a server runs on it or not",
     OPTION_DIRECTORY, OPTION_AT(struct backup_options, store)},
    {"FILE", "what to make; - is standard output", OPTION_FILE,
     OPTION_AT(struct backup_options, file)},
    {.name = NULL},
};

static const struct option backup_options[] = {
    {"force", .kind = OPTION_FLAG, OPTION_AT(struct backup_options, force),
     .help = "replace FILE when it is there"},
    {"encrypt-with", "KEY", .kind = OPTION_TEXT, OPTION_AT(struct backup_options, encrypt_with),
     .help = "key of an encrypted directory, as for gramme serve, not needed when a server runs on "
             "it; of a URL: encrypts FILE"},
    {.name = NULL},
};

const struct command command_backup = {
    .name = "backup",
    .summary = "write a data directory or store, in use or not, to one file",
    .about = "Writes everything in the data directory or store STORE, as it is at one moment, to "
             "FILE. Servers that run on it go on meanwhile. A directory is read by its server, or "
             "itself when there is none; a store on a PostgreSQL server is read there, where a "
             "standby will do as well. FILE appears when it is whole and on disk; until then it "
             "is FILE.partial.",
    .closing = "FILE is encrypted when a directory is, with the same key. Else it holds all data "
               "as it is: keep it as safe as STORE.",
    .arguments = backup_arguments,
    .options = backup_options,
    .values_size = sizeof(struct backup_options),
    .run = run_backup,
};

/* ---- restore ---- */

static void print_restored(const struct display *display,
                           const struct dump_restore_options *options,
                           const struct dump_file_summary *summary) {
    char made[TIMESTAMP_CHARS + 1];
    timestamp_print(summary->made_ms, made);
    const char *file = is_stream(options->file) ? "standard input" : options->file;
    display_clear(display);
    if (options->place.name == NULL)
        say(stdout, "verified %s: ", file);
    else
        say(stdout, "restored %s to %s: ", file, options->place.name);
    print_totals(display, stdout, summary);
    say(stdout, "; made by %.*s at %.19sZ\n", SLICE_ARGS(summary->program), made);
}

struct restore_options {
    const char *file;
    const char *store; /* not with --check */
    const char *encrypt_with;
    bool check;
    bool replace;
};

static struct error *restore(struct arena *arena, const struct dump_restore_options *options,
                             bool check, struct dump_file_summary *ret_summary) {
    struct error *damage = NULL;
    if (!check)
        return dump_file_restore(arena, options, ret_summary);
    TRY(dump_file_check(arena, options, ret_summary, &damage));
    return damage;
}

static int run_restore(const struct invocation *invocation) {
    const struct restore_options *given = invocation->values;
    signal(SIGXFSZ, SIG_IGN);
    struct display display = display_begin();
    struct dump_restore_options options = {
        .file = given->file,
        .replace = given->replace,
        .observer = &display.observer,
    };
    struct dump_file_summary summary;
    struct master_key key = {0};
    struct error *error = NULL;
    if (!given->check)
        error = store_place_of(invocation->arena, given->store, &options.place);
    if (error == NULL)
        error = key_option_read(invocation->arena, given->encrypt_with, &key, &options.key);
    if (error == NULL)
        error = restore(invocation->arena, &options, given->check, &summary);
    master_key_release(&key);
    if (error != NULL)
        return display_failed(&display, error);
    print_restored(&display, &options, &summary);
    return 0;
}

static const struct argument restore_arguments[] = {
    {"FILE", "what gramme backup made; - is standard input", OPTION_FILE,
     OPTION_AT(struct restore_options, file)},
    {"STORE",
     "the data directory to make, which must not be there yet, or be empty; or the postgres:// URL "
     "of a store that gramme store init made",
     OPTION_DIRECTORY, OPTION_AT(struct restore_options, store)},
    {.name = NULL},
};

static const struct option restore_options[] = {
    {"check", .kind = OPTION_FLAG, OPTION_AT(struct restore_options, check), .excludes = "STORE",
     .help = "only verify FILE"},
    {"replace", .kind = OPTION_FLAG, OPTION_AT(struct restore_options, replace),
     .excludes = "check", .help = "STORE is a URL, and all that is in it goes first"},
    {"encrypt-with", "KEY", .kind = OPTION_TEXT, OPTION_AT(struct restore_options, encrypt_with),
     .help =
         "key of an encrypted FILE, as for gramme serve; a directory is encrypted with it, also "
         "when FILE is not"},
    {.name = NULL},
};

const struct command command_restore = {
    .name = "restore",
    .summary = "make a data directory or store from a backup, or verify one",
    .about = "Makes the data directory STORE from the backup FILE, on any machine, or fills the "
             "store at that URL. FILE is verified as a whole. A directory appears when all of it "
             "is on disk; until then it is STORE.partial. A store at a URL is opened by no server "
             "before it is whole.",
    .arguments = restore_arguments,
    .options = restore_options,
    .values_size = sizeof(struct restore_options),
    .run = run_restore,
};
