/* alarm_tag_ops.c - TagResource, UntagResource and ListTagsForResource, of alarms. */
#include "alarm/alarms.h"
#include "cloudwatch/alarm_input.h"
#include "cloudwatch/cloudwatch.h"

static const struct input_field tag_resource_fields[] = {
    INPUT("ResourceARN", INPUT_TEXT, .required = true, .min = 1, .max = 1024),
    INPUT("Tags", INPUT_LIST, .required = true, .items = INPUT_OBJECT, .members = tag_fields),
    INPUT_END,
};

static const struct input_field untag_resource_fields[] = {
    INPUT("ResourceARN", INPUT_TEXT, .required = true, .min = 1, .max = 1024),
    INPUT("TagKeys", INPUT_LIST, .required = true, .items = INPUT_TEXT, .item_min = 1,
          .item_max = 128),
    INPUT_END,
};

static const struct input_field list_tags_fields[] = {
    INPUT("ResourceARN", INPUT_TEXT, .required = true, .min = 1, .max = 1024),
    INPUT_END,
};

static struct slice resource_itself(const struct service_call *call, size_t number) {
    return number == 0 ? input_text(call->input, "ResourceARN") : SLICE_NONE;
}

/* ---- the tags there are ---- */

struct tagged {
    struct arena *arena;
    struct slice arn;
    struct slice name; /* absent: there is no such alarm */
    struct alarm_pair *tags;
    size_t count;
};

static bool take_tags(void *user, const struct alarm *alarm) {
    struct tagged *tagged = user;
    if (!slice_equal(alarm->arn, tagged->arn))
        return true;
    tagged->name = arena_slice(tagged->arena, alarm->settings.name);
    tagged->count = alarm->tag_count;
    tagged->tags = ARENA_ARRAY(tagged->arena, struct alarm_pair, alarm->tag_count + 1);
    for (size_t i = 0; i < alarm->tag_count; i++)
        tagged->tags[i] = (struct alarm_pair){arena_slice(tagged->arena, alarm->tags[i].name),
                                              arena_slice(tagged->arena, alarm->tags[i].value)};
    return false;
}

static struct error *no_such(const struct service_call *call) {
    return error_new(call->arena, ERROR_CLOUDWATCH_ARN_NOT_FOUND, "Unknown");
}

static struct error *find(const struct service_call *call, struct tagged *tagged) {
    const struct cloudwatch *cloudwatch = cloudwatch_of(call);
    *tagged = (struct tagged){.arena = call->arena, .arn = input_text(call->input, "ResourceARN")};
    alarms_visit(cloudwatch->alarms, SLICE_LITERAL(""), take_tags, tagged);
    return slice_present(tagged->name) ? NULL : no_such(call);
}

static struct error *store(const struct service_call *call, const struct tagged *tagged) {
    const struct cloudwatch *cloudwatch = cloudwatch_of(call);
    bool found;
    TRY(alarms_set_tags(cloudwatch->alarms, call->arena, tagged->name, tagged->tags, tagged->count,
                        &found));
    return found ? NULL : no_such(call);
}

/* ---- operations ---- */

static void put_tag(struct tagged *tagged, struct alarm_pair tag) {
    for (size_t i = 0; i < tagged->count; i++)
        if (slice_equal(tagged->tags[i].name, tag.name)) {
            tagged->tags[i].value = tag.value;
            return;
        }
    tagged->tags[tagged->count++] = tag;
}

static struct error *tag_resource(struct service_call *call) {
    struct tagged tagged;
    struct alarm_pair *more;
    size_t count;
    TRY(tags_read(call->arena, call->input, &more, &count));
    TRY(find(call, &tagged));
    struct alarm_pair *all = ARENA_ARRAY(call->arena, struct alarm_pair, tagged.count + count + 1);
    memcpy(all, tagged.tags, tagged.count * sizeof(*all));
    tagged.tags = all;
    for (size_t i = 0; i < count; i++)
        put_tag(&tagged, more[i]);
    if (tagged.count > ALARM_TAGS_MAX)
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "An alarm may have at most %d tags", ALARM_TAGS_MAX);
    return store(call, &tagged);
}

static bool is_listed(const struct json_value *input, struct slice key) {
    const struct json_value *item = input_items(input, "TagKeys");
    while (item != NULL && !slice_equal(item->text, key))
        item = item->next;
    return item != NULL;
}

static struct error *untag_resource(struct service_call *call) {
    struct tagged tagged;
    size_t left = 0;
    TRY(find(call, &tagged));
    for (size_t i = 0; i < tagged.count; i++)
        if (!is_listed(call->input, tagged.tags[i].name))
            tagged.tags[left++] = tagged.tags[i];
    tagged.count = left;
    return store(call, &tagged);
}

static struct error *list_tags_for_resource(struct service_call *call) {
    struct tagged tagged;
    TRY(find(call, &tagged));
    answer_list(call->answer, "Tags");
    for (size_t i = 0; i < tagged.count; i++) {
        answer_object(call->answer, NULL);
        answer_text(call->answer, "Key", tagged.tags[i].name);
        answer_text(call->answer, "Value", tagged.tags[i].value);
        answer_end(call->answer);
    }
    answer_end(call->answer);
    return NULL;
}

const struct service_op cloudwatch_tag_resource = {"TagResource", tag_resource, tag_resource_fields,
                                                   SERVICE_CHANGES, resource_itself};
const struct service_op cloudwatch_untag_resource = {
    "UntagResource", untag_resource, untag_resource_fields, SERVICE_CHANGES, resource_itself};
const struct service_op cloudwatch_list_tags_for_resource = {
    "ListTagsForResource", list_tags_for_resource, list_tags_fields, 0, resource_itself};
