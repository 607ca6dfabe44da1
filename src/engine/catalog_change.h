/* catalog_change.h - running a change of the catalog. Private to this folder; commit thread. */
#ifndef GRAMME_ENGINE_CATALOG_CHANGE_H
#define GRAMME_ENGINE_CATALOG_CHANGE_H

#include "engine/catalog_job.h"

/* Runs one change in a transaction of its own. */
void catalog_run(struct engine *engine, struct catalog_job *job);

#endif
