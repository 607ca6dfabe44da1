/* edit.h - one command under way: what it was asked, what it changes, what it answers. For the
 * files of command.h only. */
#ifndef GRAMME_IAM_EDIT_H
#define GRAMME_IAM_EDIT_H

#include "iam/iam.h"
#include "json/member.h"
#include "json/tree.h"

struct edit {
    struct iam *iam;
    const struct iam_options *options;
    const struct directory *now;
    enum principal_kind kind; /* of what the command is about, where it is about one */
    const struct json_value *input;
    struct arena *arena;
    int64_t now_ms;
    struct json_writer output;
    struct record changes[RECORD_CHANGES_MAX];
    size_t change_count;
};

void edit_change(struct edit *edit, struct record record);
/* A text that must be there. */
struct error *edit_text(const struct edit *edit, const char *member, struct slice *ret_text);
/* The principal that "name" names. */
struct error *edit_find(const struct edit *edit, const struct principal **ret_principal);

/* edit_principal.c */
struct error *edit_create(struct edit *edit);
struct error *edit_delete(struct edit *edit);
struct error *edit_list(struct edit *edit);
struct error *edit_show(struct edit *edit);
struct error *edit_update(struct edit *edit);

/* edit_key.c */
struct error *edit_create_key(struct edit *edit);
struct error *edit_import_key(struct edit *edit);
struct error *edit_list_keys(struct edit *edit);
struct error *edit_enable_key(struct edit *edit);
struct error *edit_disable_key(struct edit *edit);
struct error *edit_delete_key(struct edit *edit);
struct error *edit_rotate_key(struct edit *edit);

#endif
