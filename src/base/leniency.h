/* leniency.h - the differences to the service that leniency.def lists, as bits: a part is given the
 * set, none of which is there unless it was asked for, and looks for its own. */
#ifndef GRAMME_BASE_LENIENCY_H
#define GRAMME_BASE_LENIENCY_H

enum leniency_number {
#define LENIENCY(symbol, text) LENIENCY_NUMBER_##symbol,
#include "base/leniency.def"
#undef LENIENCY
};

enum leniency {
#define LENIENCY(symbol, text) LENIENT_##symbol = 1 << LENIENCY_NUMBER_##symbol,
#include "base/leniency.def"
#undef LENIENCY
};

enum {
    LENIENT_ALL = 0
#define LENIENCY(symbol, text) | LENIENT_##symbol
#include "base/leniency.def"
#undef LENIENCY
};

#endif
