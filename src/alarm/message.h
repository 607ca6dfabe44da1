/* message.h - what an alarm tells about a change: the message that it sends, its subject, and the
 * entries of its history. */
#ifndef GRAMME_ALARM_MESSAGE_H
#define GRAMME_ALARM_MESSAGE_H

#include "alarm/alarm.h"
#include "alarm/stored.h"

struct alarm_home {
    struct slice region;
    struct slice account;
};

/* A change of state: the alarm has the new one already. */
struct alarm_change {
    const struct alarm *alarm;
    const struct alarm_status *before;
};

/* "ALARM: "name" in US East (N. Virginia)", at most 100 characters: SNS takes no more. */
struct slice message_subject(struct arena *arena, const struct alarm_home *home,
                             const struct alarm *alarm);
struct slice message_body(struct arena *arena, const struct alarm_home *home,
                          const struct alarm_change *change);

struct history_entry history_of_change(struct arena *arena, const struct alarm_change *change);

enum alarm_edit { ALARM_CREATED, ALARM_UPDATED, ALARM_DELETED };
struct history_entry history_of_edit(struct arena *arena, const struct alarm *alarm,
                                     enum alarm_edit edit, int64_t now_ms);
/* `failure` is absent when it was sent. */
struct history_entry history_of_action(struct arena *arena, const struct outbox_entry *sent,
                                       struct slice failure, int64_t now_ms);

#endif
