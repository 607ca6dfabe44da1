/* audit_call.h - which requests have a line in the audit log, and what it says of them. */
#ifndef GRAMME_PIPELINE_AUDIT_CALL_H
#define GRAMME_PIPELINE_AUDIT_CALL_H

#include "pipeline/audit.h"

/* How far the call came. */
enum audit_reach {
    AUDIT_UNPROVED, /* the caller is not who they say */
    AUDIT_READ,
    AUDIT_VALID, /* what it needs to be allowed can be told */
};

/* A call that is over: of one that changed something, or was denied. Before it is released. */
void audit_call(struct exchange *exchange, struct audit_note *note, struct op_call *call,
                enum audit_reach reach, const struct error *error);
/* The endpoint's turned_away: of web pages that do not come so far. */
void audit_turned_away(struct exchange *exchange);

#endif
