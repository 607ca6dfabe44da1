/* words.h - DynamoDB's words, by the table words.def: of each kind the enumeration and
 *
 *   kind_words           its texts, for whoever handles several kinds alike
 *   kind_printed         "[PROVISIONED, PAY_PER_REQUEST]": its texts as the service lists them
 *   kind_name()          the text of a value
 *   kind_is()            whether a text of a request is this value's; an absent one is none's
 *   kind_from_name()     the value of a text that is known to be one; absent: 0, the default */
#ifndef GRAMME_MODEL_WORDS_H
#define GRAMME_MODEL_WORDS_H

#include "base/slice.h"

struct words {
    const char *const *texts; /* by value, then NULL */
    int first;                /* the first that clients say or see; the others are only stored */
};

/* The value that clients mean by a text; -1: none. */
int word_find(const struct words *words, struct slice text);
/* The same for what a field table has let through. */
int word_value(const struct words *words, struct slice text);

/* The enumerations. */
#define WORDS(kind) enum kind {
#define UNSAID(value, text) value,
#define FIRST(value, text) value,
#define WORD(value, text) value,
#define WORDS_END(kind) }
#include "model/words.def"

#define WORDS(kind)                                                       \
    extern const struct words kind##_words;                               \
    static inline const char *kind##_name(enum kind value) {              \
        return kind##_words.texts[value];                                 \
    }                                                                     \
    static inline bool kind##_is(struct slice text, enum kind value) {    \
        return slice_present(text) && slice_is(text, kind##_name(value)); \
    }                                                                     \
    static inline enum kind kind##_from_name(struct slice text) {         \
        return (enum kind)word_value(&kind##_words, text);                \
    }
#define WORDS_END(kind) extern const char kind##_printed[]
#include "model/words.def"

#endif
