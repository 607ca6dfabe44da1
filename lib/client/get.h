/* get.h - the members that GetItem and the reads of a transaction have in common. */
#ifndef GRAMME_CLIENT_GET_H
#define GRAMME_CLIENT_GET_H

#include "client/request.h"

void get_members(struct request *request, const struct ddb_get *get);

#endif
