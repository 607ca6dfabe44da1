/* property.h - reads the members that a mapping should have, with errors that say what is wrong and
 * where. Scalars are converted as CloudFormation does: 5 and "5" are both a number. */
#ifndef GRAMME_TEMPLATE_PROPERTY_H
#define GRAMME_TEMPLATE_PROPERTY_H

#include "model/words.h"
#include "template/template.h"

enum { PROPERTY_TEXT_MAX = 2048 }; /* no name, tag or key of a table is longer */

/* What is read: a template's properties (`t`), where an unknown member is a mistake, or an answer
 * of the service (`t` is NULL), where it is none. */
struct property_reader {
    const struct document *document;
    struct template *t;
};

/* The members that a mapping may have. */
struct property_set {
    const char *what;            /* for messages */
    const char *const *known;    /* ends with NULL */
    const char *const *left_out; /* known to CloudFormation, not to gramme: a warning; or NULL */
};

struct error *property_check(const struct property_reader *reader, const struct node *mapping,
                             const struct property_set *members);

/* Each leaves `ret_x` untouched when the member is not there, unless it is required. A member of
 * the wrong kind, or unknown, is an error. */
struct error *property_text(const struct property_reader *reader, const struct node *mapping,
                            const char *name, struct slice *ret_text);
struct error *property_required_text(const struct property_reader *reader,
                                     const struct node *mapping, const char *name,
                                     struct slice *ret_text);
struct error *property_integer(const struct property_reader *reader, const struct node *mapping,
                               const char *name, int64_t *ret_number);
struct error *property_bool(const struct property_reader *reader, const struct node *mapping,
                            const char *name, bool *ret_truth);
struct error *property_list(const struct property_reader *reader, const struct node *mapping,
                            const char *name, const struct node **ret_list);
struct error *property_mapping(const struct property_reader *reader, const struct node *mapping,
                               const char *name, const struct node **ret_mapping);

/* One of these texts; the last is NULL. Gives its position. */
struct error *property_choice(const struct property_reader *reader, const struct node *mapping,
                              const char *name, const char *const *choices, size_t *ret_choice);
/* One of DynamoDB's words of a kind. Gives its value. */
struct error *property_word(const struct property_reader *reader, const struct node *mapping,
                            const char *name, const struct words *words, int *ret_value);

/* Of list elements. */
struct error *property_item_mapping(const struct property_reader *reader, const struct node *item,
                                    const char *what);
struct error *property_item_text(const struct property_reader *reader, const struct node *item,
                                 const char *what, struct slice *ret_text);

#endif
