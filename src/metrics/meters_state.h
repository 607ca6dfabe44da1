/* meters_state.h - meters from the inside; for meters.c and meters_read.c only. */
#ifndef GRAMME_METRICS_METERS_STATE_H
#define GRAMME_METRICS_METERS_STATE_H

#include <pthread.h>

#include "metrics/meter.h"

enum { METER_IDS = 4 * METER_TABLES_MAX, METER_ID_SHIFT = 32 - 14, METER_LINE_BYTES = 128 };
_Static_assert(METER_IDS == 1 << 14, "what the shift leaves");

struct meter_id {
    struct meter_table *table; /* NULL: free */
    uint32_t id;
};

struct meter_thread {
    _Alignas(METER_LINE_BYTES) struct meter_table *_Atomic tables; /* newest first */
    struct meter_table *none, *other;                              /* of them */
    size_t table_count, operation_count, index_count, id_count;
    struct meter_thread *next;
    bool is_free;       /* nobody counts in it now; under the lock */
    struct arena arena; /* of all entries */
    struct meter_commit commit;
    struct meter_id ids[METER_IDS]; /* open addressing, at most half full */
};

struct meters {
    pthread_mutex_t lock;         /* of the list */
    struct meter_thread *threads; /* newest first */
};

static inline size_t meter_id_slot(uint32_t id) {
    return (id * UINT32_C(2654435769)) >> METER_ID_SHIFT;
}

#endif
