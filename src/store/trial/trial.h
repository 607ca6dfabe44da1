/* trial.h - whether an engine can be trusted with a store that several servers share, and how fast
 * it is: the races that unsound engines lose, and figures. It stands on the seam as a caller does.
 *
 * Memory: the arena's, and some megabytes of the store's. Threads: two of its own. */
#ifndef GRAMME_STORE_TRIAL_TRIAL_H
#define GRAMME_STORE_TRIAL_TRIAL_H

#include "store/store.h"

/* Opens stores on the same data, which is empty at first. Each takes the lead from whoever has it,
 * so that only what the engine refuses keeps two of them apart. */
struct trial_opener {
    struct error *(*open)(struct trial_opener *opener, struct arena *arena,
                          const struct store_keyspace *keyspaces, size_t count,
                          struct store **ret_store);
};

struct trial_line {
    const char *name;
    struct slice text; /* what was found */
    enum { TRIAL_PASSED, TRIAL_FAILED, TRIAL_FIGURE } kind;
};

/* Is told each line when it is known. */
struct trial_observer {
    void (*line)(struct trial_observer *observer, const struct trial_line *line);
};

/* An error: it could not be finished. */
struct error *store_trial(struct arena *arena, struct trial_opener *opener,
                          struct trial_observer *observer, size_t *ret_failed);

#endif
