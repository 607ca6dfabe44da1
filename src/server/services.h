/* services.h - the services besides DynamoDB that a server has, with what they keep. */
#ifndef GRAMME_SERVER_SERVICES_H
#define GRAMME_SERVER_SERVICES_H

#include "cloudwatch/cloudwatch.h"
#include "identity/identity.h"
#include "scaling/options.h"
#include "server/alarm_actions.h"

struct services;

struct services_options {
    struct engine *engine;
    const struct clock *clock; /* DynamoDB's */
    const char *region;
    const char *account;
    struct alarm_actions_config actions; /* whose texts outlive the services */
    struct scaling_hand hand;            /* by which auto scaling changes capacity */
    struct identity identity;            /* whom it knows */
};

struct error *services_open(struct arena *arena, const struct services_options *options,
                            struct services **ret_services);
/* Before the engine closes; services_close(NULL) is fine. */
void services_close(struct services *services);

/* For pipeline_thread.services. */
const struct service_instance *services_list(const struct services *services);
/* The clock was set forward. Of a struct services; any thread. */
void services_time_moved(void *services);
/* Where metrics go. */
struct series_store *services_series(const struct services *services);

#endif
