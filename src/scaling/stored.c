/* stored.c - see stored.h. Stored bytes are not believed: what does not fit is an error that names
 * the record. */
#include "scaling/stored.h"

#include <inttypes.h>
#include <stdlib.h>

#include "json/member.h"
#include "json/text.h"
#include "json/tree.h"

enum { NUMBER_CHARS_MAX = 40 };

/* ---- writing ---- */

static void text(struct json_writer *json, const char *name, struct slice value) {
    if (slice_present(value))
        member_text(json, name, value);
}

static void write_place(struct json_writer *json, struct slice resource,
                        enum scaling_dimension dimension) {
    member_text(json, "resource", resource);
    member_word(json, "dimension", scaling_dimension_word(dimension));
}

struct record scaling_target_record(struct arena *arena, const struct scaling_target *target) {
    struct json_text out;
    json_text_begin(&out);
    write_place(&out.json, target->resource, target->dimension);
    member_integer(&out.json, "min", target->min);
    member_integer(&out.json, "max", target->max);
    text(&out.json, "role", target->role);
    member_bool(&out.json, "suspended_in", target->suspended_in);
    member_bool(&out.json, "suspended_out", target->suspended_out);
    member_bool(&out.json, "suspended_scheduled", target->suspended_scheduled);
    member_text(&out.json, "id", target->id);
    member_integer(&out.json, "created", target->created_ms);
    struct slice name = arena_printf(arena, "%.*s %s", SLICE_ARGS(target->resource),
                                     scaling_dimension_word(target->dimension));
    return (struct record){.kind = SLICE_LITERAL(STORED_SCALING_TARGET),
                           .name = name,
                           .value = json_text_end(&out, arena)};
}

struct record scaling_policy_record(struct arena *arena, const struct scaling_policy *policy) {
    struct json_text out;
    json_text_begin(&out);
    write_place(&out.json, policy->resource, policy->dimension);
    member_text(&out.json, "name", policy->name);
    member_text(&out.json, "id", policy->id);
    json_name(&out.json, SLICE_LITERAL("target"));
    json_double(&out.json, policy->target);
    member_integer(&out.json, "out_cooldown", policy->out_cooldown_s);
    member_integer(&out.json, "in_cooldown", policy->in_cooldown_s);
    member_bool(&out.json, "keeps_capacity", policy->keeps_capacity);
    member_array(&out.json, "alarms");
    for (int i = 0; i < SCALING_ALARMS; i++)
        json_string(&out.json, policy->alarm_ids[i]);
    json_array_end(&out.json);
    member_integer(&out.json, "alarmed", policy->alarmed_capacity);
    member_integer(&out.json, "table", policy->table_id);
    member_integer(&out.json, "created", policy->created_ms);
    member_integer(&out.json, "grown", policy->grown_ms);
    member_integer(&out.json, "shrunk", policy->shrunk_ms);
    return (struct record){.kind = SLICE_LITERAL(STORED_SCALING_POLICY),
                           .name = policy->id,
                           .value = json_text_end(&out, arena)};
}

struct slice scaling_activity_name(struct arena *arena, uint64_t number) {
    return arena_printf(arena, "%020" PRIu64, number);
}

struct record scaling_activity_record(struct arena *arena, uint64_t number,
                                      const struct scaling_activity *activity) {
    struct json_text out;
    json_text_begin(&out);
    write_place(&out.json, activity->resource, activity->dimension);
    member_text(&out.json, "id", activity->id);
    member_text(&out.json, "description", activity->description);
    member_text(&out.json, "cause", activity->cause);
    member_text(&out.json, "status", activity->status);
    text(&out.json, "message", activity->message);
    member_integer(&out.json, "begun", activity->begun_ms);
    member_integer(&out.json, "ended", activity->ended_ms);
    return (struct record){.kind = SLICE_LITERAL(STORED_SCALING_ACTIVITY),
                           .name = scaling_activity_name(arena, number),
                           .value = json_text_end(&out, arena)};
}

/* ---- reading ---- */

/* An object that is read member by member; `wrong` when one is not what it has to be. */
struct reading {
    const struct json_value *object;
    bool wrong;
};

static struct reading open(struct arena *arena, const struct record *record) {
    const struct json_value *object = json_tree_read(arena, record->value, NULL);
    return (struct reading){object, object == NULL || object->kind != JSON_OBJECT_BEGIN};
}

static struct slice read_text(struct reading *reading, const char *name) {
    struct slice value = json_find_text(reading->object, name);
    reading->wrong = reading->wrong || !slice_present(value);
    return value;
}

static double read_number(struct reading *reading, const char *name) {
    const struct json_value *value = json_find(reading->object, name);
    char digits[NUMBER_CHARS_MAX + 1] = "0";
    if (value == NULL || (value->kind != JSON_INTEGER && value->kind != JSON_DECIMAL) ||
        value->text.len > NUMBER_CHARS_MAX) {
        reading->wrong = true;
        return 0;
    }
    memcpy(digits, value->text.data, value->text.len);
    digits[value->text.len] = '\0';
    return strtod(digits, NULL);
}

static int64_t read_integer(struct reading *reading, const char *name) {
    double number = read_number(reading, name);
    if (!(number >= 0 && number <= 9007199254740992.0)) {
        reading->wrong = true;
        return 0;
    }
    return (int64_t)number;
}

static bool read_bool(struct reading *reading, const char *name) {
    const struct json_value *value = json_find(reading->object, name);
    bool truth = value != NULL && value->kind == JSON_TRUE;
    reading->wrong = reading->wrong || value == NULL || (!truth && value->kind != JSON_FALSE);
    return truth;
}

static struct slice read_place(struct reading *reading, enum scaling_dimension *ret_dimension) {
    struct slice resource = read_text(reading, "resource"), table, index;
    reading->wrong = reading->wrong ||
                     !scaling_dimension_find(read_text(reading, "dimension"), ret_dimension) ||
                     !scaling_resource_split(resource, *ret_dimension, &table, &index);
    return resource;
}

static struct error *judge(struct arena *arena, const struct reading *reading,
                           const struct record *record) {
    if (!reading->wrong)
        return NULL;
    return error_local(arena, "the record %.*s %.*s is damaged", SLICE_ARGS(record->kind),
                       SLICE_ARGS(record->name));
}

struct error *scaling_target_of_record(struct arena *arena, const struct record *record,
                                       struct scaling_target *ret_target) {
    struct reading reading = open(arena, record);
    *ret_target = (struct scaling_target){.resource = SLICE_NONE};
    ret_target->resource = read_place(&reading, &ret_target->dimension);
    ret_target->min = read_integer(&reading, "min");
    ret_target->max = read_integer(&reading, "max");
    ret_target->role = json_find_text(reading.object, "role");
    ret_target->suspended_in = read_bool(&reading, "suspended_in");
    ret_target->suspended_out = read_bool(&reading, "suspended_out");
    ret_target->suspended_scheduled = read_bool(&reading, "suspended_scheduled");
    ret_target->id = read_text(&reading, "id");
    ret_target->created_ms = read_integer(&reading, "created");
    return judge(arena, &reading, record);
}

static void read_alarms(struct reading *reading, struct scaling_policy *policy) {
    const struct json_value *item = json_find_items(reading->object, "alarms");
    for (int i = 0; i < SCALING_ALARMS; i++, item = item == NULL ? NULL : item->next) {
        bool found = item != NULL && item->kind == JSON_STRING;
        reading->wrong = reading->wrong || !found;
        policy->alarm_ids[i] = found ? item->text : SLICE_NONE;
    }
}

struct error *scaling_policy_of_record(struct arena *arena, const struct record *record,
                                       struct scaling_policy *ret_policy) {
    struct reading reading = open(arena, record);
    *ret_policy = (struct scaling_policy){.resource = SLICE_NONE};
    ret_policy->resource = read_place(&reading, &ret_policy->dimension);
    ret_policy->name = read_text(&reading, "name");
    ret_policy->id = read_text(&reading, "id");
    ret_policy->target = read_number(&reading, "target");
    ret_policy->out_cooldown_s = read_integer(&reading, "out_cooldown");
    ret_policy->in_cooldown_s = read_integer(&reading, "in_cooldown");
    ret_policy->keeps_capacity = read_bool(&reading, "keeps_capacity");
    read_alarms(&reading, ret_policy);
    ret_policy->alarmed_capacity = read_integer(&reading, "alarmed");
    ret_policy->table_id = (uint32_t)read_integer(&reading, "table");
    ret_policy->created_ms = read_integer(&reading, "created");
    ret_policy->grown_ms = read_integer(&reading, "grown");
    ret_policy->shrunk_ms = read_integer(&reading, "shrunk");
    reading.wrong = reading.wrong || !(ret_policy->target > 0);
    return judge(arena, &reading, record);
}

struct error *scaling_activity_of_record(struct arena *arena, const struct record *record,
                                         struct scaling_activity *ret_activity) {
    struct reading reading = open(arena, record);
    *ret_activity = (struct scaling_activity){.resource = SLICE_NONE};
    ret_activity->resource = read_place(&reading, &ret_activity->dimension);
    ret_activity->id = read_text(&reading, "id");
    ret_activity->description = read_text(&reading, "description");
    ret_activity->cause = read_text(&reading, "cause");
    ret_activity->status = read_text(&reading, "status");
    ret_activity->message = json_find_text(reading.object, "message");
    ret_activity->begun_ms = read_integer(&reading, "begun");
    ret_activity->ended_ms = read_integer(&reading, "ended");
    return judge(arena, &reading, record);
}
