/* publication.c - a sample and its metric, and where they go. */
#include "publish/publication.h"

#include "base/check.h"
#include "publish/bundle.h"

void publication_dimension(struct publication *to, const char *name, struct slice value) {
    CHECK(to->dimension_count < PUBLICATION_DIMENSIONS_MAX);
    to->dimensions[to->dimension_count++] = (struct metric_dimension){slice_text(name), value};
}

void publication_add(const struct publication *to, const char *name, enum metric_unit unit,
                     const struct sample *sample) {
    struct metric metric = {
        .name_space = slice_text(to->name_space == NULL ? "AWS/DynamoDB" : to->name_space),
        .name = slice_text(name),
        .dimensions = to->dimensions,
        .dimension_count = to->dimension_count,
        .unit = unit,
    };
    if (to->series != NULL)
        series_add(to->series, &metric, to->time_ms, sample);
    else
        bundle_put(to->bundle, &metric, to->time_ms, sample);
}

void publication_set(const struct publication *to, const char *name, enum metric_unit unit,
                     double value) {
    struct sample sample = {.sum = value, .count = 1, .min = value, .max = value};
    publication_add(to, name, unit, &sample);
}
