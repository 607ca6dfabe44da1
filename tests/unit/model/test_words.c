/* test_words.c - DynamoDB's words: both ways, in the service's order, and what no client says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/words.h"

static void words_and_values(void **state) {
    (void)state;
    assert_string_equal(billing_mode_name(BILLING_PROVISIONED), "PROVISIONED");
    assert_string_equal(stream_view_name(STREAM_NEW_AND_OLD), "NEW_AND_OLD_IMAGES");
    assert_string_equal(backup_status_name(BACKUP_AVAILABLE), "AVAILABLE");
    assert_int_equal(table_class_from_name(SLICE_LITERAL("STANDARD_INFREQUENT_ACCESS")),
                     TABLE_CLASS_INFREQUENT_ACCESS);
    assert_int_equal(projection_type_from_name(SLICE_LITERAL("KEYS_ONLY")), PROJECT_KEYS_ONLY);
    assert_int_equal(word_find(&sse_type_words, SLICE_LITERAL("KMS")), SSE_KMS);
    assert_true(key_type_is(SLICE_LITERAL("RANGE"), KEY_TYPE_RANGE));
    assert_false(key_type_is(SLICE_LITERAL("RANGE"), KEY_TYPE_HASH));
    assert_false(key_type_is(SLICE_LITERAL("RANG"), KEY_TYPE_RANGE));
}

static void nothing_said_is_the_default(void **state) {
    (void)state;
    assert_int_equal(billing_mode_from_name(SLICE_NONE), BILLING_PROVISIONED);
    assert_int_equal(table_class_from_name(SLICE_NONE), TABLE_CLASS_DEFAULT);
    assert_int_equal(stream_view_from_name(SLICE_NONE), STREAM_OFF);
    assert_false(billing_mode_is(SLICE_NONE, BILLING_PROVISIONED));
    assert_int_equal(word_find(&billing_mode_words, SLICE_NONE), -1);
}

/* They are stored under these texts, but in a request they are no words. */
static void defaults_cannot_be_said(void **state) {
    (void)state;
    assert_string_equal(table_class_name(TABLE_CLASS_DEFAULT), "DEFAULT");
    assert_string_equal(stream_view_name(STREAM_OFF), "OFF");
    assert_int_equal(word_find(&table_class_words, SLICE_LITERAL("DEFAULT")), -1);
    assert_int_equal(word_find(&stream_view_words, SLICE_LITERAL("OFF")), -1);
    assert_int_equal(word_find(&table_class_words, SLICE_LITERAL("standard")), -1);
}

static void listed_as_the_service_does(void **state) {
    (void)state;
    assert_string_equal(billing_mode_printed, "[PROVISIONED, PAY_PER_REQUEST]");
    assert_string_equal(table_class_printed, "[STANDARD, STANDARD_INFREQUENT_ACCESS]");
    assert_string_equal(key_type_printed, "[HASH, RANGE]");
    assert_string_equal(projection_type_printed, "[ALL, INCLUDE, KEYS_ONLY]");
    assert_string_equal(stream_view_printed,
                        "[NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY]");
    assert_string_equal(sse_type_printed, "[AES256, KMS]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_values),
        cmocka_unit_test(nothing_said_is_the_default),
        cmocka_unit_test(defaults_cannot_be_said),
        cmocka_unit_test(listed_as_the_service_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
