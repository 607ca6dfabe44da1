/* target.c - the words of targets. */
#include "scaling/target.h"

static const char *const words[SCALING_DIMENSION_COUNT] = {
    [SCALING_TABLE_READ] = "dynamodb:table:ReadCapacityUnits",
    [SCALING_TABLE_WRITE] = "dynamodb:table:WriteCapacityUnits",
    [SCALING_INDEX_READ] = "dynamodb:index:ReadCapacityUnits",
    [SCALING_INDEX_WRITE] = "dynamodb:index:WriteCapacityUnits",
};

const char *const scaling_alarm_names[SCALING_ALARMS] = {
    "AlarmHigh", "AlarmLow", "ProvisionedCapacityHigh", "ProvisionedCapacityLow"};

const char *scaling_dimension_word(enum scaling_dimension dimension) {
    return words[dimension];
}

bool scaling_dimension_find(struct slice word, enum scaling_dimension *ret_dimension) {
    for (int i = 0; i < SCALING_DIMENSION_COUNT; i++)
        if (slice_is(word, words[i])) {
            *ret_dimension = (enum scaling_dimension)i;
            return true;
        }
    return false;
}

bool scaling_resource_split(struct slice resource, enum scaling_dimension dimension,
                            struct slice *ret_table, struct slice *ret_index) {
    const struct slice table = SLICE_LITERAL("table/"), index = SLICE_LITERAL("/index/");
    *ret_index = SLICE_NONE;
    if (!slice_starts_with(resource, table))
        return false;
    struct slice rest = slice_skip(resource, table.len);
    size_t at = 0;
    while (at < rest.len && rest.data[at] != '/')
        at++;
    *ret_table = slice_first(rest, at);
    rest = slice_skip(rest, at);
    if (rest.len > index.len && slice_starts_with(rest, index)) {
        *ret_index = slice_skip(rest, index.len);
        rest = slice_skip(rest, rest.len);
    }
    return ret_table->len > 0 && rest.len == 0 &&
           slice_present(*ret_index) == scaling_is_index(dimension);
}
