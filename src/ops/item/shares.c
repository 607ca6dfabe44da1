/* shares.c - see the header. */
#include "ops/item/shares.h"

#include "engine/write.h"

uint8_t shares_owner(const struct shares *shares, const struct op_call *call) {
    const struct engine *engine = call->context->engine;
    const struct write_job *job = call->deferred;
    if (!(call->op->flags & OP_SHARED))
        return shares->here;
    uint8_t owner = shares->owners[engine_group_of(engine, &job->writes[0])];
    for (size_t i = 1; i < job->count; i++)
        if (shares->owners[engine_group_of(engine, &job->writes[i])] != owner)
            return shares->here;
    return owner;
}
