/* services.c - see services.h. A service more is a line in its list. */
#include "server/services.h"

#include <stdlib.h>

#include "base/check.h"

enum { SERVICES_MAX = 8 };

struct services {
    struct cloudwatch cloudwatch;
    struct service_instance list[SERVICES_MAX]; /* the last one is empty */
};

struct error *services_open(struct arena *arena, const struct services_options *options,
                            struct services **ret_services) {
    struct services *services = calloc(1, sizeof(*services));
    CHECK(services != NULL);
    const struct series_options series = {.engine = options->engine, .clock = options->clock};
    struct error *error = series_open(arena, &series, &services->cloudwatch.series);
    if (error != NULL) {
        services_close(services);
        return error;
    }
    services->list[0] = (struct service_instance){&cloudwatch_service, &services->cloudwatch};
    *ret_services = services;
    return NULL;
}

void services_close(struct services *services) {
    if (services == NULL)
        return;
    series_close(services->cloudwatch.series);
    free(services);
}

const struct service_instance *services_list(const struct services *services) {
    return services->list;
}

struct series_store *services_series(const struct services *services) {
    return services->cloudwatch.series;
}
