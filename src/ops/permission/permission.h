/* permission.h - what a request needs to be allowed, told by its operation.
 *
 * A request needs one permission or several: an action on a resource, with the values that the
 * conditions of a policy may look at. Most operations need what their descriptor and their field
 * table say: their own action on each table, backup or stream that a member names. Those that are
 * made of parts - batches, transactions, statements - ask for each part in a function of their own.
 * Who grants permissions is not known here.
 *
 * Tables are looked at as the thread's view of the catalog has them: who asks for the permissions
 * of a request brings it up to date before, and it stays as it is until all are decided.
 *
 * Threads: the I/O thread, after validate and before run. Memory: the call's arena. */
#ifndef GRAMME_OPS_PERMISSION_PERMISSION_H
#define GRAMME_OPS_PERMISSION_PERMISSION_H

#include "ops/request/arn.h"
#include "ops/request/expressions.h"
#include "policy/policy.h"

struct permission {
    struct op_call *call;
    struct policy_request request; /* what policies see of it */
    const struct policy *proposed; /* to be asked instead of the resource's own; NULL: that one */
    /* By which items are found in the table or index; NULL: it is not there. Borrowed from the
     * view of the catalog. */
    const struct key_schema *keys;
};

/* Who is asked. */
struct permission_check {
    /* NULL: granted; else the error for the caller. */
    struct error *(*ask)(const struct permission_check *check, struct permission *permission);
    uint64_t keys; /* a bit for each key that somebody looks at; others need no values */
};

/* Asks for all that the request needs. */
struct error *permission_ask(struct op_call *call, const struct permission_check *check);

/* ---- for who is asked ---- */

/* The table that the resource is, or is a part of, borrowed from the catalog; NULL: it is not
 * there. A stream is a part of its table while no other one has taken its place. */
struct table *permission_table(const struct permission *permission, enum arn_kind *ret_kind);

/* ---- for operations that ask for their parts ---- */

/* On a table, given by name or ARN, or on one of its indexes, when a name is given. */
void permission_init(struct permission *permission, struct op_call *call, const char *action,
                     struct slice table, struct slice index);

static inline bool permission_wanted(const struct permission_check *check, enum policy_key key) {
    return (check->keys & policy_key_bit(key)) != 0;
}

/* One more value, which the caller keeps. */
void permission_add(struct permission *permission, enum policy_key key, struct slice value);
/* The same for a key with names. */
void permission_add_named(struct permission *permission, enum policy_key key, struct slice name,
                          struct slice value);
/* ReturnConsumedCapacity, ReturnValues and tags, as far as the operation has them. */
void permission_add_parameters(const struct permission_check *check, struct permission *permission);
/* Select as it is in effect: it always has a value. */
void permission_add_select(struct permission *permission, struct slice select, bool specific,
                           bool index);

/* The partition key of an item, or a value that a condition gives it. */
void permission_add_key(const struct permission_check *check, struct permission *permission,
                        struct value item);
/* `part` counts the attributes of the partition key. */
void permission_add_key_value(const struct permission_check *check, struct permission *permission,
                              size_t part, struct value value);
/* Whether somebody looks at partition keys. */
bool permission_wants_keys(const struct permission_check *check);
/* Attributes: those of an item or a key, of expressions, and names that are given as such. */
void permission_add_item(const struct permission_check *check, struct permission *permission,
                         struct value item);
void permission_add_expression(const struct permission_check *check, struct permission *permission,
                               const struct expr *expr);
void permission_add_expressions(const struct permission_check *check, struct permission *permission,
                                const struct expressions *expressions);
void permission_add_name(const struct permission_check *check, struct permission *permission,
                         struct slice name);
void permission_add_names(const struct permission_check *check, struct permission *permission,
                          const struct field_list *names);

/* ---- asking for common parts ---- */

/* For a write. `on_failure` is its ReturnValuesOnConditionCheckFailure: who gets the item when the
 * condition is false needs what who asks for ALL_OLD does, or a policy that hides an item would
 * show it to those who guess wrong. */
struct error *permission_ask_write(const struct permission_check *check,
                                   struct permission *permission, struct slice on_failure);

/* What an action of a transaction is about; `attributes` are its Item or its Key. */
void permission_add_action(const struct permission_check *check, struct permission *permission,
                           struct value attributes, const struct expressions *expressions);

#endif
