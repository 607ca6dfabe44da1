/* watch_members.h - the members of an alarm or a dashboard, each with its type: read from a
 * template or an answer, written as JSON. */
#ifndef GRAMME_TEMPLATE_WATCH_MEMBERS_H
#define GRAMME_TEMPLATE_WATCH_MEMBERS_H

#include "json/writer.h"
#include "template/property.h"

enum watch_type {
    WATCH_TEXT,
    WATCH_INTEGER,
    WATCH_NUMBER,
    WATCH_BOOL,
    WATCH_FLAG,    /* told only when it is true */
    WATCH_COUNT,   /* an integer, told only when it is not 0 */
    WATCH_TEXTS,   /* a list */
    WATCH_ACTIONS, /* likewise; what is not known is left out */
    WATCH_OBJECT,
    WATCH_OBJECTS, /* a list; those with a Name are put in its order */
};

struct watch_member {
    const char *name; /* NULL ends a table */
    enum watch_type type;
    const struct watch_member *members; /* of objects */
    bool is_true;                       /* of a WATCH_BOOL: when it is not there */
};

extern const struct watch_member alarm_members[]; /* but for the tags */
extern const struct watch_member alarm_tag_members[];
extern const struct watch_member dashboard_members[];
extern const struct watch_member scaling_target_members[];
extern const struct watch_member scaling_policy_members[];

/* Its JSON, "" when it is not there, not known or an empty list. An error has its place. */
struct error *watch_member_text(const struct property_reader *reader, const struct node *mapping,
                                const struct watch_member *member, struct slice *ret_text);

#endif
