/* table_settings.h - the plain settings of a table (table_settings.def), for whoever treats them
 * alike: requests, descriptions, templates. A value is 0 or 1, or that of a word. */
#ifndef GRAMME_MODEL_TABLE_SETTINGS_H
#define GRAMME_MODEL_TABLE_SETTINGS_H

#include "json/writer.h"
#include "model/table.h"

enum table_setting_id {
#define FLAG_SETTING(symbol, ...) SETTING_##symbol,
#define WORD_SETTING(symbol, ...) SETTING_##symbol,
#include "model/table_settings.def"
    SETTING_COUNT,
};

struct table_setting {
    const char *name;
    const char *alone;
    const char *label;
    const char *summary;       /* NULL: none */
    const struct words *words; /* NULL: a flag */
    size_t offset;             /* in struct table_definition */
};

extern const struct table_setting table_settings[SETTING_COUNT];

void setting_set(const struct table_setting *setting, struct table_definition *table, int value);
/* What holds: when nothing was said, the default. */
int setting_value(const struct table_setting *setting, const struct table_definition *table);
int setting_default(const struct table_setting *setting);
/* "on", "STANDARD". */
const char *setting_text(const struct table_setting *setting, int value);
/* Its member. */
void setting_write(struct json_writer *json, const struct table_setting *setting, int value);

#endif
