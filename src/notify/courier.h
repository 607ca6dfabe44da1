/* courier.h - brings parcels to URLs and commands, by a thread of its own.
 *
 * Parcels to the same place are brought one after another, in the order of their coming; those to
 * different places at the same time. A place that is slow or dead holds up nobody else: each
 * attempt has a time limit, there are few of them with growing pauses, and only so many parcels to
 * one place are taken. What came of a parcel is told on the courier's thread. */
#ifndef GRAMME_NOTIFY_COURIER_H
#define GRAMME_NOTIFY_COURIER_H

#include "base/error.h"
#include "notify/parcel.h"

/* Of all parcels, of those to one place, and of attempts at the same time. */
enum { COURIER_PARCELS_MAX = 1024, COURIER_LANE_MAX = 64, COURIER_TRIPS_MAX = 32 };

struct courier_options {
    unsigned attempts;        /* these five are 0 for what is usual */
    uint32_t connect_ms;      /* time limits of one attempt */
    uint32_t attempt_ms;      /* likewise, as a whole; commands too */
    uint32_t pause_ms;        /* before the second attempt; four times as long before each next */
    uint32_t grace_ms;        /* at the end, for attempts under way */
    const char *const *hosts; /* that may be posted to; NULL ends them, or is for any */
    /* Quickly; the outcome is for good. What is not told by the end was not brought. */
    void (*done)(void *user, const struct parcel *parcel, const struct outcome *outcome);
    void *user;
};

struct courier;

/* Loads libcurl. */
struct error *courier_start(struct arena *arena, const struct courier_options *options,
                            struct courier **ret_courier);
/* Copies the parcel. False: there are too many, of all or to this place. Any thread. */
bool courier_send(struct courier *courier, const struct parcel *parcel);
/* Waits for attempts under way, at most the grace, and gives up the rest. courier_stop(NULL) is
 * fine. */
void courier_stop(struct courier *courier);

#endif
