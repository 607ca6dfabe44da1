/* chart.h - diagrams with axes as SVG: a frame, its grid and labels, lines, a legend. */
#ifndef GRAMME_BENCH_CHART_H
#define GRAMME_BENCH_CHART_H

#include "base/buffer.h"

enum chart_scale {
    CHART_LINEAR,
    CHART_LOG,   /* values are above 0 */
    CHART_NINES, /* shares below 1: 0.9, 0.99 and 0.999 are equally far apart */
};

struct chart_axis {
    enum chart_scale scale;
    double low;
    double high;
    const char *title;
};

/* A frame at a height of the page. */
struct chart {
    struct buffer *out;
    double top;
    double height;
    const char *title;
    struct chart_axis x;
    struct chart_axis y;
    unsigned legends; /* written so far */
};

enum { CHART_WIDTH = 960, CHART_LEFT = 84, CHART_RIGHT = 24 };

/* The whole picture is this many pixels high; its title and a line below it. */
void chart_page_begin(struct buffer *out, int height, const char *title, const char *line);
void chart_page_end(struct buffer *out);

/* A nice upper end of a linear axis from 0. */
double chart_nice_high(double highest);

/* Frame, title, grid and labels; sets y's ends to whole steps when it is logarithmic. */
void chart_begin(struct chart *chart);
/* A line through points that are added from left to right; `color` counts from 0. */
void chart_line_begin(struct chart *chart, unsigned color, const char *legend);
void chart_point(struct chart *chart, double x, double y);
void chart_line_end(struct chart *chart);

#endif
