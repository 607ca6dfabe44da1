/* arn.h - the names of resources: arn:<partition>:dynamodb:<region>:<account>:table/<table>, and
 * behind it /index/<index>, /stream/<label>, /backup/<id>, ... */
#ifndef GRAMME_OPS_REQUEST_ARN_H
#define GRAMME_OPS_REQUEST_ARN_H

#include "base/error.h"

struct op_call;

enum arn_kind {
    ARN_OTHER, /* nothing of a table, or something unknown of it */
    ARN_TABLE,
    ARN_INDEX,
    ARN_STREAM,
    ARN_BACKUP,
    ARN_EXPORT,
    ARN_IMPORT,
};

/* Views of the text. */
struct arn {
    struct slice partition;
    struct slice service;
    struct slice region;
    struct slice account;
    struct slice resource; /* all that follows */
    enum arn_kind kind;
    struct slice table; /* unless ARN_OTHER; its characters are not checked */
    struct slice id; /* the index's name, the stream's label, ...; absent: ARN_TABLE, ARN_OTHER */
};

/* False when the text has not the six parts of an ARN. Nothing else is checked. */
bool arn_parse(struct slice text, struct arn *ret_arn);

/* In the call's region and account, in its arena. */
struct slice table_arn_print(const struct op_call *call, struct slice table_name);

/* What is said of an ARN of another account, which has no policy that lets this one in. */
struct error *arn_denied(const struct op_call *call, struct slice arn);

/* The name of the table that a TableName member means: itself, or the last part of a table's ARN.
 * An ARN must be well formed and of this region and account. */
struct error *table_name_resolve(const struct op_call *call, struct slice given,
                                 struct slice *ret_name);

#endif
