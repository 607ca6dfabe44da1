/* bench.h - the parts of `gramme bench`: its options, and the table that it works on. */
#ifndef GRAMME_CLI_BENCH_H
#define GRAMME_CLI_BENCH_H

#include "bench/report.h"
#include "cli/options.h"
#include "cli/service.h"

struct bench_options {
    const char *endpoint;
    const char *region;
    const char *workload; /* NULL: a request of the user's own */
    const char *operation;
    const char *body;
    const char *table;
    const char *json; /* NULL: none; "-": standard output */
    const char *plot;
    bool sign;
    bool no_sign;
    bool load;
    bool keep;
    bool quiet;
    enum key_order order; /* when it is given */
    uint64_t connections;
    uint64_t threads;
    uint64_t count;
    uint64_t keys;
    uint64_t item_bytes;
    uint64_t payload_bytes;
    uint64_t group;
    uint64_t batch; /* 0: as the workload has it */
    uint64_t seed;  /* when it is given */
    double seconds;
    double warmup_s;
    double rate;
    double timeout_s;
};

extern const struct option bench_options[];

void bench_print_workloads(FILE *out);
/* What does not go together. */
struct error *bench_check(struct invocation *invocation);

/* The table of the workloads, before and after. */
struct bench_table {
    struct arena *arena;
    struct service service;
    const char *name;
    bool made; /* by us */
};

/* Makes the table when it is not there. `ret_full`: it has that many items already. */
struct error *bench_table_prepare(struct bench_table *table, uint64_t keys, bool *ret_full);
struct error *bench_table_delete(struct bench_table *table);

#endif
