/* alarm_actions.h - where messages of alarms go, as the command line says it. */
#ifndef GRAMME_SERVER_ALARM_ACTIONS_H
#define GRAMME_SERVER_ALARM_ACTIONS_H

#include <stdbool.h>

struct alarm_actions_config {
    bool none;                /* nowhere */
    const char *sns_endpoint; /* or NULL */
    const char **sns_topics;  /* ARN=URL or ARN=exec:COMMAND; NULL ends them, or is for none */
    const char **hosts;       /* the only ones that may be sent to, likewise */
};

#endif
