/* page.c - see page.h. */
#include "identity/page.h"

#include <stdlib.h>

struct page_list page_list_new(struct arena *arena, size_t room) {
    return (struct page_list){ARENA_ARRAY(arena, struct slice, room + 1), 0};
}

struct page_list page_list_principals(const struct service_call *call,
                                      const struct directory *directory, enum principal_kind kind) {
    struct slice path = input_text(call->input, "PathPrefix");
    struct page_list list = page_list_new(call->arena, directory->counts[kind]);
    for (size_t i = 0; i < directory->counts[kind]; i++)
        if (!slice_present(path) || slice_is(path, "/"))
            page_add(&list, directory->principals[kind][i].name);
    return list;
}

void page_add(struct page_list *list, struct slice name) {
    list->names[list->count++] = name;
}

static int compare(const void *a, const void *b) {
    return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

void page_sort(struct page_list *list) {
    qsort(list->names, list->count, sizeof(*list->names), compare);
}

struct page page_of(const struct service_call *call, const struct page_list *list) {
    struct slice marker = input_text(call->input, "Marker");
    size_t most = (size_t)input_integer(call->input, "MaxItems", PAGE_ITEMS_DEFAULT);
    struct page page = {0, 0};
    while (slice_present(marker) && page.from < list->count &&
           slice_compare(list->names[page.from], marker) <= 0)
        page.from++;
    size_t left = list->count - page.from;
    page.to = page.from + (left < most ? left : most);
    return page;
}

void page_write(const struct service_call *call, const struct page_list *list, struct page page) {
    answer_bool(call->answer, "IsTruncated", page.to < list->count);
    if (page.to < list->count)
        answer_text(call->answer, "Marker", list->names[page.to - 1]);
}
