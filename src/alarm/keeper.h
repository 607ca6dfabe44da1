/* keeper.h - what is behind alarms.h: for the files that keep alarms and look at them. */
#ifndef GRAMME_ALARM_KEEPER_H
#define GRAMME_ALARM_KEEPER_H

#include <pthread.h>
#include <stdatomic.h>

#include "alarm/options.h"
#include "notify/courier.h"

enum { OUTBOX_MAX = 1024, GONE_MAX = 5000 };

#define ALARM_HISTORY_MS (INT64_C(30) * 24 * 60 * 60 * 1000)

/* One version of an alarm: never changed, but replaced by the next. */
struct kept_alarm {
    struct arena arena;
    struct alarm alarm;
    int64_t looked_ms; /* points up to here were looked at */
    uint32_t behind;   /* how often in a row it was looked at late */
};

struct kept_list {
    struct kept_alarm **items; /* by name */
    size_t count;
    size_t room;
};

struct pending {
    struct pending *next;
    struct arena arena;
    struct outbox_entry entry;
    bool handed; /* to the courier */
};

/* What came of a parcel. */
struct delivery {
    struct delivery *next;
    struct arena arena;
    struct slice key;
    struct slice failure; /* absent: there was none */
};

struct alarms {
    struct alarms_options options;
    pthread_mutex_t changing; /* taken before `lock` */
    pthread_mutex_t lock;     /* of the lists: written by who holds both, read by who holds one */
    struct kept_list live;
    struct kept_list gone;
    /* Who holds `changing` only: */
    struct pending *outbox;
    size_t outbox_count;
    /* The thread, and what it waits for: */
    pthread_t thread;
    bool started;
    pthread_mutex_t bell_lock;
    pthread_cond_t bell;
    bool rung;
    bool stopping;
    struct delivery *deliveries; /* under bell_lock, as the two before */
    struct courier *courier;     /* the thread's */
};

/* An alarm as it shall be, and what is to be remembered and sent. */
struct alarm_commit {
    const struct alarm *next;
    const struct kept_alarm *from; /* the version before; NULL: it is new */
    struct history_entry entry;
    const struct alarm_status *before; /* a change of state: its actions run; or NULL */
    int64_t looked_ms;
};

/* With `changing`: stores it, then replaces the version before. */
struct error *keeper_commit(struct alarms *alarms, struct arena *arena,
                            const struct alarm_commit *commit);
/* With `changing`: a message was delivered or given up. */
struct error *keeper_settle(struct alarms *alarms, struct arena *arena, struct slice key,
                            struct slice failure);
struct kept_alarm *keeper_find(const struct kept_list *list, struct slice name);
/* The place of the first whose name is not before this one. */
size_t keeper_first(const struct kept_list *list, struct slice name);
/* With `changing`: forgets deleted alarms whose history is over, and makes room for one more. */
struct error *keeper_forget_old(struct alarms *alarms, struct arena *arena);
/* The last end of a period that was not after now. */
int64_t keeper_boundary(const struct alarms *alarms, const struct alarm_settings *settings);
int64_t keeper_period_ms(const struct alarm_settings *settings);

/* Reads what there is. On an error it is to be closed too. */
struct error *keeper_open(struct alarms *alarms, struct arena *arena,
                          const struct alarms_options *options);
void keeper_close(struct alarms *alarms);
/* Wakes the thread that looks at alarms. */
void keeper_ring(struct alarms *alarms);

#endif
