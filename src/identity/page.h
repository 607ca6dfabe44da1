/* page.h - a part of a list: as many as MaxItems asks for, behind the name that Marker gives.
 *
 * A marker is the last name of the page before, so that what comes and goes in between neither
 * repeats nor hides anything else. */
#ifndef GRAMME_IDENTITY_PAGE_H
#define GRAMME_IDENTITY_PAGE_H

#include "iam/directory.h"
#include "service/service.h"

enum { PAGE_ITEMS_DEFAULT = 100, PAGE_ITEMS_MAX = 1000 };

#define INPUT_PAGE                                                     \
    INPUT("MaxItems", INPUT_INTEGER, .min = 1, .max = PAGE_ITEMS_MAX), \
        INPUT("Marker", INPUT_TEXT, .min = 1)

/* What is listed, by name: names[i] is the i-th one's. */
struct page_list {
    struct slice *names;
    size_t count;
};

/* Users or roles in their order; none when PathPrefix asks for a path: there is only "/". */
struct page_list page_list_principals(const struct service_call *call,
                                      const struct directory *directory, enum principal_kind kind);
/* Room for so many; page_add fills them in, in any order when page_sort follows. */
struct page_list page_list_new(struct arena *arena, size_t room);
void page_add(struct page_list *list, struct slice name);
void page_sort(struct page_list *list);

struct page {
    size_t from, to; /* of the list */
};

struct page page_of(const struct service_call *call, const struct page_list *list);
/* IsTruncated, and Marker when there is more. */
void page_write(const struct service_call *call, const struct page_list *list, struct page page);

#endif
