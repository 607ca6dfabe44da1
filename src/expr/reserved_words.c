/* reserved_words.c - the list of reserved_words.def, searched by halves.
 *
 * The table is constant and shared by all threads. */
#include "expr/reserved_words.h"

enum { WORD_BYTES_MAX = 15 };

struct word {
    uint8_t len;
    char text[WORD_BYTES_MAX];
};

static const struct word words[] = {
#define RESERVED_WORD(word) {sizeof(#word) - 1, #word},
#include "expr/reserved_words.def"
#undef RESERVED_WORD
};

enum { WORD_COUNT = sizeof(words) / sizeof(words[0]) };

static int compare_upper(const char *upper, size_t len, const struct word *word) {
    return slice_compare(slice_of(upper, len), slice_of(word->text, word->len));
}

bool word_is_reserved(struct slice word) {
    if (word.len > WORD_BYTES_MAX)
        return false;
    char upper[WORD_BYTES_MAX];
    for (size_t i = 0; i < word.len; i++) {
        uint8_t c = word.data[i];
        upper[i] = (char)(c >= 'a' && c <= 'z' ? c - 32 : c);
    }
    size_t low = 0, high = WORD_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare_upper(upper, word.len, &words[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}
