/* copy_store.c - `gramme copy-store`: a store into another place, and whether two are the same. */
#include <signal.h>

#include "admin/copy_store.h"
#include "base/bytes.h"
#include "cli/display.h"
#include "cli/key_option.h"
#include "cli/options.h"
#include "cli/say.h"

struct copy_given {
    const char *from;
    const char *to;
    const char *encrypt_with;
    const char *new_key;
    bool plain;
    bool replace;
    bool verify_only;
};

static void print_keyspaces(const struct copy_totals *totals) {
    for (size_t i = 0; i < KEYSPACE_COUNT; i++) {
        char hash[SHA256_HEX + 1] = {0};
        hex_print(totals->hashes[i], SHA256_BYTES, hash);
        say(stdout, "%-8s %12llu records %15llu bytes  sha256 %s\n", engine_keyspaces[i].name,
            (unsigned long long)totals->keyspaces[i].records,
            (unsigned long long)totals->keyspaces[i].bytes, hash);
    }
}

static void print_done(const struct display *display, const struct copy_store_options *options,
                       const struct copy_totals *totals) {
    display_clear(display);
    print_keyspaces(totals);
    say(stdout, "%s %s %s %s: %llu records, %.1f MB in %.1f s; %s\n",
        options->verify_only ? "compared" : "copied", options->from.name,
        options->verify_only ? "with" : "to", options->to.name, (unsigned long long)totals->records,
        (double)totals->bytes / 1e6, display_seconds(display),
        options->verify_only ? "they are the same" : "read from both and compared");
}

static struct error *find_places(struct arena *arena, const struct copy_given *given,
                                 struct copy_store_options *options) {
    TRY(store_place_of(arena, given->from, &options->from));
    return store_place_of(arena, given->to, &options->to);
}

static int run_copy(const struct invocation *invocation) {
    const struct copy_given *given = invocation->values;
    struct arena *arena = invocation->arena;
    struct display display = display_begin();
    struct copy_store_options options = {.plain = given->plain,
                                         .replace = given->replace,
                                         .verify_only = given->verify_only,
                                         .observer = &display.observer};
    struct master_key key = {0}, new_key = {0};
    struct copy_totals totals;
    signal(SIGXFSZ, SIG_IGN);
    struct error *error = find_places(arena, given, &options);
    if (error == NULL)
        error = key_option_read(arena, given->encrypt_with, &key, &options.key);
    if (error == NULL)
        error = key_option_read(arena, given->new_key, &new_key, &options.new_key);
    if (error == NULL)
        error = copy_store(arena, &options, &totals);
    master_key_release(&key);
    master_key_release(&new_key);
    if (error != NULL)
        return display_failed(&display, error);
    print_done(&display, &options, &totals);
    return 0;
}

#define AT(member) OPTION_AT(struct copy_given, member)

static const struct argument copy_arguments[] = {
    {"FROM", "rocksdb:DIR, or just DIR, or a postgres:// URL, as for gramme serve --store",
     OPTION_TEXT, AT(from)},
    {"TO", "likewise: a directory that is not there yet, or a store that gramme store init made",
     OPTION_TEXT, AT(to)},
    {.name = NULL},
};

static const struct option copy_options[] = {
    {"replace", .kind = OPTION_FLAG, AT(replace),
     .help = "TO is a store on a PostgreSQL server, and all that is in it goes first"},
    {"verify-only", .kind = OPTION_FLAG, AT(verify_only), .excludes = "replace",
     .help = "copy nothing: compare what is in FROM and TO"},
    {"encrypt-with", "KEY", .kind = OPTION_TEXT, AT(encrypt_with),
     .help = "the key that the servers of FROM are started with: of an encrypted directory, or of "
             "the access keys on a PostgreSQL server"},
    {"new-key", "KEY", .kind = OPTION_TEXT, AT(new_key),
     .help = "the key for the servers of TO, likewise"},
    {"plain", .kind = OPTION_FLAG, AT(plain),
     .help = "FROM is an encrypted directory, and what is in it may be plain in TO"},
    {.name = NULL},
};

const struct command command_copy_store = {
    .name = "copy-store",
    .summary = "copy a data directory to a PostgreSQL server, or back",
    .about =
        "Copies everything in the store FROM to TO: tables, items, indexes, streams, backups, "
        "history, users and access keys. No server may run on either; a server that is started "
        "on TO afterwards goes on where the one on FROM ended. When all is there it is read from "
        "both and compared, byte by byte, and its counts and hashes are printed.",
    .closing = "FROM stays as it is. What a crash or an error leaves of TO is opened by no server; "
               "run the same command again, and it starts over.",
    .arguments = copy_arguments,
    .options = copy_options,
    .values_size = sizeof(struct copy_given),
    .run = run_copy,
};
