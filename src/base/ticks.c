/* ticks.c - which count there is, and how fast it goes. */
#include "base/ticks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Long enough that two looks at a clock are a small part of it: a few parts in ten thousand. */
enum { MEASURE_NS = 200000 };

#define ONE_TO_ONE (UINT64_C(1) << 32)

struct ticks ticks = {.of_processor = false, .ns_scaled = ONE_TO_ONE};

#if defined(__x86_64__)
/* The kernel keeps time by the count only when it goes on at one rate, on all processors alike. */
static bool is_trusted(void) {
    char name[8] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, name, sizeof(name));
    if (fd >= 0)
        close(fd);
    return len == 4 && memcmp(name, "tsc\n", 4) == 0;
}

static uint64_t measure(void) {
    uint64_t began_ns = monotonic_ns(), began = ticks_of_processor(), now_ns;
    do
        now_ns = monotonic_ns();
    while (now_ns - began_ns < MEASURE_NS);
    uint64_t passed = ticks_of_processor() - began;
    return passed == 0 ? 0 : (now_ns - began_ns) * ONE_TO_ONE / passed;
}
#elif defined(__aarch64__)
static bool is_trusted(void) {
    return true; /* the architecture says so */
}

static uint64_t measure(void) {
    uint64_t per_second;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(per_second));
    return per_second == 0 ? 0 : UINT64_C(1000000000) * ONE_TO_ONE / per_second;
}
#else
static bool is_trusted(void) {
    return false;
}

static uint64_t measure(void) {
    return 0;
}
#endif

uint64_t ticks_of_clock(void) {
    return monotonic_ns();
}

void ticks_start(void) {
    uint64_t scaled = is_trusted() ? measure() : 0;
    if (scaled != 0)
        ticks = (struct ticks){.of_processor = true, .ns_scaled = scaled};
}
