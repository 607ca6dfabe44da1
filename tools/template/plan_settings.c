/* plan_settings.c - what is not part of a table's definition or not compared with it: the stream,
 * the time to live, point-in-time recovery and tags. */
#include "template/plan.h"
#include "template/request.h"

enum { RECOVERY_DAYS_DEFAULT = 35 };

static void add(struct plan *plan, const char *operation, struct slice body, struct slice doing) {
    plan_step(plan, (struct plan_step){operation, body, doing, WAIT_ACTIVE});
}

/* ---- the stream ---- */

static const char *stream_text(enum stream_view view) {
    return view == STREAM_OFF ? "off" : stream_view_name(view);
}

/* A stream's view cannot be changed in place: it ends, and a new one begins. */
static void change_stream(struct plan *plan, const struct table_definition *wanted,
                          const struct table_definition *found) {
    struct slice table = wanted->name;
    if (wanted->stream == found->stream)
        return;
    plan_line(plan, "    ~ stream: %s → %s", stream_text(found->stream),
              stream_text(wanted->stream));
    if (found->stream != STREAM_OFF) {
        plan_loss(plan, "the stream of table %.*s would end", SLICE_ARGS(table));
        add(plan, "UpdateTable", request_stream(plan->arena, table, STREAM_OFF),
            arena_printf(plan->arena, "ending the stream of %.*s", SLICE_ARGS(table)));
    }
    if (wanted->stream != STREAM_OFF)
        add(plan, "UpdateTable", request_stream(plan->arena, table, wanted->stream),
            arena_printf(plan->arena, "starting the stream of %.*s", SLICE_ARGS(table)));
}

/* ---- time to live ---- */

static struct slice attribute_text(struct slice attribute) {
    return slice_present(attribute) ? attribute : SLICE_LITERAL("off");
}

static void change_ttl(struct plan *plan, const struct table_definition *wanted,
                       const struct table_definition *found) {
    struct slice table = wanted->name, to = wanted->ttl_attribute, from = found->ttl_attribute;
    if (slice_present(to) == slice_present(from) && slice_equal(to, from))
        return;
    if (plan->action == PLAN_CREATE || plan->action == PLAN_REPLACE)
        plan_line(plan, "    time to live: %.*s", SLICE_ARGS(to));
    else
        plan_line(plan, "    ~ time to live: %.*s → %.*s", SLICE_ARGS(attribute_text(from)),
                  SLICE_ARGS(attribute_text(to)));
    if (slice_present(from))
        add(plan, "UpdateTimeToLive", request_ttl(plan->arena, table, from, false),
            arena_printf(plan->arena, "ending the time to live of %.*s", SLICE_ARGS(table)));
    if (slice_present(to))
        add(plan, "UpdateTimeToLive", request_ttl(plan->arena, table, to, true),
            arena_printf(plan->arena, "setting the time to live of %.*s", SLICE_ARGS(table)));
}

/* ---- point-in-time recovery ---- */

static struct slice recovery_text(struct arena *arena, const struct table_state *state) {
    if (!state->recovery)
        return SLICE_LITERAL("off");
    int64_t days = state->recovery_days == 0 ? RECOVERY_DAYS_DEFAULT : state->recovery_days;
    return arena_printf(arena, "%lld days", (long long)days);
}

/* Fewer days drop the history before them, as ending it drops all of it. */
static void change_recovery(struct plan *plan, const struct table_state *wanted,
                            const struct table_state *found) {
    struct slice table = wanted->definition.name;
    struct slice from = recovery_text(plan->arena, found);
    struct slice to = recovery_text(plan->arena, wanted);
    if (slice_equal(from, to))
        return;
    if (plan->action == PLAN_CREATE || plan->action == PLAN_REPLACE)
        plan_line(plan, "    point-in-time recovery: %.*s", SLICE_ARGS(to));
    else
        plan_line(plan, "    ~ point-in-time recovery: %.*s → %.*s", SLICE_ARGS(from),
                  SLICE_ARGS(to));
    int64_t before = found->recovery_days == 0 ? RECOVERY_DAYS_DEFAULT : found->recovery_days;
    int64_t after = wanted->recovery_days == 0 ? RECOVERY_DAYS_DEFAULT : wanted->recovery_days;
    if (found->recovery && (!wanted->recovery || after < before))
        plan_loss(plan, "the recovery history of table %.*s would be %s", SLICE_ARGS(table),
                  wanted->recovery ? "shortened" : "dropped");
    struct table_state sent = *wanted;
    sent.recovery_days =
        wanted->recovery_days == 0 && found->recovery ? after : wanted->recovery_days;
    add(plan, "UpdateContinuousBackups", request_recovery(plan->arena, table, &sent),
        arena_printf(plan->arena, "changing the point-in-time recovery of %.*s",
                     SLICE_ARGS(table)));
}

/* ---- tags ---- */

static const struct table_tag *find_tag(const struct table_definition *definition,
                                        struct slice key) {
    for (size_t i = 0; i < definition->tag_count; i++)
        if (slice_equal(definition->tags[i].key, key))
            return &definition->tags[i];
    return NULL;
}

static void remove_tags(struct plan *plan, const struct table_definition *wanted,
                        const struct table_definition *found, struct slice arn) {
    struct slice *keys = ARENA_ARRAY(plan->arena, struct slice, found->tag_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < found->tag_count; i++) {
        struct slice key = found->tags[i].key;
        /* The service's own tags are not ours to remove. */
        if (find_tag(wanted, key) != NULL || slice_starts_with(key, SLICE_LITERAL("aws:")))
            continue;
        plan_line(plan, "    - tag %.*s", SLICE_ARGS(key));
        keys[count++] = key;
    }
    if (count > 0)
        add(plan, "UntagResource", request_untag(plan->arena, arn, keys, count),
            arena_printf(plan->arena, "removing tags of %.*s", SLICE_ARGS(wanted->name)));
}

static void set_tags(struct plan *plan, const struct table_definition *wanted,
                     const struct table_definition *found, struct slice arn) {
    struct table_tag *tags = ARENA_ARRAY(plan->arena, struct table_tag, wanted->tag_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < wanted->tag_count; i++) {
        const struct table_tag *tag = &wanted->tags[i], *old = find_tag(found, tag->key);
        if (old != NULL && slice_equal(old->value, tag->value))
            continue;
        if (old == NULL)
            plan_line(plan, "    + tag %.*s = %.*s", SLICE_ARGS(tag->key), SLICE_ARGS(tag->value));
        else
            plan_line(plan, "    ~ tag %.*s: %.*s → %.*s", SLICE_ARGS(tag->key),
                      SLICE_ARGS(old->value), SLICE_ARGS(tag->value));
        tags[count++] = *tag;
    }
    if (count > 0)
        add(plan, "TagResource", request_tags(plan->arena, arn, tags, count),
            arena_printf(plan->arena, "setting tags of %.*s", SLICE_ARGS(wanted->name)));
}

void plan_settings(struct plan *plan, const struct table_state *wanted,
                   const struct table_state *found, struct slice arn) {
    change_stream(plan, &wanted->definition, &found->definition);
    change_ttl(plan, &wanted->definition, &found->definition);
    change_recovery(plan, wanted, found);
    remove_tags(plan, &wanted->definition, &found->definition, arn);
    set_tags(plan, &wanted->definition, &found->definition, arn);
}
