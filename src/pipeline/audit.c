/* audit.c - see audit.h. Permissions come from where policies get them (ops/permission). */
#include "pipeline/audit.h"

#include <stdlib.h>

#include "auth/auth.h"
#include "base/check.h"
#include "base/container.h"
#include "base/timestamp.h"
#include "json/member.h"
#include "ops/permission/permission.h"

enum {
    LINE_BYTES_MAX = 1024 * 1024,
    /* After which permissions are only counted: some hundred tables. */
    PERMISSION_BYTES_MAX = 64 * 1024,
    TEXT_BYTES_MAX = 2048, /* the longest ARN */
};

struct auditor {
    struct audit_log *log;
    struct buffer line;
};

struct auditor *auditor_new(struct audit_log *log) {
    struct auditor *auditor = calloc(1, sizeof(*auditor));
    CHECK(auditor != NULL);
    auditor->log = log;
    buffer_init(&auditor->line, LINE_BYTES_MAX);
    return auditor;
}

void auditor_free(struct auditor *auditor) {
    if (auditor == NULL)
        return;
    buffer_release(&auditor->line);
    free(auditor);
}

/* ---- notes ---- */

struct audit_note *audit_note_new(struct exchange *exchange) {
    struct audit_note *note = ARENA_NEW(&exchange->arena, struct audit_note);
    note->address = exchange_peer(exchange);
    return note;
}

/* A copy: the directory of callers may be another one when the request ends. */
void audit_note_caller(struct audit_note *note, struct arena *arena, const struct caller *caller) {
    if (slice_present(caller->arn))
        note->principal = arena_slice(arena, caller->arn);
}

void audit_note_permission(struct audit_note *note, struct arena *arena, struct slice action,
                           struct slice resource) {
    if (resource.len > TEXT_BYTES_MAX)
        resource = SLICE_LITERAL("...");
    if (note->permission_count == note->permission_room) {
        size_t count = note->permission_count, room = count == 0 ? 1 : 4 * count;
        struct audit_permission *more = ARENA_ARRAY(arena, struct audit_permission, room);
        if (count > 0)
            memcpy(more, note->permissions, count * sizeof(*more));
        note->permissions = more;
        note->permission_room = room;
    }
    note->permissions[note->permission_count++] = (struct audit_permission){action, resource};
}

struct noting {
    struct permission_check check;
    struct audit_note *note;
};

static bool is_noted(const struct audit_note *note, const struct policy_request *request) {
    for (size_t i = 0; i < note->permission_count; i++)
        if (slice_equal(note->permissions[i].action, request->action) &&
            slice_equal(note->permissions[i].resource, request->resource))
            return true;
    return false;
}

static struct error *add_permission(const struct permission_check *check,
                                    struct permission *permission) {
    struct audit_note *note = container_of(check, const struct noting, check)->note;
    const struct policy_request *request = &permission->request;
    if (!is_noted(note, request))
        audit_note_permission(note, permission->call->arena, request->action, request->resource);
    return NULL;
}

void audit_note_permissions(struct audit_note *note, struct op_call *call) {
    struct noting noting = {.check = {.ask = add_permission}, .note = note};
    permission_ask(call, &noting.check); /* what is wrong with the request is told by others */
}

/* ---- lines ---- */

static void write_known(struct json_writer *json, const char *name, struct slice text) {
    if (slice_present(text))
        member_text(json, name, text.len <= TEXT_BYTES_MAX ? text : SLICE_LITERAL("..."));
}

/* The key that the request names, whether it was proved or not. */
static void write_key(struct json_writer *json, struct exchange *exchange) {
    struct auth_identity identity;
    if (auth_read(&exchange->arena, &exchange->request, &identity) != NULL)
        return;
    write_known(json, "accessKey", identity.access_key_id);
}

static void write_permissions(struct json_writer *json, const struct audit_note *note) {
    size_t i = 0;
    if (note->permission_count == 0)
        return;
    member_array(json, "permissions");
    for (; i < note->permission_count && json->out->len < PERMISSION_BYTES_MAX; i++) {
        json_object_begin(json);
        member_text(json, "action", note->permissions[i].action);
        member_text(json, "resource", note->permissions[i].resource);
        json_object_end(json);
    }
    json_array_end(json);
    if (i < note->permission_count)
        member_integer(json, "more", (int64_t)(note->permission_count - i));
}

static void write_time(struct json_writer *json) {
    char time[TIMESTAMP_CHARS + 2];
    timestamp_print(clock_now_ms(&system_clock), time);
    memcpy(time + TIMESTAMP_CHARS, "Z", 2);
    member_word(json, "time", time);
}

void audit_write(struct auditor *auditor, struct exchange *exchange, const struct audit_note *note,
                 struct audit_outcome outcome) {
    struct json_writer json;
    buffer_reset(&auditor->line);
    json_writer_init(&json, &auditor->line);
    json_object_begin(&json);
    write_time(&json);
    member_text(&json, "requestId", exchange->request_id);
    write_known(&json, "principal", note->principal);
    write_key(&json, exchange);
    write_known(&json, "address", note->address);
    write_known(&json, "operation", note->operation);
    write_known(&json, "subject", note->subject);
    write_known(&json, "host", note->host);
    write_known(&json, "origin", note->origin);
    write_permissions(&json, note);
    member_word(&json, "outcome", outcome.error == NULL ? "ok" : outcome.error);
    if (outcome.error == NULL && outcome.denied > 0)
        member_integer(&json, "denied", outcome.denied);
    json_object_end(&json);
    buffer_append_byte(&auditor->line, '\n');
    audit_log_append(auditor->log, buffer_slice(&auditor->line));
}
