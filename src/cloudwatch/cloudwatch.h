/* cloudwatch.h - CloudWatch as a service (service/service.h).
 *
 * An operation is a descriptor, in a file of its own or of its family, and a line of ops.def. Its
 * state, service_call.state, is a struct cloudwatch. */
#ifndef GRAMME_CLOUDWATCH_CLOUDWATCH_H
#define GRAMME_CLOUDWATCH_CLOUDWATCH_H

#include "cloudwatch/series.h"
#include "service/service.h"

struct alarms;

struct cloudwatch {
    struct engine *engine;
    struct series_store *series;
    struct alarms *alarms;
};

extern const struct service cloudwatch_service;

#define OP(name) extern const struct service_op cloudwatch_##name;
#include "cloudwatch/ops.def"
#undef OP

static inline struct cloudwatch *cloudwatch_of(const struct service_call *call) {
    return call->state;
}

#endif
