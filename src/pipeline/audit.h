/* audit.h - one line of JSON for each request that changes something, or is denied.
 *
 * A line tells when, who, from where, what and with which outcome: names of operations, tables and
 * callers, never an attribute or its value, the text of a statement or of an error, or a secret.
 *   {"time":"2026-11-16T08:30:00.123Z","requestId":"...","principal":"arn:aws:iam::...:user/anna",
 *    "accessKey":"AKIA...","address":"10.0.0.7","operation":"PutItem",
 *    "permissions":[{"action":"dynamodb:PutItem","resource":"arn:aws:dynamodb:...:table/t"}],
 *    "outcome":"ok"}
 * What is not known is not there: the principal of who did not prove to be one, the address of a
 * client that is gone, the permissions of a request that could not be read.
 *
 * Memory: notes are in the exchange's arena. Threads: an auditor is its I/O thread's. */
#ifndef GRAMME_PIPELINE_AUDIT_H
#define GRAMME_PIPELINE_AUDIT_H

#include "audit/audit_log.h"
#include "endpoint/endpoint.h"
#include "ops/op.h"
#include "policy/caller.h"

struct auditor;

struct auditor *auditor_new(struct audit_log *log);
void auditor_free(struct auditor *auditor); /* NULL is fine */

struct audit_permission {
    struct slice action;
    struct slice resource;
};

/* What is known of a request, as far as it has come. */
struct audit_note {
    struct slice address;
    struct slice principal;
    struct slice operation;
    struct slice subject;      /* what of the resource it was about */
    struct slice host, origin; /* of a web page that was turned away */
    struct audit_permission *permissions;
    size_t permission_count;
    size_t permission_room;
};

/* Made when the request comes: later its client may be gone. */
struct audit_note *audit_note_new(struct exchange *exchange);
/* Who it is, when they proved it. */
void audit_note_caller(struct audit_note *note, struct arena *arena, const struct caller *caller);
void audit_note_permission(struct audit_note *note, struct arena *arena, struct slice action,
                           struct slice resource);
/* What the call needs to be allowed; it is valid. On the thread of its catalog, before it runs. */
void audit_note_permissions(struct audit_note *note, struct op_call *call);

struct audit_outcome {
    const char *error; /* its type; NULL: none */
    uint32_t denied;   /* how many parts of a batch were, whatever became of the rest */
};

void audit_write(struct auditor *auditor, struct exchange *exchange, const struct audit_note *note,
                 struct audit_outcome outcome);

#endif
