/* expr.h - the expression language: text -> program -> bound expression -> result.
 *
 * Compiling depends on the text alone, so programs are cached by text and shared between threads.
 * Binding gives a program the request's #names and :values, and makes the checks that need them. A
 * bound expression lives in the arena it was bound in and is immutable: the thread that evaluates
 * may be another than the one that bound.
 *
 * All errors here are request-level ValidationExceptions, except those that arise from the item at
 * hand. */
#ifndef GRAMME_EXPR_EXPR_H
#define GRAMME_EXPR_EXPR_H

#include "base/error.h"
#include "model/value.h"
#include "model/value_builder.h"

enum expr_kind {
    EXPR_CONDITION,
    EXPR_FILTER,
    EXPR_PROJECTION,
    EXPR_UPDATE,
    EXPR_KEY_CONDITION,
};

struct expr_program; /* immutable, reference-counted */
struct expr;         /* a program with its names and values */

/* ---- placeholders: the request's ExpressionAttributeNames and -Values ---- */

struct expr_placeholder {
    struct slice key;   /* "#n" or ":v" */
    struct slice name;  /* of a #name */
    struct value value; /* of a :value */
    bool used;          /* some expression of the request referred to it */
};

struct expr_placeholders {
    struct expr_placeholder *names;
    size_t name_count;
    struct expr_placeholder *values;
    size_t value_count;
};

/* The syntax of the keys ("ExpressionAttributeNames contains invalid key: ..."), names first, then
 * values; then the size of it all. */
struct error *expr_placeholders_check(struct arena *arena, const struct expr_placeholders *given);
/* After all expressions are bound: "Value provided in ExpressionAttributeNames unused in
 * expressions: keys: {...}". */
struct error *expr_placeholders_check_unused(struct arena *arena,
                                             const struct expr_placeholders *given);

/* ---- programs ---- */

/* A cache belongs to one thread; the programs in it may be used by any. Bounded in entries and
 * bytes. */
struct expr_cache;
struct expr_cache *expr_cache_new(size_t entries_max);
void expr_cache_free(struct expr_cache *cache);

/* Compiles, or takes from the cache (which may be NULL). The caller owns one reference. */
struct error *expr_compile(struct arena *arena, enum expr_kind kind, struct slice text,
                           struct expr_cache *cache, struct expr_program **ret_program);
void expr_program_unref(struct expr_program *program);

/* Marks the placeholders it uses. The expression keeps no reference to the program's memory that
 * outlives the program: the caller keeps its reference until it is done with the expression. */
struct error *expr_bind(struct arena *arena, const struct expr_program *program,
                        struct expr_placeholders *given, struct expr **ret_expr);

/* ---- evaluation ---- */

/* Condition and filter. An absent item counts as empty. Does not allocate. */
bool expr_holds(const struct expr *condition, struct value item);

/* Projection: writes a value of type M with the selected paths that exist. */
void expr_project(const struct expr *projection, struct value item, struct value_builder *out);

/* Update: the new item, in the arena. `item` has at least the key attributes. Fails with the
 * service's run-time errors (document path, data type, missing attribute, number range), which are
 * not request-level. */
struct error *expr_update(struct arena *arena, const struct expr *update, struct value item,
                          struct value *ret_item);
/* The same when there was no item: `key` has the key attributes only. The service then forgives a
 * REMOVE below an attribute that does not exist, which is an error otherwise. */
struct error *expr_update_new_item(struct arena *arena, const struct expr *update, struct value key,
                                   struct value *ret_item);
/* UPDATED_OLD and UPDATED_NEW: a value of type M with the paths that the update touches, taken from
 * `item`. */
void expr_update_touched(const struct expr *update, struct value item, struct value_builder *out);
/* True when the update has neither SET nor ADD: where there is no item, it makes none. */
bool expr_update_only_takes(const struct expr *update);
/* What the service charges for the statement itself against the item size limit. */
size_t expr_update_charge(const struct expr *update);

/* ---- what validation needs to know about an expression ---- */

/* Calls `visit` for each path the expression reads or writes, until it returns an error. `nested`
 * is true for a path of more than one element; `target` for a path that an update writes;
 * `assigned_type` is the type that an action has for a path of one element when it is known without
 * an item: that of a :value, or of what an operator makes; else VALUE_NONE. */
struct expr_path_visit {
    struct slice name; /* first element */
    bool nested;
    bool target;
    enum value_type assigned_type;
};
typedef struct error *expr_path_visitor(void *context, const struct expr_path_visit *visit);
struct error *expr_visit_paths(const struct expr *expr, expr_path_visitor *visit, void *context);

/* ---- key conditions ---- */

enum key_operator { KEY_EQ, KEY_LT, KEY_LE, KEY_GT, KEY_GE, KEY_BETWEEN, KEY_BEGINS_WITH };

struct key_condition {
    struct slice name;
    enum key_operator op;
    struct value value; /* absent: no key can be searched by what KeyConditions says */
    struct value upper; /* BETWEEN */
};

/* Whether the expression has the shape of a key condition ("Invalid operator used in
 * KeyConditionExpression: OR", ...). The service finds out after it has looked at all expressions
 * and at unused placeholders. */
struct error *expr_check_key_conditions(struct arena *arena, const struct expr *expr);
/* "... must only contain one condition per key": the first check that comes after the table is
 * known. */
struct error *expr_check_key_conditions_once(struct arena *arena, const struct expr *expr);
/* After expr_check_key_conditions(): the conditions in written order; the checks that need a schema
 * are the caller's. The array is in the expression's arena. */
size_t expr_key_conditions(const struct expr *expr, const struct key_condition **ret_conditions);
/* Whether a value meets the condition. Both are of the key's type. */
bool key_condition_holds(const struct key_condition *condition, struct value value);

#endif
