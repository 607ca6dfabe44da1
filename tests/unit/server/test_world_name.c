/* test_world_name.c - names of worlds: valid keys and regions, and names of directories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/world.h"

static bool reads(const char *key, const char *region) {
    struct world_name name;
    return world_name_read(slice_text(key), slice_text(region), &name);
}

static void names_have_length_limits(void **state) {
    (void)state;
    char key[WORLD_KEY_MAX + 2] = "", region[WORLD_REGION_MAX + 2] = "";
    memset(key, 'k', sizeof(key) - 1);
    memset(region, 'r', sizeof(region) - 1);
    assert_false(reads(key, "r"));
    assert_false(reads("k", region));
    key[WORLD_KEY_MAX] = region[WORLD_REGION_MAX] = '\0';
    assert_true(reads(key, region));
    assert_true(reads("k", "r"));
    assert_false(reads("", "r"));
    assert_false(reads("k", ""));
}

/* Any bytes may be in a key; a region is part of ARNs. */
static void regions_are_restricted_and_keys_are_not(void **state) {
    (void)state;
    static const char *const wrong[] = {"US",       "us_east",    "us east", "us.east",
                                        "\xc3\xa4", "us-east-1/", "*"};
    struct world_name name;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(reads("k", wrong[i]));
    assert_true(reads("../%\xc3\xa4 \xff", "us-east-1"));
    assert_false(world_name_read(slice_of("a\0b", 3), SLICE_LITERAL("r"), &name));
}

static struct world_name name_of(const char *key, const char *region) {
    struct world_name name;
    assert_true(world_name_read(slice_text(key), slice_text(region), &name));
    return name;
}

static void names_compare_by_key_and_region(void **state) {
    (void)state;
    struct world_name name = name_of("key", "r1");
    assert_string_equal(name.key, "key");
    assert_string_equal(name.region, "r1");
    struct world_name same = name_of("key", "r1"), other = name_of("key", "r2"),
                      third = name_of("Key", "r1");
    assert_true(world_name_equal(&name, &same));
    assert_false(world_name_equal(&name, &other));
    assert_false(world_name_equal(&name, &third));
}

static void directory_names_are_unique_and_escaped(void **state) {
    (void)state;
    static const struct {
        const char *key, *region, *text;
    } all[] = {
        {"AKIA1", "us-east-1", "AKIA1_us-east-1"},
        {"a-b", "c", "a-b_c"},
        {"a_b", "c", "a%5fb_c"},
        {"a%5fb", "c", "a%255fb_c"},
        {"..", "c", "%2e%2e_c"},
        {"a/b", "c", "a%2fb_c"},
        {"\xc3\xa4\xff ", "c", "%c3%a4%ff%20_c"},
    };
    struct arena CLEANUP(arena_release) arena;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct world_name name = name_of(all[i].key, all[i].region);
        assert_string_equal(world_name_text(&arena, &name), all[i].text);
    }
    char longest[WORLD_KEY_MAX + 1] = "";
    memset(longest, '\xff', WORLD_KEY_MAX);
    struct world_name name = name_of(longest, "r");
    assert_int_equal(strlen(world_name_text(&arena, &name)), 3 * WORLD_KEY_MAX + 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_length_limits),
        cmocka_unit_test(regions_are_restricted_and_keys_are_not),
        cmocka_unit_test(names_compare_by_key_and_region),
        cmocka_unit_test(directory_names_are_unique_and_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
