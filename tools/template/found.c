/* found.c - a table as the service describes it, from the answers to six calls. */
#include "template/state.h"

static struct error *open_answer(const struct property_reader *reader,
                                 const struct json_value *answer, const struct node **ret_root) {
    TRY(document_from_json(reader->document, answer, ret_root));
    return property_item_mapping(reader, *ret_root, "the answer");
}

static struct error *read_billing(const struct property_reader *reader, const struct node *table,
                                  struct table_definition *definition) {
    const struct node *summary = NULL;
    int mode = BILLING_PROVISIONED;
    TRY(property_mapping(reader, table, "BillingModeSummary", &summary));
    if (summary != NULL)
        TRY(property_word(reader, summary, "BillingMode", &billing_mode_words, &mode));
    definition->billing = (enum billing_mode)mode;
    return NULL;
}

static struct error *read_encryption(const struct property_reader *reader, const struct node *table,
                                     struct table_definition *definition) {
    const struct node *sse = NULL;
    struct slice status = SLICE_LITERAL("");
    TRY(property_mapping(reader, table, "SSEDescription", &sse));
    if (sse == NULL)
        return NULL;
    TRY(property_text(reader, sse, "Status", &status));
    definition->sse_kms = !feature_status_is(status, FEATURE_DISABLED) &&
                          !feature_status_is(status, FEATURE_DISABLING);
    return property_text(reader, sse, "KMSMasterKeyArn", &definition->sse_key_arn);
}

static struct error *read_stream(const struct property_reader *reader, const struct node *table,
                                 struct found_table *found) {
    const struct node *stream = NULL;
    bool enabled = false;
    int view = STREAM_KEYS_ONLY;
    TRY(property_mapping(reader, table, "StreamSpecification", &stream));
    if (stream == NULL)
        return NULL;
    TRY(property_bool(reader, stream, "StreamEnabled", &enabled));
    TRY(property_word(reader, stream, "StreamViewType", &stream_view_words, &view));
    if (!enabled)
        return NULL;
    found->state.definition.stream = (enum stream_view)view;
    return property_text(reader, table, "LatestStreamArn", &found->stream_arn);
}

static struct error *read_table(const struct property_reader *reader,
                                const struct json_value *answer, struct found_table *found) {
    const struct node *root = NULL, *table = NULL;
    struct table_definition *definition = &found->state.definition;
    TRY(open_answer(reader, answer, &root));
    TRY(property_mapping(reader, root, "Table", &table));
    if (table == NULL)
        return document_error(reader->document, root->mark, "Table is missing");
    TRY(property_required_text(reader, table, "TableName", &definition->name));
    TRY(property_required_text(reader, table, "TableStatus", &found->status));
    TRY(property_required_text(reader, table, "TableArn", &found->arn));
    if (table_status_is(found->status, TABLE_DELETING))
        return NULL;
    TRY(read_definition(reader, table, definition));
    TRY(read_billing(reader, table, definition));
    TRY(read_encryption(reader, table, definition));
    return read_stream(reader, table, found);
}

static struct error *read_ttl(const struct property_reader *reader, const struct json_value *answer,
                              struct table_definition *definition) {
    const struct node *root = NULL, *ttl = NULL;
    struct slice status = SLICE_LITERAL(""), attribute = SLICE_NONE;
    TRY(open_answer(reader, answer, &root));
    TRY(property_mapping(reader, root, "TimeToLiveDescription", &ttl));
    TRY(property_text(reader, ttl, "TimeToLiveStatus", &status));
    TRY(property_text(reader, ttl, "AttributeName", &attribute));
    if (feature_status_is(status, FEATURE_ENABLED) || feature_status_is(status, FEATURE_ENABLING))
        definition->ttl_attribute = attribute;
    return NULL;
}

static struct error *read_backups(const struct property_reader *reader,
                                  const struct json_value *answer, struct table_state *state) {
    const struct node *root = NULL, *recovery = NULL;
    struct slice status = SLICE_LITERAL("");
    TRY(open_answer(reader, answer, &root));
    TRY(property_mapping(reader, root, "ContinuousBackupsDescription", &recovery));
    TRY(property_mapping(reader, recovery, "PointInTimeRecoveryDescription", &recovery));
    TRY(property_text(reader, recovery, "PointInTimeRecoveryStatus", &status));
    state->recovery = feature_status_is(status, FEATURE_ENABLED);
    return property_integer(reader, recovery, "RecoveryPeriodInDays", &state->recovery_days);
}

/* The lists of all pages as one. */
static struct error *read_all_tags(const struct property_reader *reader,
                                   const struct json_value *const *pages,
                                   struct table_definition *definition) {
    struct arena *arena = reader->document->arena;
    const struct node **tags = ARENA_ARRAY(arena, const struct node *, TAGS_MAX + 1);
    size_t count = 0;
    for (size_t page = 0; page < PAGES_MAX && pages[page] != NULL; page++) {
        const struct node *root = NULL, *list = NULL;
        TRY(open_answer(reader, pages[page], &root));
        TRY(property_list(reader, root, "Tags", &list));
        for (size_t i = 0; list != NULL && i < list->count && count <= TAGS_MAX; i++)
            tags[count++] = list->items[i];
    }
    return read_tags(reader, node_sequence(arena, tags, count, MARK_NONE), definition);
}

/* ---- insights and the policy ---- */

static struct error *read_summary(const struct property_reader *reader, const struct node *summary,
                                  struct table_definition *definition) {
    struct slice status = SLICE_LITERAL(""), name = SLICE_NONE;
    int mode = INSIGHTS_ACCESSED_AND_THROTTLED_KEYS;
    TRY(property_item_mapping(reader, summary, "ContributorInsightsSummaries"));
    TRY(property_text(reader, summary, "ContributorInsightsStatus", &status));
    TRY(property_text(reader, summary, "IndexName", &name));
    TRY(property_word(reader, summary, "ContributorInsightsMode", &insights_mode_words, &mode));
    struct contributor_insights *insights = &definition->insights;
    for (size_t i = 0; slice_present(name) && i < definition->index_count; i++)
        if (slice_equal(definition->indexes[i].name, name))
            insights = &definition->indexes[i].insights;
    insights->enabled =
        feature_status_is(status, FEATURE_ENABLED) || feature_status_is(status, FEATURE_ENABLING);
    insights->mode = (enum insights_mode)mode;
    return NULL;
}

static struct error *read_insights(const struct property_reader *reader,
                                   const struct json_value *const *pages,
                                   struct table_definition *definition) {
    for (size_t page = 0; page < PAGES_MAX && pages[page] != NULL; page++) {
        const struct node *root = NULL, *list = NULL;
        TRY(open_answer(reader, pages[page], &root));
        TRY(property_list(reader, root, "ContributorInsightsSummaries", &list));
        for (size_t i = 0; list != NULL && i < list->count; i++)
            TRY(read_summary(reader, list->items[i], definition));
    }
    return NULL;
}

/* The document is a text within the answer. */
static struct error *read_policy(const struct property_reader *reader,
                                 const struct json_value *answer, struct table_state *state) {
    struct arena *arena = reader->document->arena;
    struct slice text = json_find_text(answer, "Policy");
    const struct json_value *document =
        slice_present(text) ? json_tree_read(arena, text, NULL) : NULL;
    if (document == NULL)
        return document_error(reader->document, MARK_NONE, "Policy is not JSON");
    return document_from_json(reader->document, document, &state->policy);
}

struct error *table_answers_read(struct arena *arena, const struct table_answers *answers,
                                 struct found_table *ret_found) {
    struct document document = {.arena = arena, .name = SLICE_LITERAL("the server's answer")};
    struct property_reader reader = {&document, NULL};
    struct found_table found = {.status = SLICE_NONE};
    TRY(read_table(&reader, answers->table, &found));
    if (answers->ttl != NULL)
        TRY(read_ttl(&reader, answers->ttl, &found.state.definition));
    if (answers->backups != NULL)
        TRY(read_backups(&reader, answers->backups, &found.state));
    TRY(read_all_tags(&reader, answers->tags, &found.state.definition));
    TRY(read_insights(&reader, answers->insights, &found.state.definition));
    if (answers->policy != NULL)
        TRY(read_policy(&reader, answers->policy, &found.state));
    *ret_found = found;
    return NULL;
}
