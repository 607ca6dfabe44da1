/* edit.h - a change of a user, a role or a key: nobody else changes anything while it is made. */
#ifndef GRAMME_IDENTITY_EDIT_H
#define GRAMME_IDENTITY_EDIT_H

#include "iam/change.h"
#include "identity/request.h"

struct identity_edit {
    struct service_call *call;
    enum principal_kind kind; /* of what the operation is about, where it is about one */
    const struct iam_options *options;
    const struct directory *now;
    struct record change; /* without a name: nothing changes */
};

/* What `change` puts into the record is stored when it returns without an error, durably. Its
 * answer goes when that is done. */
struct error *identity_edit(struct service_call *call, enum principal_kind kind,
                            struct error *(*change)(struct identity_edit *edit));

/* The one that is named, to be changed. */
struct error *identity_open(const struct identity_edit *edit, struct principal *ret_principal);
void identity_store(struct identity_edit *edit, const struct principal *principal);

/* ---- creating ---- */

/* A tag is {Key, Value}. */
extern const struct input_field identity_tag_fields[];
#define INPUT_TAGS \
    INPUT("Tags", INPUT_LIST, .items = INPUT_OBJECT, .max = 50, .members = identity_tag_fields)
/* What both kinds are made with, but for their name. */
#define INPUT_NEW                                    \
    INPUT("Path", INPUT_TEXT, .min = 1, .max = 512), \
        INPUT("PermissionsBoundary", INPUT_TEXT, .min = 20, .max = 2048), INPUT_TAGS

/* Of the name and with the tags that the request has. */
struct error *identity_create(const struct identity_edit *edit, struct principal *ret_principal);
/* Puts those of the request. */
struct error *identity_put_tags(const struct identity_edit *edit, struct principal *principal);
/* It has no policies any more. */
struct error *identity_check_empty(const struct identity_edit *edit,
                                   const struct principal *principal);

#endif
