/* command.h - what a command says about itself: its name, its arguments, its options, its work.
 *
 * Plain constant data. Arguments are read by it (options.h), help is printed from it (help.h), and
 * whatever else wants to know the program's options (a manual, completions, a file of settings)
 * finds all of them through `commands`. A command's values are a struct of its own, which is filled
 * by the offsets in its tables. */
#ifndef GRAMME_CLI_COMMAND_H
#define GRAMME_CLI_COMMAND_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* And what the member at `at` has to be. */
enum option_kind {
    OPTION_FLAG,      /* bool */
    OPTION_NUMBER,    /* an unsigned integer of any width */
    OPTION_DECIMAL,   /* double */
    OPTION_SECONDS,   /* double */
    OPTION_DURATION,  /* uint64_t: milliseconds, written as 30s, 5m, 1h, 2d, or 0 */
    OPTION_SIZE,      /* uint64_t: bytes, written as 512M or 4G */
    OPTION_TEXT,      /* const char *, never empty */
    OPTION_FILE,      /* the same, a file's name */
    OPTION_DIRECTORY, /* the same, a directory's */
    OPTION_CHOICE,    /* an enum: the place of the word in `words` */
    OPTION_TEXTS,     /* const char **: texts, given any number of times; NULL ends them */
    OPTION_PAIRS,     /* struct option_pairs: KEY=VALUE, given any number of times */
};

enum { OPTION_TEXTS_MAX = 200, OPTION_PAIRS_MAX = 200 };

struct option_pairs {
    struct option_pair {
        struct slice name;
        struct slice value;
    } * pairs;
    size_t count;
};

struct option {
    const char *name;  /* without its dashes; NULL ends a table */
    const char *value; /* what help calls its value; NULL: a flag */
    const char *group; /* the heading above it in help; NULL: that of the option before */
    const char *help;
    const char *preset;    /* its value when it is not given, as one would write it */
    const char *otherwise; /* for help, where there is no preset: what holds then */
    const char *needs;     /* another option that must be given too */
    const char *excludes;  /* an option or argument that must not */
    enum option_kind kind;
    size_t at; /* OPTION_AT() */
    size_t size;
    union {
        struct {
            uint64_t low;
            uint64_t high;
        } number; /* NUMBER */
        struct {
            double low;
            double high;
        } decimal;                /* DECIMAL, SECONDS */
        const char *const *words; /* CHOICE; NULL ends them */
        struct {
            const char *takes; /* "12 digits", for messages; NULL: any text */
            bool (*fits)(const char *text);
        } form; /* TEXT, TEXTS */
    };
};

/* What stands without a name. All are needed, except one that an option in use excludes. */
struct argument {
    const char *name; /* NULL ends a table */
    const char *help;
    enum option_kind kind; /* TEXT, FILE or DIRECTORY */
    size_t at;
    size_t size;
    const char *otherwise;    /* it may be left out, and what is meant then; NULL: it may not */
    const char *const *words; /* it is one of; NULL ends them; or NULL: any */
};

#define OPTION_AT(type, member) .at = offsetof(type, member), .size = sizeof(((type *)0)->member)

struct invocation;

/* Words of a command, and which it is. */
struct command_line {
    const struct command *command;
    int argc;
    char *const *argv;
};

struct command {
    const char *name;
    const char *summary;              /* for the list of commands */
    const char *about;                /* below the usage; a line break is one */
    const char *closing;              /* the end of the help, or NULL */
    const struct argument *arguments; /* or NULL */
    const struct option *options;
    size_t values_size;
    /* Its options may come from variables and from a file, too (settings.h), whose name is in the
     * member of its values that is here. */
    bool has_settings;
    size_t settings_file;
    /* Puts what was given into the words of another command; what that one reads is in the arena.
     * NULL: the tables tell how it is read. */
    struct error *(*translate)(struct arena *arena, struct command_line *line);
    /* What the tables cannot tell of, after all of them hold; or NULL. The error's text goes
     * before "; see gramme NAME --help". */
    struct error *(*check)(struct invocation *invocation);
    /* Returns the exit status: 0 fine, 1 failed; 2, called wrongly, mostly comes from above. */
    int (*run)(const struct invocation *invocation);
    void (*print_more)(FILE *out); /* more help, after the options; or NULL */
    /* Words that it takes besides, with their dashes, one after another; or NULL. Of a flag the
     * value is NULL. */
    void (*list_words)(void (*take)(const char *word, const char *value, const char *help));
};

extern const struct command command_serve;
extern const struct command command_local;
extern const struct command command_apply;
extern const struct command command_backup;
extern const struct command command_restore;
extern const struct command command_check;
extern const struct command command_copy_store;
extern const struct command command_rekey;
extern const struct command command_bench;
extern const struct command command_top;
extern const struct command command_healthcheck;
extern const struct command command_cost;
extern const struct command command_mcp;
extern const struct command command_operations;
extern const struct command command_completion;

/* All of them, as help lists them; NULL ends them. */
extern const struct command *const commands[];

/* Commands of two words that begin with the same one: "key create", "key list". */
struct command_family {
    const char *name;
    const char *summary;
    const char *about;
    const struct command *const *commands; /* NULL ends them */
};

/* All of them, likewise. */
extern const struct command_family *const command_families[];

extern const struct command_family family_cert;
extern const struct command_family family_key;
extern const struct command_family family_role;
extern const struct command_family family_store;
extern const struct command_family family_user;

#endif
