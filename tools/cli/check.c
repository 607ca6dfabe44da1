/* check.c - `gramme check`: what is wrong with a data directory or a backup, a line for each, and
 * what is there. */
#include <signal.h>

#include "admin/salvage.h"
#include "base/container.h"
#include "cli/display.h"
#include "cli/key_option.h"
#include "cli/named_note.h"
#include "cli/options.h"
#include "cli/say.h"

enum {
    SHOWN_MAX = 200, /* lines about faults; the others are only counted */
    EXIT_FAULTS = 1,
    EXIT_UNCHECKED = 2,
};

struct check_given {
    const char *path;
    const char *encrypt_with;
    const char *salvage;
};

/* ---- faults ---- */

struct printer {
    struct fault_observer base;
    const struct display *display;
    uint64_t told;
};

static void print_fault(struct fault_observer *base, struct slice text) {
    struct printer *printer = container_of(base, struct printer, base);
    if (printer->told++ >= SHOWN_MAX)
        return;
    display_clear(printer->display);
    say(stdout, "fault: %.*s\n", SLICE_ARGS(text));
}

/* ---- what is there ---- */

static void print_files(const struct files_summary *files) {
    say(stdout, "files: %llu tables and logs, %.1f MB", (unsigned long long)files->files,
        (double)files->bytes / 1e6);
    if (files->commits > 0)
        say(stdout, "; %llu commits are only in the log", (unsigned long long)files->commits);
    if (files->dropped[0] != '\0')
        say(stdout, "; log %s ends at byte %llu in what a crash cut short, which is no fault",
            files->dropped, (unsigned long long)files->dropped_at);
    say(stdout, "\n");
}

static const char *unit_of(const struct check_range *range) {
    bool items = strcmp(range->kind, "table") == 0 || strcmp(range->kind, "backup") == 0;
    return items ? "items" : strcmp(range->kind, "stream") == 0 ? "records" : "entries";
}

static void print_range(const struct check_range *range) {
    say(stdout, "%s %.*s", range->kind, SLICE_ARGS(range->name));
    if (slice_present(range->part))
        say(stdout, ", %.*s", SLICE_ARGS(range->part));
    say(stdout, ": %lld %s", (long long)range->found.items, unit_of(range));
    if (range->found.bytes > 0)
        say(stdout, ", %lld bytes", (long long)range->found.bytes);
    if (range->history > 0)
        say(stdout, "; history of %llu changes", (unsigned long long)range->history);
    say(stdout, "\n");
}

static void print_records(const struct check_summary *records) {
    for (size_t i = 0; i < records->range_count; i++)
        print_range(&records->ranges[i]);
    say(stdout, "records:");
    for (size_t i = 0; i < KEYSPACE_COUNT; i++)
        say(stdout, "%s %llu in %s", i == 0 ? "" : ",", (unsigned long long)records->records[i],
            engine_keyspaces[i].name);
    if (records->left_over > 0)
        say(stdout, "; %llu are left over from what was deleted, and do no harm",
            (unsigned long long)records->left_over);
    say(stdout, "\n");
}

static void print_backup(const struct data_check *check) {
    if (check->faults == 0)
        say(stdout, "backup: %llu records (%llu items), %.1f MB\n",
            (unsigned long long)check->backup.records, (unsigned long long)check->backup.items,
            (double)check->backup.bytes / 1e6);
}

static void end_faults(const struct printer *printer) {
    display_clear(printer->display);
    if (printer->told > SHOWN_MAX)
        say(stdout, "and %llu more faults\n", (unsigned long long)(printer->told - SHOWN_MAX));
}

static void print_checked(const struct data_check *check) {
    if (check->is_backup)
        print_backup(check);
    else if (check->has_files)
        print_files(&check->files);
    if (check->opened)
        print_records(&check->records);
    else if (!check->is_backup)
        say(stdout, "records: not checked, since the database cannot be opened\n");
    if (check->faults == 0)
        say(stdout, "%s is sound\n", check->name);
    else
        say(stdout, "%s has %llu fault%s\n", check->name, (unsigned long long)check->faults,
            check->faults == 1 ? "" : "s");
}

static struct error *check(struct arena *arena, const struct check_given *given,
                           const struct data_check_options *options, uint64_t *ret_faults) {
    const struct printer *printer = container_of(options->faults, struct printer, base);
    struct data_check check;
    (void)given;
    TRY(data_check(arena, options, &check));
    end_faults(printer);
    print_checked(&check);
    *ret_faults = check.faults;
    return NULL;
}

/* ---- salvaging ---- */

static struct error *salvage(struct arena *arena, const struct check_given *given,
                             const struct data_check_options *options, uint64_t *ret_faults) {
    const struct printer *printer = container_of(options->faults, struct printer, base);
    struct data_salvage salvage;
    TRY(data_salvage(arena, options, given->salvage, &salvage));
    end_faults(printer);
    say(stdout, "salvaged %s to %s: %llu tables, %llu items, %llu records of changes; %s\n",
        given->path, given->salvage, (unsigned long long)salvage.totals.tables,
        (unsigned long long)salvage.totals.items, (unsigned long long)salvage.totals.changes,
        salvage.faults == 0 ? "nothing is lost" : "what is lost stands above");
    *ret_faults = salvage.faults;
    return NULL;
}

/* ---- the command ---- */

static int run_check(const struct invocation *invocation) {
    const struct check_given *given = invocation->values;
    struct display display = display_begin();
    struct printer printer = {{print_fault}, &display, 0};
    struct data_check_options options = {
        .path = given->path, .faults = &printer.base, .observer = &display.observer};
    struct master_key key;
    uint64_t faults = 0;
    signal(SIGXFSZ, SIG_IGN);
    struct error *error =
        key_option_read(invocation->arena, given->encrypt_with, &key, &options.key);
    if (error == NULL)
        error =
            (given->salvage != NULL ? salvage : check)(invocation->arena, given, &options, &faults);
    master_key_release(&key);
    if (error != NULL) {
        display_failed(&display, error);
        return EXIT_UNCHECKED;
    }
    named_note(invocation->arena, given->path, "check");
    return faults == 0 ? 0 : EXIT_FAULTS;
}

#define AT(member) OPTION_AT(struct check_given, member)

static const struct argument check_arguments[] = {
    {"PATH",
     "a data directory on which no server runs, the postgres:// URL of a store, or what gramme "
     "backup made",
     OPTION_FILE, AT(path)},
    {.name = NULL},
};

static const struct option check_options[] = {
    {"encrypt-with", "KEY", .kind = OPTION_TEXT, AT(encrypt_with), .otherwise = "PATH is plain",
     .help = "the key of what is encrypted, as for gramme serve"},
    {"salvage", "NEW", .kind = OPTION_DIRECTORY, AT(salvage),
     .help = "make the data directory NEW of what can be read, and list what cannot"},
    {.name = NULL},
};

const struct command command_check = {
    .name = "check",
    .summary = "check a data directory, a store or a backup for damage",
    .about =
        "Reads every file of the data directory PATH with its checksums, then every record, and "
        "compares what is kept twice: items and indexes, expiries, item collections, statistics, "
        "backups, streams and history. A store at a URL is read as it is at one moment, and "
        "servers "
        "go on. Of a backup every record is checked. Nothing is changed.\n"
        "With --salvage, what can be read of a damaged PATH becomes a new data directory, "
        "encrypted as PATH is. What follows from items, indexes for example, is made anew.",
    .closing = "The exit status is 0 when PATH is sound, 1 when it has faults, and 2 when it could "
               "not be checked.",
    .arguments = check_arguments,
    .options = check_options,
    .values_size = sizeof(struct check_given),
    .run = run_check,
};
