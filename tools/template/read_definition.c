/* read_definition.c - the parts of a table that templates and DescribeTable write alike. */
#include <stdlib.h>

#include "model/limits.h"
#include "model/table_json.h"
#include "model/table_settings.h"
#include "template/state.h"

enum { DEFINITIONS_MAX = 200, NON_KEY_MAX = 200, INDEXES_MAX = 30 };

static struct error *check_count(const struct property_reader *reader, const struct node *list,
                                 const char *name, size_t most) {
    if (list->count > most)
        return document_error(reader->document, list->mark, "%s has more than %zu elements", name,
                              most);
    return NULL;
}

/* ---- attributes and keys ---- */

static int compare_attributes(const void *a, const void *b) {
    return slice_compare(((const struct attribute_definition *)a)->name,
                         ((const struct attribute_definition *)b)->name);
}

static struct error *read_attribute(const struct property_reader *reader, const struct node *node,
                                    struct attribute_definition *ret_attribute) {
    static const char *const known[] = {"AttributeName", "AttributeType", NULL};
    static const struct property_set members = {"an attribute definition", known, NULL};
    static const char *const types[] = {"S", "N", "B", NULL};
    size_t type = 0;
    struct slice text;
    TRY(property_item_mapping(reader, node, "an attribute definition"));
    TRY(property_check(reader, node, &members));
    TRY(property_required_text(reader, node, "AttributeName", &ret_attribute->name));
    TRY(property_required_text(reader, node, "AttributeType", &text));
    TRY(property_choice(reader, node, "AttributeType", types, &type));
    ret_attribute->type = value_type_from_name(slice_text(types[type]));
    return NULL;
}

static struct error *read_attributes(const struct property_reader *reader,
                                     const struct node *properties,
                                     struct table_definition *definition) {
    const struct node *list = NULL;
    TRY(property_list(reader, properties, "AttributeDefinitions", &list));
    if (list == NULL)
        return NULL;
    TRY(check_count(reader, list, "AttributeDefinitions", DEFINITIONS_MAX));
    definition->attributes =
        ARENA_ARRAY(reader->document->arena, struct attribute_definition, list->count + 1);
    for (size_t i = 0; i < list->count; i++) {
        struct attribute_definition *attribute = &definition->attributes[i];
        TRY(read_attribute(reader, list->items[i], attribute));
        for (size_t k = 0; k < i; k++)
            if (slice_equal(definition->attributes[k].name, attribute->name))
                return document_error(reader->document, list->items[i]->mark,
                                      "AttributeDefinitions defines '%.*s' twice",
                                      SLICE_ARGS(attribute->name));
    }
    definition->attribute_count = list->count;
    qsort(definition->attributes, list->count, sizeof(*definition->attributes), compare_attributes);
    return NULL;
}

static struct error *read_key_part(const struct property_reader *reader, const struct node *node,
                                   const struct table_definition *definition,
                                   struct key_schema *keys) {
    static const char *const known[] = {"AttributeName", "KeyType", NULL};
    static const struct property_set members = {"an element of KeySchema", known, NULL};
    int type = KEY_TYPE_HASH;
    struct slice name, text;
    TRY(property_item_mapping(reader, node, "an element of KeySchema"));
    TRY(property_check(reader, node, &members));
    TRY(property_required_text(reader, node, "AttributeName", &name));
    TRY(property_required_text(reader, node, "KeyType", &text));
    TRY(property_word(reader, node, "KeyType", &key_type_words, &type));
    bool range = type == KEY_TYPE_RANGE;
    struct key_attribute part = {name, table_attribute_type(definition, name)};
    if (part.type == VALUE_NONE)
        return document_error(reader->document, node->mark,
                              "AttributeDefinitions does not define the key attribute '%.*s'",
                              SLICE_ARGS(name));
    if (!range && keys->range_count > 0)
        return document_error(reader->document, node->mark, "HASH comes before RANGE in KeySchema");
    uint8_t *count = range ? &keys->range_count : &keys->hash_count;
    if (*count == KEY_PARTS_MAX)
        return document_error(reader->document, node->mark, "KeySchema has more than %d %s keys",
                              KEY_PARTS_MAX, key_type_name((enum key_type)type));
    (range ? keys->range : keys->hash)[(*count)++] = part;
    return NULL;
}

static struct error *read_keys(const struct property_reader *reader, const struct node *holder,
                               const struct table_definition *definition,
                               struct key_schema *ret_keys) {
    const struct node *list = NULL;
    struct key_schema keys = {0};
    TRY(property_list(reader, holder, "KeySchema", &list));
    if (list == NULL)
        return document_error(reader->document, holder->mark, "KeySchema is missing");
    for (size_t i = 0; i < list->count; i++)
        TRY(read_key_part(reader, list->items[i], definition, &keys));
    if (keys.hash_count == 0)
        return document_error(reader->document, list->mark, "KeySchema has no HASH key");
    *ret_keys = keys;
    return NULL;
}

/* ---- throughput ---- */

static struct error *read_units(const struct property_reader *reader, const struct node *holder,
                                const struct unit_names *names, struct unit_pair *ret_units) {
    const struct node *mapping = NULL;
    TRY(property_mapping(reader, holder, names->pair, &mapping));
    if (mapping == NULL)
        return NULL;
    const char *const known[] = {names->read, names->write, NULL};
    const struct property_set members = {names->pair, known, NULL};
    TRY(property_check(reader, mapping, &members));
    TRY(property_integer(reader, mapping, names->read, &ret_units->read));
    return property_integer(reader, mapping, names->write, &ret_units->write);
}

static struct error *read_throughput(const struct property_reader *reader,
                                     const struct node *holder,
                                     struct provisioned_throughput *provisioned,
                                     struct unit_pair *on_demand, struct unit_pair *warm) {
    struct unit_pair units = {0, 0};
    *on_demand = *warm = UNITS_UNSET;
    TRY(read_units(reader, holder, &provisioned_names, &units));
    provisioned->read_units = units.read;
    provisioned->write_units = units.write;
    TRY(read_units(reader, holder, &on_demand_names, on_demand));
    return read_units(reader, holder, &warm_names, warm);
}

/* ---- indexes ---- */

static int compare_names(const void *a, const void *b) {
    return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static struct error *read_projection(const struct property_reader *reader,
                                     const struct node *holder, struct table_index *index) {
    static const char *const known[] = {"ProjectionType", "NonKeyAttributes", NULL};
    static const struct property_set members = {"Projection", known, NULL};
    const struct node *mapping = NULL, *list = NULL;
    int type = PROJECT_ALL;
    struct slice text;
    TRY(property_mapping(reader, holder, "Projection", &mapping));
    if (mapping == NULL)
        return document_error(reader->document, holder->mark, "Projection is missing");
    TRY(property_check(reader, mapping, &members));
    TRY(property_required_text(reader, mapping, "ProjectionType", &text));
    TRY(property_word(reader, mapping, "ProjectionType", &projection_type_words, &type));
    index->projection = (enum projection_type)type;
    TRY(property_list(reader, mapping, "NonKeyAttributes", &list));
    if (list == NULL)
        return NULL;
    TRY(check_count(reader, list, "NonKeyAttributes", NON_KEY_MAX));
    index->non_key_attributes = ARENA_ARRAY(reader->document->arena, struct slice, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        TRY(property_item_text(reader, list->items[i], "NonKeyAttributes",
                               &index->non_key_attributes[i]));
    index->non_key_attribute_count = list->count;
    qsort(index->non_key_attributes, list->count, sizeof(struct slice), compare_names);
    return NULL;
}

static struct error *read_insights(const struct property_reader *reader, const struct node *holder,
                                   struct contributor_insights *insights) {
    static const char *const known[] = {"Enabled", "Mode", NULL};
    static const struct property_set members = {"ContributorInsightsSpecification", known, NULL};
    const struct node *mapping = NULL;
    int mode = INSIGHTS_ACCESSED_AND_THROTTLED_KEYS;
    TRY(property_mapping(reader, holder, "ContributorInsightsSpecification", &mapping));
    if (mapping == NULL)
        return NULL;
    TRY(property_check(reader, mapping, &members));
    TRY(property_bool(reader, mapping, "Enabled", &insights->enabled));
    TRY(property_word(reader, mapping, "Mode", &insights_mode_words, &mode));
    insights->mode = (enum insights_mode)mode;
    return NULL;
}

static struct error *read_index(const struct property_reader *reader, const struct node *node,
                                bool global, const struct table_definition *definition,
                                struct table_index *index) {
    static const char *const local[] = {"IndexName", "KeySchema", "Projection", NULL};
    static const char *const known[] = {"IndexName",
                                        "KeySchema",
                                        "Projection",
                                        "OnDemandThroughput",
                                        "WarmThroughput",
                                        "ProvisionedThroughput",
                                        "ContributorInsightsSpecification",
                                        NULL};
    const struct property_set members = {global ? "a global index" : "a local index",
                                         global ? known : local, NULL};
    TRY(property_item_mapping(reader, node, "an index"));
    TRY(property_check(reader, node, &members));
    TRY(property_required_text(reader, node, "IndexName", &index->name));
    if (table_find_index(definition, index->name) != NULL)
        return document_error(reader->document, node->mark, "index '%.*s' is there twice",
                              SLICE_ARGS(index->name));
    index->global = global;
    TRY(read_keys(reader, node, definition, &index->keys));
    TRY(read_projection(reader, node, index));
    TRY(read_insights(reader, node, &index->insights));
    return read_throughput(reader, node, &index->throughput, &index->on_demand, &index->warm);
}

static struct error *read_indexes(const struct property_reader *reader,
                                  const struct node *properties, const char *name,
                                  struct table_definition *definition) {
    const struct node *list = NULL;
    TRY(property_list(reader, properties, name, &list));
    if (list == NULL)
        return NULL;
    TRY(check_count(reader, list, name, INDEXES_MAX));
    for (size_t i = 0; i < list->count; i++) {
        struct table_index *index = &definition->indexes[definition->index_count];
        TRY(read_index(reader, list->items[i], slice_is(slice_text(name), "GlobalSecondaryIndexes"),
                       definition, index));
        definition->index_count++;
    }
    return NULL;
}

/* ---- settings ---- */

static struct error *read_setting(const struct property_reader *reader,
                                  const struct node *properties,
                                  const struct table_setting *setting, int *ret_value) {
    bool on = false;
    *ret_value = setting_default(setting);
    if (setting->words != NULL)
        return property_word(reader, properties, setting->name, setting->words, ret_value);
    TRY(property_bool(reader, properties, setting->name, &on));
    *ret_value = on;
    return NULL;
}

static struct error *read_settings(const struct property_reader *reader,
                                   const struct node *properties,
                                   struct table_definition *definition) {
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct table_setting *setting = &table_settings[i];
        const struct node *holder = properties;
        int value;
        if (reader->t == NULL && setting->summary != NULL) {
            holder = NULL;
            TRY(property_mapping(reader, properties, setting->summary, &holder));
        }
        TRY(read_setting(reader, holder, setting, &value));
        setting_set(setting, definition, value);
    }
    return NULL;
}

struct error *read_definition(const struct property_reader *reader, const struct node *properties,
                              struct table_definition *definition) {
    TRY(read_attributes(reader, properties, definition));
    TRY(read_keys(reader, properties, definition, &definition->keys));
    TRY(read_throughput(reader, properties, &definition->throughput, &definition->on_demand,
                        &definition->warm));
    definition->indexes = ARENA_ARRAY(reader->document->arena, struct table_index, 2 * INDEXES_MAX);
    TRY(read_indexes(reader, properties, "LocalSecondaryIndexes", definition));
    TRY(read_indexes(reader, properties, "GlobalSecondaryIndexes", definition));
    TRY(read_insights(reader, properties, &definition->insights));
    return read_settings(reader, properties, definition);
}

/* ---- tags ---- */

static int compare_tags(const void *a, const void *b) {
    return slice_compare(((const struct table_tag *)a)->key, ((const struct table_tag *)b)->key);
}

struct error *sort_tags(const struct property_reader *reader, struct mark mark,
                        struct table_definition *definition) {
    if (definition->tag_count > 0)
        qsort(definition->tags, definition->tag_count, sizeof(*definition->tags), compare_tags);
    for (size_t i = 1; i < definition->tag_count; i++)
        if (slice_equal(definition->tags[i - 1].key, definition->tags[i].key))
            return document_error(reader->document, mark, "tag '%.*s' is there twice",
                                  SLICE_ARGS(definition->tags[i].key));
    return NULL;
}

struct error *read_tags(const struct property_reader *reader, const struct node *list,
                        struct table_definition *definition) {
    static const char *const known[] = {"Key", "Value", NULL};
    static const struct property_set members = {"a tag", known, NULL};
    TRY(check_count(reader, list, "Tags", TAGS_MAX));
    definition->tags = ARENA_ARRAY(reader->document->arena, struct table_tag, list->count + 1);
    for (size_t i = 0; i < list->count; i++) {
        TRY(property_item_mapping(reader, list->items[i], "a tag"));
        TRY(property_check(reader, list->items[i], &members));
        TRY(property_required_text(reader, list->items[i], "Key", &definition->tags[i].key));
        TRY(property_required_text(reader, list->items[i], "Value", &definition->tags[i].value));
    }
    definition->tag_count = list->count;
    return sort_tags(reader, list->mark, definition);
}
