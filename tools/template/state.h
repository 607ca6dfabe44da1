/* state.h - a table as the template wants it and as the service has it, in the same terms.
 *
 * What a template leaves out has its default in the wanted state: the template is the whole truth
 * about a table. Memory: slices point into the template or into the answers, arrays are in the
 * arena of the document that was read. */
#ifndef GRAMME_TEMPLATE_STATE_H
#define GRAMME_TEMPLATE_STATE_H

#include "model/table.h"
#include "template/property.h"

struct table_state {
    struct table_definition definition; /* ids and times are not filled in */
    bool recovery;                      /* point-in-time */
    int64_t recovery_days;              /* 0: not told */
    const struct node *policy;          /* of the table; NULL: none */
    bool policy_left;                   /* it cannot be told here: what is there stays */
};

struct wanted_table {
    struct template_resource *resource;
    struct table_state state;
    bool keep; /* UpdateReplacePolicy: what a replacement would delete has to stay */
};

enum { TAGS_MAX = 200, PAGES_MAX = 20 };

/* What the service answered; an answer that is NULL means what the comment says. */
struct table_answers {
    const struct json_value *table;               /* DescribeTable */
    const struct json_value *ttl;                 /* DescribeTimeToLive; NULL: off */
    const struct json_value *backups;             /* DescribeContinuousBackups; NULL: off */
    const struct json_value *policy;              /* GetResourcePolicy; NULL: none */
    const struct json_value *tags[PAGES_MAX];     /* ListTagsOfResource; NULL: there are no more */
    const struct json_value *insights[PAGES_MAX]; /* ListContributorInsights, likewise */
};

struct found_table {
    struct table_state state;
    struct slice status;
    struct slice arn;
    struct slice stream_arn; /* absent: none */
};

/* All tables of the template that its conditions let be, in its order. Other resources get a
 * notice each. */
struct error *template_tables(struct template *t, struct wanted_table **ret_tables,
                              size_t *ret_count);
struct error *table_answers_read(struct arena *arena, const struct table_answers *answers,
                                 struct found_table *ret_found);

/* ---- shared by both ---- */

/* AttributeDefinitions, KeySchema, indexes, throughput, plain settings: the same in templates and
 * answers. */
struct error *read_definition(const struct property_reader *reader, const struct node *properties,
                              struct table_definition *definition);
struct error *read_tags(const struct property_reader *reader, const struct node *list,
                        struct table_definition *definition);
/* Sorts, and refuses a key that is there twice. */
struct error *sort_tags(const struct property_reader *reader, struct mark mark,
                        struct table_definition *definition);

#endif
