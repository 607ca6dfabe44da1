/* machine.h - what the machine has. */
#ifndef GRAMME_BASE_MACHINE_H
#define GRAMME_BASE_MACHINE_H

#include <stdint.h>

/* The memory that this process may use: the machine's, or less when a container or a service
 * manager limits it. 0 when nobody says. */
uint64_t machine_memory_bytes(void);

#endif
