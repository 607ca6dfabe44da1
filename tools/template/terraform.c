/* terraform.c - see terraform.h: modules and resources of a plan, what is known of them, and the
 * resources that say something about a table.
 *
 * A plan is one line, so a place in it is the address of a resource. Modules are as deep as the
 * document, which bounds the recursion. */
#include "template/terraform.h"

struct plan_resource {
    struct slice address;
    struct slice type;
    struct terraform_block block;
    struct mapping_maker properties; /* of a table */
};

struct plan_reader {
    struct template *t;
    const struct node *changes;       /* resource_changes; may be NULL, as the next */
    const struct node *configuration; /* of the root module */
    struct plan_resource *resources;
    size_t count;
};

bool terraform_begins(struct slice text) {
    return slice_starts_with(text, SLICE_LITERAL("{\"format_version\":"));
}

static const struct node *values_of(const struct node *root) {
    const struct node *values = node_find(root, "planned_values");
    return values == NULL ? node_find(root, "values") : values;
}

bool terraform_is(const struct node *root) {
    return node_find(root, "format_version") != NULL && values_of(root) != NULL;
}

/* ---- values ---- */

static bool is_true(const struct node *node) {
    return node != NULL && node->kind == NODE_SCALAR && slice_is(node->text, "true");
}

static const struct node *placed(const struct terraform_block *block, const struct node *value) {
    struct node *node = arena_copy(block->arena, value, sizeof(*value));
    node->mark = block->mark;
    return node;
}

const struct node *terraform_value(const struct terraform_block *block, const char *name) {
    const struct node *value = node_find(block->values, name);
    bool empty = value == NULL || value->kind == NODE_NULL ||
                 (value->kind == NODE_SCALAR ? value->text.len == 0 : value->count == 0);
    if (!empty)
        return placed(block, value);
    if (is_true(node_find(block->unknown, name)))
        return node_unknown(block->arena, block->mark, "%s is known only after an apply", name);
    return NULL;
}

bool terraform_true(const struct terraform_block *block, const char *name) {
    return is_true(node_find(block->values, name));
}

bool terraform_child(const struct terraform_block *block, const char *name, size_t at,
                     struct terraform_block *ret_child) {
    const struct node *list = node_find(block->values, name);
    const struct node *unknown = node_find(block->unknown, name);
    if (list == NULL || list->kind != NODE_SEQUENCE || at >= list->count)
        return false;
    bool known_apart = unknown != NULL && unknown->kind == NODE_SEQUENCE && at < unknown->count;
    *ret_child = (struct terraform_block){block->arena, block->mark, list->items[at],
                                          known_apart ? unknown->items[at] : NULL};
    return true;
}

const struct node *terraform_made(const struct terraform_block *block,
                                  const struct mapping_maker *maker) {
    return mapping_made(block->arena, maker, block->mark);
}

const struct node *terraform_text(const struct terraform_block *block, const char *text) {
    return node_scalar(block->arena, slice_text(text), block->mark);
}

/* ---- modules ---- */

static struct slice text_of(const struct node *mapping, const char *name) {
    const struct node *node = node_find(mapping, name);
    return node == NULL || node->kind != NODE_SCALAR ? SLICE_LITERAL("") : node->text;
}

static size_t count_of(const struct node *list) {
    return list == NULL || list->kind != NODE_SEQUENCE ? 0 : list->count;
}

/* Of what matters here: a plan may have thousands of resources. */
static const struct node *find_unknown(const struct plan_reader *reader, struct slice type,
                                       struct slice address) {
    bool matters = slice_starts_with(type, SLICE_LITERAL("aws_dynamodb_"));
    for (size_t i = 0; matters && i < count_of(reader->changes); i++)
        if (slice_equal(text_of(reader->changes->items[i], "address"), address))
            return node_find(node_find(reader->changes->items[i], "change"), "after_unknown");
    return NULL;
}

static void add_resource(struct plan_reader *reader, const struct node *resource) {
    struct arena *arena = reader->t->document.arena;
    struct slice address = text_of(resource, "address"), type = text_of(resource, "type");
    if (slice_is(text_of(resource, "mode"), "data"))
        return;
    struct slice *place = ARENA_NEW(arena, struct slice);
    *place = arena_printf(arena, "%.*s: %.*s", SLICE_ARGS(reader->t->document.name),
                          SLICE_ARGS(address));
    struct terraform_block block = {
        arena, {0, 0, place}, node_find(resource, "values"), find_unknown(reader, type, address)};
    reader->resources[reader->count++] =
        (struct plan_resource){.address = address, .type = type, .block = block};
}

static size_t count_resources(const struct node *module) {
    const struct node *modules = node_find(module, "child_modules");
    size_t count = count_of(node_find(module, "resources"));
    for (size_t i = 0; i < count_of(modules); i++)
        count += count_resources(modules->items[i]);
    return count;
}

static void add_module(struct plan_reader *reader, const struct node *module) {
    const struct node *resources = node_find(module, "resources");
    const struct node *modules = node_find(module, "child_modules");
    for (size_t i = 0; i < count_of(resources); i++)
        add_resource(reader, resources->items[i]);
    for (size_t i = 0; i < count_of(modules); i++)
        add_module(reader, modules->items[i]);
}

/* ---- which table a resource is about ---- */

static bool is_table(const struct plan_resource *resource) {
    return slice_is(resource->type, "aws_dynamodb_table");
}

static struct plan_resource *find_table(struct plan_reader *reader, struct slice name,
                                        const char *by) {
    for (size_t i = 0; i < reader->count; i++) {
        struct plan_resource *table = &reader->resources[i];
        struct slice called = by == NULL ? table->address : text_of(table->block.values, by);
        if (is_table(table) && called.len > 0 && slice_equal(called, name))
            return table;
    }
    return NULL;
}

/* What its configuration refers to: the ARN of a table that is not made yet is not known. Only in
 * the root module, and without an index. */
static struct plan_resource *find_referred(struct plan_reader *reader,
                                           const struct plan_resource *resource,
                                           const char *argument) {
    const struct node *list = node_find(reader->configuration, "resources");
    for (size_t i = 0; i < count_of(list); i++) {
        const struct node *expressions = node_find(list->items[i], "expressions");
        const struct node *references = node_find(node_find(expressions, argument), "references");
        if (!slice_equal(text_of(list->items[i], "address"), resource->address))
            continue;
        for (size_t k = 0; k < count_of(references); k++) {
            struct plan_resource *table = find_table(reader, references->items[k]->text, NULL);
            if (table != NULL)
                return table;
        }
    }
    return NULL;
}

/* By the table's name, its ARN, or the reference. */
static struct plan_resource *table_of(struct plan_reader *reader,
                                      const struct plan_resource *resource, const char *argument) {
    struct slice text = text_of(resource->block.values, argument);
    const uint8_t *slash = text.len == 0 ? NULL : memchr(text.data, '/', text.len);
    struct slice name = slash == NULL ? text : slice_skip(text, (size_t)(slash - text.data) + 1);
    struct plan_resource *table = name.len == 0 ? NULL : find_table(reader, name, "name");
    if (table == NULL)
        table = find_referred(reader, resource, argument);
    if (table == NULL)
        template_notice(reader->t, resource->block.mark,
                        "%.*s is skipped: no table of the plan is known to be its own",
                        SLICE_ARGS(resource->type));
    return table;
}

/* ---- what other resources say about a table ---- */

/* The first counts: a plan with two of them could not be carried out. */
static void put_once(struct mapping_maker *maker, const char *name, const struct node *value) {
    for (size_t i = 0; i < maker->count; i++)
        if (slice_is(maker->members[i].name, name))
            return;
    mapping_put(maker, name, value);
}

static struct error *take_policy(struct plan_reader *reader, const struct plan_resource *resource) {
    struct plan_resource *table = table_of(reader, resource, "resource_arn");
    const struct node *policy = terraform_value(&resource->block, "policy");
    struct mapping_maker holder = {.count = 0};
    if (table == NULL || policy == NULL)
        return NULL;
    if (policy->kind == NODE_SCALAR) {
        struct document document = {.arena = reader->t->document.arena,
                                    .name = *resource->block.mark.file,
                                    .file = resource->block.mark.file};
        TRY(document_read(&document, policy->text, &policy));
    }
    mapping_put(&holder, "PolicyDocument", policy);
    put_once(&table->properties, "ResourcePolicy", terraform_made(&table->block, &holder));
    return NULL;
}

static const struct node *with_member(struct arena *arena, const struct node *mapping,
                                      struct node_member member) {
    struct node_member *members = ARENA_ARRAY(arena, struct node_member, mapping->count + 1);
    memcpy(members, mapping->members, mapping->count * sizeof(*members));
    members[mapping->count] = member;
    return node_mapping(arena, members, mapping->count + 1, mapping->mark);
}

/* The index is in a list that is made already: it is made anew with one member more. */
static void put_in_index(struct plan_resource *table, struct slice index,
                         struct node_member member) {
    struct arena *arena = table->block.arena;
    for (size_t i = 0; i < table->properties.count; i++) {
        const struct node *list = table->properties.members[i].value;
        if (!slice_is(table->properties.members[i].name, "GlobalSecondaryIndexes"))
            continue;
        const struct node **items =
            arena_copy(arena, list->items, (list->count + 1) * sizeof(*items));
        for (size_t k = 0; k < list->count; k++)
            if (slice_equal(text_of(items[k], "IndexName"), index) &&
                node_find_named(items[k], member.name) == NULL)
                items[k] = with_member(arena, items[k], member);
        table->properties.members[i].value = node_sequence(arena, items, list->count, list->mark);
    }
}

static struct error *take_insights(struct plan_reader *reader,
                                   const struct plan_resource *resource) {
    struct plan_resource *table = table_of(reader, resource, "table_name");
    struct mapping_maker holder = {.count = 0};
    if (table == NULL)
        return NULL;
    mapping_put(&holder, "Enabled", terraform_text(&resource->block, "true"));
    mapping_put(&holder, "Mode", terraform_value(&resource->block, "mode"));
    const struct node *made = terraform_made(&resource->block, &holder);
    struct slice index = text_of(resource->block.values, "index_name");
    static const char name[] = "ContributorInsightsSpecification";
    if (index.len == 0)
        put_once(&table->properties, name, made);
    else
        put_in_index(table, index, (struct node_member){slice_text(name), made->mark, made});
    return NULL;
}

static const struct {
    const char *type;
    struct error *(*take)(struct plan_reader *reader, const struct plan_resource *resource);
} companions[] = {
    {"aws_dynamodb_resource_policy", take_policy},
    {"aws_dynamodb_contributor_insights", take_insights},
};

static struct error *take_companions(struct plan_reader *reader) {
    for (size_t i = 0; i < reader->count; i++)
        for (size_t k = 0; k < sizeof(companions) / sizeof(*companions); k++)
            if (slice_is(reader->resources[i].type, companions[k].type))
                TRY(companions[k].take(reader, &reader->resources[i]));
    return NULL;
}

static bool is_companion(const struct plan_resource *resource) {
    bool is = false;
    for (size_t k = 0; k < sizeof(companions) / sizeof(*companions); k++)
        is = is || slice_is(resource->type, companions[k].type);
    return is;
}

/* ---- the template ---- */

static const struct node *item_properties(const struct terraform_block *block) {
    static const char *const names[] = {"table_name", "item", "hash_key", "range_key"};
    struct mapping_maker maker = {.count = 0};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        mapping_put(&maker, names[i], terraform_value(block, names[i]));
    return terraform_made(block, &maker);
}

static const struct node *resource_node(const struct plan_resource *resource) {
    struct mapping_maker maker = {.count = 0};
    if (!is_table(resource)) {
        mapping_put(&maker, "Type",
                    node_scalar(resource->block.arena, resource->type, resource->block.mark));
        if (slice_is(resource->type, TERRAFORM_ITEM))
            mapping_put(&maker, "Properties", item_properties(&resource->block));
        return terraform_made(&resource->block, &maker);
    }
    mapping_put(&maker, "Type", terraform_text(&resource->block, "AWS::DynamoDB::Table"));
    mapping_put(&maker, "Properties", terraform_made(&resource->block, &resource->properties));
    return terraform_made(&resource->block, &maker);
}

static const struct node *all_resources(const struct plan_reader *reader) {
    struct arena *arena = reader->t->document.arena;
    struct node_member *members = ARENA_ARRAY(arena, struct node_member, reader->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < reader->count; i++) {
        const struct plan_resource *resource = &reader->resources[i];
        if (!is_companion(resource))
            members[count++] = (struct node_member){resource->address, resource->block.mark,
                                                    resource_node(resource)};
    }
    return node_mapping(arena, members, count, MARK_NONE);
}

/* Those that are one text; others are not known here, and secrets stay so. */
static const struct node *all_outputs(const struct terraform_block *root,
                                      const struct node *outputs) {
    size_t most = outputs == NULL || outputs->kind != NODE_MAPPING ? 0 : outputs->count;
    struct node_member *members = ARENA_ARRAY(root->arena, struct node_member, most + 1);
    for (size_t i = 0; i < most; i++) {
        const struct node *output = outputs->members[i].value, *value = node_find(output, "value");
        struct mapping_maker maker = {.count = 0};
        if (value == NULL || value->kind != NODE_SCALAR || is_true(node_find(output, "sensitive")))
            value = node_unknown(root->arena, root->mark, "not known here");
        mapping_put(&maker, "Value", value);
        members[i] = (struct node_member){outputs->members[i].name, root->mark,
                                          terraform_made(root, &maker)};
    }
    return node_mapping(root->arena, members, most, root->mark);
}

struct error *terraform_template(struct template *t, const struct node *root,
                                 const struct node **ret_template) {
    struct arena *arena = t->document.arena;
    const struct node *values = values_of(root), *module = node_find(values, "root_module");
    struct plan_reader reader = {
        .t = t,
        .changes = node_find(root, "resource_changes"),
        .configuration = node_find(node_find(root, "configuration"), "root_module"),
        .resources = ARENA_ARRAY(arena, struct plan_resource, count_resources(module) + 1)};
    struct terraform_block top = {.arena = arena, .mark = root->mark};
    struct mapping_maker maker = {.count = 0};
    add_module(&reader, module);
    if (reader.count == 0)
        return template_error(t, MARK_NONE, "the plan has no resources");
    for (size_t i = 0; i < reader.count; i++)
        if (is_table(&reader.resources[i]))
            terraform_table(t, &reader.resources[i].block, &reader.resources[i].properties);
    TRY(take_companions(&reader));
    mapping_put(&maker, "Resources", all_resources(&reader));
    mapping_put(&maker, "Outputs", all_outputs(&top, node_find(values, "outputs")));
    *ret_template = terraform_made(&top, &maker);
    return NULL;
}
