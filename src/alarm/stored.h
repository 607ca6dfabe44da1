/* stored.h - alarms, their history and what they still have to send, as records of the engine.
 *
 * Records are JSON. Kinds: "alarm" by id; "alarm-history-" and the id of an alarm, by number;
 * "alarm-outbox" by id, number and place. Memory: the arena, and the record that was read. */
#ifndef GRAMME_ALARM_STORED_H
#define GRAMME_ALARM_STORED_H

#include "alarm/alarm.h"
#include "base/error.h"
#include "engine/record.h"

#define STORED_ALARM "alarm"
#define STORED_OUTBOX "alarm-outbox"

enum history_type { HISTORY_CONFIGURATION, HISTORY_STATE, HISTORY_ACTION, HISTORY_TYPE_COUNT };

const char *history_type_word(enum history_type type);

struct history_entry {
    int64_t time_ms;
    enum history_type type;
    struct slice summary;
    struct slice data;
};

/* A message that is on its way. */
struct outbox_entry {
    struct slice key; /* the record's name, and the parcel's id */
    struct slice alarm_id;
    struct slice action;
    struct slice subject;
    struct slice message;
    int64_t changed_ms; /* when the state changed */
};

struct record alarm_record(struct arena *arena, const struct alarm *alarm);
struct error *alarm_of_record(struct arena *arena, const struct record *record,
                              struct alarm *ret_alarm);

struct slice history_kind(struct arena *arena, struct slice alarm_id);
struct record history_record(struct arena *arena, struct slice alarm_id, uint64_t number,
                             const struct history_entry *entry);
struct error *history_of_record(struct arena *arena, const struct record *record,
                                struct history_entry *ret_entry);

struct record outbox_record(struct arena *arena, const struct outbox_entry *entry);
struct error *outbox_of_record(struct arena *arena, const struct record *record,
                               struct outbox_entry *ret_entry);

#endif
