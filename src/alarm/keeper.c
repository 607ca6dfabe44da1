/* keeper.c - the lists of alarms, and the one way by which they change: a record, its history and
 * its messages in one commit, then the list in memory. */
#include "alarm/keeper.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"

/* An alarm, an entry of its history and the one that it pushes out, and for each action a message
 * or an entry that says why there is none. */
enum { CHANGES_MAX = 3 + 3 * ALARM_ACTIONS_MAX, RESOLUTION_MS = 60 * 1000 };

/* ---- lists ---- */

static size_t place_of(const struct kept_list *list, struct slice name, bool *ret_found) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = slice_compare(list->items[middle]->alarm.settings.name, name);
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_found = false;
    return low;
}

struct kept_alarm *keeper_find(const struct kept_list *list, struct slice name) {
    bool found;
    size_t place = place_of(list, name, &found);
    return found ? list->items[place] : NULL;
}

size_t keeper_first(const struct kept_list *list, struct slice name) {
    bool found;
    return place_of(list, name, &found);
}

static void kept_free(struct kept_alarm *kept) {
    arena_release(&kept->arena);
    free(kept);
}

static void list_remove(struct kept_list *list, struct slice name) {
    bool found;
    size_t place = place_of(list, name, &found);
    if (!found)
        return;
    struct kept_alarm *kept = list->items[place];
    list->count--;
    memmove(&list->items[place], &list->items[place + 1],
            (list->count - place) * sizeof(*list->items));
    kept_free(kept);
}

static void list_put(struct kept_list *list, struct kept_alarm *kept) {
    bool found;
    size_t place = place_of(list, kept->alarm.settings.name, &found);
    if (found) {
        kept_free(list->items[place]);
        list->items[place] = kept;
        return;
    }
    if (list->count == list->room) {
        list->room = list->room == 0 ? 16 : 2 * list->room;
        list->items = realloc(list->items, list->room * sizeof(*list->items));
        CHECK(list->items != NULL);
    }
    memmove(&list->items[place + 1], &list->items[place],
            (list->count - place) * sizeof(*list->items));
    list->items[place] = kept;
    list->count++;
}

static void list_release(struct kept_list *list) {
    for (size_t i = 0; i < list->count; i++)
        kept_free(list->items[i]);
    free(list->items);
}

/* ---- periods ---- */

/* Metrics are kept by the minute: a shorter period is looked at as one. */
int64_t keeper_period_ms(const struct alarm_settings *settings) {
    int64_t ms = (int64_t)alarm_period_s(settings) * 1000;
    return ms < RESOLUTION_MS ? RESOLUTION_MS : ms;
}

int64_t keeper_boundary(const struct alarms *alarms, const struct alarm_settings *settings) {
    int64_t period_ms = keeper_period_ms(settings);
    return (clock_now_ms(alarms->options.clock) - ALARM_DELAY_MS) / period_ms * period_ms;
}

/* ---- versions ---- */

/* A version of its own, from the record's bytes. */
static struct error *kept_new(struct arena *arena, const struct record *record,
                              struct kept_alarm **ret_kept) {
    struct kept_alarm *kept = calloc(1, sizeof(*kept));
    CHECK(kept != NULL);
    arena_init(&kept->arena);
    struct record copy = {.kind = record->kind,
                          .name = arena_slice(&kept->arena, record->name),
                          .value = arena_slice(&kept->arena, record->value)};
    struct error *error = alarm_of_record(&kept->arena, &copy, &kept->alarm);
    if (error != NULL) {
        error = error_local(arena, "%.*s", SLICE_ARGS(error->message));
        kept_free(kept);
        return error;
    }
    *ret_kept = kept;
    return NULL;
}

/* ---- one change ---- */

struct batch {
    struct alarms *alarms;
    struct arena *arena;
    struct alarm *next;
    struct record changes[CHANGES_MAX];
    size_t count;
    struct outbox_entry sent[ALARM_ACTIONS_MAX];
    size_t sent_count;
};

static void remember(struct batch *batch, const struct history_entry *entry) {
    struct alarm *alarm = batch->next;
    uint64_t number = alarm->history_next++;
    batch->changes[batch->count++] = history_record(batch->arena, alarm->id, number, entry);
    if (number >= ALARM_HISTORY_MAX)
        batch->changes[batch->count++] = (struct record){
            .kind = history_kind(batch->arena, alarm->id),
            .name = arena_printf(batch->arena, "%016" PRIx64, number - ALARM_HISTORY_MAX)};
}

static void act(struct batch *batch, struct outbox_entry *entry) {
    struct alarms *alarms = batch->alarms;
    struct slice refusal = route_refusal(&alarms->options.routes, entry->action);
    if (!slice_present(refusal) && alarms->outbox_count + batch->sent_count >= OUTBOX_MAX)
        refusal = SLICE_LITERAL("too many messages wait to be sent");
    if (slice_present(refusal)) {
        struct history_entry failed =
            history_of_action(batch->arena, entry, refusal, entry->changed_ms);
        remember(batch, &failed);
        return;
    }
    batch->changes[batch->count++] = outbox_record(batch->arena, entry);
    batch->sent[batch->sent_count++] = *entry;
}

static void act_on_change(struct batch *batch, const struct alarm_status *before) {
    struct alarm *alarm = batch->next;
    const struct alarm_actions *actions = &alarm->settings.actions[alarm->status.state];
    const struct alarm_home *home = &batch->alarms->options.home;
    struct alarm_change change = {alarm, before};
    if (!alarm->settings.actions_enabled || actions->count == 0)
        return;
    struct slice subject = message_subject(batch->arena, home, alarm);
    struct slice message = message_body(batch->arena, home, &change);
    uint64_t number = alarm->history_next;
    for (size_t i = 0; i < actions->count; i++) {
        struct outbox_entry entry = {.key = arena_printf(batch->arena, "%.*s-%016" PRIx64 "-%zu",
                                                         SLICE_ARGS(alarm->id), number, i),
                                     .alarm_id = alarm->id,
                                     .action = actions->names[i],
                                     .subject = subject,
                                     .message = message,
                                     .changed_ms = alarm->status.updated_ms};
        act(batch, &entry);
    }
}

static void outbox_add(struct alarms *alarms, const struct outbox_entry *entry) {
    struct pending *pending = calloc(1, sizeof(*pending));
    CHECK(pending != NULL);
    arena_init(&pending->arena);
    pending->entry =
        (struct outbox_entry){.key = arena_slice(&pending->arena, entry->key),
                              .alarm_id = arena_slice(&pending->arena, entry->alarm_id),
                              .action = arena_slice(&pending->arena, entry->action),
                              .subject = arena_slice(&pending->arena, entry->subject),
                              .message = arena_slice(&pending->arena, entry->message),
                              .changed_ms = entry->changed_ms};
    struct pending **last = &alarms->outbox; /* in the order of the changes */
    while (*last != NULL)
        last = &(*last)->next;
    *last = pending;
    alarms->outbox_count++;
}

static void replace(struct alarms *alarms, struct kept_alarm *kept, bool was_gone) {
    struct slice name = kept->alarm.settings.name;
    bool gone = kept->alarm.gone_ms != 0;
    pthread_mutex_lock(&alarms->lock);
    if (gone != was_gone)
        list_remove(was_gone ? &alarms->gone : &alarms->live, name);
    list_put(gone ? &alarms->gone : &alarms->live, kept);
    pthread_mutex_unlock(&alarms->lock);
}

struct error *keeper_commit(struct alarms *alarms, struct arena *arena,
                            const struct alarm_commit *commit) {
    struct alarm next = *commit->next;
    struct batch batch = {.alarms = alarms, .arena = arena, .next = &next, .count = 1};
    struct kept_alarm *kept;
    bool was_gone = commit->from != NULL && commit->from->alarm.gone_ms != 0;
    if (slice_present(commit->entry.summary))
        remember(&batch, &commit->entry);
    if (commit->before != NULL)
        act_on_change(&batch, commit->before);
    batch.changes[0] = alarm_record(arena, &next);
    TRY(engine_change_records(alarms->options.engine, arena, batch.changes, batch.count));
    TRY(kept_new(arena, &batch.changes[0], &kept));
    kept->looked_ms = commit->looked_ms;
    kept->behind = commit->from == NULL ? 0 : commit->from->behind;
    for (size_t i = 0; i < batch.sent_count; i++)
        outbox_add(alarms, &batch.sent[i]);
    replace(alarms, kept, was_gone); /* with it go texts of the version before */
    keeper_ring(alarms);
    return NULL;
}

/* ---- what was delivered ---- */

static struct kept_alarm *find_id(const struct alarms *alarms, struct slice id) {
    const struct kept_list *lists[] = {&alarms->live, &alarms->gone};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++)
            if (slice_equal(lists[k]->items[i]->alarm.id, id))
                return lists[k]->items[i];
    return NULL;
}

static struct error *settle_pending(struct alarms *alarms, struct arena *arena,
                                    const struct outbox_entry *entry, struct slice failure) {
    struct record done = {.kind = SLICE_LITERAL(STORED_OUTBOX), .name = entry->key};
    struct kept_alarm *from = find_id(alarms, entry->alarm_id);
    if (from == NULL)
        return engine_change_records(alarms->options.engine, arena, &done, 1);
    struct alarm next = from->alarm;
    struct batch batch = {.alarms = alarms, .arena = arena, .next = &next, .count = 2};
    struct history_entry memory =
        history_of_action(arena, entry, failure, clock_now_ms(alarms->options.clock));
    struct kept_alarm *kept;
    remember(&batch, &memory);
    batch.changes[0] = alarm_record(arena, &next);
    batch.changes[1] = done;
    TRY(engine_change_records(alarms->options.engine, arena, batch.changes, batch.count));
    TRY(kept_new(arena, &batch.changes[0], &kept));
    kept->looked_ms = from->looked_ms;
    kept->behind = from->behind;
    replace(alarms, kept, next.gone_ms != 0);
    return NULL;
}

struct error *keeper_settle(struct alarms *alarms, struct arena *arena, struct slice key,
                            struct slice failure) {
    struct pending **at = &alarms->outbox;
    while (*at != NULL && !slice_equal((*at)->entry.key, key))
        at = &(*at)->next;
    if (*at == NULL)
        return NULL;
    struct pending *pending = *at;
    struct error *error = settle_pending(alarms, arena, &pending->entry, failure);
    /* Even when it could not be stored: it was sent, and is not sent again in this run. */
    *at = pending->next;
    alarms->outbox_count--;
    arena_release(&pending->arena);
    free(pending);
    return error;
}

/* ---- those that are gone ---- */

static struct kept_alarm *longest_gone(const struct alarms *alarms) {
    struct kept_alarm *oldest = NULL;
    for (size_t i = 0; i < alarms->gone.count; i++) {
        struct kept_alarm *kept = alarms->gone.items[i];
        if (oldest == NULL || kept->alarm.gone_ms < oldest->alarm.gone_ms)
            oldest = kept;
    }
    return oldest;
}

/* All numbers are between these two. */
static struct error *forget(struct alarms *alarms, struct arena *arena,
                            const struct kept_alarm *kept) {
    struct record changes[] = {
        {.kind = SLICE_LITERAL(STORED_ALARM), .name = kept->alarm.id},
        {.kind = history_kind(arena, kept->alarm.id),
         .name = SLICE_LITERAL("0"),
         .until = SLICE_LITERAL("g")},
    };
    TRY(engine_change_records(alarms->options.engine, arena, changes, 2));
    pthread_mutex_lock(&alarms->lock);
    list_remove(&alarms->gone, kept->alarm.settings.name);
    pthread_mutex_unlock(&alarms->lock);
    return NULL;
}

struct error *keeper_forget_old(struct alarms *alarms, struct arena *arena) {
    int64_t oldest_ms = clock_now_ms(alarms->options.clock) - ALARM_HISTORY_MS;
    const struct kept_alarm *kept = longest_gone(alarms);
    while (kept != NULL && (kept->alarm.gone_ms < oldest_ms || alarms->gone.count >= GONE_MAX)) {
        TRY(forget(alarms, arena, kept));
        kept = longest_gone(alarms);
    }
    return NULL;
}

/* ---- life ---- */

static struct error *load_alarms(struct alarms *alarms, struct arena *arena) {
    struct record *records;
    size_t count;
    TRY(engine_read_records(alarms->options.engine, arena, SLICE_LITERAL(STORED_ALARM), &records,
                            &count));
    for (size_t i = 0; i < count; i++) {
        struct kept_alarm *kept;
        TRY(kept_new(arena, &records[i], &kept));
        kept->looked_ms = keeper_boundary(alarms, &kept->alarm.settings);
        list_put(kept->alarm.gone_ms != 0 ? &alarms->gone : &alarms->live, kept);
    }
    return NULL;
}

static struct error *load_outbox(struct alarms *alarms, struct arena *arena) {
    struct record *records;
    size_t count;
    TRY(engine_read_records(alarms->options.engine, arena, SLICE_LITERAL(STORED_OUTBOX), &records,
                            &count));
    for (size_t i = 0; i < count; i++) {
        struct outbox_entry entry;
        TRY(outbox_of_record(arena, &records[i], &entry));
        outbox_add(alarms, &entry);
    }
    return NULL;
}

struct error *keeper_open(struct alarms *alarms, struct arena *arena,
                          const struct alarms_options *options) {
    alarms->options = *options;
    pthread_mutex_init(&alarms->changing, NULL);
    pthread_mutex_init(&alarms->lock, NULL);
    pthread_mutex_init(&alarms->bell_lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&alarms->bell, &monotonic);
    pthread_condattr_destroy(&monotonic);
    TRY(load_alarms(alarms, arena));
    return load_outbox(alarms, arena);
}

void keeper_close(struct alarms *alarms) {
    list_release(&alarms->live);
    list_release(&alarms->gone);
    while (alarms->outbox != NULL) {
        struct pending *pending = alarms->outbox;
        alarms->outbox = pending->next;
        arena_release(&pending->arena);
        free(pending);
    }
    pthread_cond_destroy(&alarms->bell);
    pthread_mutex_destroy(&alarms->bell_lock);
    pthread_mutex_destroy(&alarms->lock);
    pthread_mutex_destroy(&alarms->changing);
}

void keeper_ring(struct alarms *alarms) {
    pthread_mutex_lock(&alarms->bell_lock);
    alarms->rung = true;
    pthread_mutex_unlock(&alarms->bell_lock);
    pthread_cond_signal(&alarms->bell);
}
