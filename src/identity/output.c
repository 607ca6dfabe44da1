/* output.c - see output.h. */
#include "identity/output.h"

#include "http/percent.h"

void identity_write_time(const struct service_call *call, const char *name, int64_t ms) {
    answer_time(call->answer, name, ms - ms % 1000);
}

void identity_write_document(const struct service_call *call, const char *name,
                             struct slice document) {
    answer_text(call->answer, name, percent_encode(call->arena, document, 0));
}

void identity_write_tag(const struct service_call *call, const struct caller_tag *tag) {
    answer_object(call->answer, NULL);
    answer_text(call->answer, "Key", tag->name);
    answer_text(call->answer, "Value", tag->value);
    answer_end(call->answer);
}

static void write_tags(const struct service_call *call, const struct principal *principal) {
    if (principal->tag_count == 0)
        return;
    answer_list(call->answer, "Tags");
    for (size_t i = 0; i < principal->tag_count; i++)
        identity_write_tag(call, &principal->tags[i]);
    answer_end(call->answer);
}

void identity_write_user(const struct service_call *call, const char *name,
                         const struct principal *user) {
    answer_object(call->answer, name);
    answer_word(call->answer, "Path", "/");
    answer_text(call->answer, "UserName", user->name);
    answer_text(call->answer, "UserId", user->id);
    answer_text(call->answer, "Arn", user->arn);
    identity_write_time(call, "CreateDate", user->created_ms);
    if (name != NULL)
        write_tags(call, user);
    answer_end(call->answer);
}

void identity_write_role(const struct service_call *call, const char *name,
                         const struct principal *role) {
    answer_object(call->answer, name);
    answer_word(call->answer, "Path", "/");
    answer_text(call->answer, "RoleName", role->name);
    answer_text(call->answer, "RoleId", role->id);
    answer_text(call->answer, "Arn", role->arn);
    identity_write_time(call, "CreateDate", role->created_ms);
    identity_write_document(call, "AssumeRolePolicyDocument", role->trust.document);
    if (slice_present(role->description))
        answer_text(call->answer, "Description", role->description);
    answer_integer(call->answer, "MaxSessionDuration", role->session_max_s);
    if (name != NULL)
        write_tags(call, role);
    answer_end(call->answer);
}
