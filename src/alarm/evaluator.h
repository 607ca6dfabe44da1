/* evaluator.h - the thread that looks at alarms when their periods end, and sees to messages. */
#ifndef GRAMME_ALARM_EVALUATOR_H
#define GRAMME_ALARM_EVALUATOR_H

#include "base/error.h"

struct alarms;

struct error *evaluator_start(struct alarms *alarms, struct arena *arena);
/* What was delivered meanwhile is noted, so that it is not sent again. */
void evaluator_stop(struct alarms *alarms);

#endif
