/* access.c - see access.h. */
#include "cli/access.h"

#include <errno.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/timestamp.h"
#include "cli/say.h"
#include "iam/command.h"
#include "json/member.h"
#include "server/access_client.h"

enum { INPUT_MAX = 1 << 20, FILE_MAX = 64 * 1024 };

void access_begin(struct access_command *command, const struct invocation *invocation,
                  const char *name) {
    *command = (struct access_command){.arena = invocation->arena,
                                       .values = invocation->values,
                                       .changes = iam_command_changes(slice_text(name))};
    buffer_init(&command->input, INPUT_MAX);
    json_writer_init(&command->json, &command->input);
    json_object_begin(&command->json);
    member_word(&command->json, "command", name);
}

void access_member(struct access_command *command, const char *name, const char *text) {
    if (text != NULL)
        member_word(&command->json, name, text);
}

struct error *access_member_file(struct access_command *command, const char *name,
                                 const char *path) {
    if (path == NULL)
        return NULL;
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return error_local(command->arena, "%s: cannot be read: %s", path, strerror(errno));
    uint8_t *text = arena_alloc(command->arena, FILE_MAX + 1);
    size_t len = fread(text, 1, FILE_MAX + 1, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed || len > FILE_MAX)
        return error_local(command->arena, "%s: %s", path,
                           failed ? "cannot be read" : "is longer than any policy may be");
    member_text(&command->json, name, slice_of(text, len));
    return NULL;
}

struct error *access_end(struct access_command *command, struct slice *ret_text,
                         const struct json_value **ret_answer) {
    json_object_end(&command->json);
    struct access_request request = {
        .directory = command->values->directory,
        .encrypt_with = command->values->encrypt_with,
        .account = slice_text(command->values->account),
        .input = arena_slice(command->arena, buffer_slice(&command->input)),
        .changes = command->changes,
    };
    bool overflow = command->input.overflow;
    buffer_release(&command->input);
    if (overflow)
        return error_local(command->arena, "the policies are too long together");
    TRY(access_ask(command->arena, &request, ret_text));
    *ret_answer = json_tree_read(command->arena, *ret_text, NULL);
    if (*ret_answer == NULL)
        return error_local(command->arena, "the answer cannot be read");
    return NULL;
}

int access_failed(const struct error *error) {
    say(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
    return 1;
}

bool access_print_json(const struct access_values *values, struct slice text) {
    if (values->json)
        say(stdout, "%.*s\n", SLICE_ARGS(text));
    return values->json;
}

void access_print_time(const struct json_value *answer) {
    const struct json_value *created = json_find(answer, "created");
    char text[TIMESTAMP_CHARS + 1], number[32] = "0";
    if (created != NULL && created->text.len < sizeof(number))
        memcpy(number, created->text.data, created->text.len);
    timestamp_print((int64_t)(strtod(number, NULL) * 1000), text);
    say(stdout, "%.19sZ", text);
}
