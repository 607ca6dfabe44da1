/* template.h - a CloudFormation or SAM template, or the one within a serverless.yml: its
 * parameters, conditions and intrinsic functions.
 *
 * Loading reads the text, checks the sections and gives every parameter its value. After that any
 * node of the template is resolved on demand: what a table does not need is never looked at, so a
 * template may use whatever CloudFormation has outside its tables. A value that only a deployment
 * could tell (an attribute of another resource) resolves to NODE_UNKNOWN; who needs it complains.
 * Bounds: depth of resolving, and the bytes that resolving may make, so that neither a cycle nor a
 * template that doubles itself runs away.
 * Memory: all in the arena given to template_load() (load.h); the text must outlive the template.
 * One thread. */
#ifndef GRAMME_TEMPLATE_TEMPLATE_H
#define GRAMME_TEMPLATE_TEMPLATE_H

#include "template/node.h"

enum {
    RESOLVE_DEPTH_MAX = 100,
    RESOLVE_BYTES_MAX = 16 * 1024 * 1024, /* everything that resolving makes or passes on */
    RESOLVE_TEXT_MAX = 64 * 1024,         /* one text */
};

struct template_parameter {
    struct slice name;
    struct slice value;
    struct slice unknown; /* why its value is not known; absent: it is */
};

/* What a document may ask for beside itself; an absent text: there is none. */
struct template_surroundings {
    void *context;
    struct slice (*variable)(void *context, struct arena *arena, struct slice name);
    /* The path is relative to the document's folder. */
    struct slice (*file)(void *context, struct arena *arena, struct slice path);
};

struct template_options {
    struct slice file; /* for messages */
    const struct template_parameter *parameters;
    size_t parameter_count;
    struct slice stack_name;
    bool stack_named; /* somebody chose the name: the document's own does not count */
    struct slice region;
    struct slice account;
    const struct template_surroundings *surroundings; /* NULL: none */
};

enum resource_kind {
    RESOURCE_OTHER,
    RESOURCE_TABLE,
    RESOURCE_GLOBAL_TABLE,
    RESOURCE_SIMPLE_TABLE,
    RESOURCE_ALARM,
    RESOURCE_DASHBOARD,
    RESOURCE_SCALING_TARGET,
    RESOURCE_SCALING_POLICY,
    RESOURCE_TOPIC,       /* is not made, but what it is called is known */
    RESOURCE_STACK,       /* nested: its own template says what is made */
    RESOURCE_APPLICATION, /* what SAM calls such a stack */
    RESOURCE_ITEM,        /* of a table, in a plan of Terraform */
};
/* The one type that is not CloudFormation's; its properties are what Terraform calls them. */
#define TERRAFORM_ITEM "aws_dynamodb_table_item"

enum progress { NOT_BEGUN, UNDER_WAY, DONE };

struct template_resource {
    struct slice id;
    struct mark mark;
    struct slice type;
    enum resource_kind kind;
    const struct node *body;
    const struct node *properties; /* NULL: none */
    enum progress naming;
    struct slice name; /* of a known kind, once `naming` is DONE */
    bool name_made;    /* from the stack's name: the template gives none */
    /* From the service, absent as long as they are not known; they win over what can be computed.
     */
    struct slice arn;
    struct slice stream_arn;
    /* Of a nested stack: */
    enum progress opening;
    struct template *nested; /* once `opening` is DONE; NULL: its template is not here */
};

struct template_value {
    struct slice name;
    const struct node *value; /* text, list or unknown */
};

struct template_condition {
    enum progress progress;
    bool truth;
};

struct template {
    struct document document;
    struct template_options options;
    const struct node *parameters; /* these may be NULL */
    const struct node *mappings;
    const struct node *conditions;
    const struct node *outputs;
    const struct node *globals;
    bool partial;          /* a tool adds resources that are not in it */
    bool *parameters_used; /* those given, by position; NULL: they have to be in `parameters` */
    struct template_value *values; /* of the parameters, pseudo parameters included */
    size_t value_count;
    struct template_condition *condition_states; /* by position in `conditions` */
    struct template_resource *resources;
    size_t resource_count;
    struct slice *notices; /* lines for the user: what is left out and why */
    size_t notice_count;
    size_t notice_capacity;
    unsigned depth;
    size_t bytes_made;
    struct template *parent; /* whose nested stack this is; NULL: it stands for itself */
    struct slice path;       /* of one that is nested, from the folder of the outermost */
    size_t nested_count;     /* within the outermost */
    /* Sees to it that `opening` is DONE; load.c's. */
    struct error *(*open_nested)(struct template * t, struct template_resource * resource);
};

/* What a template begins with; nothing is resolved. */
struct error *template_sections(struct template *t, const struct node *root);
struct error *template_conditions(struct template *t, const struct node *root);
/* Its outputs and resources. */
struct error *template_resources(struct template *t, const struct node *root);

/* A line of the kind "name:line:column: warning: text". */
void template_notice(struct template *t, struct mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct error *template_error(struct template *t, struct mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Intrinsic functions and conditions worked out, members and items that are AWS::NoValue left out.
 */
struct error *template_resolve(struct template *t, const struct node *node,
                               const struct node **ret_node);
struct error *template_condition(struct template *t, struct slice name, struct mark mark,
                                 bool *ret_truth);
/* False when the resource has a condition and it does not hold. */
struct error *template_resource_wanted(struct template *t, const struct template_resource *resource,
                                       bool *ret_wanted);
/* Its TableName, AlarmName and so on, or STACK-ID. */
struct error *template_resource_name(struct template *t, struct template_resource *resource,
                                     struct slice *ret_name);
/* What the name is called in its properties; of a nested stack, where its template is. */
const char *template_name_property(const struct template_resource *resource);
static inline bool template_is_table(const struct template_resource *resource) {
    return resource->kind == RESOURCE_TABLE || resource->kind == RESOURCE_GLOBAL_TABLE ||
           resource->kind == RESOURCE_SIMPLE_TABLE;
}
static inline bool template_is_stack(const struct template_resource *resource) {
    return resource->kind == RESOURCE_STACK || resource->kind == RESOURCE_APPLICATION;
}
struct template_resource *template_find_resource(struct template *t, struct slice id);

struct template_output {
    struct slice name;
    struct slice value; /* a list as a,b,c */
    bool known;
};

/* Those whose condition holds, in the order of the template. */
struct error *template_outputs(struct template *t, struct template_output **ret_outputs,
                               size_t *ret_count);

#endif
