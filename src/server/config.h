/* config.h - what a server is started with. */
#ifndef GRAMME_SERVER_CONFIG_H
#define GRAMME_SERVER_CONFIG_H

#include "server/alarm_actions.h"

enum server_durability { SERVER_SYNC, SERVER_RELAXED };

/* Another server leads the store, and this one hands on to it and waits for it to go. */
struct server_waiter {
    /* Is called again and again; the server answers at `port` meanwhile. */
    enum server_wish {
        SERVER_WAITS,
        SERVER_RELOADS, /* as by server_reload() */
        SERVER_ENDS,    /* it is not to start after all */
    } (*wish)(struct server_waiter *waiter, struct slice place, uint16_t port);
};

struct server_config {
    const char *host;
    uint16_t port;              /* 0: any free one */
    unsigned passed_fds;        /* it listens at, instead (endpoint.h) */
    bool loopback_only;         /* others than this machine must not reach it */
    const char **allow_hosts;   /* more names that it answers to; NULL ends them, or is for none */
    const char **allow_origins; /* whose web pages may ask, likewise; "*": all */
    const char *data_directory; /* NULL: in memory, or elsewhere */
    const char *store_url;      /* of a server that keeps the data, for several of us; or NULL */
    const char *node;      /* with it: "host:port" at which the others reach this one; or NULL */
    const char *advertise; /* likewise, as they see it; NULL: the same */
    const char *read_store_url; /* likewise: a standby, for reads that may be old; or NULL */
    uint64_t read_lag_ms;       /* with it: how old at most */
    struct server_waiter *waiter;
    const char *encrypt_with; /* where its master key is (admin/master_key.h); NULL: it is plain */
    enum server_durability durability;
    const char *region;
    const char *account;    /* its number, 12 digits */
    uint64_t ttl_delay_ms;  /* how long items are kept after they expire */
    uint64_t clock_hold_ms; /* how long a jump of the system's clock is doubted */
    uint64_t scrub_ms;      /* in how long all files are read through, again and again; 0: never */
    uint64_t cache_bytes;   /* of data read from disk; 0: a quarter of the machine's memory */
    uint32_t reserve_mb;    /* of the disk, for a start when it is full; 0: none */
    uint64_t request_bytes; /* of requests under way; 0: 512 MiB */
    unsigned connections;   /* open at a time */
    unsigned connections_per_peer; /* likewise, from one address */
    unsigned threads;              /* I/O threads; 0: as many as cores */
    const char *program;           /* its name and version, for the header of backups; or NULL */
    const char *audit;           /* a file, "-" for standard output: its log of changes; or NULL */
    const char *policy;          /* a file: what callers may do; NULL: everything */
    bool auth;                   /* signatures are verified */
    unsigned skew_minutes;       /* how far the date of a signature may be off */
    const char *root_key;        /* a credentials file: a key of the owner's; or NULL */
    const char *tls_certificate; /* a file, with that of its key: it speaks TLS; NULL: plain HTTP */
    const char *tls_key;
    const char *tls_client_ca; /* a file: whose certificates clients must have; or NULL */
    bool throttle;             /* capacity is limited as in the service */
    unsigned burst_seconds;    /* with it: of unused units that are kept */
    struct alarm_actions_config alarm_actions;
    bool transaction_conflicts; /* for tests of clients: see struct engine_options */
    unsigned leniencies;        /* towards clients of DynamoDB Local: base/leniency.h */
    bool test_faults;           /* likewise: what is to go wrong is told at /_gramme/faults */
    bool test_reset;            /* likewise: it is reset at /_gramme/reset; in memory only */
    bool name_spaces;           /* tables are apart by access key and region; likewise */
    unsigned name_spaces_max;   /* that are open at a time; 0: as many as there may be */
    uint32_t slow_ms;           /* requests that take longer are told in the log; 0: none are */
    bool metrics_open;          /* /metrics is answered to everybody */
    uint16_t metrics_port;      /* of its own, for that and for /health; 0: none */
    bool no_console;            /* there are no pages for browsers at /_gramme/ */
    bool test_clock;            /* for tests of clients: time can be moved at /_gramme/clock */
};

enum { SERVER_RELAXED_SYNC_MS = 100 };

#endif
