/* services.c - see services.h. A service more is a line in its list. */
#include "server/services.h"

#include <stdlib.h>

#include "alarm/alarms.h"
#include "base/check.h"
#include "cloudwatch/alarm_points.h"
#include "scaling/operations.h"
#include "scaling/scaling.h"

enum { SERVICES_MAX = 8 };

struct services {
    struct arena arena; /* of what alarms were told */
    struct cloudwatch cloudwatch;
    struct scaling *scaling;
    struct identity identity;
    struct service_instance list[SERVICES_MAX]; /* the last one is empty */
};

/* ---- alarms ---- */

static struct error *read_topics(struct services *services, struct arena *arena, const char **texts,
                                 struct alarm_routes *routes) {
    size_t count = 0;
    while (texts != NULL && texts[count] != NULL)
        count++;
    struct alarm_topic *topics = ARENA_ARRAY(&services->arena, struct alarm_topic, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!route_topic_read(texts[i], &topics[i]))
            return error_local(arena,
                               "'%s' is no place of a topic: it is written ARN=URL or "
                               "ARN=exec:COMMAND",
                               texts[i]);
    routes->topics = topics;
    routes->topic_count = count;
    return NULL;
}

static struct error *open_alarms(struct services *services, struct arena *arena,
                                 const struct services_options *options) {
    const struct alarm_actions_config *actions = &options->actions;
    struct alarms_options alarms = {
        .engine = options->engine,
        .clock = options->clock,
        .random = &system_random,
        .home = {slice_text(options->region), slice_text(options->account)},
        .source = alarm_points_source(services->cloudwatch.series),
        .routes = {.off = actions->none,
                   .sns_endpoint = actions->sns_endpoint,
                   .hosts = actions->hosts,
                   .region = slice_text(options->region)},
    };
    TRY(read_topics(services, arena, actions->sns_topics, &alarms.routes));
    return alarms_open(arena, &alarms, &services->cloudwatch.alarms);
}

void services_time_moved(void *services) {
    const struct services *self = services;
    series_time_moved(self->cloudwatch.series);
    alarms_time_moved(self->cloudwatch.alarms);
    scaling_time_moved(self->scaling);
}

/* ---- all of them ---- */

static struct error *open_cloudwatch(struct services *services, struct arena *arena,
                                     const struct services_options *options) {
    const struct series_options series = {.engine = options->engine, .clock = options->clock};
    services->cloudwatch.engine = options->engine;
    TRY(series_open(arena, &series, &services->cloudwatch.series));
    return open_alarms(services, arena, options);
}

static struct error *open_scaling(struct services *services, struct arena *arena,
                                  const struct services_options *options) {
    const struct scaling_options scaling = {
        .engine = options->engine,
        .series = services->cloudwatch.series,
        .alarms = services->cloudwatch.alarms,
        .clock = options->clock,
        .random = &system_random,
        .home = {slice_text(options->region), slice_text(options->account)},
        .hand = options->hand,
    };
    return scaling_open(arena, &scaling, &services->scaling);
}

struct error *services_open(struct arena *arena, const struct services_options *options,
                            struct services **ret_services) {
    struct services *services = calloc(1, sizeof(*services));
    CHECK(services != NULL);
    arena_init(&services->arena);
    struct error *error = open_cloudwatch(services, arena, options);
    if (error == NULL)
        error = open_scaling(services, arena, options);
    if (error != NULL) {
        services_close(services);
        return error;
    }
    services->list[0] = (struct service_instance){&cloudwatch_service, &services->cloudwatch};
    services->list[1] =
        (struct service_instance){&service_application_autoscaling, services->scaling};
    services->identity = options->identity;
    services->list[2] = (struct service_instance){&identity_service, &services->identity};
    *ret_services = services;
    return NULL;
}

void services_close(struct services *services) {
    if (services == NULL)
        return;
    scaling_close(services->scaling);
    alarms_close(services->cloudwatch.alarms);
    series_close(services->cloudwatch.series);
    arena_release(&services->arena);
    free(services);
}

const struct service_instance *services_list(const struct services *services) {
    return services->list;
}

struct series_store *services_series(const struct services *services) {
    return services->cloudwatch.series;
}
