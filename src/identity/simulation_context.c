/* simulation_context.c - the values that a simulated request has for condition keys.
 *
 * What a server knows of every request of the caller is there: who they are, and the time. What
 * comes with a request only has to be said by an entry, or is missing. */
#include "base/timestamp.h"
#include "identity/simulation.h"

static void set_one(struct simulation *simulation, enum policy_key key, struct slice value) {
    if (!slice_present(value))
        return;
    struct slice *list = ARENA_NEW(simulation->call->arena, struct slice);
    *list = value;
    simulation->request.values[key] = (struct policy_values){.list = list, .count = 1};
}

/* Room for one more, doubled now and then. */
static void make_room(struct arena *arena, struct policy_values *values) {
    if ((values->count & (values->count - 1)) != 0)
        return;
    size_t room = values->count == 0 ? 1 : 2 * values->count;
    struct slice *list = ARENA_ARRAY(arena, struct slice, room);
    struct slice *names = ARENA_ARRAY(arena, struct slice, room);
    if (values->count > 0) {
        memcpy(list, values->list, values->count * sizeof(*list));
        memcpy(names, values->names, values->count * sizeof(*names));
    }
    values->list = list;
    values->names = names;
}

/* With one name more, or another value for it. */
static void set_named(struct simulation *simulation, const struct policy_key_use *use,
                      struct slice value) {
    struct policy_values *values = &simulation->request.values[use->key];
    size_t at = 0;
    while (at < values->count && !slice_equal_ignoring_case(values->names[at], use->name))
        at++;
    if (at == values->count) {
        make_room(simulation->call->arena, values);
        values->count++;
    }
    values->list[at] = value;
    values->names[at] = use->name;
}

static void set_list(struct simulation *simulation, enum policy_key key,
                     const struct json_value *items) {
    size_t count = 0;
    for (const struct json_value *item = items; item != NULL; item = item->next)
        count++;
    struct policy_values *values = &simulation->request.values[key];
    *values =
        (struct policy_values){.list = ARENA_ARRAY(simulation->call->arena, struct slice, count)};
    for (const struct json_value *item = items; item != NULL; item = item->next)
        values->list[values->count++] = item->text;
}

/* A key that no policy can name is passed over, and so is one that no request ever has. */
static void set_entry(struct simulation *simulation, const struct json_value *entry) {
    struct policy_key_use use;
    const struct json_value *items = input_items(entry, "ContextKeyValues");
    if (items == NULL || !policy_key_find(input_text(entry, "ContextKeyName"), &use) ||
        use.key == POLICY_KEY_NEVER)
        return;
    if (use.form == POLICY_KEY_NAMED)
        set_named(simulation, &use, items->text);
    else if (use.form == POLICY_KEY_LIST)
        set_list(simulation, use.key, items);
    else
        set_one(simulation, use.key, items->text);
}

static void set_caller(struct simulation *simulation) {
    const struct caller *caller = &simulation->caller;
    bool user = caller->kind == CALLER_USER;
    if (!slice_present(caller->arn))
        return; /* it is nobody in particular */
    set_one(simulation, POLICY_KEY_USERNAME, caller->name);
    set_one(simulation, POLICY_KEY_USERID, user ? caller->id : SLICE_NONE);
    set_one(simulation, POLICY_KEY_PRINCIPAL_ARN, caller->principal_arn);
    set_one(simulation, POLICY_KEY_PRINCIPAL_ACCOUNT, caller->account);
    set_one(simulation, POLICY_KEY_PRINCIPAL_TYPE,
            user ? SLICE_LITERAL("User") : SLICE_LITERAL("AssumedRole"));
    for (size_t i = 0; i < caller->tag_count; i++) {
        const struct policy_key_use use = {.key = POLICY_KEY_PRINCIPAL_TAG,
                                           .form = POLICY_KEY_NAMED,
                                           .name = caller->tags[i].name};
        set_named(simulation, &use, caller->tags[i].value);
    }
}

void simulation_fill(struct simulation *simulation) {
    struct arena *arena = simulation->call->arena;
    int64_t now_ms = clock_now_ms(simulation->call->clock);
    set_caller(simulation);
    set_one(simulation, POLICY_KEY_RESOURCE_ACCOUNT, simulation->call->account);
    set_one(simulation, POLICY_KEY_CURRENT_TIME, timestamp_of_second(arena, now_ms));
    set_one(simulation, POLICY_KEY_EPOCH_TIME,
            arena_printf(arena, "%lld", (long long)(now_ms / 1000)));
    set_one(simulation, POLICY_KEY_VIA_AWS_SERVICE, SLICE_LITERAL("false"));
    for (const struct json_value *entry = input_items(simulation->call->input, "ContextEntries");
         entry != NULL; entry = entry->next)
        set_entry(simulation, entry);
}
