/* test_table_settings.c - plain settings of a table: a flag and a word, by the same functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/table_settings.h"

static const struct table_setting *const flag = &table_settings[SETTING_DELETION_PROTECTION];
static const struct table_setting *const word = &table_settings[SETTING_TABLE_CLASS];

static void a_flag(void **state) {
    (void)state;
    struct table_definition table = {.id = 1};
    assert_int_equal(setting_value(flag, &table), 0);
    setting_set(flag, &table, 1);
    assert_true(table.deletion_protected);
    assert_int_equal(setting_value(flag, &table), 1);
    assert_int_equal(setting_default(flag), 0);
    assert_string_equal(setting_text(flag, 1), "on");
    assert_string_equal(setting_text(flag, 0), "off");
}

/* A table of which nothing was said has the first class, and still knows that nothing was said. */
static void a_word(void **state) {
    (void)state;
    struct table_definition table = {.id = 1};
    assert_int_equal(table.table_class, TABLE_CLASS_DEFAULT);
    assert_int_equal(setting_value(word, &table), TABLE_CLASS_STANDARD);
    assert_int_equal(setting_default(word), TABLE_CLASS_STANDARD);
    setting_set(word, &table, TABLE_CLASS_INFREQUENT_ACCESS);
    assert_int_equal(table.table_class, TABLE_CLASS_INFREQUENT_ACCESS);
    assert_int_equal(setting_value(word, &table), TABLE_CLASS_INFREQUENT_ACCESS);
    assert_string_equal(setting_text(word, TABLE_CLASS_STANDARD), "STANDARD");
}

static void their_members(void **state) {
    (void)state;
    struct buffer buffer;
    struct json_writer json;
    buffer_init(&buffer, 1000);
    json_writer_init(&json, &buffer);
    json_object_begin(&json);
    setting_write(&json, flag, 1);
    setting_write(&json, word, TABLE_CLASS_INFREQUENT_ACCESS);
    json_object_end(&json);
    assert_true(slice_is(
        buffer_slice(&buffer),
        "{\"DeletionProtectionEnabled\":true,\"TableClass\":\"STANDARD_INFREQUENT_ACCESS\"}"));
    buffer_release(&buffer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flag),
        cmocka_unit_test(a_word),
        cmocka_unit_test(their_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
