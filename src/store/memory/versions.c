/* versions.c - publishing snapshots and freeing what they leave behind.
 *
 * A retired object is needed by the versions in [birth, retired). It waits in the garbage of the
 * newest living version among them; when that one dies it is sorted again, to an older one or to
 * free(). So a long reader keeps what it sees alive and nothing more, however much is written
 * meanwhile.
 * Memory: versions and objects are malloc'ed here and in node.c, and only the writer frees them.
 * Threads: versions_pin and version_unpin anywhere, the rest on the writer's thread. */
#include "store/memory/versions.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"
#include "store/memory/node.h"

enum { SORTED_PER_PUBLISH_MIN = 4096 };

static struct version *version_new(uint64_t number, struct version *older) {
    struct version *version = calloc(1, sizeof(*version));
    CHECK(version != NULL);
    version->number = number;
    version->older = older;
    atomic_init(&version->pins, 0);
    return version;
}

void versions_init(struct versions *versions) {
    *versions = (struct versions){.current = version_new(1, NULL)};
    CHECK(pthread_mutex_init(&versions->lock, NULL) == 0);
}

void versions_init_from(struct versions *versions, const struct version *from) {
    *versions = (struct versions){.current = version_new(from->number, NULL)};
    versions->shared = from->number;
    memcpy(versions->current->roots, from->roots, sizeof(from->roots));
    CHECK(pthread_mutex_init(&versions->lock, NULL) == 0);
}

struct version *versions_pin(struct versions *versions) {
    pthread_mutex_lock(&versions->lock);
    struct version *version = versions->current;
    atomic_fetch_add_explicit(&version->pins, 1, memory_order_relaxed);
    pthread_mutex_unlock(&versions->lock);
    return version;
}

void version_unpin(struct version *version) {
    atomic_fetch_sub_explicit(&version->pins, 1, memory_order_release);
}

/* Puts the objects of `from` before those of `to`. */
static void list_join(struct object_list *to, const struct object_list *from) {
    if (from->first == NULL)
        return;
    from->last->next = to->first;
    if (to->first == NULL)
        to->last = from->last;
    to->first = from->first;
}

/* A version that is not current gains no pins: without any, it is dead. */
static void versions_bury(struct versions *versions) {
    struct version **link = &versions->current->older;
    while (*link != NULL) {
        struct version *version = *link;
        if (atomic_load_explicit(&version->pins, memory_order_acquire) > 0) {
            link = &version->older;
            continue;
        }
        list_join(&versions->limbo, &version->garbage);
        *link = version->older;
        free(version);
    }
}

static void object_retire(struct versions *versions, struct object *object, uint64_t retired,
                          bool whole) {
    if (object->birth <= versions->shared)
        return;
    object->retired = retired;
    object->whole = whole;
    object_list_push(&versions->limbo, object);
}

/* What hangs below a node that was retired whole is retired piece by piece from here on. */
static void node_take_apart(struct versions *versions, struct node *node) {
    uint64_t retired = node->object.retired;
    node->object.whole = false;
    for (size_t i = 0; i < node->count; i++) {
        if (node->records[i] != NULL)
            object_retire(versions, &node->records[i]->object, retired, false);
        if (!node_is_leaf(node))
            object_retire(versions, &node_children(node)[i]->object, retired, true);
    }
}

static void object_sort(struct versions *versions, struct object *object) {
    if (object->whole)
        node_take_apart(versions, container_of(object, struct node, object));
    struct version *version = versions->current;
    while (version != NULL && version->number >= object->retired)
        version = version->older;
    if (version != NULL && version->number >= object->birth)
        object_list_push(&version->garbage, object);
    else
        free(object);
}

static void limbo_sort(struct versions *versions, size_t most) {
    while (versions->limbo.first != NULL && most-- > 0) {
        struct object *object = versions->limbo.first;
        versions->limbo.first = object->next;
        object_sort(versions, object);
    }
}

void versions_publish(struct versions *versions, struct tree_edit *edit,
                      struct node *const *roots) {
    struct version *version = version_new(edit->version, versions->current);
    memcpy(version->roots, roots, sizeof(version->roots));
    pthread_mutex_lock(&versions->lock);
    versions->current = version;
    pthread_mutex_unlock(&versions->lock);

    list_join(&versions->limbo, &edit->retired);
    versions_bury(versions);
    limbo_sort(versions, edit->retired_count * 2 + SORTED_PER_PUBLISH_MIN);
}

void versions_clear(struct versions *versions) {
    struct tree_edit edit = {.version = versions->current->number + 1, .shared = versions->shared};
    struct node *none[STORE_KEYSPACES_MAX] = {NULL};
    for (size_t i = 0; i < STORE_KEYSPACES_MAX; i++) {
        if (versions->current->roots[i] != NULL)
            edit_drop_tree(&edit, versions->current->roots[i]);
    }
    versions_publish(versions, &edit, none);
    limbo_sort(versions, SIZE_MAX);
}

/* With every reader gone, an empty version after the last takes all the rest apart. */
void versions_release(struct versions *versions) {
    versions_clear(versions);
    CHECK(versions->current->older == NULL && versions->limbo.first == NULL);
    free(versions->current);
    pthread_mutex_destroy(&versions->lock);
}
