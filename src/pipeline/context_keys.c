/* context_keys.c - a function for each key, called when somebody looks at it. */
#include "pipeline/context_keys.h"

#include "base/timestamp.h"

struct slice context_arn(struct arena *arena, const struct caller *caller) {
    if (slice_present(caller->arn))
        return caller->arn;
    return arena_printf(arena, "arn:aws:iam::%.*s:user/%.*s", SLICE_ARGS(caller->account),
                        SLICE_ARGS(caller->name));
}

/* ---- of who asks ---- */

static struct slice username(const struct context_source *source) {
    return source->caller->name;
}

static struct slice userid(const struct context_source *source) {
    return source->caller->id;
}

static struct slice principal_arn(const struct context_source *source) {
    const struct caller *caller = source->caller;
    return slice_present(caller->principal_arn) ? caller->principal_arn
                                                : context_arn(&source->exchange->arena, caller);
}

static struct slice principal_account(const struct context_source *source) {
    return source->caller->account;
}

static struct slice principal_type(const struct context_source *source) {
    switch (source->caller->kind) {
    case CALLER_ROOT:
        return SLICE_LITERAL("Account");
    case CALLER_SESSION:
        return SLICE_LITERAL("AssumedRole");
    case CALLER_ANYONE:
    case CALLER_USER:
        break;
    }
    return SLICE_LITERAL("User");
}

static struct slice token_issue_time(const struct context_source *source) {
    int64_t issued_ms = source->caller->issued_ms;
    return issued_ms == 0 ? SLICE_NONE : timestamp_of_second(&source->exchange->arena, issued_ms);
}

/* ---- of how it is asked ---- */

static struct slice current_time(const struct context_source *source) {
    return timestamp_of_second(&source->exchange->arena, clock_now_ms(source->clock));
}

static struct slice epoch_time(const struct context_source *source) {
    return arena_printf(&source->exchange->arena, "%lld",
                        (long long)(clock_now_ms(source->clock) / 1000));
}

static struct slice requested_region(const struct context_source *source) {
    return source->caller->region;
}

static struct slice secure_transport(const struct context_source *source) {
    return source->exchange->secure ? SLICE_LITERAL("true") : SLICE_LITERAL("false");
}

static struct slice source_ip(const struct context_source *source) {
    return exchange_peer(source->exchange);
}

static struct slice user_agent(const struct context_source *source) {
    return http_request_find(&source->exchange->request, SLICE_LITERAL("user-agent"));
}

static struct slice via_aws_service(const struct context_source *source) {
    (void)source;
    return SLICE_LITERAL("false");
}

static const struct {
    enum policy_key key;
    struct slice (*value)(const struct context_source *source); /* absent: there is none */
} single[] = {
    {POLICY_KEY_USERNAME, username},
    {POLICY_KEY_USERID, userid},
    {POLICY_KEY_PRINCIPAL_ARN, principal_arn},
    {POLICY_KEY_PRINCIPAL_ACCOUNT, principal_account},
    {POLICY_KEY_RESOURCE_ACCOUNT, principal_account}, /* there is one account */
    {POLICY_KEY_PRINCIPAL_TYPE, principal_type},
    {POLICY_KEY_TOKEN_ISSUE_TIME, token_issue_time},
    {POLICY_KEY_CURRENT_TIME, current_time},
    {POLICY_KEY_EPOCH_TIME, epoch_time},
    {POLICY_KEY_REQUESTED_REGION, requested_region},
    {POLICY_KEY_SECURE_TRANSPORT, secure_transport},
    {POLICY_KEY_SOURCE_IP, source_ip},
    {POLICY_KEY_USER_AGENT, user_agent},
    {POLICY_KEY_VIA_AWS_SERVICE, via_aws_service},
};

/* ---- all of them ---- */

static struct policy_values principal_tags(const struct context_source *source) {
    const struct caller *caller = source->caller;
    struct arena *arena = &source->exchange->arena;
    struct policy_values values = {
        .list = ARENA_ARRAY(arena, struct slice, caller->tag_count),
        .names = ARENA_ARRAY(arena, struct slice, caller->tag_count),
        .count = caller->tag_count,
    };
    for (size_t i = 0; i < caller->tag_count; i++) {
        values.names[i] = caller->tags[i].name;
        values.list[i] = caller->tags[i].value;
    }
    return values;
}

void context_values(const struct context_source *source, uint64_t wanted,
                    struct policy_values ret_values[POLICY_KEY_COUNT]) {
    for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++) {
        if (!(wanted & policy_key_bit(single[i].key)))
            continue;
        struct slice *value = ARENA_NEW(&source->exchange->arena, struct slice);
        *value = single[i].value(source);
        if (slice_present(*value))
            ret_values[single[i].key] = (struct policy_values){.list = value, .count = 1};
    }
    if (wanted & policy_key_bit(POLICY_KEY_PRINCIPAL_TAG))
        ret_values[POLICY_KEY_PRINCIPAL_TAG] = principal_tags(source);
}
