/* backup_fixture.h - recovery, backups and restores on an engine fixture: for tests of the engine
 * and of its faults. */
#ifndef GRAMME_TESTS_BACKUP_FIXTURE_H
#define GRAMME_TESTS_BACKUP_FIXTURE_H

#include "engine/backup.h"
#include "support/engine_fixture.h"

/* Turns recovery on for so many days, or off for 0. */
struct error *backup_recovery(struct engine_fixture *fixture, const char *table, int64_t days);
struct error *backup_take(struct engine_fixture *fixture, const char *table, const char *name,
                          struct backup *ret_backup);
/* The same, with a put that is committed right after it, before anything is copied. */
struct error *backup_take_then_put(struct engine_fixture *fixture, const char *table,
                                   const char *name, const char *json, struct backup *ret_backup);
struct error *backup_drop(struct engine_fixture *fixture, const struct backup *backup);
/* The backup as it is now; an absent name: there is none. */
struct backup backup_now(struct engine_fixture *fixture, struct backup_id id);
/* How many there are. */
size_t backup_count(struct engine_fixture *fixture);
/* Until it is AVAILABLE. */
void backup_wait(struct engine_fixture *fixture, const struct backup *backup);

/* A new table from a backup, or from another table at that time. */
struct error *backup_restore(struct engine_fixture *fixture, const struct backup *backup,
                             const char *target);
struct error *backup_restore_time(struct engine_fixture *fixture, const char *source,
                                  int64_t time_ms, const char *target);
/* The same, with a put to the source that is committed right after it. */
struct error *backup_restore_time_then_put(struct engine_fixture *fixture, const char *source,
                                           int64_t time_ms, const char *target, const char *json);
/* Until the table is ACTIVE. */
void backup_table_wait(struct engine_fixture *fixture, const char *table);

/* Records in a range of a keyspace, all of an id when it is not 0. */
size_t backup_records(struct engine_fixture *fixture, struct store *store, uint8_t keyspace,
                      uint32_t id);

#endif
