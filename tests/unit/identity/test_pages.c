/* test_pages.c - pagination of lists by MaxItems and Marker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "identity/page.h"
#include "identity_scene.h"

#define TRUST \
    "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\"sts:AssumeRole\"}}"

static void put_roles(unsigned count) {
    for (unsigned i = 0; i < count; i++)
        iam_fixture_put_role(&scene.iam, scene_text("r%03u", i), TRUST, 3600);
}

/* How many roles the last reply has. */
static unsigned listed(void) {
    unsigned count = 0;
    const char *at = scene_text("%.*s", SLICE_ARGS(buffer_slice(&scene.out)));
    while ((at = strstr(at, "\"RoleName\"")) != NULL) {
        count++;
        at++;
    }
    return count;
}

static bool is_truncated(void) {
    const char *all = scene_text("%.*s", SLICE_ARGS(buffer_slice(&scene.out)));
    return strstr(all, "\"IsTruncated\":true") != NULL;
}

static void page_size_defaults_to_100(void **state) {
    (void)state;
    put_roles(PAGE_ITEMS_DEFAULT + 1);
    scene_expect_fine("ListRoles", "{}");
    assert_int_equal(listed(), PAGE_ITEMS_DEFAULT);
    assert_true(is_truncated());
    assert_string_equal(scene_member("Marker"), "r099");
    scene_expect_fine("ListRoles", "{'Marker':'r099'}");
    assert_int_equal(listed(), 1);
    assert_false(is_truncated());
    scene_expect_fine("ListRoles", "{'MaxItems':1000}");
    assert_int_equal(listed(), PAGE_ITEMS_DEFAULT + 1);
    scene_expect_fine("ListRoles", "{'MaxItems':101}");
    assert_false(is_truncated());
    assert_non_null(scene_call("ListRoles", "{'MaxItems':1001}"));
    assert_non_null(scene_call("ListRoles", "{'MaxItems':0}"));
}

/* Other entries are neither repeated nor skipped. */
static void marker_stays_valid_while_the_list_changes(void **state) {
    (void)state;
    put_roles(4);
    scene_expect_fine("ListRoles", "{'MaxItems':2}");
    assert_string_equal(scene_member("Marker"), "r001");
    scene_expect_fine("DeleteRole", "{'RoleName':'r001'}");
    iam_fixture_put_role(&scene.iam, "r000a", TRUST, 3600);
    scene_expect_fine("ListRoles", "{'MaxItems':2,'Marker':'r001'}");
    assert_int_equal(listed(), 2);
    assert_string_equal(scene_member("RoleName"), "r002");
    assert_false(is_truncated());
}

static void marker_at_the_end_returns_an_empty_page(void **state) {
    (void)state;
    put_roles(2);
    scene_expect("ListRoles", "{'Marker':'r001'}", "{'Roles':[],'IsTruncated':false}");
    scene_expect("ListRoles", "{'Marker':'zzz'}", "{'Roles':[],'IsTruncated':false}");
    scene_expect_fine("ListRoles", "{'Marker':'a'}");
    assert_int_equal(listed(), 2);
}

static void path_prefix_other_than_root_matches_nothing(void **state) {
    (void)state;
    put_roles(1);
    scene_expect("ListRoles", "{'PathPrefix':'/team/'}", "{'Roles':[],'IsTruncated':false}");
    scene_expect_fine("ListRoles", "{'PathPrefix':'/'}");
    assert_int_equal(listed(), 1);
}

static void access_keys_are_sorted_by_id(void **state) {
    (void)state;
    iam_fixture_put_user(&scene.iam, "bob", NULL);
    iam_fixture_put_user(&scene.iam, "carol", NULL);
    for (int i = 0; i < 2; i++) {
        scene_expect_fine("CreateAccessKey", "{'UserName':'bob'}");
        scene_expect_fine("CreateAccessKey", "{'UserName':'carol'}");
    }
    scene_expect_fine("ListAccessKeys", "{'UserName':'bob','MaxItems':1}");
    const char *first = scene_member("AccessKeyId");
    assert_string_equal(scene_member("Marker"), first);
    scene_expect_fine("ListAccessKeys", scene_text("{'UserName':'bob','Marker':'%s'}", first));
    assert_true(strcmp(scene_member("AccessKeyId"), first) > 0);
    assert_string_equal(scene_member("UserName"), "bob");
    assert_false(is_truncated());
}

static void unsupported_features_list_nothing(void **state) {
    (void)state;
    iam_fixture_put_user(&scene.iam, "bob", NULL);
    scene_expect("ListGroupsForUser", "{'UserName':'bob'}", "{'Groups':[],'IsTruncated':false}");
    scene_expect_error("ListGroupsForUser", "{'UserName':'carol'}", "NoSuchEntityException",
                       "The user with name carol cannot be found.");
    scene_expect_error("ListInstanceProfilesForRole", "{'RoleName':'bob'}", "NoSuchEntityException",
                       "The role with name bob cannot be found.");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_set_up, scene_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(page_size_defaults_to_100),
        TEST(marker_stays_valid_while_the_list_changes),
        TEST(marker_at_the_end_returns_an_empty_page),
        TEST(path_prefix_other_than_root_matches_nothing),
        TEST(access_keys_are_sorted_by_id),
        TEST(unsupported_features_list_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
