/* test_matrix.c - every operation, asked for by every kind of caller, under every kind of policy.
 *
 * The operations are those of the operation table, the requests those of
 * tests/data/policy/operations.txt. What a request needs is found out by asking; then each of its
 * permissions is left out or denied, on every side in turn, and the refusal must be told in the
 * service's words. What is asked for must also be in the table of actions: on such a resource, with
 * no more condition keys than it has there. */
#include "unit/ops/call_test.h"

#include "base/container.h"
#include "ops/permission/actions.h"
#include "ops/permission/permission.h"
#include "pipeline/authorize.h"
#include "support/case_lines.h"

#define ACCOUNT "000000000000"
#define TABLE_ARN "arn:aws:dynamodb:us-east-1:" ACCOUNT ":table/music"
#define USER_ARN "arn:aws:iam::" ACCOUNT ":user/ann"
#define SESSION_ARN "arn:aws:sts::" ACCOUNT ":assumed-role/R/S"

enum { PERMISSIONS_MAX = 32 };

struct needed {
    struct slice action;
    struct slice resource;
    uint64_t keys; /* that had values */
};

/* A request that was decoded and validated, and what it needs. */
struct scene {
    struct permission_check check;
    struct test_call test;
    struct exchange exchange;
    struct needed list[PERMISSIONS_MAX];
    size_t count;
};

static const char *requests_path;

/* Texts and policies live as long as a request is looked at. */
static struct arena scratch;

/* ---- requests ---- */

static struct slice stream_arn(void) {
    const struct table *table = catalog_find(fixture.view, SLICE_LITERAL("music"));
    return arena_printf(&scratch, TABLE_ARN "/stream/%.*s",
                        SLICE_ARGS(table->definition.stream_label));
}

/* Runs an operation and finds a text in its reply. */
static struct slice text_of(const char *operation, const char *json, const char *member) {
    struct test_call test;
    call_run(&test, operation, json);
    assert_string_equal(error_text(&scratch, test.error), "ok");
    struct slice mark = arena_printf(&scratch, "\"%s\":\"", member);
    struct slice reply = arena_printf(&scratch, "%.*s", SLICE_ARGS(buffer_slice(&test.reply)));
    const char *at = strstr((const char *)reply.data, (const char *)mark.data);
    call_end(&test);
    assert_non_null(at);
    at += mark.len;
    return slice_of(at, strcspn(at, "\""));
}

static struct slice iterator(void) {
    struct slice arn = stream_arn();
    struct slice described = arena_printf(&scratch, "{\"StreamArn\":\"%.*s\"}", SLICE_ARGS(arn));
    struct slice shard = text_of("DescribeStream", (const char *)described.data, "ShardId");
    struct slice asked = arena_printf(
        &scratch, "{\"StreamArn\":\"%.*s\",\"ShardId\":\"%.*s\",\"ShardIteratorType\":\"LATEST\"}",
        SLICE_ARGS(arn), SLICE_ARGS(shard));
    return text_of("GetShardIterator", (const char *)asked.data, "ShardIterator");
}

/* The text with each `name` replaced. */
static struct slice replaced(struct slice text, const char *name, struct slice by) {
    struct buffer out;
    buffer_init(&out, 1 << 16);
    for (size_t at = 0; at < text.len; at++) {
        bool here = slice_starts_with(slice_skip(text, at), slice_text(name));
        buffer_append_slice(&out, here ? by : slice_of(text.data + at, 1));
        at += here ? strlen(name) - 1 : 0;
    }
    struct slice copy = arena_slice(&scratch, buffer_slice(&out));
    buffer_release(&out);
    return copy;
}

static struct error *note(const struct permission_check *check, struct permission *permission) {
    struct scene *scene = container_of(check, struct scene, check);
    assert_true(scene->count < PERMISSIONS_MAX);
    struct needed *needed = &scene->list[scene->count++];
    *needed = (struct needed){permission->request.action, permission->request.resource, 0};
    for (unsigned key = 0; key < POLICY_KEY_COUNT; key++)
        if (permission->request.values[key].count > 0)
            needed->keys |= policy_key_bit(key);
    return NULL;
}

static void scene_open(struct scene *scene, struct slice name, struct slice body) {
    *scene = (struct scene){.check = {note, UINT64_MAX}};
    body = replaced(body, "@table", SLICE_LITERAL(TABLE_ARN));
    body = replaced(body, "@stream", stream_arn());
    body = replaced(body, "@iterator", iterator());
    body = replaced(body, "@backup", SLICE_LITERAL(TABLE_ARN "/backup/01489602797149-73d8d5bc"));
    call_init(&scene->test, (const char *)arena_printf(&scratch, "%.*s", SLICE_ARGS(name)).data);
    scene->test.call.arena = &scratch;
    const char *json = (const char *)arena_printf(&scratch, "%.*s", SLICE_ARGS(body)).data;
    const char *error = error_text(&scratch, call_open(&scene->test, json));
    if (strstr(error, "version 2017.11.29") == NULL) /* what nobody may do is refused first */
        assert_string_equal(error, "ok");
    arena_init(&scene->exchange.arena);
    assert_null(permission_ask(&scene->test.call, &scene->check));
    assert_true(scene->count > 0);
}

static void scene_close(struct scene *scene) {
    call_end(&scene->test);
    arena_release(&scene->exchange.arena);
}

/* ---- documents ---- */

static const struct policy *policy_of(const char *text) {
    const struct policy *policy = NULL;
    const struct policy_document document = {POLICY_OF_IDENTITY, "policy", slice_text(text)};
    assert_string_equal(error_text(&scratch, policy_parse(&scratch, &document, &policy)), "ok");
    return policy;
}

static bool same(const struct needed *a, const struct needed *b) {
    return slice_equal(a->action, b->action) && slice_equal(a->resource, b->resource);
}

/* Allows just what the request needs, but for one. */
static const struct policy *just(const struct scene *scene, const struct needed *but) {
    struct buffer text;
    buffer_init(&text, 1 << 16);
    buffer_append_text(&text, "{\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"x:y\","
                              "\"Resource\":\"*\"}");
    for (size_t i = 0; i < scene->count; i++)
        if (but == NULL || !same(&scene->list[i], but))
            buffer_printf(&text,
                          ",{\"Effect\":\"Allow\",\"Action\":\"%.*s\",\"Resource\":\"%.*s\"}",
                          SLICE_ARGS(scene->list[i].action), SLICE_ARGS(scene->list[i].resource));
    buffer_append(&text, "]}", 3);
    const struct policy *policy = policy_of((const char *)text.data);
    buffer_release(&text);
    return policy;
}

/* Allows all and denies one. */
static const struct policy *all_but(const struct needed *needed) {
    return policy_of((const char *)arena_printf(
                         &scratch,
                         "{\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"*\",\"Resource\":"
                         "\"*\"},{\"Effect\":\"Deny\",\"Action\":\"%.*s\",\"Resource\":\"%.*s\"}]}",
                         SLICE_ARGS(needed->action), SLICE_ARGS(needed->resource))
                         .data);
}

/* ---- asking ---- */

struct arrangement {
    const struct policy *own, *boundary, *session;
};

/* `refused` (NULL: nothing) is told with the reason, whose %A is the action. */
static void expect(struct scene *scene, struct caller caller, struct arrangement arranged,
                   const struct needed *refused, const char *reason) {
    bool root = caller.kind == CALLER_ROOT;
    caller.policies = &arranged.own;
    caller.policy_count = !root && arranged.own != NULL;
    caller.boundary = arranged.boundary;
    caller.session = arranged.session;
    const char *wanted = "ok";
    if (refused != NULL)
        wanted =
            (const char *)arena_printf(
                &scratch,
                "AccessDeniedException: User: %.*s is not authorized to perform: %.*s on resource: "
                "%.*s %.*s",
                SLICE_ARGS(caller.arn), SLICE_ARGS(refused->action), SLICE_ARGS(refused->resource),
                SLICE_ARGS(replaced(slice_text(reason), "%A", refused->action)))
                .data;
    struct error *error =
        authorize_call(root ? arranged.own : NULL, &scene->exchange, &scene->test.call, &caller);
    assert_string_equal(error_text(&scratch, error), wanted);
}

#define SILENT(side) "because no " side " allows the %A action"
#define DENIES(side) "with an explicit deny in " side

/* One permission is missing on each side in turn, then denied. */
static void leave_out(struct scene *scene, const struct caller *caller,
                      const struct needed *needed) {
    const struct policy *all = policy_of("{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"*\","
                                         "\"Resource\":\"*\"}}");
    const struct policy *without = just(scene, needed), *denying = all_but(needed);
    expect(scene, *caller, (struct arrangement){.own = without},
           caller->kind == CALLER_ROOT ? NULL : needed, SILENT("identity-based policy"));
    expect(scene, *caller, (struct arrangement){.own = denying}, needed,
           DENIES("an identity-based policy"));
    if (caller->kind == CALLER_ROOT)
        return;
    expect(scene, *caller, (struct arrangement){all, .boundary = without}, needed,
           SILENT("permissions boundary"));
    expect(scene, *caller, (struct arrangement){all, .boundary = denying}, needed,
           DENIES("a permissions boundary"));
    if (caller->kind == CALLER_USER)
        return;
    expect(scene, *caller, (struct arrangement){all, .session = without}, needed,
           SILENT("session policy"));
    expect(scene, *caller, (struct arrangement){all, .session = denying}, needed,
           DENIES("a session policy"));
    expect(scene, *caller, (struct arrangement){without, denying, denying}, needed,
           DENIES("a permissions boundary"));
}

/* Its statements are refused one by one, and the request is not. */
static bool fails_in_parts(const struct scene *scene) {
    return strcmp(scene->test.call.op->name, "BatchExecuteStatement") == 0;
}

static void ask_by_own_policies(struct scene *scene, const struct caller *caller) {
    if (fails_in_parts(scene))
        return;
    const struct policy *exactly = just(scene, NULL);
    const struct needed *first = caller->kind == CALLER_ROOT ? NULL : &scene->list[0];
    expect(scene, *caller, (struct arrangement){0}, first, SILENT("identity-based policy"));
    expect(scene, *caller, (struct arrangement){.own = exactly}, NULL, NULL);
    expect(scene, *caller, (struct arrangement){exactly, exactly, exactly}, NULL, NULL);
    for (size_t i = 0; i < scene->count; i++)
        leave_out(scene, caller, &scene->list[i]);
}

/* ---- the resource's own policy ---- */

static unsigned resource_of(struct slice text) {
    struct arn arn;
    const unsigned kinds[] = {[ARN_OTHER] = ACTION_ON_GLOBAL_TABLE, [ARN_TABLE] = ACTION_ON_TABLE,
                              [ARN_INDEX] = ACTION_ON_INDEX,        [ARN_STREAM] = ACTION_ON_STREAM,
                              [ARN_BACKUP] = ACTION_ON_BACKUP,      [ARN_EXPORT] = ACTION_ON_EXPORT,
                              [ARN_IMPORT] = ACTION_ON_IMPORT};
    if (slice_is(text, "*"))
        return ACTION_ON_NOTHING;
    assert_true(arn_parse(text, &arn));
    return kinds[arn.kind];
}

/* The policy of the table or of its stream has a say in it. */
static bool is_governed(const struct needed *needed) {
    const struct slice music = SLICE_LITERAL(TABLE_ARN);
    const unsigned own = ACTION_ON_TABLE | ACTION_ON_INDEX | ACTION_ON_STREAM;
    return slice_starts_with(needed->resource, music) && (resource_of(needed->resource) & own) &&
           !(action_find(needed->action)->resources & ACTION_ON_UNATTACHED);
}

static const struct needed *first_of(const struct scene *scene, bool governed) {
    for (size_t i = 0; i < scene->count; i++)
        if (is_governed(&scene->list[i]) == governed)
            return &scene->list[i];
    return NULL;
}

/* The table and the stream allow their callers all, by name. */
static void ask_allowing_resource(struct scene *scene, const struct caller *caller) {
    if (fails_in_parts(scene))
        return;
    const struct needed *refused = caller->kind == CALLER_ROOT ? NULL : first_of(scene, false);
    expect(scene, *caller, (struct arrangement){0}, refused, SILENT("identity-based policy"));
}

/* They deny all to everybody. */
static void ask_denying_resource(struct scene *scene, const struct caller *caller) {
    if (fails_in_parts(scene))
        return;
    const struct policy *all = policy_of("{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"*\","
                                         "\"Resource\":\"*\"}}");
    expect(scene, *caller, (struct arrangement){.own = all}, first_of(scene, true),
           DENIES("a resource-based policy"));
    expect(scene, (struct caller){CALLER_ANYONE, .account = SLICE_LITERAL(ACCOUNT)},
           (struct arrangement){0}, NULL, NULL);
}

/* ---- the table of actions ---- */

static void check_actions(struct scene *scene, const struct caller *caller) {
    const uint64_t elsewhere = policy_key_bit(POLICY_KEY_RESOURCE_TAG);
    (void)caller;
    for (size_t i = 0; i < scene->count; i++) {
        const struct needed *needed = &scene->list[i];
        const struct action *action = action_find(needed->action);
        if (action == NULL || !(action->resources & resource_of(needed->resource)))
            fail_msg("%.*s on %.*s is not in actions.def", SLICE_ARGS(needed->action),
                     SLICE_ARGS(needed->resource));
        if (needed->keys & ~(action->keys | elsewhere))
            fail_msg("%.*s has keys that actions.def does not give it: %llx",
                     SLICE_ARGS(needed->action),
                     (unsigned long long)(needed->keys & ~action->keys));
    }
}

/* ---- all of them ---- */

struct pass {
    void (*ask)(struct scene *scene, const struct caller *caller);
    const char *seen[128]; /* operations */
    size_t seen_count;
};

static void take_line(void *context, struct slice line, int number) {
    struct pass *pass = context;
    (void)number;
    if (line.len == 0 || line.data[0] == '#')
        return;
    const uint8_t *blank = memchr(line.data, ' ', line.len);
    assert_non_null(blank);
    struct slice name = slice_of(line.data, (size_t)(blank - line.data));
    const struct caller callers[] = {
        {CALLER_ROOT, .arn = SLICE_LITERAL("arn:aws:iam::" ACCOUNT ":root")},
        {CALLER_USER, .arn = SLICE_LITERAL(USER_ARN)},
        {CALLER_SESSION, .arn = SLICE_LITERAL(SESSION_ARN)},
    };
    for (size_t i = 0; i < sizeof(callers) / sizeof(*callers); i++) {
        struct scene scene;
        struct caller caller = callers[i];
        caller.account = SLICE_LITERAL(ACCOUNT);
        scene_open(&scene, name, slice_skip(line, name.len + 1));
        pass->ask(&scene, &caller);
        pass->seen[pass->seen_count] = scene.test.call.op->name;
        scene_close(&scene);
        arena_reset(&scratch);
    }
    if (pass->seen_count == 0 ||
        strcmp(pass->seen[pass->seen_count - 1], pass->seen[pass->seen_count]) != 0)
        pass->seen_count++;
}

static void check_all_seen(const struct pass *pass) {
    const struct op_listing *list;
    size_t count = op_list(&list), missing = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = list[i].op == NULL;
        for (size_t j = 0; j < pass->seen_count && !seen; j++)
            seen = strcmp(list[i].name, pass->seen[j]) == 0;
        if (!seen)
            print_error("operations.txt has no %s\n", list[i].name);
        missing += !seen;
    }
    assert_int_equal(missing, 0);
}

static void answer(const char *name, const char *json) {
    struct test_call test;
    call_run(&test, name, json);
    assert_string_equal(error_text(&fixture.arena, test.error), "ok");
    call_end(&test);
}

static void attach(const char *effect, const char *principal) {
    const struct slice arns[] = {SLICE_LITERAL(TABLE_ARN), stream_arn()};
    for (size_t i = 0; i < 2; i++)
        answer("PutResourcePolicy",
               (const char *)arena_printf(
                   &scratch,
                   "{\"ResourceArn\":\"%.*s\",\"Policy\":\"{\\\"Statement\\\":{\\\"Effect\\\":"
                   "\\\"%s\\\",\\\"Principal\\\":%s,\\\"Action\\\":\\\"*\\\","
                   "\\\"Resource\\\":\\\"*\\\"}}\"}",
                   SLICE_ARGS(arns[i]), effect, principal)
                   .data);
}

static void run_all(void (*ask)(struct scene *scene, const struct caller *caller)) {
    struct pass pass = {.ask = ask};
    case_lines_read(requests_path, take_line, &pass);
    check_all_seen(&pass);
}

static int open_matrix(void **state) {
    open_engine(state);
    arena_init(&scratch);
    answer("CreateTable",
           "{\"TableName\":\"music\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":"
           "[{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"},{\"AttributeName\":\"year\","
           "\"AttributeType\":\"N\"}],\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":"
           "\"HASH\"}],\"GlobalSecondaryIndexes\":[{\"IndexName\":\"by-year\",\"KeySchema\":"
           "[{\"AttributeName\":\"year\",\"KeyType\":\"HASH\"}],\"Projection\":"
           "{\"ProjectionType\":\"ALL\"}}],\"StreamSpecification\":{\"StreamEnabled\":true,"
           "\"StreamViewType\":\"KEYS_ONLY\"}}");
    return 0;
}

static int close_matrix(void **state) {
    arena_release(&scratch);
    return close_engine(state);
}

static void what_is_asked_for_is_known(void **state) {
    (void)state;
    run_all(check_actions);
}

static void by_policies_of_their_own(void **state) {
    (void)state;
    run_all(ask_by_own_policies);
}

static void by_the_policy_of_the_resource(void **state) {
    (void)state;
    attach("Allow", "{\\\"AWS\\\":[\\\"" USER_ARN "\\\",\\\"" SESSION_ARN "\\\"]}");
    run_all(ask_allowing_resource);
    test_now_ms += 20000;
    attach("Deny", "\\\"*\\\"");
    run_all(ask_denying_resource);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_asked_for_is_known, open_matrix, close_matrix),
        cmocka_unit_test_setup_teardown(by_policies_of_their_own, open_matrix, close_matrix),
        cmocka_unit_test_setup_teardown(by_the_policy_of_the_resource, open_matrix, close_matrix),
    };
    requests_path = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
