/* scaled.h - capacity that auto scaling sets: what a template says of it is where it begins. */
#ifndef GRAMME_TEMPLATE_SCALED_H
#define GRAMME_TEMPLATE_SCALED_H

#include "template/watch.h"

/* What one of these targets scales, and is within its bounds, is wanted as it was found: otherwise
 * each apply would undo what scaling did, which sets it again. */
void scaled_keep(const struct wanted_watch *watches, size_t count, struct table_definition *wanted,
                 const struct table_definition *found);

#endif
