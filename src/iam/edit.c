/* edit.c - what commands share. */
#include "iam/edit.h"

#include "base/check.h"

void edit_change(struct edit *edit, struct record record) {
    CHECK(edit->change_count < RECORD_CHANGES_MAX);
    edit->changes[edit->change_count++] = record;
}

struct error *edit_text(const struct edit *edit, const char *member, struct slice *ret_text) {
    struct slice text = json_find_text(edit->input, member);
    if (!slice_present(text))
        return error_local(edit->arena, "'%s' is missing", member);
    *ret_text = text;
    return NULL;
}

struct error *edit_find(const struct edit *edit, const struct principal **ret_principal) {
    struct slice name;
    TRY(edit_text(edit, "name", &name));
    const struct principal *found = directory_find(edit->now, edit->kind, name);
    if (found == NULL)
        return error_local(edit->arena, "there is no %s '%.*s'",
                           edit->kind == PRINCIPAL_USER ? "user" : "role", SLICE_ARGS(name));
    *ret_principal = found;
    return NULL;
}
