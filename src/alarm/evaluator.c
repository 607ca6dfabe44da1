/* evaluator.c - see evaluator.h.
 *
 * Alarms are looked at in the order in which their periods end. One that is far behind, because the
 * clock was set forward or the machine slept, is looked at as often as its window is long, so that
 * what was measured before the jump is seen to the end; then the jump is left out, but for the last
 * windows before now, which may hold what was measured ahead of time. */
#include "alarm/evaluator.h"

#include <stdlib.h>

#include "alarm/keeper.h"
#include "alarm/reason.h"
#include "base/check.h"
#include "base/deadline.h"
#include "base/log.h"

enum { SLEEP_MAX_MS = 60 * 1000 };

/* ---- one alarm ---- */

static struct error *change_state(struct alarms *alarms, struct arena *arena,
                                  const struct kept_alarm *from, const struct reason_facts *facts,
                                  const struct verdict *verdict) {
    struct alarm next = from->alarm;
    next.status = (struct alarm_status){.state = verdict->state,
                                        .reason = alarm_reason(arena, facts, verdict),
                                        .reason_data = alarm_reason_data(arena, facts, verdict),
                                        .updated_ms = facts->now_ms,
                                        .transitioned_ms = facts->now_ms};
    struct alarm_change change = {&next, &from->alarm.status};
    struct alarm_commit commit = {.next = &next,
                                  .from = from,
                                  .entry = history_of_change(arena, &change),
                                  .before = &from->alarm.status,
                                  .looked_ms = from->looked_ms};
    return keeper_commit(alarms, arena, &commit);
}

static struct error *look_at_points(struct alarms *alarms, struct arena *arena,
                                    const struct kept_alarm *kept) {
    const struct alarm_settings *settings = &kept->alarm.settings;
    const struct alarm_source *source = &alarms->options.source;
    size_t count = (size_t)settings->rule.periods + EVALUATE_RESERVE;
    struct alarm_point *points = ARENA_ARRAY(arena, struct alarm_point, count);
    TRY(source->read(source->user, arena, settings, kept->looked_ms,
                     (uint32_t)(keeper_period_ms(settings) / 1000), points, count));
    struct verdict verdict = alarm_evaluate(&settings->rule, points, count);
    if (verdict.keep || verdict.state == kept->alarm.status.state)
        return NULL;
    struct reason_facts facts = {.rule = &settings->rule,
                                 .points = points,
                                 .period_s = alarm_period_s(settings),
                                 .now_ms = kept->looked_ms + ALARM_DELAY_MS,
                                 .unit = settings->metric.unit,
                                 .statistic = settings->metric.statistic};
    return change_state(alarms, arena, kept, &facts, &verdict);
}

/* Moves on by a period, or over what nobody measured in. */
static void move_on(const struct alarms *alarms, struct kept_alarm *kept) {
    const struct alarm_settings *settings = &kept->alarm.settings;
    int64_t period_ms = keeper_period_ms(settings), now_ms = keeper_boundary(alarms, settings);
    int64_t window = (int64_t)settings->rule.periods + EVALUATE_RESERVE + 1;
    int64_t last_windows_ms = now_ms - window * period_ms;
    kept->looked_ms += period_ms;
    kept->behind = kept->looked_ms < now_ms ? kept->behind + 1 : 0;
    if (kept->behind > window && kept->looked_ms < last_windows_ms)
        kept->looked_ms = last_windows_ms;
}

static int64_t due_ms(const struct kept_alarm *kept) {
    return kept->looked_ms + keeper_period_ms(&kept->alarm.settings) + ALARM_DELAY_MS;
}

static void look(struct alarms *alarms, size_t place, int64_t when_ms) {
    struct arena arena;
    arena_init(&arena);
    pthread_mutex_lock(&alarms->changing);
    struct kept_alarm *kept = place < alarms->live.count ? alarms->live.items[place] : NULL;
    if (kept != NULL && due_ms(kept) <= when_ms) {
        move_on(alarms, kept);
        struct error *error = look_at_points(alarms, &arena, kept);
        if (error != NULL)
            log_repeated_error("alarm: %.*s", SLICE_ARGS(error->message));
    }
    pthread_mutex_unlock(&alarms->changing);
    arena_release(&arena);
}

/* When the next one is due; INT64_MAX: there is none. */
static int64_t next_due_ms(struct alarms *alarms, size_t *ret_count) {
    int64_t next_ms = INT64_MAX;
    pthread_mutex_lock(&alarms->lock);
    for (size_t i = 0; i < alarms->live.count; i++) {
        int64_t ms = due_ms(alarms->live.items[i]);
        next_ms = ms < next_ms ? ms : next_ms;
    }
    *ret_count = alarms->live.count;
    pthread_mutex_unlock(&alarms->lock);
    return next_ms;
}

static bool is_stopping(struct alarms *alarms) {
    pthread_mutex_lock(&alarms->bell_lock);
    bool stopping = alarms->stopping;
    pthread_mutex_unlock(&alarms->bell_lock);
    return stopping;
}

/* All that are due, in the order of their times. Returns when the next one is. */
static int64_t look_at_due(struct alarms *alarms) {
    size_t count;
    for (;;) {
        int64_t next_ms = next_due_ms(alarms, &count);
        if (next_ms > clock_now_ms(alarms->options.clock) || is_stopping(alarms))
            return next_ms;
        for (size_t i = 0; i < count && !is_stopping(alarms); i++)
            look(alarms, i, next_ms);
    }
}

/* ---- messages ---- */

/* On the courier's thread. */
static void note_delivery(void *user, const struct parcel *parcel, const struct outcome *outcome) {
    struct alarms *alarms = user;
    struct delivery *delivery = calloc(1, sizeof(*delivery));
    CHECK(delivery != NULL);
    arena_init(&delivery->arena);
    delivery->key = arena_slice(&delivery->arena, parcel->id);
    if (outcome->kind != OUTCOME_DELIVERED)
        delivery->failure = arena_slice(&delivery->arena, slice_text(outcome->text));
    pthread_mutex_lock(&alarms->bell_lock);
    delivery->next = alarms->deliveries;
    alarms->deliveries = delivery;
    alarms->rung = true;
    pthread_mutex_unlock(&alarms->bell_lock);
    pthread_cond_signal(&alarms->bell);
}

static void settle(struct alarms *alarms, struct slice key, struct slice failure) {
    struct arena arena;
    arena_init(&arena);
    pthread_mutex_lock(&alarms->changing);
    struct error *error = keeper_settle(alarms, &arena, key, failure);
    pthread_mutex_unlock(&alarms->changing);
    if (error != NULL)
        log_repeated_error("alarm: %.*s", SLICE_ARGS(error->message));
    arena_release(&arena);
}

static void settle_deliveries(struct alarms *alarms) {
    pthread_mutex_lock(&alarms->bell_lock);
    struct delivery *list = alarms->deliveries;
    alarms->deliveries = NULL;
    pthread_mutex_unlock(&alarms->bell_lock);
    while (list != NULL) {
        struct delivery *delivery = list;
        list = delivery->next;
        settle(alarms, delivery->key, delivery->failure);
        arena_release(&delivery->arena);
        free(delivery);
    }
}

static bool has_courier(struct alarms *alarms, struct arena *arena) {
    struct courier_options options = {
        .hosts = alarms->options.routes.hosts, .done = note_delivery, .user = alarms};
    if (alarms->courier != NULL)
        return true;
    struct error *error = courier_start(arena, &options, &alarms->courier);
    if (error != NULL)
        log_repeated_error("alarm: messages wait: %.*s", SLICE_ARGS(error->message));
    return error == NULL;
}

/* What the courier has no room for waits for the next time. A topic that is not known any more, in
 * a later run, has nowhere to go. */
static void hand_over(struct alarms *alarms) {
    struct arena arena;
    struct slice refused = SLICE_NONE, why = SLICE_NONE;
    arena_init(&arena);
    pthread_mutex_lock(&alarms->changing);
    for (struct pending *at = alarms->outbox; at != NULL; at = at->next) {
        const struct alarm_routes *routes = &alarms->options.routes;
        if (at->handed)
            continue;
        why = route_refusal(routes, at->entry.action);
        if (slice_present(why)) {
            refused = arena_slice(&arena, at->entry.key);
            break;
        }
        if (!has_courier(alarms, &arena))
            break;
        struct parcel parcel = route_parcel(&arena, routes, &at->entry);
        at->handed = courier_send(alarms->courier, &parcel);
    }
    pthread_mutex_unlock(&alarms->changing);
    if (slice_present(refused)) {
        settle(alarms, refused, why);
        keeper_ring(alarms);
    }
    arena_release(&arena);
}

/* ---- the thread ---- */

/* Until somebody rings, or something is due by the alarms' clock, which may stand still. */
static void rest(struct alarms *alarms, int64_t next_ms) {
    int64_t wait_ms =
        next_ms == INT64_MAX ? INT64_MAX : next_ms - clock_now_ms(alarms->options.clock);
    wait_ms = wait_ms < 1 ? 1 : wait_ms;
    struct timespec until =
        deadline_after_ms((uint32_t)(wait_ms < SLEEP_MAX_MS ? wait_ms : SLEEP_MAX_MS));
    pthread_mutex_lock(&alarms->bell_lock);
    while (!alarms->rung && !alarms->stopping) {
        if (next_ms == INT64_MAX)
            pthread_cond_wait(&alarms->bell, &alarms->bell_lock);
        else if (pthread_cond_timedwait(&alarms->bell, &alarms->bell_lock, &until) != 0)
            break;
    }
    alarms->rung = false;
    pthread_mutex_unlock(&alarms->bell_lock);
}

static void *evaluator_main(void *argument) {
    struct alarms *alarms = argument;
    while (!is_stopping(alarms)) {
        int64_t next_ms = look_at_due(alarms);
        settle_deliveries(alarms);
        hand_over(alarms);
        rest(alarms, next_ms);
    }
    return NULL;
}

struct error *evaluator_start(struct alarms *alarms, struct arena *arena) {
    if (pthread_create(&alarms->thread, NULL, evaluator_main, alarms) != 0)
        return error_local(arena, "the thread of the alarms did not start");
    alarms->started = true;
    return NULL;
}

void evaluator_stop(struct alarms *alarms) {
    if (!alarms->started)
        return;
    pthread_mutex_lock(&alarms->bell_lock);
    alarms->stopping = true;
    pthread_mutex_unlock(&alarms->bell_lock);
    pthread_cond_signal(&alarms->bell);
    pthread_join(alarms->thread, NULL);
    courier_stop(alarms->courier);
    settle_deliveries(alarms);
}
