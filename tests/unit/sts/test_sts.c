/* test_sts.c - caller identity, AssumeRole and GetSessionToken: validation, authorization and
 * expiry of credentials. The clock stands still. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sts/sts.h"
#include "support/iam_fixture.h"

#define ARN(name) "arn:aws:iam::" IAM_FIXTURE_ACCOUNT ":" name
#define TRUST(principal, condition)                                            \
    "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\"" principal \
    "\"},\"Action\":\"sts:AssumeRole\"" condition "}}"
#define MAY_ASSUME \
    "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"sts:AssumeRole\",\"Resource\":\"*\"}}"
#define ASSUME "Action=AssumeRole&RoleArn=" ARN("role/reader") "&RoleSessionName=alice"

struct scene {
    struct iam_fixture iam;
    struct caller caller;
    bool unverified;
    struct buffer out;
};

static struct scene scene;

static int set_up(void **state) {
    (void)state;
    scene = (struct scene){.unverified = false};
    atomic_store(&fixture_clock.now_ms, INT64_C(1794744000000));
    iam_fixture_open(&scene.iam);
    iam_fixture_put_user(&scene.iam, "bob", NULL);
    iam_fixture_put_role(&scene.iam, "reader", TRUST(ARN("user/bob"), ""), 3600);
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    buffer_init(&scene.out, 64 * 1024);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    buffer_release(&scene.out);
    iam_fixture_close(&scene.iam);
    return 0;
}

/* ---- calling ---- */

static struct sts_fault run(const char *body) {
    struct policy_values values[POLICY_KEY_COUNT] = {0};
    struct form form;
    struct arena *arena = &scene.iam.f.arena;
    assert_true(form_read(arena, slice_text(body), &form));
    struct sts_request request = {
        .arena = arena,
        .form = &form,
        .caller = &scene.caller,
        .caller_arn = scene.caller.arn,
        .iam = scene.unverified ? NULL : scene.iam.iam,
        .directory = scene.unverified ? NULL : iam_view_directory(scene.iam.view),
        .clock = &fixture_clock.clock,
        .random = &system_random,
        .values = values,
    };
    buffer_reset(&scene.out);
    return sts_run(&request, &scene.out);
}

static void expect_fault(const char *body, int status, const char *code, const char *message) {
    struct sts_fault fault = run(body);
    if (fault.code == NULL)
        fail_msg("%.100s: no fault", body);
    assert_string_equal(fault.code, code);
    assert_int_equal(fault.status, status);
    if (!slice_is(fault.message, message))
        fail_msg("%.*s", SLICE_ARGS(fault.message));
}

static void expect_fine(const char *body) {
    struct sts_fault fault = run(body);
    if (fault.code != NULL)
        fail_msg("%.100s: %s: %.*s", body, fault.code, SLICE_ARGS(fault.message));
}

/* The text of an XML element of the reply. */
static struct slice element(const char *name) {
    struct arena *arena = &scene.iam.f.arena;
    const char *all =
        (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(buffer_slice(&scene.out))).data;
    const char *open = (const char *)arena_printf(arena, "<%s>", name).data;
    const char *at = strstr(all, open);
    if (at == NULL)
        fail_msg("no %s in %s", name, all);
    at += strlen(open);
    return slice_of(at, strcspn(at, "<"));
}

/* Who signs with the credentials of the reply, after `later_s` seconds. */
static struct error *caller_of_reply(int64_t later_s, struct caller *ret_caller) {
    struct iam_credentials found;
    TRY(iam_find_credentials(scene.iam.view, &scene.iam.f.arena, element("AccessKeyId"),
                             element("SessionToken"),
                             clock_now_ms(&fixture_clock.clock) + later_s * 1000, &found));
    assert_true(slice_equal(found.secret, element("SecretAccessKey")));
    *ret_caller = found.caller;
    return NULL;
}

static void expect_expiry_after(int64_t seconds) {
    struct caller ignored;
    assert_null(caller_of_reply(seconds - 1, &ignored));
    assert_non_null(caller_of_reply(seconds, &ignored));
}

/* ---- actions ---- */

static void unknown_action_is_refused(void **state) {
    (void)state;
    expect_fault("Action=GetFederationToken", 400, "InvalidAction",
                 "Could not find operation GetFederationToken for version 2011-06-15");
    expect_fault("Action=getcalleridentity", 400, "InvalidAction",
                 "Could not find operation getcalleridentity for version 2011-06-15");
    expect_fault("", 400, "InvalidAction", "Could not find operation  for version 2011-06-15");
}

static void sts_issues_names_the_credential_actions(void **state) {
    (void)state;
    assert_true(sts_issues(SLICE_LITERAL("AssumeRole")));
    assert_true(sts_issues(SLICE_LITERAL("GetSessionToken")));
    assert_false(sts_issues(SLICE_LITERAL("GetCallerIdentity")));
    assert_false(sts_issues(SLICE_LITERAL("AssumeRol")));
    assert_false(sts_issues(SLICE_NONE));
}

static void get_caller_identity_returns_the_caller(void **state) {
    (void)state;
    expect_fine("Action=GetCallerIdentity");
    assert_true(slice_is(element("Arn"), ARN("user/bob")));
    assert_true(slice_equal(element("UserId"), scene.caller.id));
    assert_true(slice_is(element("Account"), IAM_FIXTURE_ACCOUNT));
    scene.caller = iam_fixture_owner();
    expect_fine("Action=GetCallerIdentity");
    assert_true(slice_is(
        buffer_slice(&scene.out),
        "<GetCallerIdentityResult><Arn>" ARN("root") "</Arn><UserId>" IAM_FIXTURE_ACCOUNT
                                                     "</UserId><Account>" IAM_FIXTURE_ACCOUNT
                                                     "</Account></GetCallerIdentityResult>"));
}

/* ---- AssumeRole: validation ---- */

#define DETECTED "1 validation error detected: Value "

static const char *repeated(char c, size_t count) {
    char *text = arena_alloc(&scene.iam.f.arena, count + 1);
    memset(text, c, count);
    text[count] = '\0';
    return text;
}

static const char *assume(const char *arn, const char *session) {
    return (const char *)arena_printf(
               &scene.iam.f.arena, "Action=AssumeRole&RoleArn=%s&RoleSessionName=%s", arn, session)
        .data;
}

static void role_and_session_name_are_required(void **state) {
    (void)state;
    expect_fault("Action=AssumeRole", 400, "ValidationError",
                 DETECTED
                 "null at 'roleArn' failed to satisfy constraint: Member must not be null");
    expect_fault("Action=AssumeRole&RoleArn=" ARN("role/reader"), 400, "ValidationError",
                 DETECTED "null at 'roleSessionName' failed to satisfy constraint: Member must not "
                          "be null");
}

static void role_arn_and_session_name_have_length_limits(void **state) {
    (void)state;
    expect_fault(assume("arn:aws:iam::1:role", "alice"), 400, "ValidationError",
                 DETECTED "'arn:aws:iam::1:role' at 'roleArn' failed to satisfy constraint: Member "
                          "must have length greater than or equal to 20");
    expect_fault(assume(repeated('x', 20), "alice"), 400, "ValidationError",
                 "xxxxxxxxxxxxxxxxxxxx is invalid");
    struct sts_fault fault = run(assume(repeated('x', 2048), "alice"));
    assert_true(slice_ends_with(fault.message, SLICE_LITERAL("x is invalid")));
    fault = run(assume(repeated('x', 2049), "alice"));
    assert_true(slice_ends_with(
        fault.message, SLICE_LITERAL("Member must have length less than or equal to 2048")));
    expect_fault(assume(ARN("role/reader"), "a"), 400, "ValidationError",
                 DETECTED "'a' at 'roleSessionName' failed to satisfy constraint: Member must have "
                          "length greater than or equal to 2");
    expect_fine(assume(ARN("role/reader"), "ab"));
    expect_fine(assume(ARN("role/reader"), repeated('a', 64)));
    fault = run(assume(ARN("role/reader"), repeated('a', 65)));
    assert_true(slice_ends_with(fault.message,
                                SLICE_LITERAL("Member must have length less than or equal to 64")));
    expect_fault(assume(ARN("role/reader"), "a%20b"), 400, "ValidationError",
                 DETECTED "'a b' at 'roleSessionName' failed to satisfy constraint: Member must "
                          "satisfy regular expression pattern: [\\w+=,.@-]*");
}

static void duration_has_limits(void **state) {
    (void)state;
    static const struct {
        const char *seconds, *wanted;
    } wrong[] = {
        {"899", "Member must have value greater than or equal to 900"},
        {"0", "Member must have value greater than or equal to 900"},
        {"43201", "Member must have value less than or equal to 43200"},
        {"999999999", "Member must have value less than or equal to 43200"},
    };
    static const char *const none[] = {"", "-1", "1e3", "900 ", "9999999999", "\xc3\xa4"};
    struct arena *arena = &scene.iam.f.arena;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        expect_fault(
            (const char *)arena_printf(arena, ASSUME "&DurationSeconds=%s", wrong[i].seconds).data,
            400, "ValidationError",
            (const char *)arena_printf(arena,
                                       DETECTED "'%s' at 'durationSeconds' failed to "
                                                "satisfy constraint: %s",
                                       wrong[i].seconds, wrong[i].wanted)
                .data);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        expect_fault((const char *)arena_printf(arena, ASSUME "&DurationSeconds=%s", none[i]).data,
                     400, "MalformedInput", "DurationSeconds is no number");
    expect_fine(ASSUME "&DurationSeconds=900");
    expect_expiry_after(900);
}

static void malformed_or_long_session_policy_is_refused(void **state) {
    (void)state;
    struct arena *arena = &scene.iam.f.arena;
    const char *start = ASSUME "&Policy={%22Statement%22:[]";
    struct sts_fault fault = run(start);
    assert_string_equal(fault.code, "MalformedPolicyDocument");
    assert_int_equal(fault.status, 400);
    const char *longest = (const char *)arena_printf(arena, ASSUME "&Policy=%s%s", MAY_ASSUME,
                                                     repeated(' ', 2048 - strlen(MAY_ASSUME)))
                              .data;
    expect_fine(longest);
    fault = run((const char *)arena_printf(arena, "%s ", longest).data);
    assert_string_equal(fault.code, "ValidationError");
    assert_true(slice_ends_with(
        fault.message, SLICE_LITERAL("Member must have length less than or equal to 2048")));
}

/* ---- AssumeRole: authorization ---- */

#define NOT_AUTHORIZED(who, role) \
    "User: " who " is not authorized to perform: sts:AssumeRole on resource: " role

static void trusted_user_assumes_the_role(void **state) {
    (void)state;
    struct caller who;
    expect_fine(ASSUME);
    assert_true(
        slice_is(element("Arn"), "arn:aws:sts::" IAM_FIXTURE_ACCOUNT ":assumed-role/reader/alice"));
    assert_null(caller_of_reply(0, &who));
    assert_int_equal(who.kind, CALLER_SESSION);
    assert_true(slice_equal(who.arn, element("Arn")));
    assert_true(slice_equal(who.id, element("AssumedRoleId")));
    assert_true(slice_is(who.principal_arn, ARN("role/reader")));
    assert_null(who.session);
    expect_expiry_after(3600);
}

static void session_policy_is_attached_to_the_session(void **state) {
    (void)state;
    struct caller who;
    expect_fine(ASSUME "&Policy=" MAY_ASSUME);
    assert_null(caller_of_reply(0, &who));
    assert_non_null(who.session);
}

/* The same message for both: nobody can probe which roles exist. */
static void missing_role_is_refused_like_untrusting_role(void **state) {
    (void)state;
    iam_fixture_put_role(&scene.iam, "writer", TRUST(ARN("user/carol"), ""), 3600);
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    expect_fault(assume(ARN("role/writer"), "alice"), 403, "AccessDenied",
                 NOT_AUTHORIZED(ARN("user/bob"), ARN("role/writer")));
    expect_fault(assume(ARN("role/nobody"), "alice"), 403, "AccessDenied",
                 NOT_AUTHORIZED(ARN("user/bob"), ARN("role/nobody")));
    expect_fault(assume("arn:aws:iam::111111111111:role/reader", "alice"), 403, "AccessDenied",
                 NOT_AUTHORIZED(ARN("user/bob"), "arn:aws:iam::111111111111:role/reader"));
    expect_fault(assume(ARN("role/a/reader"), "alice"), 403, "AccessDenied",
                 NOT_AUTHORIZED(ARN("user/bob"), ARN("role/a/reader")));
    expect_fault(assume(ARN("user/bob/more"), "alice"), 403, "AccessDenied",
                 NOT_AUTHORIZED(ARN("user/bob"), ARN("user/bob/more")));
}

static void trust_of_the_account_also_requires_a_user_policy(void **state) {
    (void)state;
    iam_fixture_put_role(&scene.iam, "reader", TRUST(ARN("root"), ""), 3600);
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    expect_fault(ASSUME, 403, "AccessDenied", NOT_AUTHORIZED(ARN("user/bob"), ARN("role/reader")));
    iam_fixture_put_user(&scene.iam, "dora", MAY_ASSUME);
    scene.caller = iam_fixture_user(&scene.iam, "dora");
    expect_fine(ASSUME);
}

static void root_cannot_assume_roles(void **state) {
    (void)state;
    iam_fixture_put_role(&scene.iam, "reader", TRUST(ARN("root"), ""), 3600);
    scene.caller = iam_fixture_owner();
    expect_fault(ASSUME, 403, "AccessDenied", "Roles may not be assumed by root accounts.");
}

static void trust_conditions_see_the_request(void **state) {
    (void)state;
    iam_fixture_put_role(&scene.iam, "reader",
                         TRUST(ARN("user/bob"),
                               ",\"Condition\":{\"StringEquals\":{\"sts:ExternalId\":\"42\","
                               "\"sts:RoleSessionName\":\"alice\"}}"),
                         3600);
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    const char *refusal = NOT_AUTHORIZED(ARN("user/bob"), ARN("role/reader"));
    expect_fault(ASSUME, 403, "AccessDenied", refusal);
    expect_fault(ASSUME "&ExternalId=43", 403, "AccessDenied", refusal);
    expect_fine(ASSUME "&ExternalId=42");
    expect_fault("Action=AssumeRole&RoleArn=" ARN("role/reader") "&RoleSessionName=mallory&"
                                                                 "ExternalId=42",
                 403, "AccessDenied", refusal);
}

static void role_limits_session_duration(void **state) {
    (void)state;
    expect_fine(ASSUME "&DurationSeconds=3600");
    expect_fault(ASSUME "&DurationSeconds=3601", 400, "ValidationError",
                 "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.");
    iam_fixture_put_role(&scene.iam, "reader", TRUST("*", ""), 43200);
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    expect_fine(ASSUME "&DurationSeconds=43200");
    expect_expiry_after(43200);
}

static void role_chaining_is_limited_to_an_hour(void **state) {
    (void)state;
    iam_fixture_put_role(&scene.iam, "reader", TRUST("*", ""), 43200);
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    expect_fine(ASSUME);
    assert_null(caller_of_reply(0, &scene.caller));
    expect_fine(ASSUME "&DurationSeconds=3600");
    expect_fault(ASSUME "&DurationSeconds=3601", 400, "ValidationError",
                 "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed "
                 "by role chaining");
}

/* A recreated role has another id. */
static void recreating_the_role_ends_its_sessions(void **state) {
    (void)state;
    struct caller who;
    expect_fine(ASSUME);
    assert_null(caller_of_reply(0, &who));
    iam_fixture_put_role(&scene.iam, "reader", TRUST(ARN("user/bob"), ""), 3600);
    assert_non_null(caller_of_reply(0, &who));
}

/* ---- GetSessionToken ---- */

static void user_session_lasts_12_hours_by_default(void **state) {
    (void)state;
    struct caller who;
    expect_fine("Action=GetSessionToken");
    assert_null(caller_of_reply(0, &who));
    assert_int_equal(who.kind, CALLER_USER);
    assert_true(slice_is(who.arn, ARN("user/bob")));
    assert_int_equal(who.issued_ms, clock_now_ms(&fixture_clock.clock));
    expect_expiry_after(43200);
    expect_fine("Action=GetSessionToken&DurationSeconds=129600");
    expect_expiry_after(129600);
    struct sts_fault fault = run("Action=GetSessionToken&DurationSeconds=129601");
    assert_string_equal(fault.code, "ValidationError");
    fault = run("Action=GetSessionToken&DurationSeconds=899");
    assert_string_equal(fault.code, "ValidationError");
}

/* A longer DurationSeconds is accepted and shortened. */
static void root_session_lasts_an_hour_at_most(void **state) {
    (void)state;
    struct caller who;
    scene.caller = iam_fixture_owner();
    expect_fine("Action=GetSessionToken&DurationSeconds=129600");
    assert_null(caller_of_reply(0, &who));
    assert_int_equal(who.kind, CALLER_ROOT);
    expect_expiry_after(3600);
    expect_fine("Action=GetSessionToken&DurationSeconds=900");
    expect_expiry_after(900);
}

static void session_credentials_cannot_get_session_tokens(void **state) {
    (void)state;
    const char *refusal = "Cannot call GetSessionToken with session credentials";
    expect_fine("Action=GetSessionToken");
    assert_null(caller_of_reply(0, &scene.caller));
    expect_fault("Action=GetSessionToken", 403, "AccessDenied", refusal);
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    expect_fine(ASSUME);
    assert_null(caller_of_reply(0, &scene.caller));
    expect_fault("Action=GetSessionToken", 403, "AccessDenied", refusal);
}

/* ---- without signature verification ---- */

/* Parameters are validated all the same. */
static void without_verification_any_role_is_assumed(void **state) {
    (void)state;
    scene.unverified = true;
    scene.caller = (struct caller){.kind = CALLER_ANYONE,
                                   .account = SLICE_LITERAL(IAM_FIXTURE_ACCOUNT),
                                   .name = SLICE_LITERAL("me")};
    expect_fine(assume(ARN("role/nobody"), "alice"));
    assert_true(slice_is(element("AssumedRoleId"), "AROAGRAMME0000000000:alice"));
    assert_true(
        slice_is(element("Arn"), "arn:aws:sts::" IAM_FIXTURE_ACCOUNT ":assumed-role/nobody/alice"));
    assert_int_equal(element("SecretAccessKey").len, 40);
    expect_fine(assume("arn:aws:iam::111111111111:role/other", "alice"));
    assert_true(
        slice_is(element("Arn"), "arn:aws:sts::" IAM_FIXTURE_ACCOUNT ":assumed-role/role/alice"));
    assert_string_equal(run(assume(ARN("role/nobody"), "a")).code, "ValidationError");
    expect_fine("Action=GetSessionToken");
    expect_fine("Action=GetCallerIdentity");
    assert_true(slice_is(element("UserId"), "me"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(unknown_action_is_refused),
        TEST(sts_issues_names_the_credential_actions),
        TEST(get_caller_identity_returns_the_caller),
        TEST(role_and_session_name_are_required),
        TEST(role_arn_and_session_name_have_length_limits),
        TEST(duration_has_limits),
        TEST(malformed_or_long_session_policy_is_refused),
        TEST(trusted_user_assumes_the_role),
        TEST(session_policy_is_attached_to_the_session),
        TEST(missing_role_is_refused_like_untrusting_role),
        TEST(trust_of_the_account_also_requires_a_user_policy),
        TEST(root_cannot_assume_roles),
        TEST(trust_conditions_see_the_request),
        TEST(role_limits_session_duration),
        TEST(role_chaining_is_limited_to_an_hour),
        TEST(recreating_the_role_ends_its_sessions),
        TEST(user_session_lasts_12_hours_by_default),
        TEST(root_session_lasts_an_hour_at_most),
        TEST(session_credentials_cannot_get_session_tokens),
        TEST(without_verification_any_role_is_assumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
