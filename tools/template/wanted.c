/* wanted.c - a table as the template wants it, from AWS::DynamoDB::Table and GlobalTable and from
 * AWS::Serverless::SimpleTable.
 *
 * What the service would refuse is left to the service, but for the mistakes that are made most
 * often: those are told with their line. */
#include "model/index_key.h"
#include "model/limits.h"
#include "template/global_table.h"
#include "template/state.h"

static const char *const table_properties[] = {
    "TableName",
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "WarmThroughput",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "TimeToLiveSpecification",
    "StreamSpecification",
    "PointInTimeRecoverySpecification",
    "SSESpecification",
    "Tags",
    "ContributorInsightsSpecification",
    "ResourcePolicy",
#define FLAG_SETTING(symbol, member, name, ...) name,
#define WORD_SETTING(symbol, member, name, ...) name,
#include "model/table_settings.def"
    NULL,
};
static const char *const table_left_out[] = {"KinesisStreamSpecification",
                                             "ImportSourceSpecification", NULL};

/* ---- settings beside the definition ---- */

static struct error *read_ttl(const struct property_reader *reader, const struct node *properties,
                              struct table_definition *definition) {
    static const char *const known[] = {"AttributeName", "Enabled", NULL};
    static const struct property_set members = {"TimeToLiveSpecification", known, NULL};
    const struct node *mapping = NULL;
    struct slice attribute = SLICE_NONE;
    bool enabled = false;
    TRY(property_mapping(reader, properties, "TimeToLiveSpecification", &mapping));
    if (mapping == NULL)
        return NULL;
    TRY(property_check(reader, mapping, &members));
    TRY(property_bool(reader, mapping, "Enabled", &enabled));
    if (enabled)
        TRY(property_required_text(reader, mapping, "AttributeName", &attribute));
    definition->ttl_attribute = attribute;
    return NULL;
}

static struct error *read_stream(const struct property_reader *reader,
                                 const struct node *properties,
                                 struct table_definition *definition) {
    static const char *const known[] = {"StreamViewType", "StreamEnabled", NULL};
    static const char *const left_out[] = {"ResourcePolicy", NULL};
    static const struct property_set members = {"StreamSpecification", known, left_out};
    const struct node *mapping = NULL;
    struct slice text;
    int view = STREAM_OFF;
    bool enabled = true;
    TRY(property_mapping(reader, properties, "StreamSpecification", &mapping));
    if (mapping == NULL)
        return NULL;
    TRY(property_check(reader, mapping, &members));
    TRY(property_bool(reader, mapping, "StreamEnabled", &enabled));
    if (!enabled)
        return NULL;
    TRY(property_required_text(reader, mapping, "StreamViewType", &text));
    TRY(property_word(reader, mapping, "StreamViewType", &stream_view_words, &view));
    definition->stream = (enum stream_view)view;
    return NULL;
}

static struct error *read_recovery(const struct property_reader *reader,
                                   const struct node *properties, struct table_state *state) {
    static const char *const known[] = {"PointInTimeRecoveryEnabled", "RecoveryPeriodInDays", NULL};
    static const struct property_set members = {"PointInTimeRecoverySpecification", known, NULL};
    const struct node *mapping = NULL;
    TRY(property_mapping(reader, properties, "PointInTimeRecoverySpecification", &mapping));
    if (mapping == NULL)
        return NULL;
    TRY(property_check(reader, mapping, &members));
    TRY(property_bool(reader, mapping, "PointInTimeRecoveryEnabled", &state->recovery));
    return property_integer(reader, mapping, "RecoveryPeriodInDays", &state->recovery_days);
}

static struct error *read_encryption(const struct property_reader *reader,
                                     const struct node *properties,
                                     struct table_definition *definition) {
    static const char *const known[] = {"SSEEnabled", "SSEType", "KMSMasterKeyId", NULL};
    static const struct property_set members = {"SSESpecification", known, NULL};
    const char *const types[] = {sse_type_name(SSE_KMS), NULL};
    const struct node *mapping = NULL;
    size_t type = 0;
    TRY(property_mapping(reader, properties, "SSESpecification", &mapping));
    if (mapping == NULL)
        return NULL;
    TRY(property_check(reader, mapping, &members));
    TRY(property_bool(reader, mapping, "SSEEnabled", &definition->sse_kms));
    TRY(property_choice(reader, mapping, "SSEType", types, &type));
    if (definition->sse_kms)
        TRY(property_text(reader, mapping, "KMSMasterKeyId", &definition->sse_key_arn));
    return NULL;
}

/* One that names what only a deployment could tell, as the role of a function, is left out, and
 * what the table has stays. */
static struct error *read_policy(const struct property_reader *reader,
                                 const struct node *properties, struct table_state *state) {
    static const char *const known[] = {"PolicyDocument", NULL};
    static const struct property_set members = {"ResourcePolicy", known, NULL};
    const struct node *mapping = NULL, *document = NULL;
    TRY(property_mapping(reader, properties, "ResourcePolicy", &mapping));
    if (mapping == NULL)
        return NULL;
    TRY(property_check(reader, mapping, &members));
    const struct node *unknown = node_find_unknown(mapping);
    if (unknown != NULL) {
        template_notice(reader->t, unknown->mark, "ResourcePolicy is left out: %.*s",
                        SLICE_ARGS(unknown->text));
        state->policy_left = true;
        return NULL;
    }
    TRY(property_mapping(reader, mapping, "PolicyDocument", &document));
    if (document == NULL)
        return document_error(reader->document, mapping->mark, "PolicyDocument is missing");
    state->policy = document;
    return NULL;
}

/* ---- mistakes that are made most often ---- */

static struct error *check_attributes(const struct property_reader *reader,
                                      const struct node *properties,
                                      const struct table_definition *definition) {
    const struct node *list = node_find(properties, "AttributeDefinitions");
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct node *name = node_find(list->items[i], "AttributeName");
        if (!table_key_attribute(definition, name->text))
            return document_error(reader->document, list->items[i]->mark,
                                  "AttributeDefinitions defines '%.*s', which is no key of the "
                                  "table or of an index",
                                  SLICE_ARGS(name->text));
    }
    return NULL;
}

static struct error *check_throughput(const struct property_reader *reader,
                                      const struct node *holder, const char *what,
                                      enum billing_mode billing) {
    const struct node_member *provisioned = node_find_member(holder, "ProvisionedThroughput");
    const struct node_member *on_demand = node_find_member(holder, "OnDemandThroughput");
    if (billing == BILLING_PROVISIONED && provisioned == NULL)
        return document_error(reader->document, holder->mark,
                              "%s needs ProvisionedThroughput: its BillingMode is PROVISIONED",
                              what);
    if (billing == BILLING_PAY_PER_REQUEST && provisioned != NULL)
        return document_error(reader->document, provisioned->mark,
                              "ProvisionedThroughput does not go with BillingMode PAY_PER_REQUEST");
    if (billing == BILLING_PROVISIONED && on_demand != NULL)
        return document_error(reader->document, on_demand->mark,
                              "OnDemandThroughput does not go with BillingMode PROVISIONED");
    return NULL;
}

static struct error *check_billing(const struct property_reader *reader,
                                   const struct node *properties, enum billing_mode billing) {
    const struct node *indexes = node_find(properties, "GlobalSecondaryIndexes");
    TRY(check_throughput(reader, properties, "the table", billing));
    for (size_t i = 0; indexes != NULL && i < indexes->count; i++)
        TRY(check_throughput(reader, indexes->items[i], "the index", billing));
    return NULL;
}

static struct error *check_name(const struct property_reader *reader,
                                const struct wanted_table *table) {
    struct slice name = table->resource->name;
    bool fine = name.len >= LIMIT_TABLE_NAME_MIN && name.len <= LIMIT_TABLE_NAME_MAX;
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.data[i];
        fine = fine && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.');
    }
    if (fine)
        return NULL;
    const struct node *given = node_find(table->resource->properties, "TableName");
    return document_error(reader->document, given == NULL ? table->resource->mark : given->mark,
                          "'%.*s' is no name for a table: 3 to 255 letters, digits, _ - or .",
                          SLICE_ARGS(name));
}

/* ---- AWS::DynamoDB::Table ---- */

static struct error *read_table(const struct property_reader *reader, const struct node *properties,
                                struct wanted_table *table) {
    static const struct property_set members = {"AWS::DynamoDB::Table", table_properties,
                                                table_left_out};
    struct table_definition *definition = &table->state.definition;
    const struct node *tags = NULL;
    int billing = BILLING_PROVISIONED;
    TRY(property_check(reader, properties, &members));
    TRY(read_definition(reader, properties, definition));
    TRY(property_word(reader, properties, "BillingMode", &billing_mode_words, &billing));
    definition->billing = (enum billing_mode)billing;
    TRY(read_ttl(reader, properties, definition));
    TRY(read_stream(reader, properties, definition));
    TRY(read_recovery(reader, properties, &table->state));
    TRY(read_encryption(reader, properties, definition));
    TRY(read_policy(reader, properties, &table->state));
    TRY(property_list(reader, properties, "Tags", &tags));
    if (tags != NULL)
        TRY(read_tags(reader, tags, definition));
    TRY(check_attributes(reader, properties, definition));
    return check_billing(reader, properties, definition->billing);
}

/* ---- AWS::Serverless::SimpleTable ---- */

static struct error *read_primary_key(const struct property_reader *reader,
                                      const struct node *properties,
                                      struct table_definition *definition) {
    static const char *const known[] = {"Name", "Type", NULL};
    static const struct property_set members = {"PrimaryKey", known, NULL};
    static const char *const types[] = {"String", "Number", "Binary", NULL};
    const struct node *mapping = NULL;
    struct slice name = SLICE_LITERAL("id"), text;
    size_t type = 0;
    TRY(property_mapping(reader, properties, "PrimaryKey", &mapping));
    if (mapping != NULL) {
        TRY(property_check(reader, mapping, &members));
        TRY(property_text(reader, mapping, "Name", &name));
        TRY(property_required_text(reader, mapping, "Type", &text));
        TRY(property_choice(reader, mapping, "Type", types, &type));
    }
    enum value_type of_key = value_type_from_name(slice_of(types[type], 1));
    definition->attributes = ARENA_NEW(reader->document->arena, struct attribute_definition);
    definition->attributes[0] = (struct attribute_definition){name, of_key};
    definition->attribute_count = 1;
    definition->keys.hash[0] = (struct key_attribute){name, of_key};
    definition->keys.hash_count = 1;
    return NULL;
}

static struct error *read_simple_throughput(const struct property_reader *reader,
                                            const struct node *properties,
                                            struct table_definition *definition) {
    static const char *const known[] = {"ReadCapacityUnits", "WriteCapacityUnits", NULL};
    static const struct property_set members = {"ProvisionedThroughput", known, NULL};
    const struct node *mapping = NULL;
    definition->on_demand = definition->warm = UNITS_UNSET;
    definition->billing = BILLING_PAY_PER_REQUEST;
    TRY(property_mapping(reader, properties, "ProvisionedThroughput", &mapping));
    if (mapping == NULL)
        return NULL;
    definition->billing = BILLING_PROVISIONED;
    TRY(property_check(reader, mapping, &members));
    TRY(property_integer(reader, mapping, known[0], &definition->throughput.read_units));
    return property_integer(reader, mapping, known[1], &definition->throughput.write_units);
}

/* SAM's tags are a mapping. */
static struct error *read_tag_mapping(const struct property_reader *reader,
                                      const struct node *properties,
                                      struct table_definition *definition) {
    const struct node *tags = NULL;
    TRY(property_mapping(reader, properties, "Tags", &tags));
    if (tags == NULL)
        return NULL;
    definition->tags = ARENA_ARRAY(reader->document->arena, struct table_tag, tags->count + 1);
    for (size_t i = 0; i < tags->count; i++) {
        struct table_tag *tag = &definition->tags[definition->tag_count++];
        tag->key = tags->members[i].name;
        TRY(property_item_text(reader, tags->members[i].value, "a tag's value", &tag->value));
    }
    return sort_tags(reader, tags->mark, definition);
}

static struct error *read_simple_table(const struct property_reader *reader,
                                       const struct node *properties, struct wanted_table *table) {
    static const char *const known[] = {"TableName",
                                        "PrimaryKey",
                                        "ProvisionedThroughput",
                                        "SSESpecification",
                                        "Tags",
                                        "PointInTimeRecoverySpecification",
                                        NULL};
    static const struct property_set members = {"AWS::Serverless::SimpleTable", known, NULL};
    struct table_definition *definition = &table->state.definition;
    const struct node *globals = node_find(reader->t->globals, "SimpleTable");
    if (globals != NULL)
        TRY(template_resolve(reader->t, globals, &globals));
    TRY(property_check(reader, properties, &members));
    TRY(read_primary_key(reader, properties, definition));
    TRY(read_simple_throughput(reader, properties, definition));
    TRY(read_recovery(reader, properties, &table->state));
    TRY(read_tag_mapping(reader, properties, definition));
    bool own = node_find(properties, "SSESpecification") != NULL;
    return own || globals == NULL ? read_encryption(reader, properties, definition)
                                  : read_encryption(reader, globals, definition);
}

/* ---- all resources ---- */

static bool keeps(const struct template_resource *resource) {
    const struct node *policy = node_find(resource->body, "UpdateReplacePolicy");
    return policy != NULL && policy->kind == NODE_SCALAR &&
           (slice_is(policy->text, "Retain") || slice_is(policy->text, "Snapshot"));
}

static struct error *read_resource(struct template *t, struct template_resource *resource,
                                   struct wanted_table *table) {
    struct property_reader reader = {&t->document, t};
    const struct node *properties = resource->properties;
    *table = (struct wanted_table){.resource = resource, .keep = keeps(resource)};
    TRY(template_resource_name(t, resource, &table->state.definition.name));
    TRY(check_name(&reader, table));
    if (properties == NULL)
        properties = node_mapping(t->document.arena, NULL, 0, resource->mark);
    else
        TRY(template_resolve(t, properties, &properties));
    TRY(property_item_mapping(&reader, properties, "Properties"));
    if (resource->kind == RESOURCE_SIMPLE_TABLE)
        return read_simple_table(&reader, properties, table);
    if (resource->kind == RESOURCE_GLOBAL_TABLE)
        TRY(global_table_properties(&reader, properties, &properties));
    return read_table(&reader, properties, table);
}

static struct error *check_unique(struct template *t, const struct wanted_table *tables,
                                  size_t count) {
    const struct wanted_table *last = &tables[count - 1];
    for (size_t i = 0; i + 1 < count; i++)
        if (slice_equal(tables[i].resource->name, last->resource->name))
            return template_error(t, last->resource->mark, "%.*s and %.*s are both table %.*s",
                                  SLICE_ARGS(tables[i].resource->id),
                                  SLICE_ARGS(last->resource->id), SLICE_ARGS(last->resource->name));
    return NULL;
}

/* One line for each type, at the first of its resources. */
static void tell_skipped(struct template *t, const struct template_resource *const *skipped,
                         size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t before = 0, more = 0;
        for (size_t k = 0; k < count; k++)
            if (k != i && slice_equal(skipped[k]->type, skipped[i]->type))
                *(k < i ? &before : &more) += 1;
        if (before == 0 && more == 0)
            template_notice(t, skipped[i]->mark, "%.*s (%.*s) is skipped",
                            SLICE_ARGS(skipped[i]->id), SLICE_ARGS(skipped[i]->type));
        else if (before == 0)
            template_notice(t, skipped[i]->mark, "%.*s and %zu more (%.*s) are skipped",
                            SLICE_ARGS(skipped[i]->id), more, SLICE_ARGS(skipped[i]->type));
    }
}

static struct error *skip_others(struct template *t) {
    const struct template_resource **skipped =
        ARENA_ARRAY(t->document.arena, const struct template_resource *, t->resource_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < t->resource_count; i++) {
        const struct template_resource *resource = &t->resources[i];
        bool is_wanted = false;
        TRY(template_resource_wanted(t, resource, &is_wanted));
        if (is_wanted && (resource->kind == RESOURCE_OTHER || resource->kind == RESOURCE_TOPIC))
            skipped[count++] = resource;
    }
    tell_skipped(t, skipped, count);
    return NULL;
}

struct error *template_tables(struct template *t, struct wanted_table **ret_tables,
                              size_t *ret_count) {
    struct wanted_table *tables =
        ARENA_ARRAY(t->document.arena, struct wanted_table, t->resource_count + 1);
    size_t count = 0;
    TRY(skip_others(t));
    for (size_t i = 0; i < t->resource_count; i++) {
        struct template_resource *resource = &t->resources[i];
        bool is_wanted = false;
        TRY(template_resource_wanted(t, resource, &is_wanted));
        if (!is_wanted || !template_is_table(resource))
            continue;
        TRY(read_resource(t, resource, &tables[count]));
        TRY(check_unique(t, tables, ++count));
    }
    *ret_tables = tables;
    *ret_count = count;
    return NULL;
}
