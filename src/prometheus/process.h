/* process.h - what Prometheus wants to know of every process: process_*. */
#ifndef GRAMME_PROMETHEUS_PROCESS_H
#define GRAMME_PROMETHEUS_PROCESS_H

#include "prometheus/exposition.h"

/* Of this one, from /proc; what cannot be read is left out. */
void process_page_write(struct exposition *exposition);

#endif
