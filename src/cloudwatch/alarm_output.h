/* alarm_output.h - an alarm as DescribeAlarms shows it. */
#ifndef GRAMME_CLOUDWATCH_ALARM_OUTPUT_H
#define GRAMME_CLOUDWATCH_ALARM_OUTPUT_H

#include "alarm/alarm.h"
#include "service/answer.h"

/* An item of a list. */
void alarm_write(struct answer *answer, const struct alarm *alarm);

#endif
