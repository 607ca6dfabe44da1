/* fuzz_metric_math.c - any text as an expression over two series: it is refused, or has a result
 * whose points are in order and are numbers. */
#include <math.h>

#include "cloudwatch/metric_math.h"
#include "cloudwatch/search.h"
#include "cloudwatch/statistic.h"
#include "fuzz.h"

static int64_t times[] = {0, 60000, 180000};
static double values[] = {1, -2.5, 0};
static struct math_series series[] = {
    {{(const uint8_t *)"a", 1}, 60, 3, times, values},
    {{(const uint8_t *)"b", 1}, 60, 2, times + 1, values},
};

static struct error *find(void *user, struct slice name, struct math_value *ret_value) {
    bool second = slice_is(name, "b");
    if (!second && !slice_is(name, "a"))
        return error_new(user, ERROR_VALIDATION, "nothing");
    *ret_value = (struct math_value){MATH_SERIES, 0, &series[second ? 1 : 0], 1};
    return NULL;
}

static struct error *metrics(void *user, struct slice text, struct math_value *ret_value) {
    (void)user;
    *ret_value = (struct math_value){MATH_LIST, 0, series, text.len > 2 ? 0 : 2};
    return NULL;
}

static struct error *search(void *user, const struct math_search *search,
                            struct math_value *ret_value) {
    static const struct metric_dimension dimension = {{(const uint8_t *)"d", 1},
                                                      {(const uint8_t *)"v", 1}};
    const struct metric metric = {SLICE_LITERAL("n"), SLICE_LITERAL("m"), &dimension, 1,
                                  METRIC_UNIT_NONE};
    const struct search *meant;
    TRY(search_compile(user, search->text, &meant));
    *ret_value = (struct math_value){MATH_LIST, 0, series, search_matches(meant, &metric) ? 2 : 0};
    return NULL;
}

static void look(const struct math_value *value) {
    for (size_t i = 0; value->kind != MATH_NUMBER && i < value->count; i++)
        for (size_t p = 0; p < value->list[i].count; p++) {
            CHECK(isfinite(value->list[i].values[p]));
            CHECK(p == 0 || value->list[i].times[p] > value->list[i].times[p - 1]);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    struct statistic statistic;
    const struct math_node *node;
    struct math_value value;
    arena_init(&arena);
    size_t points = 0;
    const struct math_scope scope = {find, metrics, search, &arena, 0, 600000, 60, &points};
    struct error *error = math_compile(&arena, slice_of(data, size), &node);
    if (error == NULL)
        error = math_run(&arena, node, &scope, &value);
    if (error == NULL)
        look(&value);
    else
        CHECK(error->message.len > 0);
    if (statistic_read_extended(slice_of(data, size), &statistic)) {
        struct sample sample = {.arena = &arena};
        double n = 0;
        for (int i = 0; i < 20; i++)
            sample_observe(&sample, i, 1);
        if (statistic_of(&statistic, &sample, &n))
            CHECK(isfinite(n));
    }
    arena_release(&arena);
    return 0;
}
