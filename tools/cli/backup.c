/* backup.c - `gramme backup` and `gramme restore`: arguments, a line that shows how far it is, and
 * a line that says what was done. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "admin/dump_file.h"
#include "base/timestamp.h"
#include "cli/command.h"

static const char backup_help[] =
    "Usage: gramme backup [--force] DIR FILE\n"
    "\n"
    "Writes everything in the data directory DIR, as it is at one moment, to FILE. A server that\n"
    "runs on DIR goes on meanwhile; when none does, DIR itself is read. FILE appears when it is\n"
    "whole and on disk; until then it is FILE.partial. With - for FILE: to standard output.\n"
    "\n"
    "  --force   replace FILE when it is there\n"
    "\n"
    "FILE holds all data as it is: keep it as safe as DIR.\n";

static const char restore_help[] =
    "Usage: gramme restore FILE DIR\n"
    "       gramme restore --check FILE\n"
    "\n"
    "Makes the data directory DIR from the backup FILE, on any machine. DIR must not be there "
    "yet,\n"
    "or be empty. FILE is verified as a whole, and DIR appears when all of it is on disk; until\n"
    "then it is DIR.partial. With - for FILE: from standard input.\n"
    "\n"
    "  --check   only verify FILE\n";

enum { SHOW_EVERY_MS = 200, NAMES_MAX = 2 };

/* ---- what both print ---- */

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A line on standard error, when that is a terminal. */
struct display {
    struct dump_observer observer;
    bool terminal;
    double begin_s;
    double next_s;
};

static double rate_of(const struct display *display, uint64_t bytes) {
    double seconds = now_s() - display->begin_s;
    return (double)bytes / 1e6 / (seconds < 1e-3 ? 1e-3 : seconds);
}

static void display_report(struct dump_observer *observer, uint64_t records, uint64_t bytes) {
    struct display *display = (struct display *)observer;
    double now = now_s();
    if (!display->terminal || now < display->next_s)
        return;
    display->next_s = now + SHOW_EVERY_MS / 1000.0;
    fprintf(stderr, "\r%llu records, %.1f MB, %.0f MB/s\033[K", (unsigned long long)records,
            (double)bytes / 1e6, rate_of(display, bytes));
}

static struct display display_begin(void) {
    double now = now_s();
    return (struct display){{display_report}, isatty(STDERR_FILENO) != 0, now, now};
}

static void display_clear(const struct display *display) {
    if (display->terminal)
        fputs("\r\033[K", stderr);
}

static int display_failed(const struct display *display, const struct error *error) {
    display_clear(display);
    fprintf(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
    return 1;
}

/* "N records (M items), X MB in T s, R MB/s", to go on with. */
static void print_totals(const struct display *display, FILE *out,
                         const struct dump_file_summary *summary) {
    fprintf(out, "%llu records (%llu items), %.1f MB in %.1f s, %.0f MB/s",
            (unsigned long long)summary->records, (unsigned long long)summary->items,
            (double)summary->bytes / 1e6, now_s() - display->begin_s,
            rate_of(display, summary->bytes));
}

/* ---- arguments ---- */

struct arguments {
    const char *command;
    const char *help;
    const char *flag;
    bool flagged;
    size_t count;
    const char *names[NAMES_MAX];
};

static int wrong(const struct arguments *arguments, const char *what, const char *argument) {
    fprintf(stderr, "gramme %s: %s%s%s%s; see gramme %s --help\n", arguments->command, what,
            argument == NULL ? "" : " '", argument == NULL ? "" : argument,
            argument == NULL ? "" : "'", arguments->command);
    return 2;
}

/* -1 when the command is to run, else its exit status. */
static int parse(struct arguments *arguments, int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            fputs(arguments->help, stdout);
            return 0;
        }
        if (strcmp(argument, arguments->flag) == 0)
            arguments->flagged = true;
        else if (argument[0] == '-' && argument[1] != '\0')
            return wrong(arguments, "there is no option", argument);
        else if (argument[0] == '\0')
            return wrong(arguments, "a name is empty:", argument);
        else if (arguments->count == NAMES_MAX)
            return wrong(arguments, "unexpected argument", argument);
        else
            arguments->names[arguments->count++] = argument;
    }
    return -1;
}

/* ---- the commands ---- */

static bool is_stream(const char *file) {
    return strcmp(file, "-") == 0;
}

static void print_made(const struct display *display, const struct dump_file_options *options,
                       const struct dump_file_summary *summary) {
    FILE *out = is_stream(options->file) ? stderr : stdout;
    display_clear(display);
    fprintf(out, "backed up %s to %s: ", options->directory,
            is_stream(options->file) ? "standard output" : options->file);
    print_totals(display, out, summary);
    fprintf(out, "; %s\n",
            summary->from_server ? "taken from the running server" : "no server was running");
}

int command_backup(int argc, char **argv) {
    struct arguments arguments = {.command = "backup", .help = backup_help, .flag = "--force"};
    int status = parse(&arguments, argc, argv);
    if (status >= 0)
        return status;
    if (arguments.count < 2)
        return wrong(&arguments, "it takes a data directory and a file", NULL);
    signal(SIGPIPE, SIG_IGN); /* a reader or a server that goes away is an error to tell */
    signal(SIGXFSZ, SIG_IGN);
    struct display display = display_begin();
    struct dump_file_options options = {
        .directory = arguments.names[0],
        .file = arguments.names[1],
        .replace = arguments.flagged,
        .program = "gramme " GRAMME_VERSION,
        .observer = &display.observer,
    };
    struct arena arena;
    struct dump_file_summary summary;
    arena_init(&arena);
    struct error *error = dump_file_make(&arena, &options, &summary);
    if (error == NULL)
        print_made(&display, &options, &summary);
    status = error == NULL ? 0 : display_failed(&display, error);
    arena_release(&arena);
    return status;
}

static void print_restored(const struct display *display,
                           const struct dump_restore_options *options,
                           const struct dump_file_summary *summary) {
    char made[TIMESTAMP_CHARS + 1];
    timestamp_print(summary->made_ms, made);
    const char *file = is_stream(options->file) ? "standard input" : options->file;
    display_clear(display);
    if (options->directory == NULL)
        printf("verified %s: ", file);
    else
        printf("restored %s to %s: ", file, options->directory);
    print_totals(display, stdout, summary);
    printf("; made by %.*s at %.19sZ\n", SLICE_ARGS(summary->program), made);
}

int command_restore(int argc, char **argv) {
    struct arguments arguments = {.command = "restore", .help = restore_help, .flag = "--check"};
    int status = parse(&arguments, argc, argv);
    if (status >= 0)
        return status;
    if (arguments.flagged && arguments.count != 1)
        return wrong(&arguments, "--check takes a file and nothing else", NULL);
    if (!arguments.flagged && arguments.count < 2)
        return wrong(&arguments, "it takes a file and a data directory", NULL);
    signal(SIGXFSZ, SIG_IGN);
    struct display display = display_begin();
    struct dump_restore_options options = {
        .file = arguments.names[0],
        .directory = arguments.flagged ? NULL : arguments.names[1],
        .observer = &display.observer,
    };
    struct arena arena;
    struct dump_file_summary summary;
    arena_init(&arena);
    struct error *error = dump_file_restore(&arena, &options, &summary);
    if (error == NULL)
        print_restored(&display, &options, &summary);
    status = error == NULL ? 0 : display_failed(&display, error);
    arena_release(&arena);
    return status;
}
