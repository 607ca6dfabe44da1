/* statistic.c - see statistic.h. */
#include "cloudwatch/statistic.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { TEXT_MAX = 64 };

static const char *const plain[] = {"SampleCount", "Average", "Sum", "Minimum", "Maximum"};

static const struct {
    const char *name;
    enum statistic_kind kind;
} extended[] = {
    {"tm", STATISTIC_TRIMMED_MEAN},    {"wm", STATISTIC_WINSORIZED_MEAN},
    {"tc", STATISTIC_TRIMMED_COUNT},   {"ts", STATISTIC_TRIMMED_SUM},
    {"pr", STATISTIC_PERCENTILE_RANK},
};

/* ---- reading ---- */

bool statistic_read_plain(struct slice text, struct statistic *ret_statistic) {
    for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
        if (slice_is(text, plain[i])) {
            *ret_statistic = (struct statistic){.kind = (enum statistic_kind)i};
            return true;
        }
    return false;
}

/* Digits with a point, nothing else that strtod() knows. */
static const char *take_number(const char *text, double *ret_n) {
    const char *end = text + strspn(text, "0123456789.");
    char *read;
    *ret_n = strtod(text, &read);
    return read == end && end > text ? end : NULL;
}

/* One end of a range: nothing, a number, or a percentage. */
static const char *take_end(const char *at, double *end, bool *percent, bool *given) {
    *given = *at != ':' && *at != ')';
    if (!*given)
        return at;
    at = take_number(at, end);
    if (at == NULL)
        return NULL;
    *percent = *at == '%';
    return *percent ? at + 1 : at;
}

/* "(10%:90%)": both of a kind, one of them may be left out. */
static bool read_range(const char *at, struct statistic *statistic) {
    double low = 0, high = 0;
    bool percents[2] = {false, false}, given[2];
    if (*at++ != '(' || (at = take_end(at, &low, &percents[0], &given[0])) == NULL || *at++ != ':')
        return false;
    if ((at = take_end(at, &high, &percents[1], &given[1])) == NULL || at[0] != ')' || at[1] != 0)
        return false;
    if ((!given[0] && !given[1]) || (given[0] && given[1] && percents[0] != percents[1]))
        return false;
    bool percent = percents[0] || percents[1];
    statistic->values = !percent;
    statistic->low = given[0] ? low : percent ? 0 : -DBL_MAX;
    statistic->high = given[1] ? high : percent ? 100 : DBL_MAX;
    return statistic->low < statistic->high && (!percent || statistic->high <= 100);
}

static bool read_rest(const char *at, struct statistic *statistic) {
    bool rank = statistic->kind == STATISTIC_PERCENTILE_RANK;
    if (*at == '(')
        return read_range(at, statistic) && (!rank || statistic->values) &&
               (statistic->kind != STATISTIC_WINSORIZED_MEAN || !statistic->values);
    at = take_number(at, &statistic->high);
    return !rank && at != NULL && *at == 0 && statistic->high > 0 && statistic->high <= 100;
}

bool statistic_read_extended(struct slice text, struct statistic *ret_statistic) {
    char name[TEXT_MAX + 1] = {0};
    struct statistic statistic = {.kind = STATISTIC_PERCENTILE};
    if (text.len < 2 || text.len > TEXT_MAX)
        return false;
    memcpy(name, text.data, text.len);
    if (slice_equal_ignoring_case(text, SLICE_LITERAL("iqm"))) {
        *ret_statistic = (struct statistic){STATISTIC_TRIMMED_MEAN, 25, 75, false};
        return true;
    }
    bool found = name[0] == 'p' && name[1] >= '0' && name[1] <= '9';
    const char *end = found ? take_number(name + 1, &statistic.high) : NULL;
    if (found && (end == NULL || *end != 0 || statistic.high > 100))
        return false;
    for (size_t i = 0; !found && i < sizeof(extended) / sizeof(*extended); i++)
        if (slice_equal_ignoring_case(slice_of(name, 2), slice_text(extended[i].name))) {
            statistic.kind = extended[i].kind;
            if (!read_rest(name + 2, &statistic))
                return false;
            found = true;
        }
    if (found)
        *ret_statistic = statistic;
    return found;
}

/* ---- asking ---- */

/* How many values it is about, and their sum. */
static bool take_part(const struct statistic *statistic, const struct sample *sample, double *count,
                      double *sum) {
    double low = statistic->low, high = statistic->high;
    if (statistic->values) { /* as percentiles */
        double below, within;
        if (!sample_within(sample, -DBL_MAX, low, &below) ||
            !sample_within(sample, low, high, &within))
            return false;
        low = low <= sample->min ? 0 : fmin(100, below / sample->count * 100);
        high = fmin(100, low + within / sample->count * 100);
    }
    return sample_between(sample, low, high, count, sum);
}

static bool winsorized_mean(const struct statistic *statistic, const struct sample *sample,
                            double *ret_value) {
    double count, sum, bottom, top;
    if (!sample_between(sample, statistic->low, statistic->high, &count, &sum) ||
        !sample_percentile(sample, statistic->low, &bottom) ||
        !sample_percentile(sample, statistic->high, &top))
        return false;
    sum += bottom * sample->count * statistic->low / 100;
    sum += top * sample->count * (100 - statistic->high) / 100;
    *ret_value = sum / sample->count;
    return true;
}

static bool part_of(const struct statistic *statistic, const struct sample *sample,
                    double *ret_value) {
    double count, sum;
    if (statistic->kind == STATISTIC_PERCENTILE_RANK) {
        if (!sample_within(sample, statistic->low, statistic->high, &count))
            return false;
        *ret_value = count / sample->count * 100;
        return true;
    }
    if (!take_part(statistic, sample, &count, &sum))
        return false;
    bool mean = statistic->kind == STATISTIC_TRIMMED_MEAN;
    *ret_value = mean ? sum / count : statistic->kind == STATISTIC_TRIMMED_SUM ? sum : count;
    return !mean || count > 0;
}

bool statistic_of(const struct statistic *statistic, const struct sample *sample,
                  double *ret_value) {
    if (sample->count <= 0)
        return false;
    switch (statistic->kind) {
    case STATISTIC_SAMPLE_COUNT:
        *ret_value = sample->count;
        return true;
    case STATISTIC_AVERAGE:
        *ret_value = sample->sum / sample->count;
        return true;
    case STATISTIC_SUM:
        *ret_value = sample->sum;
        return true;
    case STATISTIC_MINIMUM:
        *ret_value = sample->min;
        return true;
    case STATISTIC_MAXIMUM:
        *ret_value = sample->max;
        return true;
    case STATISTIC_PERCENTILE:
        return sample_percentile(sample, statistic->high, ret_value);
    case STATISTIC_WINSORIZED_MEAN:
        return winsorized_mean(statistic, sample, ret_value);
    case STATISTIC_TRIMMED_MEAN:
    case STATISTIC_TRIMMED_COUNT:
    case STATISTIC_TRIMMED_SUM:
    case STATISTIC_PERCENTILE_RANK:
        break;
    }
    return part_of(statistic, sample, ret_value);
}
