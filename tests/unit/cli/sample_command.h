/* sample_command.h - a command that has an option of every kind, for the tests of options and help.
 */
#ifndef GRAMME_TESTS_SAMPLE_COMMAND_H
#define GRAMME_TESTS_SAMPLE_COMMAND_H

#include "cli/options.h"

enum fruit { FRUIT_APPLE, FRUIT_PEAR, FRUIT_PLUM };

struct sample {
    const char *in;
    const char *out;
    bool dry;
    uint16_t port;
    uint64_t seed;
    double rate;
    double timeout_s;
    uint64_t hold_ms;
    uint64_t cache_bytes;
    const char *host;
    const char *log;
    const char *data;
    const char *account;
    enum fruit fruit;
    const char **guests;
    struct option_pairs settings;
};

#define AT(member) OPTION_AT(struct sample, member)

static bool is_account(const char *text) {
    return strlen(text) == 4 && strspn(text, "0123456789") == 4;
}

static const char *const fruits[] = {"apple", "pear", "plum", NULL};

static const struct argument sample_arguments[] = {
    {"IN", "what to read; - is standard input", OPTION_FILE, AT(in)},
    {"OUT", "where to write", OPTION_FILE, AT(out)},
    {.name = NULL},
};

static const struct option sample_options[] = {
    {"port", "N", .kind = OPTION_NUMBER, AT(port), .number = {1, 65535}, .preset = "8000",
     .help = "where to listen"},
    {"host", "HOST", .kind = OPTION_TEXT, AT(host), .preset = "127.0.0.1",
     .help = "the address that goes with it, which is this machine's own unless you say so"},
    {"data", "DIR", .kind = OPTION_DIRECTORY, AT(data), .help = "a directory"},
    {"dry", .kind = OPTION_FLAG, AT(dry), .excludes = "data", .help = "touch nothing"},
    {"a-name-longer-than-most", "N", .kind = OPTION_NUMBER, AT(seed), .number = {0, INT64_MAX},
     .help = "on a line of its own"},
    {"rate", "N", .group = "How much", .kind = OPTION_DECIMAL, AT(rate), .decimal = {0.5, 1e7},
     .otherwise = "as fast as it goes", .help = "per second"},
    {"timeout", "SECONDS", .kind = OPTION_SECONDS, AT(timeout_s), .decimal = {0, 3600},
     .needs = "rate", .help = "the end"},
    {"hold", "DURATION", .kind = OPTION_DURATION, AT(hold_ms), .help = "how long"},
    {"cache", "SIZE", .kind = OPTION_SIZE, AT(cache_bytes), .help = "memory"},
    {"log", "FILE", .kind = OPTION_FILE, AT(log), .help = "a file"},
    {"account", "ID", .kind = OPTION_TEXT, AT(account), .form = {"4 digits", is_account},
     .help = "whose"},
    {"fruit", "NAME", .kind = OPTION_CHOICE, AT(fruit), .words = fruits, .preset = "pear",
     .help = "apple: one\npear: another\nplum: a third"},
    {"guest", "ID", .kind = OPTION_TEXTS, AT(guests), .form = {"4 digits", is_account},
     .help = "who else"},
    {"set", "KEY=VALUE", .kind = OPTION_PAIRS, AT(settings), .help = "any number of times"},
    {"check", .kind = OPTION_FLAG, AT(dry), .excludes = "OUT", .help = "only read"},
    {.name = NULL},
};

#undef AT

static const struct command sample_command = {
    .name = "sample",
    .summary = "shows what there is",
    .about = "Reads IN and writes OUT. A text that is longer than a line of eighty columns goes "
             "on in the next one.",
    .closing = "Exit status: 0.",
    .arguments = sample_arguments,
    .options = sample_options,
    .values_size = sizeof(struct sample),
};

#endif
