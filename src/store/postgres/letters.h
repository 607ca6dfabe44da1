/* letters.h - bytes that a server leaves in the store for whoever leads it, now or next.
 *
 * A letter is taken once at most: what is in doubt, since a connection was lost at the wrong time,
 * is not left again, and not taken again. Threads: any. */
#ifndef GRAMME_STORE_POSTGRES_LETTERS_H
#define GRAMME_STORE_POSTGRES_LETTERS_H

#include "store/store.h"

/* There are no more than so many, and so many at most are taken at a time. */
enum { POSTGRES_LETTERS_MAX = 100, POSTGRES_LETTERS_TAKEN_MAX = 16 };

/* False: there are too many that nobody took, and this one may be left later; likewise after an
 * error. */
struct error *postgres_letter_leave(struct store *store, struct arena *arena, struct slice letter,
                                    bool *ret_left);

/* The oldest of them, in the arena. Whoever does not lead gets none. */
struct error *postgres_letters_take(struct store *store, struct arena *arena,
                                    struct slice ret_letters[POSTGRES_LETTERS_TAKEN_MAX],
                                    size_t *ret_count);

#endif
