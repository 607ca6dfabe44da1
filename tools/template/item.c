/* item.c - see item.h. Items are compared as values, so that neither the order of attributes nor
 * the form of a number is a difference. */
#include "template/item.h"

#include "json/member.h"
#include "json/text.h"
#include "model/value_json.h"

/* ---- values ---- */

/* What is wrong with it is returned as it is: the caller knows its place. */
static struct error *read_item(struct arena *arena, struct slice text, struct value *ret_item) {
    struct buffer CLEANUP(buffer_release) out;
    struct value_builder builder;
    struct json_reader reader;
    struct value_fault fault = {.layer = VALUE_LAYER_CURRENT};
    buffer_init(&out, JSON_TEXT_BYTES_MAX);
    value_builder_init(&builder, &out, arena);
    json_reader_init(&reader, text, arena);
    if (json_next(&reader) != JSON_OBJECT_BEGIN)
        return error_local(arena, "it is no object of JSON");
    TRY(item_read_json(&reader, &builder, &fault));
    if (fault.error != NULL)
        return fault.error;
    if (!json_finish(&reader))
        return error_local(arena, "it is no JSON");
    *ret_item = value_from_slice(arena_slice(arena, buffer_slice(&out)));
    return NULL;
}

/* An answer is as deep as its reader lets it be. */
static void write_tree(struct json_writer *json, const struct json_value *value) {
    bool object = value->kind == JSON_OBJECT_BEGIN;
    if (value->kind == JSON_STRING) {
        json_string(json, value->text);
        return;
    }
    if (!object && value->kind != JSON_ARRAY_BEGIN) {
        json_bool(json, value->kind == JSON_TRUE); /* BOOL and NULL: there are no numbers */
        return;
    }
    object ? json_object_begin(json) : json_array_begin(json);
    for (const struct json_value *part = value->first; part != NULL; part = part->next) {
        if (object)
            json_name(json, part->name);
        write_tree(json, part);
    }
    object ? json_object_end(json) : json_array_end(json);
}

static struct slice tree_text(struct arena *arena, const struct json_value *value) {
    struct buffer CLEANUP(buffer_release) out;
    struct json_writer json;
    buffer_init(&out, JSON_TEXT_BYTES_MAX);
    json_writer_init(&json, &out);
    write_tree(&json, value);
    return arena_slice(arena, buffer_slice(&out));
}

/* ---- what the document wants ---- */

/* Absent: it is known only after an apply, or not there. */
static struct slice text_of(const struct template_resource *resource, const char *name) {
    const struct node *node = node_find(resource->properties, name);
    return node == NULL || node->kind != NODE_SCALAR ? SLICE_NONE : node->text;
}

static struct error *find_key(struct template *t, struct wanted_item *wanted) {
    static const char *const keys[] = {"hash_key", "range_key"};
    struct arena *arena = t->document.arena;
    struct buffer CLEANUP(buffer_release) out;
    struct value_builder builder;
    buffer_init(&out, JSON_TEXT_BYTES_MAX);
    value_builder_init(&builder, &out, arena);
    value_builder_open(&builder, VALUE_M);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        struct slice name = text_of(wanted->resource, keys[i]);
        if (!slice_present(name))
            continue;
        struct value value = value_map_find(wanted->item, name);
        if (value.bytes == NULL)
            return template_error(t, wanted->resource->mark,
                                  "item has no %.*s, which is in its key", SLICE_ARGS(name));
        value_builder_name(&builder, name);
        value_builder_value(&builder, value);
    }
    value_builder_close(&builder);
    wanted->key = value_from_slice(arena_slice(arena, buffer_slice(&out)));
    return NULL;
}

static struct error *read_wanted(struct template *t, struct wanted_item *wanted) {
    const struct template_resource *resource = wanted->resource;
    struct error *error = read_item(t->document.arena, text_of(resource, "item"), &wanted->item);
    if (error != NULL)
        return template_error(t, resource->mark, "item: %.*s",
                              SLICE_ARGS(slice_present(error->message)
                                             ? error->message
                                             : SLICE_LITERAL("it is no item in DynamoDB's JSON")));
    wanted->table = text_of(resource, "table_name");
    return find_key(t, wanted);
}

static const struct node *find_missing(struct template *t,
                                       const struct template_resource *resource) {
    static const char *const needed[] = {"table_name", "item", "hash_key"};
    const struct node *unknown =
        resource->properties == NULL ? NULL : node_find_unknown(resource->properties);
    for (size_t i = 0; unknown == NULL && i < sizeof(needed) / sizeof(*needed); i++)
        if (!slice_present(text_of(resource, needed[i])))
            unknown = node_unknown(t->document.arena, resource->mark, "it has no %s", needed[i]);
    return unknown;
}

struct error *template_items(struct template *t, struct wanted_item **ret_items,
                             size_t *ret_count) {
    struct wanted_item *items =
        ARENA_ARRAY(t->document.arena, struct wanted_item, t->resource_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < t->resource_count; i++) {
        struct template_resource *resource = &t->resources[i];
        if (resource->kind != RESOURCE_ITEM)
            continue;
        const struct node *missing = find_missing(t, resource);
        if (missing != NULL) {
            template_notice(t, resource->mark, "%.*s is skipped: %.*s", SLICE_ARGS(resource->type),
                            SLICE_ARGS(missing->text));
            continue;
        }
        items[count].resource = resource;
        TRY(read_wanted(t, &items[count++]));
    }
    *ret_items = items;
    *ret_count = count;
    return NULL;
}

/* ---- the plan ---- */

struct slice request_item(struct arena *arena, const struct wanted_item *wanted) {
    struct json_text text;
    json_text_begin(&text);
    member_text(&text.json, "TableName", wanted->table);
    JSON_NAME_LITERAL(&text.json, "Key");
    item_write_json(&text.json, wanted->key);
    member_bool(&text.json, "ConsistentRead", true);
    return json_text_end(&text, arena);
}

static struct slice put_request(struct arena *arena, const struct wanted_item *wanted) {
    struct json_text text;
    json_text_begin(&text);
    member_text(&text.json, "TableName", wanted->table);
    JSON_NAME_LITERAL(&text.json, "Item");
    item_write_json(&text.json, wanted->item);
    return json_text_end(&text, arena);
}

/* "item {...} of table t". */
static struct slice describe(struct arena *arena, const struct wanted_item *wanted) {
    struct buffer CLEANUP(buffer_release) out;
    struct json_writer json;
    buffer_init(&out, JSON_TEXT_BYTES_MAX);
    json_writer_init(&json, &out);
    item_write_json(&json, wanted->key);
    return arena_printf(arena, "item %.*s of table %.*s", SLICE_ARGS(buffer_slice(&out)),
                        SLICE_ARGS(wanted->table));
}

struct error *item_plan(struct template *t, const struct wanted_item *wanted,
                        const struct json_value *found, struct plan *ret_plan) {
    struct arena *arena = t->document.arena;
    const struct json_value *there = json_find(found, "Item");
    struct value item = VALUE_ABSENT;
    struct slice what = describe(arena, wanted);
    *ret_plan = (struct plan){.arena = arena, .action = PLAN_CREATE};
    if (there != NULL)
        TRY(read_item(arena, tree_text(arena, there), &item));
    if (there != NULL)
        ret_plan->action = value_equal(item, wanted->item) ? PLAN_NOTHING : PLAN_CHANGE;
    if (ret_plan->action == PLAN_NOTHING) {
        plan_line(ret_plan, "= %.*s", SLICE_ARGS(what));
        return NULL;
    }
    bool fresh = ret_plan->action == PLAN_CREATE;
    plan_line(ret_plan, "%s %.*s", fresh ? "+ put" : "~ replace", SLICE_ARGS(what));
    plan_step(ret_plan,
              (struct plan_step){
                  "PutItem", put_request(arena, wanted),
                  arena_printf(arena, "%s %.*s", fresh ? "putting" : "replacing", SLICE_ARGS(what)),
                  WAIT_NOT});
    return NULL;
}
