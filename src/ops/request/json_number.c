/* json_number.c - see json_number.h. */
#include "ops/request/json_number.h"

#include <stdlib.h>

bool json_number_integer(struct slice text, int64_t *ret_n) {
    bool negative = text.len > 0 && text.data[0] == '-';
    int64_t n = 0;
    for (size_t i = negative; i < text.len; i++) {
        int digit = text.data[i] - '0';
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_sub_overflow(n, digit, &n)) /* negative numbers reach one further */
            return false;
    }
    if (!negative && __builtin_sub_overflow(0, n, &n))
        return false;
    *ret_n = n;
    return true;
}

double json_number_double(struct arena *arena, struct slice text) {
    struct arena_mark mark = arena_mark(arena);
    const char *copy = (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(text)).data;
    double n = strtod(copy, NULL);
    arena_rewind(arena, mark);
    return n;
}

bool json_number_decimal(struct arena *arena, struct slice text, int64_t *ret_n) {
    double n = json_number_double(arena, text);
    if (!(n > -0x1p63 && n < 0x1p63))
        return false;
    *ret_n = (int64_t)n;
    return true;
}

bool json_number_digits(struct slice text, int64_t *ret_n) {
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.len > 0 && json_number_integer(text, ret_n);
}
