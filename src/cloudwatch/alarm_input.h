/* alarm_input.h - PutMetricAlarm's input: its fields, and an alarm's settings of them. */
#ifndef GRAMME_CLOUDWATCH_ALARM_INPUT_H
#define GRAMME_CLOUDWATCH_ALARM_INPUT_H

#include "alarm/alarm.h"
#include "base/error.h"
#include "service/input.h"

extern const struct input_field alarm_fields[];
/* Key and Value, of a list of tags. */
extern const struct input_field tag_fields[];

/* Of a checked input; what is wrong beyond its fields is an error. In the arena. */
struct error *alarm_input_read(struct arena *arena, const struct json_value *input,
                               struct alarm_settings *ret_settings);
struct error *tags_read(struct arena *arena, const struct json_value *input,
                        struct alarm_pair **ret_tags, size_t *ret_count);
/* Of a list of objects with Name and Value. */
void dimensions_read(struct arena *arena, const struct json_value *input, struct alarm_pair **ret,
                     size_t *ret_count);

#endif
