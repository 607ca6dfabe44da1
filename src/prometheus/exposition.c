/* exposition.c - the two formats. */
#include "prometheus/exposition.h"

#include <math.h>

#include "base/check.h"

static const char *const type_words[] = {
    [EXPOSITION_COUNTER] = "counter",
    [EXPOSITION_GAUGE] = "gauge",
    [EXPOSITION_HISTOGRAM] = "histogram",
    [EXPOSITION_SUMMARY] = "summary",
};

struct exposition_labels labels_with(struct exposition_labels labels, const char *name,
                                     struct slice value) {
    if (value.len == 0)
        return labels;
    CHECK(labels.count < EXPOSITION_LABELS_MAX);
    labels.list[labels.count].name = name;
    labels.list[labels.count++].value = value;
    return labels;
}

void exposition_family(struct exposition *exposition, const char *name, enum exposition_type type,
                       const char *help) {
    exposition->name = name;
    exposition->type = type;
    exposition->help = help;
    exposition->declared = false;
}

static const char *total(const struct exposition *exposition, bool here) {
    return exposition->type == EXPOSITION_COUNTER && here ? "_total" : "";
}

static void declare(struct exposition *exposition) {
    const char *end = total(exposition, !exposition->open_metrics);
    buffer_printf(exposition->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", exposition->name, end,
                  exposition->help, exposition->name, end, type_words[exposition->type]);
    exposition->declared = true;
}

static void write_label_value(struct buffer *out, struct slice value) {
    for (size_t i = 0; i < value.len; i++) {
        uint8_t c = value.data[i];
        if (c == '\\' || c == '"')
            buffer_append_byte(out, '\\');
        if (c == '\n')
            buffer_append_text(out, "\\n");
        else
            buffer_append_byte(out, c);
    }
}

static void write_labels(struct buffer *out, const struct exposition_labels *labels) {
    for (size_t i = 0; i < labels->count; i++) {
        buffer_append_byte(out, i == 0 ? '{' : ',');
        buffer_append_text(out, labels->list[i].name);
        buffer_append_text(out, "=\"");
        write_label_value(out, labels->list[i].value);
        buffer_append_byte(out, '"');
    }
    if (labels->count > 0)
        buffer_append_byte(out, '}');
}

/* Whole numbers in all their digits. */
static void write_value(struct buffer *out, double value) {
    if (value == floor(value) && fabs(value) < 1e15)
        buffer_printf(out, " %.0f\n", value);
    else
        buffer_printf(out, " %.12g\n", value);
}

void exposition_sample(struct exposition *exposition, const char *suffix,
                       const struct exposition_labels *labels, double value) {
    if (!exposition->declared)
        declare(exposition);
    buffer_append_text(exposition->out, exposition->name);
    buffer_append_text(exposition->out, total(exposition, true));
    buffer_append_text(exposition->out, suffix);
    write_labels(exposition->out, labels);
    write_value(exposition->out, value);
}

void exposition_single(struct exposition *exposition, const char *name, enum exposition_type type,
                       const char *help, double value) {
    struct exposition_labels none = NO_LABELS;
    exposition_family(exposition, name, type, help);
    exposition_sample(exposition, "", &none, value);
}

void exposition_end(struct exposition *exposition) {
    if (exposition->open_metrics)
        buffer_append_text(exposition->out, "# EOF\n");
}

/* Whoever names it prefers it: nobody but who can read it does. */
bool exposition_wants_open_metrics(struct slice accept) {
    const struct slice wanted = SLICE_LITERAL("application/openmetrics-text");
    for (size_t i = 0; i + wanted.len <= accept.len; i++)
        if (memcmp(accept.data + i, wanted.data, wanted.len) == 0)
            return true;
    return false;
}

struct slice exposition_content_type(bool open_metrics) {
    return open_metrics
               ? SLICE_LITERAL("application/openmetrics-text; version=1.0.0; charset=utf-8")
               : SLICE_LITERAL("text/plain; version=0.0.4; charset=utf-8");
}
