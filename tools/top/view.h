/* view.h - what happened between two pages, as lines for people. Pure. */
#ifndef GRAMME_TOP_VIEW_H
#define GRAMME_TOP_VIEW_H

#include "base/buffer.h"
#include "top/page.h"

struct top_size {
    size_t rows; /* 0: as many as there are */
    size_t columns;
};

/* `before` is `seconds` older. Lines end in a newline; those that fit. */
void top_view_write(struct buffer *out, const struct top_page *before, const struct top_page *now,
                    double seconds, struct top_size size);

/* The time within which so much (0 to 1) of what came between two readings was done; seconds.
 * Within a bucket times are taken to be spread evenly. */
double top_quantile(const struct top_times *before, const struct top_times *now, double part);

#endif
