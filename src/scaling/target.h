/* target.h - what Application Auto Scaling knows: scalable targets, their policies, and what was
 * done for them.
 *
 * A target is one dimension of one table or index; a policy tracks a target value of it. Texts are
 * in the arena of whoever has the struct. */
#ifndef GRAMME_SCALING_TARGET_H
#define GRAMME_SCALING_TARGET_H

#include "base/slice.h"

enum scaling_dimension {
    SCALING_TABLE_READ,
    SCALING_TABLE_WRITE,
    SCALING_INDEX_READ,
    SCALING_INDEX_WRITE,
    SCALING_DIMENSION_COUNT,
};

/* "dynamodb:table:ReadCapacityUnits" */
const char *scaling_dimension_word(enum scaling_dimension dimension);
/* False: there is no such one. */
bool scaling_dimension_find(struct slice word, enum scaling_dimension *ret_dimension);

static inline bool scaling_is_write(enum scaling_dimension dimension) {
    return dimension == SCALING_TABLE_WRITE || dimension == SCALING_INDEX_WRITE;
}

static inline bool scaling_is_index(enum scaling_dimension dimension) {
    return dimension == SCALING_INDEX_READ || dimension == SCALING_INDEX_WRITE;
}

/* "table/t" and "table/t/index/i": false when it is neither, or not one of this dimension. The
 * index is absent of a table. */
bool scaling_resource_split(struct slice resource, enum scaling_dimension dimension,
                            struct slice *ret_table, struct slice *ret_index);

enum { SCALING_ALARMS = 4, SCALING_TARGETS_MAX = 2000, SCALING_POLICIES_MAX = 2000 };

struct scaling_target {
    struct slice resource;
    enum scaling_dimension dimension;
    int64_t min;
    int64_t max;
    struct slice role; /* absent: the service's own */
    bool suspended_in;
    bool suspended_out;
    bool suspended_scheduled;
    struct slice id; /* in its ARN */
    int64_t created_ms;
};

struct scaling_policy {
    struct slice resource;
    enum scaling_dimension dimension;
    struct slice name;
    struct slice id;
    double target;
    int64_t out_cooldown_s;
    int64_t in_cooldown_s;
    bool keeps_capacity;                    /* DisableScaleIn */
    struct slice alarm_ids[SCALING_ALARMS]; /* in the order of scaling_alarm_names */
    int64_t alarmed_capacity;               /* which their thresholds are for */
    uint32_t table_id;                      /* of the table that it was made for */
    int64_t created_ms;
    int64_t grown_ms;  /* when it last did; 0: never */
    int64_t shrunk_ms; /* likewise */
};

/* "AlarmHigh" ... */
extern const char *const scaling_alarm_names[SCALING_ALARMS];

struct scaling_activity {
    struct slice id;
    struct slice resource;
    enum scaling_dimension dimension;
    struct slice description;
    struct slice cause;
    struct slice status; /* "Successful" or "Failed" */
    struct slice message;
    int64_t begun_ms;
    int64_t ended_ms;
};

#endif
