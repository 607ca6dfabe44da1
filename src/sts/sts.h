/* sts.h - the Security Token Service: who am I, and credentials for a while.
 *
 * GetCallerIdentity, AssumeRole and GetSessionToken. A request is a form, an answer XML. Where
 * signatures are not verified there are no users and no roles: then AssumeRole gives credentials
 * that are as good as any others.
 * Memory: the arena of the request. Threads: that of the view. */
#ifndef GRAMME_STS_STS_H
#define GRAMME_STS_STS_H

#include "base/buffer.h"
#include "sts/request.h"

#define STS_NAME_SPACE "https://sts.amazonaws.com/doc/2011-06-15/"

/* Whether the action, of that name, hands out credentials when all is well. */
bool sts_issues(struct slice action);

/* Writes the result's element; nothing of use in it when there is a fault. */
struct sts_fault sts_run(const struct sts_request *request, struct buffer *out);

#endif
