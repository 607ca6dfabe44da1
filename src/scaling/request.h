/* request.h - what the operations of auto scaling share: the place that they are about, and pages.
 *
 * All of them name a service, of which there is one, a resource and a dimension. Lists come in
 * pages of MaxResults; a token is the place of the next entry. */
#ifndef GRAMME_SCALING_REQUEST_H
#define GRAMME_SCALING_REQUEST_H

#include "scaling/names.h"
#include "service/service.h"

enum { PAGE_MAX = 50, NAME_MAX_CHARS = 1600, POLICY_NAME_MAX_CHARS = 256 };

#define DIMENSIONS                                                           \
    "[dynamodb:table:ReadCapacityUnits, dynamodb:table:WriteCapacityUnits, " \
    "dynamodb:index:ReadCapacityUnits, dynamodb:index:WriteCapacityUnits]"

#define SERVICE_NAMESPACE \
    INPUT("ServiceNamespace", INPUT_TEXT, .required = true, .words = "[dynamodb]")
#define PLACE                                                                               \
    SERVICE_NAMESPACE,                                                                      \
        INPUT("ResourceId", INPUT_TEXT, .required = true, .min = 1, .max = NAME_MAX_CHARS), \
        INPUT("ScalableDimension", INPUT_TEXT, .required = true, .words = DIMENSIONS)
#define PAGE \
    INPUT("MaxResults", INPUT_INTEGER, .min = 1, .max = PAGE_MAX), INPUT("NextToken", INPUT_TEXT)

struct place {
    struct slice resource;
    enum scaling_dimension dimension;
};

struct error *request_place(const struct service_call *call, struct place *ret_place);
struct error *request_not_found(const struct service_call *call, const char *what,
                                const struct place *place);
void request_write_place(struct answer *answer, struct slice resource,
                         enum scaling_dimension dimension);
struct scaling_home request_home(const struct service_call *call);

/* Whether an entry is one of those that a request is about: by its dimension, and by its name when
 * the request has a list of them. */
bool request_asks_for(const struct service_call *call, const char *list, struct slice name,
                      enum scaling_dimension dimension);
bool request_asks_for_resource(const struct service_call *call, struct slice resource);

/* Entries of a page: those asked for, from the place that the token tells. */
struct page {
    size_t skip;
    size_t left;
    size_t next; /* the place of the first that did not fit; 0: there is none */
    size_t seen;
};

struct error *page_open(const struct service_call *call, struct page *ret_page);
/* Whether the next entry belongs on the page. */
bool page_takes(struct page *page);
void page_close(const struct service_call *call, const struct page *page);

#endif
