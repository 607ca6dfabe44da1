/* publication.h - one time of publishing: samples on their way to the series, or into a bundle.
 * Private to this folder. */
#ifndef GRAMME_PUBLISH_PUBLICATION_H
#define GRAMME_PUBLISH_PUBLICATION_H

#include "cloudwatch/series.h"
#include "engine/engine.h"
#include "metrics/meters.h"

enum { PUBLICATION_DIMENSIONS_MAX = 4 };

struct publication {
    struct series_store *series;  /* NULL: they go into the bundle */
    struct buffer *bundle;        /* then; bundle.h */
    struct catalog_view *catalog; /* NULL: of streams nothing was counted */
    const char *const *names;     /* of operations */
    int64_t time_ms;
    const char *name_space; /* NULL: AWS/DynamoDB */
    /* Whose the next samples are. */
    struct metric_dimension dimensions[PUBLICATION_DIMENSIONS_MAX];
    size_t dimension_count;
};

/* In the order of their names. */
void publication_dimension(struct publication *to, const char *name, struct slice value);
void publication_add(const struct publication *to, const char *name, enum metric_unit unit,
                     const struct sample *sample);
/* One value. */
void publication_set(const struct publication *to, const char *name, enum metric_unit unit,
                     double value);

/* What was counted between two readings of the meters. */
void publish_meters(struct publication *to, const struct meter_sums *now,
                    const struct meter_sums *last);
/* What tables, indexes and the account may do. */
void publish_settings(struct publication *to);

#endif
