/* services.h - the services besides DynamoDB that a server has, with what they keep. */
#ifndef GRAMME_SERVER_SERVICES_H
#define GRAMME_SERVER_SERVICES_H

#include "cloudwatch/cloudwatch.h"

struct services;

struct services_options {
    struct engine *engine;
    const struct clock *clock; /* DynamoDB's */
};

struct error *services_open(struct arena *arena, const struct services_options *options,
                            struct services **ret_services);
/* Before the engine closes; services_close(NULL) is fine. */
void services_close(struct services *services);

/* For pipeline_thread.services. */
const struct service_instance *services_list(const struct services *services);
/* Where metrics go. */
struct series_store *services_series(const struct services *services);

#endif
