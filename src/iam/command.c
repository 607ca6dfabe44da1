/* command.c - the table of commands. */
#include "iam/command.h"

#include "iam/change.h"
#include "iam/edit.h"

static const struct {
    const char *name;
    struct error *(*run)(struct edit *edit);
    enum principal_kind kind;
    bool reads; /* it changes nothing */
} table[] = {
    {"create-user", edit_create, PRINCIPAL_USER, false},
    {"delete-user", edit_delete, PRINCIPAL_USER, false},
    {"list-users", edit_list, PRINCIPAL_USER, true},
    {"show-user", edit_show, PRINCIPAL_USER, true},
    {"update-user", edit_update, PRINCIPAL_USER, false},
    {"create-role", edit_create, PRINCIPAL_ROLE, false},
    {"delete-role", edit_delete, PRINCIPAL_ROLE, false},
    {"list-roles", edit_list, PRINCIPAL_ROLE, true},
    {"show-role", edit_show, PRINCIPAL_ROLE, true},
    {"update-role", edit_update, PRINCIPAL_ROLE, false},
    {.name = "create-key", .run = edit_create_key},
    {.name = "import-key", .run = edit_import_key},
    {.name = "list-keys", .run = edit_list_keys, .reads = true},
    {.name = "enable-key", .run = edit_enable_key},
    {.name = "disable-key", .run = edit_disable_key},
    {.name = "delete-key", .run = edit_delete_key},
    {.name = "rotate-key", .run = edit_rotate_key},
};

bool iam_command_changes(struct slice name) {
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (slice_is(name, table[i].name))
            return !table[i].reads;
    return false;
}

static struct error *run(struct edit *edit) {
    struct slice name;
    TRY(edit_text(edit, "command", &name));
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (!slice_is(name, table[i].name))
            continue;
        edit->kind = table[i].kind;
        TRY(table[i].run(edit));
        if (edit->change_count == 0)
            return NULL;
        return iam_change(edit->iam, edit->arena, edit->changes, edit->change_count);
    }
    return error_local(edit->arena, "this version of gramme knows no command '%.*s'",
                       SLICE_ARGS(name));
}

struct error *iam_run_command(struct iam *iam, const struct clock *clock, struct arena *arena,
                              struct slice input, struct buffer *output) {
    struct edit edit = {
        .iam = iam,
        .options = iam_options(iam),
        .input = json_tree_read(arena, input, NULL),
        .arena = arena,
        .now_ms = clock_now_ms(clock),
    };
    json_writer_init(&edit.output, output);
    edit.now = iam_change_begin(iam);
    struct error *error = run(&edit);
    iam_change_end(iam);
    return error;
}

static struct error *make_key(struct iam *iam, const struct clock *clock, struct arena *arena,
                              struct access_key *ret_key) {
    const struct iam_options *options = iam_options(iam);
    struct access_key key = key_new(arena, options, SLICE_LITERAL(""), clock_now_ms(clock));
    struct record record = key_record(arena, options->seal, &key);
    TRY(iam_change(iam, arena, &record, 1));
    *ret_key = key;
    return NULL;
}

struct error *iam_make_first_key(struct iam *iam, const struct clock *clock, struct arena *arena,
                                 struct access_key *ret_key) {
    struct error *error = NULL;
    const struct directory *now = iam_change_begin(iam);
    *ret_key = (struct access_key){.id = SLICE_NONE};
    size_t usable = 0;
    for (size_t i = 0; i < now->key_count; i++)
        usable += slice_present(now->keys[i].secret);
    if (usable == 0)
        error = make_key(iam, clock, arena, ret_key);
    iam_change_end(iam);
    return error;
}
