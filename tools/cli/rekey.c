/* rekey.c - `gramme rekey`: another key for a data directory, its first one, or none. */
#include <signal.h>

#include "admin/data_directory.h"
#include "admin/name_spaces.h"
#include "admin/rekey.h"
#include "cli/display.h"
#include "cli/key_option.h"
#include "cli/named_note.h"
#include "cli/options.h"
#include "cli/say.h"

struct rekey_given {
    const char *directory;
    const char *encrypt_with;
    const char *new_key;
    bool plain;
};

static struct error *check_rekey(struct invocation *invocation) {
    const struct rekey_given *given = invocation->values;
    if (given->new_key == NULL && !given->plain)
        return error_local(invocation->arena, "--new-key or --plain is missing");
    return NULL;
}

static void print_done(const struct display *display, const struct rekey_given *given,
                       const struct rekey_summary *summary) {
    display_clear(display);
    if (summary->outcome == REKEY_CHANGED) {
        say(stdout, "rekeyed %s: the new key opens it, and no other\n", given->directory);
        return;
    }
    say(stdout, "%s %s: %llu records, %.1f MB in %.1f s, %.0f MB/s; copied and compared\n",
        summary->outcome == REKEY_ENCRYPTED ? "encrypted" : "decrypted", given->directory,
        (unsigned long long)summary->totals.records, (double)summary->totals.bytes / 1e6,
        display_seconds(display), display_rate(display, summary->totals.bytes));
}

/* Name spaces go first, so that what is said to be encrypted has nothing plain in it. */
static struct error *check_named(struct arena *arena, const struct rekey_options *options) {
    struct name_spaces list = name_spaces_of(arena, options->directory);
    bool to_encrypted = options->new_key != NULL, is_encrypted = false;
    if (to_encrypted && options->key != NULL)
        return NULL;
    for (size_t i = 0; i < list.count; i++) {
        TRY(data_directory_is_encrypted(arena, list.paths[i], &is_encrypted));
        if (is_encrypted != to_encrypted)
            return error_local(arena,
                               "%s is a data directory of its own, of a name space, and is %s: "
                               "rekey it first",
                               list.paths[i], is_encrypted ? "encrypted" : "plain");
    }
    return NULL;
}

static int run_rekey(const struct invocation *invocation) {
    const struct rekey_given *given = invocation->values;
    struct arena *arena = invocation->arena;
    struct display display = display_begin();
    struct rekey_options options = {.directory = given->directory, .observer = &display.observer};
    struct master_key key, new_key = {0};
    struct rekey_summary summary;
    signal(SIGXFSZ, SIG_IGN);
    struct error *error = key_option_read(arena, given->encrypt_with, &key, &options.key);
    if (error == NULL)
        error = key_option_read(arena, given->new_key, &new_key, &options.new_key);
    if (error == NULL)
        error = check_named(arena, &options);
    if (error == NULL)
        error = rekey(arena, &options, &summary);
    master_key_release(&key);
    master_key_release(&new_key);
    if (error != NULL)
        return display_failed(&display, error);
    print_done(&display, given, &summary);
    if (summary.outcome == REKEY_CHANGED)
        named_note(arena, given->directory, "rekey");
    return 0;
}

#define AT(member) OPTION_AT(struct rekey_given, member)

static const struct argument rekey_arguments[] = {
    {"DIR", "the data directory", OPTION_DIRECTORY, AT(directory)},
    {.name = NULL},
};

static const struct option rekey_options[] = {
    {"encrypt-with", "KEY", .kind = OPTION_TEXT, AT(encrypt_with), .otherwise = "DIR is plain",
     .help = "the key that opens DIR, as for gramme serve"},
    {"new-key", "KEY", .kind = OPTION_TEXT, AT(new_key), .help = "the key that is to open it"},
    {"plain", .kind = OPTION_FLAG, AT(plain), .excludes = "new-key",
     .help = "DIR is to be plain: everyone who reads the disk reads the data"},
    {.name = NULL},
};

const struct command command_rekey = {
    .name = "rekey",
    .summary = "change the key of a data directory, or encrypt a plain one",
    .about =
        "Makes another key the one that opens the data directory DIR. That takes a moment, and "
        "a server may run on DIR.\n"
        "Without --encrypt-with DIR is plain, and all of it is encrypted: no server may run, "
        "and there must be room for a copy. DIR is as it was until the copy is on disk and "
        "was compared; when this is cut short, start it again.",
    .closing = "Backups that were made before still need the key of their day.",
    .arguments = rekey_arguments,
    .options = rekey_options,
    .values_size = sizeof(struct rekey_given),
    .check = check_rekey,
    .run = run_rekey,
};
