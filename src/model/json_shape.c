/* json_shape.c - which token goes for which declared type, and what is said otherwise. */
#include "model/json_shape.h"

#include "base/base64.h"

#define NOT_EXPECTED "Start of structure or map found where not expected"

static struct error *mismatch(struct json_reader *reader, const char *text) {
    return error_new(reader->arena, ERROR_SERIALIZATION, "%s", text);
}

struct error *shape_syntax_error(struct json_reader *reader) {
    return error_without_text(reader->arena, ERROR_SERIALIZATION);
}

/* How the service's parser calls a scalar token; NULL for the others. */
static const char *scalar_name(enum json_token token) {
    switch (token) {
    case JSON_TRUE:
        return "TRUE_VALUE";
    case JSON_FALSE:
        return "FALSE_VALUE";
    case JSON_INTEGER:
        return "NUMBER_VALUE";
    case JSON_DECIMAL:
        return "DECIMAL_VALUE";
    case JSON_STRING:
        return "STRING_VALUE";
    case JSON_NULL:
        return "NULL_VALUE";
    case JSON_ERROR:
    case JSON_END:
    case JSON_OBJECT_BEGIN:
    case JSON_OBJECT_END:
    case JSON_ARRAY_BEGIN:
    case JSON_ARRAY_END:
    case JSON_NAME:
        break;
    }
    return NULL;
}

struct error *shape_scalar_error(struct json_reader *reader, const char *type) {
    const char *name = scalar_name(reader->token);
    if (name != NULL)
        return error_new(reader->arena, ERROR_SERIALIZATION, "%s cannot be converted to %s", name,
                         type);
    if (reader->token == JSON_ARRAY_BEGIN)
        return error_new(reader->arena, ERROR_SERIALIZATION,
                         "Unrecognized collection type class java.lang.%s", type);
    if (reader->token == JSON_OBJECT_BEGIN)
        return mismatch(reader, NOT_EXPECTED);
    return shape_syntax_error(reader);
}

struct error *shape_string(struct json_reader *reader, struct slice *ret_text) {
    if (reader->token != JSON_STRING)
        return shape_scalar_error(reader, "String");
    *ret_text = reader->text;
    return NULL;
}

static struct error *bool_from_text(struct json_reader *reader, bool *ret_truth) {
    static const char *const words[] = {"false", "true", "0", "1", "no", "yes"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (slice_equal_ignoring_case(reader->text, slice_text(words[i]))) {
            *ret_truth = i % 2 == 1;
            return NULL;
        }
    return mismatch(reader, "Unexpected token received from parser");
}

struct error *shape_bool(struct json_reader *reader, bool *ret_truth) {
    if (reader->token == JSON_STRING)
        return bool_from_text(reader, ret_truth);
    if (reader->token != JSON_TRUE && reader->token != JSON_FALSE)
        return shape_scalar_error(reader, "Boolean");
    *ret_truth = reader->token == JSON_TRUE;
    return NULL;
}

struct error *shape_blob(struct json_reader *reader, struct slice *ret_bytes) {
    if (reader->token == JSON_ARRAY_BEGIN)
        return mismatch(reader, "Unrecognized collection type class java.nio.ByteBuffer");
    if (reader->token == JSON_OBJECT_BEGIN)
        return mismatch(reader, NOT_EXPECTED);
    if (scalar_name(reader->token) == NULL)
        return shape_syntax_error(reader);
    if (reader->token != JSON_STRING)
        return mismatch(reader, "only base-64-encoded strings are convertible to bytes");
    uint8_t *bytes = arena_alloc(reader->arena, base64_decoded_max(reader->text.len));
    size_t len = 0;
    switch (base64_decode(reader->text, bytes, &len)) {
    case BASE64_OK:
        break;
    case BASE64_LENGTH:
        return error_new(reader->arena, ERROR_SERIALIZATION,
                         "Base64 encoded length is expected a multiple of 4 bytes but found: %zu",
                         reader->text.len);
    case BASE64_CHARACTER:
        return mismatch(reader, "Invalid last non-pad Base64 character dectected");
    }
    *ret_bytes = slice_of(bytes, len);
    return NULL;
}

struct error *shape_list(struct json_reader *reader) {
    if (reader->token == JSON_ARRAY_BEGIN)
        return NULL;
    if (reader->token == JSON_OBJECT_BEGIN)
        return mismatch(reader, NOT_EXPECTED);
    return scalar_name(reader->token) == NULL ? shape_syntax_error(reader)
                                              : mismatch(reader, "Unexpected field type");
}

struct error *shape_map(struct json_reader *reader, const char *value_class) {
    if (reader->token == JSON_OBJECT_BEGIN)
        return NULL;
    if (reader->token == JSON_ARRAY_BEGIN)
        return error_new(reader->arena, ERROR_SERIALIZATION,
                         "Unrecognized collection type java.util.Map<java.lang.String, %s>",
                         value_class);
    return scalar_name(reader->token) == NULL ? shape_syntax_error(reader)
                                              : mismatch(reader, "Unexpected field type");
}

static struct error *no_struct(struct json_reader *reader, const char *name,
                               const char *scalar_text) {
    if (reader->token == JSON_ARRAY_BEGIN)
        return error_new(reader->arena, ERROR_SERIALIZATION,
                         "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.%s",
                         name);
    return scalar_name(reader->token) == NULL ? shape_syntax_error(reader)
                                              : mismatch(reader, scalar_text);
}

struct error *shape_struct_member(struct json_reader *reader, const char *name) {
    return reader->token == JSON_OBJECT_BEGIN ? NULL
                                              : no_struct(reader, name, "Unexpected field type");
}

struct error *shape_struct_element(struct json_reader *reader, const char *name) {
    return reader->token == JSON_OBJECT_BEGIN
               ? NULL
               : no_struct(reader, name, "Unexpected value type in payload");
}
