/* write.h - the members that single writes and the actions of a transaction have in common. */
#ifndef GRAMME_CLIENT_WRITE_H
#define GRAMME_CLIENT_WRITE_H

#include "client/request.h"

/* Table, item or key, update, condition, names and values of a put, an update, a delete or a
 * check. */
void write_members(struct request *request, enum ddb_action action, const struct ddb_write *write);

#endif
