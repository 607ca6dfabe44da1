/* chart.c - see chart.h. */
#include "bench/chart.h"

#include <stdio.h>

static const char *const colors[] = {"#1f5fa8", "#c2410c", "#15803d", "#7e22ce"};

enum { COLOR_COUNT = sizeof(colors) / sizeof(colors[0]), TICKS_MAX = 40, BITS = 30 };
/* From a nanosecond's share of a second to more than there ever is. */
enum { STEP_FIRST = -36, STEP_LAST = 60 };

/* ---- numbers ---- */

/* A bit of the fraction at a time; see keys.c for why not by the library. */
static double log2_of(double x) {
    double result = 0, step = 0.5;
    for (; x >= 2 && result < 1100; result++)
        x /= 2;
    for (; x < 1 && result > -1100; result--)
        x *= 2;
    for (int i = 0; i < BITS; i++, step /= 2) {
        x *= x;
        if (x >= 2) {
            x /= 2;
            result += step;
        }
    }
    return result;
}

/* Where on the axis, in steps that are equal on paper. */
static double on_scale(enum chart_scale scale, double value) {
    switch (scale) {
    case CHART_LOG:
        return log2_of(value);
    case CHART_NINES:
        return -log2_of(1 - value);
    case CHART_LINEAR:
    default:
        return value;
    }
}

/* The steps of an axis, by their number: 1, 2, 5, 10, 20 ...; 0.5, 0.2, 0.1 ... below 0. */
static double step_at(int number) {
    static const double leads[] = {1, 2, 5};
    double step = leads[(number % 3 + 3) % 3];
    for (int i = number - (number % 3 + 3) % 3; i > 0; i -= 3)
        step *= 10;
    for (int i = number - (number % 3 + 3) % 3; i < 0; i += 3)
        step /= 10;
    return step;
}

/* The largest step that is not above the value, but for rounding. */
static int step_below(double value) {
    int number = STEP_FIRST;
    while (number < STEP_LAST && step_at(number + 1) <= value * 1.000001)
        number++;
    return number;
}

double chart_nice_high(double highest) {
    int number = step_below(highest);
    return step_at(number) < highest * 0.999999 ? step_at(number + 1) : step_at(number);
}

/* ---- the page ---- */

static void put_text(struct buffer *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '&' || *text == '<' || *text == '>')
            buffer_printf(out, "&#%d;", *text);
        else if ((unsigned char)*text >= ' ')
            buffer_append_byte(out, (uint8_t)*text);
    }
}

void chart_page_begin(struct buffer *out, int height, const char *title, const char *line) {
    buffer_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
                  "font-size=\"13\" fill=\"#1f2937\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
                  "<text x=\"%d\" y=\"30\" font-size=\"18\" font-weight=\"bold\">",
                  CHART_WIDTH, height, CHART_WIDTH, height, CHART_LEFT);
    put_text(out, title);
    buffer_printf(out, "</text>\n<text x=\"%d\" y=\"50\" fill=\"#4b5563\">", CHART_LEFT);
    put_text(out, line);
    buffer_append_text(out, "</text>\n");
}

void chart_page_end(struct buffer *out) {
    buffer_append_text(out, "</svg>\n");
}

/* ---- axes ---- */

static double position(const struct chart_axis *axis, double value) {
    double low = on_scale(axis->scale, axis->low), high = on_scale(axis->scale, axis->high);
    double share = (on_scale(axis->scale, value) - low) / (high - low);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

static double x_of(const struct chart *chart, double value) {
    return CHART_LEFT + position(&chart->x, value) * (CHART_WIDTH - CHART_LEFT - CHART_RIGHT);
}

static double y_of(const struct chart *chart, double value) {
    return chart->top + chart->height * (1 - position(&chart->y, value));
}

static void put_label(struct buffer *out, const struct chart_axis *axis, double value) {
    if (axis->scale == CHART_NINES)
        buffer_printf(out, "%g %%", value * 100);
    else if (value >= 1e6)
        buffer_printf(out, "%gM", value / 1e6);
    else if (value >= 1e4)
        buffer_printf(out, "%gk", value / 1e3);
    else
        buffer_printf(out, "%g", value);
}

static void put_x_tick(struct chart *chart, double value) {
    double x = x_of(chart, value), bottom = chart->top + chart->height;
    buffer_printf(chart->out,
                  "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#e5e7eb\"/>"
                  "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                  x, chart->top, bottom, x, bottom + 18);
    put_label(chart->out, &chart->x, value);
    buffer_append_text(chart->out, "</text>\n");
}

static void put_y_tick(struct chart *chart, double value) {
    double y = y_of(chart, value);
    buffer_printf(chart->out,
                  "<path d=\"M%d %.1fH%d\" stroke=\"#e5e7eb\"/>"
                  "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                  CHART_LEFT, y, CHART_WIDTH - CHART_RIGHT, CHART_LEFT - 8, y + 4);
    put_label(chart->out, &chart->y, value);
    buffer_append_text(chart->out, "</text>\n");
}

typedef void put_tick(struct chart *chart, double value);

static void put_linear_ticks(struct chart *chart, const struct chart_axis *axis, put_tick *put) {
    double step = step_at(step_below((axis->high - axis->low) / 4));
    double value = axis->low;
    for (int i = 0; i < TICKS_MAX && value <= axis->high * 1.0001;
         i++, value = axis->low + step * i)
        put(chart, value);
}

/* 1, 2, 5, 10 ...; only the tens when there are many. */
static void put_log_ticks(struct chart *chart, const struct chart_axis *axis, put_tick *put) {
    bool tens = axis->high / axis->low > 1e4;
    int last = step_below(axis->high);
    for (int number = step_below(axis->low); number <= last; number++)
        if (number % 3 == 0 || !tens)
            put(chart, step_at(number));
}

static void put_nines_ticks(struct chart *chart, const struct chart_axis *axis, put_tick *put) {
    static const double shares[] = {0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999};
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        if (shares[i] <= axis->high)
            put(chart, shares[i]);
}

static void put_ticks(struct chart *chart, const struct chart_axis *axis, put_tick *put) {
    if (axis->scale == CHART_LINEAR)
        put_linear_ticks(chart, axis, put);
    else if (axis->scale == CHART_LOG)
        put_log_ticks(chart, axis, put);
    else
        put_nines_ticks(chart, axis, put);
}

void chart_begin(struct chart *chart) {
    double middle = chart->top + chart->height / 2;
    if (chart->y.scale == CHART_LOG) {
        chart->y.low = step_at(step_below(chart->y.low));
        chart->y.high = chart_nice_high(chart->y.high);
        if (chart->y.high <= chart->y.low)
            chart->y.high = chart->y.low * 2;
    }
    buffer_printf(chart->out, "<text x=\"%d\" y=\"%.1f\" font-weight=\"bold\">", CHART_LEFT,
                  chart->top - 10);
    put_text(chart->out, chart->title);
    buffer_append_text(chart->out, "</text>\n");
    put_ticks(chart, &chart->x, put_x_tick);
    put_ticks(chart, &chart->y, put_y_tick);
    buffer_printf(chart->out,
                  "<path d=\"M%d %.1fV%.1fH%d\" fill=\"none\" stroke=\"#374151\"/>\n"
                  "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">",
                  CHART_LEFT, chart->top, chart->top + chart->height, CHART_WIDTH - CHART_RIGHT,
                  (CHART_WIDTH + CHART_LEFT - CHART_RIGHT) / 2, chart->top + chart->height + 38);
    put_text(chart->out, chart->x.title);
    buffer_printf(chart->out,
                  "</text>\n<text x=\"22\" y=\"%.1f\" text-anchor=\"middle\" "
                  "transform=\"rotate(-90 22 %.1f)\">",
                  middle, middle);
    put_text(chart->out, chart->y.title);
    buffer_append_text(chart->out, "</text>\n");
}

/* ---- lines ---- */

void chart_line_begin(struct chart *chart, unsigned color, const char *legend) {
    double x = CHART_WIDTH - CHART_RIGHT - 150.0 * (chart->legends + 1), y = chart->top - 14;
    const char *stroke = colors[color % COLOR_COUNT];
    buffer_printf(chart->out,
                  "<path d=\"M%.0f %.1fh24\" stroke=\"%s\" stroke-width=\"2.5\"/>"
                  "<text x=\"%.0f\" y=\"%.1f\">",
                  x, y, stroke, x + 30, y + 4);
    put_text(chart->out, legend);
    buffer_printf(chart->out,
                  "</text>\n<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" "
                  "stroke-linejoin=\"round\" points=\"",
                  stroke);
    chart->legends++;
}

void chart_point(struct chart *chart, double x, double y) {
    buffer_printf(chart->out, "%.1f,%.1f ", x_of(chart, x), y_of(chart, y));
}

void chart_line_end(struct chart *chart) {
    buffer_append_text(chart->out, "\"/>\n");
}
