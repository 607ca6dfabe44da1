/* exposition.h - numbers as text for Prometheus: families of samples with labels.
 *
 * The plain format (version 0.0.4), or OpenMetrics 1.0, which differs in how counters are declared
 * and in its last line. A family is declared with its first sample, so one without samples is not
 * there. Labels are a few, and their values bounded by whoever gives them. */
#ifndef GRAMME_PROMETHEUS_EXPOSITION_H
#define GRAMME_PROMETHEUS_EXPOSITION_H

#include "base/buffer.h"

enum exposition_type {
    EXPOSITION_COUNTER, /* its samples are named with _total at the end */
    EXPOSITION_GAUGE,
    EXPOSITION_HISTOGRAM,
    EXPOSITION_SUMMARY,
};

struct exposition {
    struct buffer *out;
    bool open_metrics;
    /* The family: */
    const char *name;
    const char *help;
    enum exposition_type type;
    bool declared;
};

enum { EXPOSITION_LABELS_MAX = 4 };

struct exposition_labels {
    struct {
        const char *name;
        struct slice value;
    } list[EXPOSITION_LABELS_MAX];
    size_t count;
};

/* With one label more; one whose value is empty is left out. */
struct exposition_labels labels_with(struct exposition_labels labels, const char *name,
                                     struct slice value);
#define NO_LABELS ((struct exposition_labels){.count = 0})

/* The samples that follow are of this family. The name is without _total; names and help live as
 * long as the exposition. */
void exposition_family(struct exposition *exposition, const char *name, enum exposition_type type,
                       const char *help);
/* `suffix`: "" or what comes after the name, as "_sum". */
void exposition_sample(struct exposition *exposition, const char *suffix,
                       const struct exposition_labels *labels, double value);
/* The one sample of a family. */
void exposition_single(struct exposition *exposition, const char *name, enum exposition_type type,
                       const char *help, double value);
/* After the last one. */
void exposition_end(struct exposition *exposition);

/* What an Accept header asks for, and the type of what it gets. */
bool exposition_wants_open_metrics(struct slice accept);
struct slice exposition_content_type(bool open_metrics);

#endif
