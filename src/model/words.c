/* words.c - the texts of words.def, in three forms. */
#include "model/words.h"

#include "base/check.h"

#define WORDS(kind) static const char *const kind##_texts[] = {
#define UNSAID(value, text) [value] = text,
#define FIRST(value, text) [value] = text,
#define WORD(value, text) [value] = text,
#define WORDS_END(kind) \
    NULL                \
    }
#include "model/words.def"

#define WORDS(kind) const struct words kind##_words = {.texts = kind##_texts,
#define FIRST(value, text) .first = value
#define WORDS_END(kind) }
#include "model/words.def"

#define WORDS(kind) const char kind##_printed[] = "["
#define FIRST(value, text) text
#define WORD(value, text) ", " text
#define WORDS_END(kind) "]"
#include "model/words.def"

int word_find(const struct words *words, struct slice text) {
    for (int value = words->first; slice_present(text) && words->texts[value] != NULL; value++)
        if (slice_is(text, words->texts[value]))
            return value;
    return -1;
}

int word_value(const struct words *words, struct slice text) {
    int value = slice_present(text) ? word_find(words, text) : 0;
    CHECK(value >= 0);
    return value;
}
