/* page.h - where a list goes on: a NextToken that is a name, or a number, which clients pass back
 * as it is. */
#ifndef GRAMME_CLOUDWATCH_PAGE_H
#define GRAMME_CLOUDWATCH_PAGE_H

#include "service/service.h"

struct slice page_token(struct arena *arena, struct slice name);
/* The name of the input's NextToken; absent when there is none. */
struct error *page_read(const struct service_call *call, struct slice *ret_name);

#endif
