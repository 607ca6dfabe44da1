/* test_simulation.c - policy simulation: order of results, pagination, matched statements and
 * missing context keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "identity_scene.h"

#define POLICY(effect, action)                                                \
    "{\\'Statement\\':{\\'Effect\\':\\'" effect "\\',\\'Action\\':\\'" action \
    "\\',\\'Resource\\':\\'*\\'}}"
#define ALLOW POLICY("Allow", "*")
#define NOTHING POLICY("Allow", "x:X")

static const char *all(void) {
    return scene_text("%.*s", SLICE_ARGS(buffer_slice(&scene.out)));
}

static unsigned count(const char *what) {
    unsigned found = 0;
    for (const char *at = all(); (at = strstr(at, what)) != NULL; at++)
        found++;
    return found;
}

static void expect_decision(const char *input, const char *decision) {
    scene_expect_fine("SimulateCustomPolicy", input);
    assert_string_equal(scene_member("EvalDecision"), decision);
}

static void results_cover_each_action_and_resource(void **state) {
    (void)state;
    scene_expect("SimulateCustomPolicy",
                 "{'PolicyInputList':['" NOTHING "'],'ActionNames':['d:A','d:B'],"
                 "'ResourceArns':['x','y'],'MaxItems':3}",
#define RESULT(action, resource)                                   \
    "{'EvalActionName':'" action "','EvalResourceName':'" resource \
    "','EvalDecision':'implicitDeny','MatchedStatements':[],'MissingContextValues':[]}"
                 "{'EvaluationResults':[" RESULT("d:A", "x") "," RESULT("d:A", "y") "," RESULT(
                     "d:B", "x") "],'IsTruncated':true,'Marker':'3'}");
    scene_expect("SimulateCustomPolicy",
                 "{'PolicyInputList':['" NOTHING "'],'ActionNames':['d:A','d:B'],"
                 "'ResourceArns':['x','y'],'Marker':'3'}",
                 "{'EvaluationResults':[" RESULT("d:B", "y") "],'IsTruncated':false}");
    scene_expect("SimulateCustomPolicy",
                 "{'PolicyInputList':['" NOTHING "'],'ActionNames':['d:A'],'Marker':'1'}",
                 "{'EvaluationResults':[],'IsTruncated':false}");
    scene_expect("SimulateCustomPolicy",
                 "{'PolicyInputList':['" NOTHING "'],'ActionNames':['d:A']}",
                 "{'EvaluationResults':[" RESULT("d:A", "*") "],'IsTruncated':false}");
}

static void malformed_marker_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"x", "-1", "1 ", "1234567890"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        scene_expect_error("SimulateCustomPolicy",
                           scene_text("{'PolicyInputList':['" ALLOW "'],'ActionNames':['d:A'],"
                                      "'Marker':'%s'}",
                                      wrong[i]),
                           "ValidationException", "Invalid Marker.");
    scene_expect_fine("SimulateCustomPolicy", "{'PolicyInputList':['" ALLOW
                                              "'],'ActionNames':['d:A'],'Marker':'999999999'}");
    assert_int_equal(count("EvalActionName"), 0);
}

/* Its length without backslashes. */
static size_t chars_of(const char *text) {
    size_t chars = 0;
    for (; *text != '\0'; text++)
        chars += *text != '\\';
    return chars;
}

/* A page evaluates 4 MB of documents: 128 KB for each result leave 31 of them. */
static void long_policies_shorten_the_page(void **state) {
    (void)state;
    enum { DOCUMENT = 131072, PER_PAGE = 4 * 1024 * 1024 / (DOCUMENT + 1), ACTIONS = 40 };
    const char *document = NOTHING;
    char *spaces = arena_alloc(&scene.iam.f.arena, DOCUMENT);
    memset(spaces, ' ', DOCUMENT);
    const char *actions = "'d:A'";
    for (int i = 1; i < ACTIONS; i++)
        actions = scene_text("%s,'d:A'", actions);
    const char *input = scene_text("{'PolicyInputList':['%s%.*s'],'ActionNames':[%s]", document,
                                   (int)(DOCUMENT - chars_of(document)), spaces, actions);
    scene_expect_fine("SimulateCustomPolicy", scene_text("%s}", input));
    assert_int_equal(count("EvalActionName"), PER_PAGE);
    scene_expect_fine("SimulateCustomPolicy",
                      scene_text("%s,'Marker':'%s'}", input, scene_member("Marker")));
    assert_int_equal(count("EvalActionName"), ACTIONS - PER_PAGE);
    assert_int_equal(count("\"IsTruncated\":false"), 1);
}

/* ---- decisions ---- */

static void deny_wins_and_its_policy_is_named(void **state) {
    (void)state;
    expect_decision("{'PolicyInputList':['" ALLOW
                    "','" POLICY("Deny", "d:A") "'],'ActionNames':['d:A']}",
                    "explicitDeny");
    assert_string_equal(scene_member("SourcePolicyId"), "PolicyInputList.2");
    assert_int_equal(count("SourcePolicyId"), 1);
    expect_decision("{'PolicyInputList':['" ALLOW
                    "','" POLICY("Deny", "d:A") "'],'ActionNames':['d:B']}",
                    "allowed");
    assert_string_equal(scene_member("SourcePolicyId"), "PolicyInputList.1");
}

static void boundary_only_restricts(void **state) {
    (void)state;
    expect_decision("{'PolicyInputList':['" ALLOW
                    "'],'PermissionsBoundaryPolicyInputList':['" POLICY(
                        "Allow", "d:B") "'],'ActionNames':['d:A']}",
                    "implicitDeny");
    assert_int_equal(count("\"AllowedByPermissionsBoundary\":false"), 1);
    expect_decision("{'PolicyInputList':['" POLICY(
                        "Allow", "d:A") "'],'PermissionsBoundaryPolicyInputList':['" ALLOW
                                        "'],'ActionNames':['d:B']}",
                    "implicitDeny");
    assert_int_equal(count("\"AllowedByPermissionsBoundary\":true"), 1);
    expect_decision("{'PolicyInputList':['" ALLOW "'],'PermissionsBoundaryPolicyInputList':['" ALLOW
                    "'],'ActionNames':['d:B']}",
                    "allowed");
    assert_int_equal(count("SourcePolicyId"), 1);
}

#define GRANT                                                                                  \
    "'ResourcePolicy':'{\\'Statement\\':{\\'Effect\\':\\'Allow\\',\\'Principal\\':{\\'AWS\\':" \
    "\\'" ARN("user/bob") "\\'},\\'Action\\':\\'*\\',\\'Resource\\':\\'*\\'}}'"

static void resource_policy_requires_a_caller(void **state) {
    (void)state;
    const char *own = "'PolicyInputList':['" NOTHING "'],'ActionNames':['d:A'],";
    scene_expect_error("SimulateCustomPolicy", scene_text("{%s" GRANT "}", own),
                       "InvalidInputException", "Invalid caller - Caller cannot be null or empty.");
    expect_decision(scene_text("{%s" GRANT ",'CallerArn':'" ARN("user/bob") "'}", own), "allowed");
    assert_string_equal(scene_member("SourcePolicyType"), "Resource Policy");
    expect_decision(scene_text("{%s" GRANT ",'CallerArn':'" ARN("user/carol") "'}", own),
                    "implicitDeny");
    expect_decision(
        scene_text("{%s" GRANT ",'CallerArn':'" ARN(
                       "user/bob") "','ResourceOwner':'arn:aws:iam::111111111111:root'}",
                   own),
        "implicitDeny");
    expect_decision(scene_text("{%s" GRANT ",'CallerArn':'" ARN(
                                   "user/bob") "','ResourceOwner':'" IAM_FIXTURE_ACCOUNT "'}",
                               own),
                    "allowed");
}

static void caller_must_be_a_user_arn(void **state) {
    (void)state;
    static const char *const wrong[] = {ARN("role/bob"), ARN("user/"), ARN("root"),
                                        "arn:aws:iam::1:user/bob", "bob"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        scene_expect_error(
            "SimulateCustomPolicy",
            scene_text("{'PolicyInputList':['" ALLOW "'],'ActionNames':['d:A'],'CallerArn':'%s'}",
                       wrong[i]),
            "InvalidInputException",
            scene_text("Invalid Entity Arn: %s does not clearly define entity type and name.",
                       wrong[i]));
}

static void malformed_policy_is_named_in_the_error(void **state) {
    (void)state;
    struct error *error = scene_call("SimulateCustomPolicy",
                                     "{'PolicyInputList':['" ALLOW "','{'],'ActionNames':['d:A']}");
    assert_int_equal(error->code, ERROR_IAM_INVALID_INPUT);
    assert_true(slice_starts_with(error->message, SLICE_LITERAL("PolicyInputList.2: ")));
    error = scene_call("SimulateCustomPolicy",
                       "{'PolicyInputList':['" ALLOW "'],'PermissionsBoundaryPolicyInputList':"
                       "['{'],'ActionNames':['d:A']}");
    assert_true(
        slice_starts_with(error->message, SLICE_LITERAL("PermissionsBoundaryPolicyInputList.1: ")));
    error = scene_call("SimulateCustomPolicy", "{'PolicyInputList':['" ALLOW
                                               "'],'ResourcePolicy':'{','ActionNames':['d:A']}");
    assert_true(slice_starts_with(error->message, SLICE_LITERAL("ResourcePolicy: ")));
}

/* ---- conditions ---- */

#define IF(condition)                                                                      \
    "'PolicyInputList':['{\\'Statement\\':{\\'Effect\\':\\'Allow\\',\\'Action\\':\\'*\\'," \
    "\\'Resource\\':\\'*\\',\\'Condition\\':{" condition "}}}'],'ActionNames':['d:A']"

static void missing_context_keys_are_listed_once(void **state) {
    (void)state;
    const char *asks = IF("\\'StringEquals\\':{\\'aws:username\\':\\'bob\\',"
                          "\\'aws:PrincipalTag/team\\':\\'red\\'},"
                          "\\'StringLike\\':{\\'aws:username\\':\\'b*\\'}");
    expect_decision(scene_text("{%s}", asks), "implicitDeny");
    assert_non_null(
        strstr(all(), "\"MissingContextValues\":[\"aws:username\",\"aws:PrincipalTag/team\"]"));
    expect_decision(scene_text("{%s,'ContextEntries':[{'ContextKeyName':'aws:username',"
                               "'ContextKeyValues':['bob'],'ContextKeyType':'string'},"
                               "{'ContextKeyName':'AWS:principaltag/TEAM','ContextKeyValues':"
                               "['red'],'ContextKeyType':'string'}]}",
                               asks),
                    "allowed");
    assert_int_equal(count("\"MissingContextValues\":[]"), 1);
}

static void context_entries_override_known_values(void **state) {
    (void)state;
    iam_fixture_put_user(&scene.iam, "bob", NULL);
    const char *asks = IF("\\'StringEquals\\':{\\'aws:username\\':\\'bob\\'}");
    const char *source = "'PolicySourceArn':'" ARN("user/bob") "'";
    scene_expect_fine("SimulatePrincipalPolicy", scene_text("{%s,%s}", source, asks));
    assert_string_equal(scene_member("EvalDecision"), "allowed");
    scene_expect_fine("SimulatePrincipalPolicy",
                      scene_text("{%s,%s,'ContextEntries':[{'ContextKeyName':'aws:username',"
                                 "'ContextKeyValues':['carol'],'ContextKeyType':'string'}]}",
                                 source, asks));
    assert_string_equal(scene_member("EvalDecision"), "implicitDeny");
}

static void current_time_comes_from_the_clock(void **state) {
    (void)state;
    expect_decision(
        "{" IF("\\'DateEquals\\':{\\'aws:CurrentTime\\':\\'2026-11-15T12:00:00Z\\'}") "}",
        "allowed");
    atomic_fetch_add(&fixture_clock.now_ms, 1000);
    expect_decision(
        "{" IF("\\'DateEquals\\':{\\'aws:CurrentTime\\':\\'2026-11-15T12:00:00Z\\'}") "}",
        "implicitDeny");
}

/* ---- SimulatePrincipalPolicy ---- */

static void principal_and_server_policies_are_evaluated(void **state) {
    (void)state;
    const struct policy *policy;
    struct policy_document document = {
        POLICY_OF_IDENTITY, "--policy",
        SLICE_LITERAL(
            "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"d:B\",\"Resource\":\"*\"}}")};
    struct common_policy common;
    assert_null(policy_parse(&scene.iam.f.arena, &document, &policy));
    atomic_init(&common.now, policy);
    scene.identity.common = &common;
    iam_fixture_put_user(&scene.iam, "bob",
                         "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"d:A\",\"Resource\":\"*"
                         "\"}}");
    scene_expect_fine("SimulatePrincipalPolicy",
                      "{'PolicySourceArn':'" ARN("user/bob") "','ActionNames':['d:A']}");
    assert_string_equal(scene_member("SourcePolicyId"), "user_bob_policy");
    scene_expect_fine("SimulatePrincipalPolicy",
                      "{'PolicySourceArn':'" ARN("user/bob") "','ActionNames':['d:B']}");
    assert_string_equal(scene_member("SourcePolicyId"), "--policy");
}

static void unknown_principal_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *arn, *message;
    } wrong[] = {
        {ARN("user/bob"), "The user with name bob cannot be found."},
        {ARN("role/bob"), "The role with name bob cannot be found."},
        {"arn:aws:iam::111111111111:user/bob", "The user with name bob cannot be found."},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        scene_expect_error(
            "SimulatePrincipalPolicy",
            scene_text("{'PolicySourceArn':'%s','ActionNames':['d:A']}", wrong[i].arn),
            "NoSuchEntityException", wrong[i].message);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_set_up, scene_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(results_cover_each_action_and_resource),
        TEST(malformed_marker_is_refused),
        TEST(long_policies_shorten_the_page),
        TEST(deny_wins_and_its_policy_is_named),
        TEST(boundary_only_restricts),
        TEST(resource_policy_requires_a_caller),
        TEST(caller_must_be_a_user_arn),
        TEST(malformed_policy_is_named_in_the_error),
        TEST(missing_context_keys_are_listed_once),
        TEST(context_entries_override_known_values),
        TEST(current_time_comes_from_the_clock),
        TEST(principal_and_server_policies_are_evaluated),
        TEST(unknown_principal_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
