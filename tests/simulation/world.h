/* world.h - one simulation: an engine that lives, dies and lives again, the model beside it, and
 * what is under way.
 *
 * Everything happens in one thread, in turns: jobs are submitted, the engine is stepped, and what
 * it answers is held against the model at once. Time stands still but for world_pass(). So all that
 * happens follows from the seed. The first thing that is wrong ends the program, with the command
 * that repeats it. */
#ifndef GRAMME_TESTS_WORLD_H
#define GRAMME_TESTS_WORLD_H

#include "engine/check.h"
#include "simulation/chance.h"
#include "simulation/model.h"
#include "support/backup_fixture.h"

enum { WORLD_WRITES_MAX = 6, WORLD_JOBS_MAX = 8, WORLD_TOKENS_MAX = 8, WORLD_TOKEN_CHARS = 24 };

/* A transaction that is remembered by its token. */
struct world_token {
    char text[WORLD_TOKEN_CHARS];
    int64_t end_ms; /* 0: not used yet, or not known whether it is remembered */
    int request;    /* the number of the request that it stands for */
    struct model_write writes[WORLD_WRITES_MAX];
    int count;
};

/* A job that was submitted and has not been answered yet, or of which nobody knows. */
struct world_job {
    struct world *world;
    struct write_job job;
    struct write_transaction transaction;
    struct item_write writes[WORLD_WRITES_MAX];
    struct model_write meant[WORLD_WRITES_MAX];
    int count;
    struct world_token *token; /* NULL: none */
    int request;               /* of the token, or another one */
};

/* What the table is set to, beside its items. */
struct world_settings {
    bool expires, recovers, later;
};

struct world_scan { /* that sees one moment, however long it takes */
    bool open;
    struct arena arena;
    struct reader reader;
    struct read_range range;
    struct cursor cursor;
    struct model_item items[MODEL_KEYS];
    bool seen[MODEL_KEYS];
};

struct world {
    struct check_observer observer; /* of checks of the store */
    uint64_t seed;
    struct chance chance;
    struct engine_fixture fixture;
    struct store *base;  /* what a crash leaves */
    struct store *store; /* of this life, with its faults */
    struct expr_cache *programs;
    struct model model;
    struct world_settings settings;
    bool settings_unsure;
    struct world_token tokens[WORLD_TOKENS_MAX];
    uint64_t token_count;
    struct world_job jobs[WORLD_JOBS_MAX];
    int job_count;
    int unsure_count; /* the last so many of the jobs were answered with a failure */
    struct world_scan scan;
    bool has_backup, backup_unsure;
    struct backup_id backup;
    struct model_item backup_items[MODEL_KEYS];
    bool restoring, restore_unsure;
    struct model_item restored[MODEL_KEYS];
    bool dying;        /* the store is gone, or about to be */
    bool gone_applied; /* and its last commit happened, though nobody heard of it */
    /* What was done. */
    uint64_t steps, writes, refused, crashes, faults, restores, backups, replays, expired, checks;
    uint64_t digest; /* of all that was answered */
};

/* world.c: lives and deaths */
void world_init(struct world *world, uint64_t seed);
void world_release(struct world *world);
void world_open(struct world *world);
/* Closes the engine, which leaves nothing behind if its store is gone; world_open() follows. */
void world_end_life(struct world *world);
/* True: the engine was told, and first of all stores the time. */
bool world_pass(struct world *world, int64_t ms);
int64_t world_now_ms(void);
_Noreturn void world_fail(struct world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void world_note(struct world *world, const char *what);

/* jobs.c: writes */
void jobs_submit(struct world *world);
/* After a step in which the store lived on: all of them were answered. */
void jobs_end(struct world *world);
/* After a crash: finds out which of them happened. */
void jobs_resolve(struct world *world);

/* settings.c: what changes the catalog */
/* Changes something, which steps the engine; false: nothing could be changed. */
bool settings_change(struct world *world);
/* Compares a table that was restored, once it is, and drops it. */
void settings_look(struct world *world);
/* After a crash. */
void settings_resolve(struct world *world);

/* checks.c: reading */
void checks_read_one(struct world *world);
void checks_scan(struct world *world);
void checks_scan_close(struct world *world);
void checks_expired(struct world *world);
/* How many items should be gone. */
int checks_due(const struct world *world);
/* Everything; the store has no faults now. */
void checks_all(struct world *world);
/* Reads a table as the model has it. False: it could not be read. */
bool checks_read_table(struct world *world, const char *table, struct model_item ret[MODEL_KEYS]);

#endif
