/* cloudwatch.h - CloudWatch as a service (service/service.h).
 *
 * An operation is a file, its descriptor and a line of ops.def. Its state, service_call.state, is a
 * struct cloudwatch. */
#ifndef GRAMME_CLOUDWATCH_CLOUDWATCH_H
#define GRAMME_CLOUDWATCH_CLOUDWATCH_H

#include "cloudwatch/series.h"
#include "service/service.h"

struct cloudwatch {
    struct series_store *series;
};

extern const struct service cloudwatch_service;

#define OP(name) extern const struct service_op cloudwatch_##name;
#include "cloudwatch/ops.def"
#undef OP

static inline struct cloudwatch *cloudwatch_of(const struct service_call *call) {
    return call->state;
}

#endif
