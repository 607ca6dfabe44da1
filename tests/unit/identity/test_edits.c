/* test_edits.c - users, roles, policies, tags and keys: names, limits, authorization, and that a
 * refused change has no effect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "identity_scene.h"

#define NOBODY "{'Users':[],'IsTruncated':false}"
#define ALLOW \
    "{\\'Statement\\':{\\'Effect\\':\\'Allow\\',\\'Action\\':\\'*\\',\\'Resource\\':\\'*\\'}}"
#define TRUST                                                                                 \
    "{\\'Statement\\':{\\'Effect\\':\\'Allow\\',\\'Principal\\':\\'*\\',\\'Action\\':\\'sts:" \
    "AssumeRole\\'}}"

static void put_user(const char *name) {
    iam_fixture_put_user(&scene.iam, name, NULL);
}

static const char *repeated(char c, size_t count) {
    char *text = arena_alloc(&scene.iam.f.arena, count + 1);
    memset(text, c, count);
    text[count] = '\0';
    return text;
}

/* ---- callers ---- */

static struct error *know_nobody(void *user, struct arena *arena, struct iam **ret_iam) {
    (void)user;
    (void)ret_iam;
    return error_new(arena, ERROR_IAM_NOT_SUPPORTED, "nobody is known here");
}

static void server_without_users_returns_its_error(void **state) {
    (void)state;
    static const char *const all[] = {"ListUsers", "ListRoles", "ListAccessKeys"};
    scene.identity.know = know_nobody;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        scene_expect_error(all[i], "{}", "NotSupportedServiceException", "nobody is known here");
    scene_expect_error("CreateUser", "{'UserName':'a'}", "NotSupportedServiceException",
                       "nobody is known here");
}

/* Temporary user credentials must not create lasting ones; role sessions may. */
static void user_session_is_refused(void **state) {
    (void)state;
    put_user("bob");
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    scene_expect_fine("GetUser", "{}");
    scene.caller.issued_ms = 1;
    scene_expect_error("GetUser", "{}", "UnrecognizedClientException",
                       "The security token included in the request is invalid");
    scene_expect_error("CreateAccessKey", "{}", "UnrecognizedClientException",
                       "The security token included in the request is invalid");
    scene.caller.kind = CALLER_SESSION;
    scene_expect_fine("CreateUser", "{'UserName':'carol'}");
}

static void user_name_defaults_to_the_caller(void **state) {
    (void)state;
    put_user("bob");
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    scene_expect_fine("GetUser", "{}");
    assert_string_equal(scene_member("Arn"), ARN("user/bob"));
    scene_expect_fine("CreateAccessKey", "{}");
    assert_string_equal(scene_member("UserName"), "bob");
    scene.caller.kind = CALLER_SESSION;
    scene_expect_error("GetUser", "{}", "ValidationException",
                       "Must specify userName when calling with non-User credentials");
    scene_expect_error("ListAccessKeys", "{}", "ValidationException",
                       "Must specify userName when calling with non-User credentials");
}

static void expect_resource(const char *operation, const char *input, const char *arn) {
    assert_true(slice_is(scene_resource(operation, input, 0), arn));
    assert_false(slice_present(scene_resource(operation, input, 1)));
}

static void authorization_checks_the_named_arn(void **state) {
    (void)state;
    put_user("bob");
    expect_resource("GetUser", "{'UserName':'bob'}", ARN("user/bob"));
    expect_resource("GetUser", "{}", ARN("root"));
    expect_resource("ListUsers", "{}", ARN("user/"));
    expect_resource("DeleteRole", "{'RoleName':'reader'}", ARN("role/reader"));
    expect_resource("ListRoles", "{}", ARN("role/"));
    scene.caller = iam_fixture_user(&scene.iam, "bob");
    expect_resource("CreateAccessKey", "{}", ARN("user/bob"));
    scene.caller.kind = CALLER_SESSION;
    expect_resource("CreateAccessKey", "{}", ARN("user/"));
}

/* ---- users ---- */

static void user_names_are_validated(void **state) {
    (void)state;
    static const char *const wrong[] = {"a b", "a/b", "a:b", "\xc3\xa4", "a*"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        scene_expect_error("CreateUser", scene_text("{'UserName':'%s'}", wrong[i]),
                           "ValidationException",
                           "The specified value for userName is invalid. It must contain only "
                           "alphanumeric characters and/or the following: +=,.@_-");
    scene_expect_error("CreateUser", "{'UserName':'root'}", "ValidationException",
                       "root is the owner of the account");
    assert_non_null(scene_call("CreateUser", "{'UserName':''}"));
    assert_non_null(scene_call("CreateUser", scene_text("{'UserName':'%s'}", repeated('a', 65))));
    scene_expect("ListUsers", "{}", NOBODY);
    scene_expect_fine("CreateUser", "{'UserName':'+=,.@_-'}");
    scene_expect_fine("CreateUser", scene_text("{'UserName':'%s'}", repeated('a', 64)));
    scene_expect_error("CreateUser", "{'UserName':'+=,.@_-'}", "EntityAlreadyExistsException",
                       "User with name +=,.@_- already exists.");
}

/* Names are case-sensitive. */
static void role_and_user_may_share_a_name(void **state) {
    (void)state;
    put_user("same");
    scene_expect_fine("CreateRole", "{'RoleName':'same','AssumeRolePolicyDocument':'" TRUST "'}");
    scene_expect_fine("CreateUser", "{'UserName':'Same'}");
    scene_expect_error("CreateRole", "{'RoleName':'same','AssumeRolePolicyDocument':'" TRUST "'}",
                       "EntityAlreadyExistsException", "Role with name same already exists.");
}

static void paths_and_managed_boundaries_are_refused(void **state) {
    (void)state;
    scene_expect_error("CreateUser", "{'UserName':'a','Path':'/team/'}", "ValidationException",
                       "There are no paths here: that of every user and role is /");
    scene_expect_error("CreateUser", "{'UserName':'a','PermissionsBoundary':'" ARN("policy/x") "'}",
                       "NoSuchEntityException",
                       "Scope ARN: " ARN("policy/x") " does not exist or is not attachable.");
    scene_expect("ListUsers", "{}", NOBODY);
    scene_expect_fine("CreateUser", "{'UserName':'a','Path':'/'}");
}

static void user_with_policies_or_keys_cannot_be_deleted(void **state) {
    (void)state;
    put_user("bob");
    scene_expect("PutUserPolicy",
                 "{'UserName':'bob','PolicyName':'all','PolicyDocument':'" ALLOW "'}", "{}");
    scene_expect_fine("CreateAccessKey", "{'UserName':'bob'}");
    const char *key = scene_member("AccessKeyId");
    scene_expect_error("DeleteUser", "{'UserName':'bob'}", "DeleteConflictException",
                       "Cannot delete entity, must delete policies first.");
    scene_expect("DeleteUserPolicy", "{'UserName':'bob','PolicyName':'all'}", "{}");
    scene_expect_error("DeleteUser", "{'UserName':'bob'}", "DeleteConflictException",
                       "Cannot delete entity, must delete access keys first.");
    scene_expect("DeleteAccessKey", scene_text("{'UserName':'bob','AccessKeyId':'%s'}", key), "{}");
    scene_expect("DeleteUser", "{'UserName':'bob'}", "{}");
    scene_expect_error("DeleteUser", "{'UserName':'bob'}", "NoSuchEntityException",
                       "The user with name bob cannot be found.");
}

/* ---- roles ---- */

static void role_session_duration_has_limits(void **state) {
    (void)state;
    static const char *const wrong[] = {"3599", "43201"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_non_null(
            scene_call("CreateRole", scene_text("{'RoleName':'r','AssumeRolePolicyDocument':'" TRUST
                                                "','MaxSessionDuration':%s}",
                                                wrong[i])));
    scene_expect("ListRoles", "{}", "{'Roles':[],'IsTruncated':false}");
    scene_expect_fine("CreateRole", "{'RoleName':'r','AssumeRolePolicyDocument':'" TRUST
                                    "','MaxSessionDuration':43200,'Description':'d'}");
    scene_expect_fine("UpdateRole", "{'RoleName':'r'}");
    scene_expect_fine("GetRole", "{'RoleName':'r'}");
    assert_string_equal(scene_member("Description"), "d");
    assert_non_null(strstr((const char *)scene.out.data, "\"MaxSessionDuration\":43200"));
    scene_expect_fine("UpdateRole", "{'RoleName':'r','MaxSessionDuration':3600,'Description':''}");
    scene_expect_fine("GetRole", "{'RoleName':'r'}");
    assert_string_equal(scene_member("Description"), "");
    assert_non_null(strstr((const char *)scene.out.data, "\"MaxSessionDuration\":3600"));
}

static void malformed_policy_has_no_effect(void **state) {
    (void)state;
    static const char *const wrong[] = {"{", "{}", ALLOW};
    iam_fixture_put_role(
        &scene.iam, "r",
        "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\"*\"}}", 3600);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct error *error =
            scene_call("UpdateAssumeRolePolicy",
                       scene_text("{'RoleName':'r','PolicyDocument':'%s'}", wrong[i]));
        assert_non_null(error);
        assert_int_equal(error->code, ERROR_IAM_MALFORMED_POLICY);
    }
    scene_expect_fine("GetRole", "{'RoleName':'r'}");
    assert_string_equal(
        scene_member("AssumeRolePolicyDocument"),
        "%7B%22Statement%22%3A%7B%22Effect%22%3A%22Allow%22%2C%22Principal%22%3A%22%2A"
        "%22%2C%22Action%22%3A%22%2A%22%7D%7D");
    struct error *error = scene_call(
        "PutRolePolicy", "{'RoleName':'r','PolicyName':'p','PolicyDocument':'" TRUST "'}");
    assert_int_equal(error->code, ERROR_IAM_MALFORMED_POLICY);
    scene_expect("ListRolePolicies", "{'RoleName':'r'}", "{'PolicyNames':[],'IsTruncated':false}");
}

static void policies_are_limited_to_20(void **state) {
    (void)state;
    put_user("bob");
    for (int i = 0; i < PRINCIPAL_POLICIES_MAX; i++)
        scene_expect_fine("PutUserPolicy", scene_text("{'UserName':'bob','PolicyName':'p%d',"
                                                      "'PolicyDocument':'" ALLOW "'}",
                                                      i));
    struct error *error = scene_call(
        "PutUserPolicy", "{'UserName':'bob','PolicyName':'one','PolicyDocument':'" ALLOW "'}");
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_IAM_LIMIT_EXCEEDED);
    scene_expect_fine("PutUserPolicy",
                      "{'UserName':'bob','PolicyName':'p7','PolicyDocument':'" ALLOW "'}");
}

/* ---- tags ---- */

static void expect_tags(const char *tags) {
    scene_expect("ListUserTags", "{'UserName':'bob'}",
                 scene_text("{'Tags':[%s],'IsTruncated':false}", tags));
}

static void tags_are_added_replaced_and_removed(void **state) {
    (void)state;
    put_user("bob");
    scene_expect("TagUser",
                 "{'UserName':'bob','Tags':[{'Key':'b','Value':'1'},{'Key':'a','Value':''}]}",
                 "{}");
    expect_tags("{'Key':'a','Value':''},{'Key':'b','Value':'1'}");
    scene_expect("TagUser", "{'UserName':'bob','Tags':[{'Key':'b','Value':'2'}]}", "{}");
    scene_expect("UntagUser", "{'UserName':'bob','TagKeys':['a','nothing']}", "{}");
    expect_tags("{'Key':'b','Value':'2'}");
}

static void duplicate_tag_keys_are_refused(void **state) {
    (void)state;
    put_user("bob");
    const char *twice = "'Tags':[{'Key':'Team','Value':'1'},{'Key':'team','Value':'2'}]";
    const char *message =
        "Duplicate tag keys found. Please note that Tag keys are case insensitive.";
    scene_expect_error("TagUser", scene_text("{'UserName':'bob',%s}", twice),
                       "InvalidInputException", message);
    expect_tags("");
    scene_expect_error("CreateUser", scene_text("{'UserName':'carol',%s}", twice),
                       "InvalidInputException", message);
    assert_non_null(scene_call("GetUser", "{'UserName':'carol'}"));
}

static void tags_are_limited_to_50(void **state) {
    (void)state;
    put_user("bob");
    const char *tags = "{'Key':'k0','Value':''}";
    for (int i = 1; i < PRINCIPAL_TAGS_MAX; i++)
        tags = scene_text("%s,{'Key':'k%d','Value':''}", tags, i);
    assert_non_null(scene_call("TagUser", scene_text("{'UserName':'bob','Tags':[%s,%s]}", tags,
                                                     "{'Key':'more','Value':''}")));
    scene_expect_fine("TagUser", scene_text("{'UserName':'bob','Tags':[%s]}", tags));
    struct error *error =
        scene_call("TagUser", "{'UserName':'bob','Tags':[{'Key':'more','Value':''}]}");
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_IAM_LIMIT_EXCEEDED);
    scene_expect_fine("TagUser", "{'UserName':'bob','Tags':[{'Key':'k7','Value':'x'}]}");
}

/* ---- keys ---- */

static void access_keys_are_limited_to_2_per_user(void **state) {
    (void)state;
    put_user("bob");
    scene_expect_fine("CreateAccessKey", "{'UserName':'bob'}");
    assert_true(slice_is(scene.subject, scene_member("AccessKeyId")));
    assert_int_equal(strlen(scene_member("SecretAccessKey")), 40);
    const char *first = scene_member("AccessKeyId");
    scene_expect_fine("CreateAccessKey", "{'UserName':'bob'}");
    scene_expect_error("CreateAccessKey", "{'UserName':'bob'}", "LimitExceededException",
                       "Cannot exceed quota for AccessKeysPerUser: 2");
    scene_expect_fine("CreateAccessKey", "{}"); /* root's own */
    scene_expect_fine("DeleteAccessKey",
                      scene_text("{'UserName':'bob','AccessKeyId':'%s'}", first));
    scene_expect_fine("CreateAccessKey", "{'UserName':'bob'}");
}

/* The error is that of a missing key. */
static void key_of_another_user_is_not_found(void **state) {
    (void)state;
    put_user("bob");
    put_user("carol");
    scene_expect_fine("CreateAccessKey", "{'UserName':'bob'}");
    const char *id = scene_member("AccessKeyId");
    const char *message = scene_text("The Access Key with id %s cannot be found.", id);
    scene_expect_error("DeleteAccessKey", scene_text("{'UserName':'carol','AccessKeyId':'%s'}", id),
                       "NoSuchEntityException", message);
    scene_expect_error("UpdateAccessKey",
                       scene_text("{'AccessKeyId':'%s','Status':'Inactive'}", id),
                       "NoSuchEntityException", message);
    scene_expect_fine("DeleteAccessKey", scene_text("{'UserName':'bob','AccessKeyId':'%s'}", id));
}

static struct error *use_key(const char *id) {
    struct iam_credentials found;
    return iam_find_credentials(scene.iam.view, &scene.iam.f.arena, slice_text(id), SLICE_NONE, 0,
                                &found);
}

static void key_is_deactivated_and_activated(void **state) {
    (void)state;
    put_user("bob");
    scene_expect_fine("CreateAccessKey", "{'UserName':'bob'}");
    const char *id = scene_member("AccessKeyId");
    static const char *const turns[] = {"Inactive", "Inactive", "Active", "Active"};
    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        scene_expect(
            "UpdateAccessKey",
            scene_text("{'UserName':'bob','AccessKeyId':'%s','Status':'%s'}", id, turns[i]), "{}");
        scene_expect_fine("ListAccessKeys", "{'UserName':'bob'}");
        assert_string_equal(scene_member("Status"), turns[i]);
        assert_true((use_key(id) == NULL) == (i >= 2));
    }
    assert_non_null(
        scene_call("UpdateAccessKey",
                   scene_text("{'UserName':'bob','AccessKeyId':'%s','Status':'active'}", id)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_set_up, scene_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(server_without_users_returns_its_error),
        TEST(user_session_is_refused),
        TEST(user_name_defaults_to_the_caller),
        TEST(authorization_checks_the_named_arn),
        TEST(user_names_are_validated),
        TEST(role_and_user_may_share_a_name),
        TEST(paths_and_managed_boundaries_are_refused),
        TEST(user_with_policies_or_keys_cannot_be_deleted),
        TEST(role_session_duration_has_limits),
        TEST(malformed_policy_has_no_effect),
        TEST(policies_are_limited_to_20),
        TEST(tags_are_added_replaced_and_removed),
        TEST(duplicate_tag_keys_are_refused),
        TEST(tags_are_limited_to_50),
        TEST(access_keys_are_limited_to_2_per_user),
        TEST(key_of_another_user_is_not_found),
        TEST(key_is_deactivated_and_activated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
