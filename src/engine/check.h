/* check.h - whether a store is a sound database: every record by itself, and all of them against
 * each other.
 *
 * What the engine keeps twice has to agree: items and the entries of indexes, both ways; items and
 * expiries, both ways; items and the sizes of their collections; the statistics of every range;
 * backups and their items; streams, history and tokens and what the catalog says of them. What a
 * backfill or a copy has not come to yet is known by its cursor, and is not missed.
 *
 * The store is read in order of its keys, and what belongs to a record is looked up, so memory is
 * bounded by the catalog and not by what is stored. Nobody may write to the store meanwhile,
 * unless all its reads are of one moment.
 *
 * Memory: the summary is in the arena. Threads: the caller's. */
#ifndef GRAMME_ENGINE_CHECK_H
#define GRAMME_ENGINE_CHECK_H

#include "engine/check_report.h"

/* What cannot be read is a fault too. */
void engine_check(struct arena *arena, struct store *store, struct check_observer *observer,
                  struct check_summary *ret_summary);

#endif
