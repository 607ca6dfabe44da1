/* table_settings.c - see table_settings.h. */
#include "model/table_settings.h"

#include "json/member.h"

#define AT(member) offsetof(struct table_definition, member)
#define FLAG_SETTING(symbol, member, name, alone, stored, label) \
    {name, alone, label, NULL, NULL, AT(member)},
#define WORD_SETTING(symbol, member, name, alone, stored, label, kind, printed, summary) \
    {name, alone, label, summary, &kind##_words, AT(member)},

const struct table_setting table_settings[SETTING_COUNT] = {
#include "model/table_settings.def"
};

void setting_set(const struct table_setting *setting, struct table_definition *table, int value) {
    char *member = (char *)table + setting->offset;
    if (setting->words == NULL)
        *(bool *)member = value != 0;
    else
        memcpy(member, &value, sizeof(value));
}

int setting_default(const struct table_setting *setting) {
    return setting->words == NULL ? 0 : setting->words->first;
}

int setting_value(const struct table_setting *setting, const struct table_definition *table) {
    const char *member = (const char *)table + setting->offset;
    int value;
    if (setting->words == NULL)
        return *(const bool *)member;
    memcpy(&value, member, sizeof(value));
    return value < setting->words->first ? setting->words->first : value;
}

const char *setting_text(const struct table_setting *setting, int value) {
    if (setting->words != NULL)
        return setting->words->texts[value];
    return value != 0 ? "on" : "off";
}

void setting_write(struct json_writer *json, const struct table_setting *setting, int value) {
    if (setting->words == NULL)
        member_bool(json, setting->name, value != 0);
    else
        member_word(json, setting->name, setting->words->texts[value]);
}
