/* check.h - the assertion that stays on in release builds.
 *
 * A failed CHECK is a bug in gramme, never bad input: it prints where and aborts, and the store's
 * log recovers what was acknowledged. */
#ifndef GRAMME_BASE_CHECK_H
#define GRAMME_BASE_CHECK_H

_Noreturn void check_failed(const char *condition, const char *file, int line);

#define CHECK(condition)                                  \
    do {                                                  \
        if (__builtin_expect(!(condition), 0))            \
            check_failed(#condition, __FILE__, __LINE__); \
    } while (0)

/* Runs `fn(&variable)` when the variable leaves its scope. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))

#endif
