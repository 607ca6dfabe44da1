/* number.c - decimals as text and as canonical bytes.
 *
 * Everything here works on base-100 digits, which is what the canonical bytes hold, so reading and
 * printing move two characters per digit and never divide. Nothing allocates; reading is one pass
 * whatever the length of the text. Arithmetic is in number_add.c. */
#include "model/number.h"

#include "model/number_digits.h"

const char *number_status_text(enum number_status status) {
    switch (status) {
    case NUMBER_OK:
        break;
    case NUMBER_INVALID:
        return "The parameter cannot be converted to a numeric value";
    case NUMBER_OVERFLOW:
        return "Number overflow. Attempting to store a number with magnitude larger than supported "
               "range";
    case NUMBER_UNDERFLOW:
        return "Number underflow. Attempting to store a number with magnitude smaller than "
               "supported range";
    case NUMBER_TOO_PRECISE:
        return "Attempting to store more than 38 significant digits in a Number";
    }
    return "";
}

/* ---- canonical bytes ---- */

void number_encode(const struct number_digits *n, struct number *ret_number) {
    uint8_t *out = ret_number->bytes;
    if (n->count == 0) {
        out[0] = NUMBER_ZERO_BYTE;
        ret_number->len = 1;
        return;
    }
    int biased = n->exponent - NUMBER_EXPONENT_MIN;
    if (n->negative) {
        *out++ = (uint8_t)(0x7F - biased);
        for (int i = 0; i < n->count; i++)
            *out++ = (uint8_t)(254 - n->digits[i]);
        *out++ = 0xFF;
    } else {
        *out++ = (uint8_t)(0x80 + biased);
        for (int i = 0; i < n->count; i++)
            *out++ = (uint8_t)(n->digits[i] + 1);
    }
    ret_number->len = (uint8_t)(out - ret_number->bytes);
}

void number_decode(struct slice number, struct number_digits *ret_digits) {
    struct number_digits *n = ret_digits;
    const uint8_t *bytes = number.data;
    n->negative = bytes[0] < 0x80;
    if (n->negative) {
        n->exponent = 0x7F - bytes[0] + NUMBER_EXPONENT_MIN;
        n->count = number.len < 2 ? 0 : (int)number.len - 2;
        for (int i = 0; i < n->count; i++)
            n->digits[i] = (uint8_t)(254 - bytes[i + 1]);
    } else {
        n->exponent = bytes[0] - 0x80 + NUMBER_EXPONENT_MIN;
        n->count = (int)number.len - 1;
        for (int i = 0; i < n->count; i++)
            n->digits[i] = (uint8_t)(bytes[i + 1] - 1);
    }
}

/* Significant decimal digits of `count` base-100 digits that start and end the number. */
static int significant_digits(const struct number_digits *n) {
    return 2 * n->count - (n->digits[0] < 10) - (n->digits[n->count - 1] % 10 == 0);
}

enum number_status number_normalise(struct number_digits *n, struct number *ret_number) {
    while (n->count > 0 && n->digits[n->count - 1] == 0)
        n->count--;
    int zeros = 0;
    while (zeros < n->count && n->digits[zeros] == 0)
        zeros++;
    if (zeros > 0) {
        n->count -= zeros;
        n->exponent -= zeros;
        memmove(n->digits, n->digits + zeros, (size_t)n->count);
    }
    if (n->count > 0) {
        if (n->exponent > NUMBER_EXPONENT_MAX)
            return NUMBER_OVERFLOW;
        if (n->exponent < NUMBER_EXPONENT_MIN)
            return NUMBER_UNDERFLOW;
        if (significant_digits(n) > NUMBER_DIGITS_MAX)
            return NUMBER_TOO_PRECISE;
    }
    number_encode(n, ret_number);
    return NUMBER_OK;
}

static bool digits_in_range(const struct number_digits *n) {
    for (int i = 0; i < n->count; i++)
        if (n->digits[i] > 99)
            return false;
    return true;
}

bool number_check(struct slice number) {
    if (number.len == 0 || number.len > NUMBER_BYTES_MAX)
        return false;
    const uint8_t *bytes = number.data;
    if (number.len == 1)
        return bytes[0] == NUMBER_ZERO_BYTE;
    bool negative = bytes[0] < 0x80;
    if (negative && (number.len < 3 || bytes[number.len - 1] != 0xFF))
        return false;
    struct number_digits n;
    number_decode(number, &n);
    return n.count <= NUMBER_PAIRS_MAX && digits_in_range(&n) && n.digits[0] != 0 &&
           n.digits[n.count - 1] != 0 && significant_digits(&n) <= NUMBER_DIGITS_MAX;
}

/* ---- text to number ---- */

/* What the grammar says about a text, before limits. The value is 0.digits x 10^(point). */
struct number_text {
    uint8_t digits[NUMBER_DIGITS_MAX]; /* significant ones, each 0 to 9 */
    int count;
    int64_t zeros;    /* seen since the last digit kept; they count only when another follows */
    int64_t exponent; /* scientific: of the first significant digit */
    int64_t written;  /* the exponent after the e */
    bool negative;
    bool too_precise;
    bool any_digit;
};

static bool is_digit(uint8_t c) {
    return (uint8_t)(c - '0') <= 9;
}

static void keep_digit(struct number_text *t, uint8_t digit) {
    if (digit == 0) {
        t->zeros += t->count > 0;
        return;
    }
    if (t->count + t->zeros >= NUMBER_DIGITS_MAX) {
        t->too_precise = true;
        t->zeros++;
        return;
    }
    for (; t->zeros > 0; t->zeros--)
        t->digits[t->count++] = 0;
    t->digits[t->count++] = digit;
}

/* Digits with at most one point among them. */
static const uint8_t *scan_mantissa(struct number_text *t, const uint8_t *p, const uint8_t *end) {
    bool fraction = false;
    int64_t places = 0; /* before the point from the first significant digit, or zeros after it */
    for (; p < end; p++) {
        if (*p == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!is_digit(*p))
            break;
        t->any_digit = true;
        keep_digit(t, (uint8_t)(*p - '0'));
        if (!fraction)
            places += t->count > 0;
        else
            places -= t->count == 0;
    }
    t->exponent = places - 1;
    return p;
}

/* A Java long: false when there are no digits or it does not fit. */
static bool scan_exponent(struct number_text *t, const uint8_t *p, const uint8_t *end) {
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end)
        return false;
    int64_t n = 0; /* negative while counting, as that side reaches one further */
    for (; p < end; p++) {
        if (!is_digit(*p) || __builtin_mul_overflow(n, 10, &n) ||
            __builtin_sub_overflow(n, *p - '0', &n))
            return false;
    }
    if (!negative && n == INT64_MIN)
        return false;
    t->written = negative ? n : -n;
    return true;
}

static bool scan_text(struct number_text *t, struct slice text) {
    const uint8_t *p = text.data, *end = text.data + text.len;
    if (p < end && (*p == '-' || *p == '+'))
        t->negative = *p++ == '-';
    p = scan_mantissa(t, p, end);
    if (!t->any_digit)
        return false;
    if (p == end)
        return true;
    return (*p == 'e' || *p == 'E') && scan_exponent(t, p + 1, end);
}

enum { SCIENTIFIC_MAX = 125, SCIENTIFIC_MIN = -130 };

static enum number_status range_status(const struct number_text *t) {
    /* Zero has no exponent of its own: the service checks the one that was written. */
    int64_t exponent = t->written;
    if (t->count > 0 && __builtin_add_overflow(exponent, t->exponent, &exponent))
        return t->written > 0 ? NUMBER_OVERFLOW : NUMBER_UNDERFLOW;
    if (exponent > SCIENTIFIC_MAX)
        return NUMBER_OVERFLOW;
    if (exponent < SCIENTIFIC_MIN)
        return NUMBER_UNDERFLOW;
    return t->too_precise ? NUMBER_TOO_PRECISE : NUMBER_OK;
}

/* Decimal digits into base-100 digits: the first one holds a single digit when the scientific
 * exponent is even. */
static void pair_digits(const struct number_text *t, struct number_digits *n) {
    int exponent = (int)(t->exponent + t->written) + 256; /* not negative, so halving is plain */
    n->negative = t->negative;
    n->exponent = exponent / 2 - 127;
    n->count = 0;
    int i = 0;
    if (exponent % 2 == 0)
        n->digits[n->count++] = t->digits[i++];
    for (; i + 1 < t->count; i += 2)
        n->digits[n->count++] = (uint8_t)(t->digits[i] * 10 + t->digits[i + 1]);
    if (i < t->count)
        n->digits[n->count++] = (uint8_t)(t->digits[i] * 10);
}

static enum number_status parse_any(struct slice text, struct number *ret_number) {
    struct number_text t = {0};
    if (!scan_text(&t, text))
        return NUMBER_INVALID;
    enum number_status status = range_status(&t);
    if (status != NUMBER_OK)
        return status;
    struct number_digits n;
    n.count = 0;
    if (t.count > 0)
        pair_digits(&t, &n);
    number_encode(&n, ret_number);
    return NUMBER_OK;
}

/* How many digits stand behind the point. */
static int64_t fraction_digits(struct slice text) {
    const uint8_t *p = memchr(text.data, '.', text.len), *end = text.data + text.len;
    int64_t count = 0;
    for (p = p == NULL ? end : p + 1; p < end && is_digit(*p); p++)
        count++;
    return count;
}

enum number_status number_status_older(enum number_status status, struct slice text) {
    struct number_text t = {0};
    if (status == NUMBER_OK || status == NUMBER_INVALID || !scan_text(&t, text))
        return status;
    int64_t first = t.written;
    if (t.written > INT32_MAX || t.written < INT32_MIN)
        return NUMBER_INVALID;
    if (fraction_digits(text) - t.written > INT32_MAX)
        return NUMBER_INVALID;
    if (t.count > 0)
        first += t.exponent;
    return first >= INT32_MAX ? NUMBER_UNDERFLOW : status;
}

static const uint8_t *skip_digits(const uint8_t *p, const uint8_t *end) {
    while (p < end && is_digit(*p))
        p++;
    return p;
}

/* Pairs of digits from `p` on; a last single digit counts as ten times itself. */
static void append_pairs(struct number_digits *n, const uint8_t *p, const uint8_t *end) {
    for (; end - p >= 2; p += 2)
        n->digits[n->count++] = (uint8_t)((p[0] - '0') * 10 + (p[1] - '0'));
    if (p < end)
        n->digits[n->count++] = (uint8_t)((p[0] - '0') * 10);
}

/* Numbers as nearly everybody writes them: no exponent, no leading zero, not too long for 38
 * digits. False for others. */
static bool parse_short(struct slice text, struct number *ret_number) {
    if (text.len == 0 || text.len > NUMBER_DIGITS_MAX)
        return false;
    const uint8_t *whole = text.data, *end = text.data + text.len;
    struct number_digits n; /* not zeroed: that would cost more than the rest */
    n.negative = *whole == '-';
    n.count = 0;
    whole += n.negative;
    const uint8_t *point = skip_digits(whole, end);
    if (point == whole || *whole == '0')
        return false;
    n.exponent = (int)(point - whole + 1) / 2;
    if ((point - whole) % 2 == 1)
        n.digits[n.count++] = (uint8_t)(*whole++ - '0');
    append_pairs(&n, whole, point);
    if (point < end) {
        if (*point != '.' || skip_digits(point + 1, end) != end)
            return false;
        append_pairs(&n, point + 1, end);
    }
    while (n.digits[n.count - 1] == 0)
        n.count--;
    number_encode(&n, ret_number);
    return true;
}

enum number_status number_parse(struct slice text, struct number *ret_number) {
    struct number number;
    enum number_status status = parse_short(text, &number) ? NUMBER_OK : parse_any(text, &number);
    if (status == NUMBER_OK)
        *ret_number = number;
    return status;
}

/* ---- number to text ---- */

#define PAIRS_OF_NINES_31 "99999999999999999999999999999999999999999999999999999999999999"

/* Two characters for each base-100 digit as a positive number's bytes have it: one more than its
 * value. No number has the first byte, nor those after the hundredth digit; but a stored one is
 * only known not to be too long (value_is_bounded()). */
static const char pair_text[513] =
    "0000010203040506070809101112131415161718192021222324"
    "25262728293031323334353637383940414243444546474849"
    "50515253545556575859606162636465666768697071727374"
    "75767778798081828384858687888990919293949596979899" PAIRS_OF_NINES_31 PAIRS_OF_NINES_31
        PAIRS_OF_NINES_31 PAIRS_OF_NINES_31 PAIRS_OF_NINES_31;

/* A negative number's bytes are those of the positive one, inverted: 254 - D is ~(D + 1). */
static inline const char *digit_text(uint8_t byte, uint8_t inverted) {
    return pair_text + 2 * (byte ^ inverted);
}

static inline char *put_pairs(char *out, const uint8_t *from, const uint8_t *to, uint8_t inverted) {
    for (; from < to; from++, out += 2)
        memcpy(out, digit_text(*from, inverted), 2);
    return out;
}

/* As pairs: nothing is called for it, which keeps printing quick. */
static inline char *put_zeros(char *out, int pairs) {
    for (const char *zeros = digit_text(1, 0); pairs > 0; pairs--, out += 2)
        memcpy(out, zeros, 2);
    return out;
}

/* The first digit of a whole part, without a leading zero. */
static inline char *put_first(char *out, const char *pair) {
    *out = pair[0];
    out += pair[0] != '0';
    *out = pair[1];
    return out + 1;
}

/* From the bytes as they are: taking the number apart would cost as much again. */
size_t number_format(struct slice number, char ret_text[NUMBER_TEXT_MAX]) {
    bool negative = number_is_negative(number);
    uint8_t inverted = negative ? 0xFF : 0;
    const uint8_t *digits = number.data + 1, *end = number.data + number.len - negative;
    int exponent = (uint8_t)(number.data[0] ^ inverted) - 0x80 + NUMBER_EXPONENT_MIN;
    char *out = ret_text;
    if (digits >= end)
        exponent = 0; /* zero */
    if (negative)
        *out++ = '-';
    if (exponent > 0) {
        const uint8_t *point = exponent < end - digits ? digits + exponent : end;
        out = put_first(out, digit_text(*digits, inverted));
        out = put_pairs(out, digits + 1, point, inverted);
        if (exponent > point - digits)
            out = put_zeros(out, exponent - (int)(point - digits));
        digits = point;
    } else {
        *out++ = '0';
    }
    if (digits < end) {
        *out++ = '.';
        if (exponent < 0)
            out = put_zeros(out, -exponent);
        out = put_pairs(out, digits, end, inverted);
        out -= out[-1] == '0';
    }
    return (size_t)(out - ret_text);
}

/* ---- integers, size ---- */

void number_from_int(int64_t value, struct number *ret_number) {
    struct number_digits n;
    n.negative = value < 0;
    n.count = 0;
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint8_t reversed[10];
    for (; magnitude > 0; magnitude /= 100)
        reversed[n.count++] = (uint8_t)(magnitude % 100);
    n.exponent = n.count;
    for (int i = 0; i < n.count; i++)
        n.digits[i] = reversed[n.count - 1 - i];
    while (n.count > 0 && n.digits[n.count - 1] == 0)
        n.count--;
    number_encode(&n, ret_number);
}

bool number_to_int(struct slice number, int64_t *ret_n) {
    struct number_digits n;
    number_decode(number, &n);
    if (n.count > n.exponent && n.count > 0)
        return false;
    return number_integer_part(number, ret_n);
}

bool number_integer_part(struct slice number, int64_t *ret_n) {
    struct number_digits n;
    number_decode(number, &n);
    int64_t value = 0; /* negative while counting, as that side reaches one further */
    for (int i = 0; n.count > 0 && i < n.exponent; i++) {
        uint8_t digit = i < n.count ? n.digits[i] : 0;
        if (__builtin_mul_overflow(value, 100, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!n.negative && value == INT64_MIN)
        return false;
    *ret_n = n.negative ? value : -value;
    return true;
}

/* From the first and the last digit alone: every item's size asks for it. */
size_t number_size(struct slice number) {
    const uint8_t *bytes = number.data;
    if (number.len == 1)
        return 1; /* zero */
    bool negative = bytes[0] < 0x80;
    int count = (int)number.len - (negative ? 2 : 1);
    if (count == 0)
        return 1; /* no number at all */
    int exponent = (negative ? 0x7F - bytes[0] : bytes[0] - 0x80) + NUMBER_EXPONENT_MIN;
    int first = negative ? 254 - bytes[1] : bytes[1] - 1;
    int last = negative ? 254 - bytes[count] : bytes[count] - 1;
    int whole = exponent < 0 ? 0 : exponent < count ? exponent : count;
    unsigned left = 2 * (unsigned)whole, right = 2 * (unsigned)(count - whole);
    /* Zeros before the first and after the last significant digit do not count. */
    if (first < 10)
        *(whole > 0 ? &left : &right) -= 1;
    if (last % 10 == 0)
        *(right > 0 ? &right : &left) -= 1;
    return 1 + (left + 1) / 2 + (right + 1) / 2 + (negative ? 1 : 0);
}
