/* access_audit.c - see access_audit.h. Threads: any. */
#include "server/access_audit.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/timestamp.h"
#include "iam/command.h"
#include "json/member.h"
#include "json/tree.h"

enum { LINE_BYTES_MAX = 64 * 1024 };

static void write_known(struct json_writer *json, const char *name, struct slice text) {
    if (text.len > 0)
        member_text(json, name, text);
}

/* The id of a user, a role or a key that is new. */
static struct slice made_by(struct arena *arena, const struct json_value *asked,
                            const struct buffer *output) {
    const struct json_value *answer = json_tree_read(arena, buffer_slice(output), NULL);
    struct slice id = json_find_text(answer, "id");
    return slice_equal(id, json_find_text(asked, "id")) ? SLICE_NONE : id;
}

void access_audit(struct audit_log *log, struct arena *arena, struct slice input,
                  const struct buffer *output, const struct error *error) {
    const struct json_value *asked = json_tree_read(arena, input, NULL);
    struct slice command = json_find_text(asked, "command");
    if (!iam_command_changes(command))
        return;
    char time[TIMESTAMP_CHARS + 1];
    timestamp_print(clock_now_ms(&system_clock), time);
    CLEANUP(buffer_release) struct buffer line;
    struct json_writer json;
    buffer_init(&line, LINE_BYTES_MAX);
    json_writer_init(&json, &line);
    json_object_begin(&json);
    member_text(&json, "time", arena_printf(arena, "%sZ", time));
    member_text(&json, "control", command);
    write_known(&json, "name", json_find_text(asked, "name"));
    write_known(&json, "user", json_find_text(asked, "user"));
    write_known(&json, "id", json_find_text(asked, "id"));
    if (error == NULL)
        write_known(&json, "made", made_by(arena, asked, output));
    member_word(&json, "outcome", error == NULL ? "ok" : "failed");
    json_object_end(&json);
    buffer_append_byte(&line, '\n');
    if (!line.overflow)
        audit_log_append(log, buffer_slice(&line));
}
