/* reserved_words.h - names that a path may use only through a #name. */
#ifndef GRAMME_EXPR_RESERVED_WORDS_H
#define GRAMME_EXPR_RESERVED_WORDS_H

#include "base/slice.h"

/* In any case of letters. */
bool word_is_reserved(struct slice word);

#endif
