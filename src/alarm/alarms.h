/* alarms.h - all alarms of a server: kept as records, looked at when their time comes, acting when
 * their state changes.
 *
 * A change is on disk before it is answered, a change of state together with its history and with
 * the messages that it has to send. A message leaves that list when it was delivered or given up,
 * so that a crash loses none: one that was sent just before the crash may be sent again. What was
 * deleted is remembered for its history.
 * Threads: any; changes one at a time. A thread of its own, which comes with the first alarm, looks
 * at them and hands messages to the courier; it sleeps while there are none. */
#ifndef GRAMME_ALARM_ALARMS_H
#define GRAMME_ALARM_ALARMS_H

#include "alarm/options.h"

struct alarms;

struct error *alarms_open(struct arena *arena, const struct alarms_options *options,
                          struct alarms **ret_alarms);
/* Messages that are not yet delivered wait for the next start. alarms_close(NULL) is fine. */
void alarms_close(struct alarms *alarms);
/* To be called when the clock was set forward. */
void alarms_time_moved(struct alarms *alarms);

/* ---- changing ---- */

/* Makes it or replaces its settings; its state stays, and so do its tags. */
struct error *alarms_put(struct alarms *alarms, struct arena *arena,
                         const struct alarm_settings *settings, const struct alarm_pair *tags,
                         size_t tag_count);
/* The reason and its data of `status`, and the state; *ret_found tells whether there is one. */
struct error *alarms_set_state(struct alarms *alarms, struct arena *arena, struct slice name,
                               const struct alarm_status *status, bool *ret_found);
struct error *alarms_enable(struct alarms *alarms, struct arena *arena, struct slice name,
                            bool enabled, bool *ret_found);
struct error *alarms_delete(struct alarms *alarms, struct arena *arena, struct slice name,
                            bool *ret_found);
/* All of them instead of those that it has. */
struct error *alarms_set_tags(struct alarms *alarms, struct arena *arena, struct slice name,
                              const struct alarm_pair *tags, size_t count, bool *ret_found);

/* ---- looking ---- */

/* Calls `see` for alarms by name, from the first that is not before `from`, until it returns false.
 * What it is shown must not be kept. */
void alarms_visit(struct alarms *alarms, struct slice from,
                  bool (*see)(void *user, const struct alarm *alarm), void *user);

/* An entry of a history without its words: there may be many. In the arena. */
struct alarm_memory {
    struct slice name; /* of the alarm */
    struct slice id;
    struct slice number;
    int64_t time_ms;
    enum history_type type;
};

/* Of the last 30 days, the newest first; of all alarms when the name is absent. */
struct error *alarms_history(struct alarms *alarms, struct arena *arena, struct slice name,
                             struct alarm_memory **ret_memories, size_t *ret_count);
/* With its words. *ret_there is false when newer ones have pushed it out meanwhile. */
struct error *alarms_recall(struct alarms *alarms, struct arena *arena,
                            const struct alarm_memory *memory, struct history_entry *ret_entry,
                            bool *ret_there);

#endif
