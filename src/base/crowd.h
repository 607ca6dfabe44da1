/* crowd.h - whether the other threads of this process want the processors that there are.
 *
 * For a thread with work that can wait: it asks now and then, and gives way while they do. Told
 * from the processor time that they have used since the last look: whether that leaves a processor
 * to this thread. */
#ifndef GRAMME_BASE_CROWD_H
#define GRAMME_BASE_CROWD_H

#include <stdbool.h>
#include <stdint.h>

/* Zero is fine. Of one thread. */
struct crowd {
    int64_t looked_ns; /* on the monotonic clock */
    int64_t process_ns;
    int64_t thread_ns;
    bool crowded;
};

/* What was true of the time between the last two looks that were some milliseconds apart. */
bool crowd_look(struct crowd *crowd);

#endif
