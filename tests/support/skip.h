/* skip.h - skips a test of cmocka and says what it needs; scripts/check counts and lists it. */
#ifndef GRAMME_TESTS_SKIP_H
#define GRAMME_TESTS_SKIP_H

/* Does not return. `need` is what this machine does not have: "IPv6". Include it after cmocka.h. */
#define skip_without(need)                   \
    do {                                     \
        print_message("# needs %s\n", need); \
        skip();                              \
    } while (false)

#endif
