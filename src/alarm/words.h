/* words.h - the words of words.def, as numbers and back. */
#ifndef GRAMME_ALARM_WORDS_H
#define GRAMME_ALARM_WORDS_H

#include "base/slice.h"

enum alarm_state {
#define STATE(symbol, word) ALARM_STATE_##symbol,
#include "alarm/words.def"
    ALARM_STATE_COUNT,
};

enum alarm_comparison {
#define COMPARISON(symbol, word, phrase) ALARM_COMPARISON_##symbol,
#include "alarm/words.def"
    ALARM_COMPARISON_COUNT,
};

enum alarm_treatment {
#define TREATMENT(symbol, word, phrase) ALARM_TREATMENT_##symbol,
#include "alarm/words.def"
    ALARM_TREATMENT_COUNT,
};

const char *alarm_state_word(enum alarm_state state);
const char *alarm_comparison_word(enum alarm_comparison comparison);
const char *alarm_comparison_phrase(enum alarm_comparison comparison);
const char *alarm_treatment_word(enum alarm_treatment treatment);
const char *alarm_treatment_phrase(enum alarm_treatment treatment);

/* False: there is no such word. */
bool alarm_state_of(struct slice word, enum alarm_state *ret_state);
bool alarm_comparison_of(struct slice word, enum alarm_comparison *ret_comparison);
bool alarm_treatment_of(struct slice word, enum alarm_treatment *ret_treatment);

#endif
