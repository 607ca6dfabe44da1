/* alarms.c - what a request changes in alarms and reads of them: see alarms.h. */
#include "alarm/alarms.h"

#include <inttypes.h>
#include <stdlib.h>

#include "alarm/evaluator.h"
#include "alarm/keeper.h"
#include "base/check.h"

/* ---- life ---- */

struct error *alarms_open(struct arena *arena, const struct alarms_options *options,
                          struct alarms **ret_alarms) {
    struct alarms *alarms = calloc(1, sizeof(*alarms));
    CHECK(alarms != NULL);
    struct error *error = keeper_open(alarms, arena, options);
    if (error == NULL && (alarms->live.count > 0 || alarms->outbox_count > 0))
        error = evaluator_start(alarms, arena);
    if (error != NULL) {
        alarms_close(alarms);
        return error;
    }
    *ret_alarms = alarms;
    return NULL;
}

void alarms_close(struct alarms *alarms) {
    if (alarms == NULL)
        return;
    evaluator_stop(alarms);
    keeper_close(alarms);
    free(alarms);
}

void alarms_time_moved(struct alarms *alarms) {
    keeper_ring(alarms);
}

/* ---- changing ---- */

static struct slice new_id(const struct alarms *alarms, struct arena *arena) {
    uint64_t number;
    random_fill(alarms->options.random, &number, sizeof(number));
    return arena_printf(arena, "%016" PRIx64, number);
}

static struct alarm fresh(const struct alarms *alarms, struct arena *arena, struct slice name,
                          int64_t now_ms) {
    const struct alarm_home *home = &alarms->options.home;
    return (struct alarm){.id = new_id(alarms, arena),
                          .arn = arena_printf(arena, "arn:aws:cloudwatch:%.*s:%.*s:alarm:%.*s",
                                              SLICE_ARGS(home->region), SLICE_ARGS(home->account),
                                              SLICE_ARGS(name)),
                          .status = {.state = ALARM_STATE_INSUFFICIENT_DATA,
                                     .reason = SLICE_LITERAL("Unchecked: Initial alarm creation"),
                                     .updated_ms = now_ms,
                                     .transitioned_ms = now_ms}};
}

/* One of the same name that was deleted gives it its history, and nothing else. */
static struct error *create(struct alarms *alarms, struct arena *arena,
                            const struct alarm_settings *settings, const struct alarm_pair *tags,
                            size_t tag_count) {
    const struct kept_alarm *gone = keeper_find(&alarms->gone, settings->name);
    int64_t now_ms = clock_now_ms(alarms->options.clock);
    struct alarm next = fresh(alarms, arena, settings->name, now_ms);
    if (alarms->live.count >= ALARMS_MAX)
        return error_new(arena, ERROR_CLOUDWATCH_LIMIT_EXCEEDED,
                         "The maximum limit of %d alarms has been reached", ALARMS_MAX);
    if (gone != NULL) {
        next.id = gone->alarm.id;
        next.history_next = gone->alarm.history_next;
    }
    next.settings = *settings;
    next.configured_ms = now_ms;
    next.tags = arena_copy(arena, tags, tag_count * sizeof(*tags));
    next.tag_count = tag_count;
    struct alarm_commit commit = {.next = &next,
                                  .from = gone,
                                  .entry = history_of_edit(arena, &next, ALARM_CREATED, now_ms),
                                  .looked_ms = keeper_boundary(alarms, settings)};
    return keeper_commit(alarms, arena, &commit);
}

static struct error *update(struct alarms *alarms, struct arena *arena,
                            const struct kept_alarm *from, const struct alarm_settings *settings) {
    int64_t now_ms = clock_now_ms(alarms->options.clock);
    struct alarm next = from->alarm;
    next.settings = *settings;
    next.configured_ms = now_ms;
    struct alarm_commit commit = {.next = &next,
                                  .from = from,
                                  .entry = history_of_edit(arena, &next, ALARM_UPDATED, now_ms),
                                  .looked_ms = keeper_boundary(alarms, settings)};
    return keeper_commit(alarms, arena, &commit);
}

struct error *alarms_put(struct alarms *alarms, struct arena *arena,
                         const struct alarm_settings *settings, const struct alarm_pair *tags,
                         size_t tag_count) {
    pthread_mutex_lock(&alarms->changing);
    const struct kept_alarm *from = keeper_find(&alarms->live, settings->name);
    struct error *error = alarms->started ? NULL : evaluator_start(alarms, arena);
    if (error == NULL)
        error = from == NULL ? create(alarms, arena, settings, tags, tag_count)
                             : update(alarms, arena, from, settings);
    pthread_mutex_unlock(&alarms->changing);
    return error;
}

/* What all that follow do with the alarm of that name. */
typedef struct error *alarm_editor(struct alarms *alarms, struct arena *arena,
                                   const struct kept_alarm *from, const void *wish);

static struct error *change(struct alarms *alarms, struct arena *arena, struct slice name,
                            alarm_editor *edit, const void *wish, bool *ret_found) {
    pthread_mutex_lock(&alarms->changing);
    const struct kept_alarm *from = keeper_find(&alarms->live, name);
    struct error *error = from == NULL ? NULL : edit(alarms, arena, from, wish);
    *ret_found = from != NULL;
    pthread_mutex_unlock(&alarms->changing);
    return error;
}

static struct error *set_state(struct alarms *alarms, struct arena *arena,
                               const struct kept_alarm *from, const void *wish) {
    const struct alarm_status *status = wish;
    struct alarm next = from->alarm;
    bool changes = status->state != next.status.state;
    next.status.state = status->state;
    next.status.reason = status->reason;
    next.status.reason_data = status->reason_data;
    next.status.updated_ms = clock_now_ms(alarms->options.clock);
    if (changes)
        next.status.transitioned_ms = next.status.updated_ms;
    struct alarm_commit commit = {.next = &next, .from = from, .looked_ms = from->looked_ms};
    struct alarm_change change = {&next, &from->alarm.status};
    if (changes) {
        commit.entry = history_of_change(arena, &change);
        commit.before = &from->alarm.status;
    }
    return keeper_commit(alarms, arena, &commit);
}

struct error *alarms_set_state(struct alarms *alarms, struct arena *arena, struct slice name,
                               const struct alarm_status *status, bool *ret_found) {
    return change(alarms, arena, name, set_state, status, ret_found);
}

static struct error *enable(struct alarms *alarms, struct arena *arena,
                            const struct kept_alarm *from, const void *wish) {
    const bool *enabled = wish;
    struct alarm next = from->alarm;
    if (next.settings.actions_enabled == *enabled)
        return NULL;
    next.settings.actions_enabled = *enabled;
    next.configured_ms = clock_now_ms(alarms->options.clock);
    struct alarm_commit commit = {
        .next = &next,
        .from = from,
        .entry = history_of_edit(arena, &next, ALARM_UPDATED, next.configured_ms),
        .looked_ms = from->looked_ms};
    return keeper_commit(alarms, arena, &commit);
}

struct error *alarms_enable(struct alarms *alarms, struct arena *arena, struct slice name,
                            bool enabled, bool *ret_found) {
    return change(alarms, arena, name, enable, &enabled, ret_found);
}

static struct error *delete (struct alarms *alarms, struct arena *arena,
                             const struct kept_alarm *from, const void *wish) {
    (void)wish;
    struct alarm next = from->alarm;
    next.gone_ms = clock_now_ms(alarms->options.clock);
    struct alarm_commit commit = {.next = &next,
                                  .from = from,
                                  .entry =
                                      history_of_edit(arena, &next, ALARM_DELETED, next.gone_ms)};
    TRY(keeper_forget_old(alarms, arena));
    return keeper_commit(alarms, arena, &commit);
}

struct error *alarms_delete(struct alarms *alarms, struct arena *arena, struct slice name,
                            bool *ret_found) {
    return change(alarms, arena, name, delete, NULL, ret_found);
}

struct tags_wish {
    const struct alarm_pair *tags;
    size_t count;
};

static struct error *set_tags(struct alarms *alarms, struct arena *arena,
                              const struct kept_alarm *from, const void *wish) {
    const struct tags_wish *tags = wish;
    struct alarm next = from->alarm;
    next.tags = arena_copy(arena, tags->tags, tags->count * sizeof(*tags->tags));
    next.tag_count = tags->count;
    struct alarm_commit commit = {.next = &next, .from = from, .looked_ms = from->looked_ms};
    return keeper_commit(alarms, arena, &commit);
}

struct error *alarms_set_tags(struct alarms *alarms, struct arena *arena, struct slice name,
                              const struct alarm_pair *tags, size_t count, bool *ret_found) {
    struct tags_wish wish = {tags, count};
    return change(alarms, arena, name, set_tags, &wish, ret_found);
}

/* ---- looking ---- */

void alarms_visit(struct alarms *alarms, struct slice from,
                  bool (*see)(void *user, const struct alarm *alarm), void *user) {
    pthread_mutex_lock(&alarms->lock);
    size_t i = keeper_first(&alarms->live, from);
    while (i < alarms->live.count && see(user, &alarms->live.items[i]->alarm))
        i++;
    pthread_mutex_unlock(&alarms->lock);
}

struct named_id {
    struct slice name;
    struct slice id;
};

/* Those that are gone have a history too. */
static size_t find_ids(struct alarms *alarms, struct arena *arena, struct slice name,
                       struct named_id **ret_ids) {
    const struct kept_list *lists[] = {&alarms->live, &alarms->gone};
    size_t count = 0;
    pthread_mutex_lock(&alarms->lock);
    struct named_id *ids =
        ARENA_ARRAY(arena, struct named_id, alarms->live.count + alarms->gone.count + 1);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++) {
            const struct alarm *alarm = &lists[k]->items[i]->alarm;
            if (!slice_present(name) || slice_equal(name, alarm->settings.name))
                ids[count++] = (struct named_id){arena_slice(arena, alarm->settings.name),
                                                 arena_slice(arena, alarm->id)};
        }
    pthread_mutex_unlock(&alarms->lock);
    *ret_ids = ids;
    return count;
}

struct memories {
    struct alarm_memory *items;
    size_t count;
    size_t room;
};

static void add_memory(struct arena *arena, struct memories *list, struct alarm_memory memory) {
    if (list->count == list->room) {
        list->room = list->room == 0 ? 64 : 2 * list->room;
        struct alarm_memory *wider = ARENA_ARRAY(arena, struct alarm_memory, list->room);
        if (list->count > 0)
            memcpy(wider, list->items, list->count * sizeof(*wider));
        list->items = wider;
    }
    list->items[list->count++] = memory;
}

/* Later ones come first; of the same moment, those with the higher number. */
static int by_time(const void *a, const void *b) {
    const struct alarm_memory *left = a, *right = b;
    if (left->time_ms != right->time_ms)
        return left->time_ms < right->time_ms ? 1 : -1;
    int order = slice_compare(right->number, left->number);
    return order != 0 ? order : slice_compare(left->id, right->id);
}

/* The words of one alarm's history are in memory at a time. */
static struct error *remember_one(struct alarms *alarms, struct arena *arena, struct arena *scratch,
                                  const struct named_id *of, struct memories *list) {
    struct record *records;
    size_t count;
    int64_t oldest_ms = clock_now_ms(alarms->options.clock) - ALARM_HISTORY_MS;
    TRY(engine_read_records(alarms->options.engine, scratch, history_kind(scratch, of->id),
                            &records, &count));
    for (size_t i = 0; i < count; i++) {
        struct history_entry entry;
        TRY(history_of_record(scratch, &records[i], &entry));
        if (entry.time_ms >= oldest_ms)
            add_memory(arena, list,
                       (struct alarm_memory){of->name, of->id, arena_slice(arena, records[i].name),
                                             entry.time_ms, entry.type});
    }
    return NULL;
}

struct error *alarms_history(struct alarms *alarms, struct arena *arena, struct slice name,
                             struct alarm_memory **ret_memories, size_t *ret_count) {
    struct named_id *ids;
    struct memories list = {0};
    struct arena scratch;
    struct error *error = NULL;
    size_t id_count = find_ids(alarms, arena, name, &ids);
    arena_init(&scratch);
    for (size_t i = 0; error == NULL && i < id_count; i++) {
        error = remember_one(alarms, arena, &scratch, &ids[i], &list);
        if (error != NULL)
            error = error_local(arena, "%.*s", SLICE_ARGS(error->message));
        arena_reset(&scratch);
    }
    arena_release(&scratch);
    TRY(error);
    if (list.count > 0)
        qsort(list.items, list.count, sizeof(*list.items), by_time);
    *ret_memories = list.items;
    *ret_count = list.count;
    return NULL;
}

struct error *alarms_recall(struct alarms *alarms, struct arena *arena,
                            const struct alarm_memory *memory, struct history_entry *ret_entry,
                            bool *ret_there) {
    struct record record = {.kind = history_kind(arena, memory->id), .name = memory->number};
    TRY(engine_find_records(alarms->options.engine, arena, &record, 1));
    *ret_there = slice_present(record.value);
    return *ret_there ? history_of_record(arena, &record, ret_entry) : NULL;
}
