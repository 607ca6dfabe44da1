/* words.c - see words.h. */
#include "alarm/words.h"

#define STATE(symbol, word) word,
static const char *const states[] = {
#include "alarm/words.def"
};

#define COMPARISON(symbol, word, phrase) {word, phrase},
static const char *const comparisons[][2] = {
#include "alarm/words.def"
};

#define TREATMENT(symbol, word, phrase) {word, phrase},
static const char *const treatments[][2] = {
#include "alarm/words.def"
};

const char *alarm_state_word(enum alarm_state state) {
    return states[state];
}

const char *alarm_comparison_word(enum alarm_comparison comparison) {
    return comparisons[comparison][0];
}

const char *alarm_comparison_phrase(enum alarm_comparison comparison) {
    return comparisons[comparison][1];
}

const char *alarm_treatment_word(enum alarm_treatment treatment) {
    return treatments[treatment][0];
}

const char *alarm_treatment_phrase(enum alarm_treatment treatment) {
    return treatments[treatment][1];
}

bool alarm_state_of(struct slice word, enum alarm_state *ret_state) {
    for (unsigned i = 0; i < ALARM_STATE_COUNT; i++)
        if (slice_is(word, states[i])) {
            *ret_state = (enum alarm_state)i;
            return true;
        }
    return false;
}

bool alarm_comparison_of(struct slice word, enum alarm_comparison *ret_comparison) {
    for (unsigned i = 0; i < ALARM_COMPARISON_COUNT; i++)
        if (slice_is(word, comparisons[i][0])) {
            *ret_comparison = (enum alarm_comparison)i;
            return true;
        }
    return false;
}

bool alarm_treatment_of(struct slice word, enum alarm_treatment *ret_treatment) {
    for (unsigned i = 0; i < ALARM_TREATMENT_COUNT; i++)
        if (slice_is(word, treatments[i][0])) {
            *ret_treatment = (enum alarm_treatment)i;
            return true;
        }
    return false;
}
