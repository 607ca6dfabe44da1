/* settings.c - what changes the catalog: expiry, recovery, an index that comes and goes, backups,
 * restores. After a crash the engine is asked which of them happened that nobody heard of; all
 * others must be as they were. */
#include "simulation/world.h"

#include <string.h>

#include "base/check.h"
#include "support/expiry_fixture.h"
#include "support/index_fixture.h"

enum { RECOVERY_DAYS = 35 };

/* Whether it was done. */
static bool was_done(struct world *world, const struct error *error, bool *unsure) {
    if (error == NULL)
        return true;
    if (error->code != ERROR_LOCAL)
        world_fail(world, "a change of the catalog failed: %.*s", SLICE_ARGS(error->message));
    *unsure = *unsure || world->dying;
    return false;
}

static void switch_setting(struct world *world, bool *setting, const struct error *error) {
    if (was_done(world, error, &world->settings_unsure))
        *setting = !*setting;
}

static void switch_expiry(struct world *world) {
    const char *attribute = world->settings.expires ? NULL : "e";
    switch_setting(world, &world->settings.expires, expiry_set(&world->fixture, "T", attribute));
}

static void switch_recovery(struct world *world) {
    int64_t days = world->settings.recovers ? 0 : RECOVERY_DAYS;
    switch_setting(world, &world->settings.recovers, backup_recovery(&world->fixture, "T", days));
}

static void switch_index(struct world *world) {
    switch_setting(world, &world->settings.later,
                   world->settings.later ? index_remove(&world->fixture, "T", "later")
                                         : index_add(&world->fixture, "T"));
}

/* ---- backups ---- */

static void take_backup(struct world *world) {
    struct backup backup;
    bool done =
        was_done(world, backup_take(&world->fixture, "T", "b", &backup), &world->backup_unsure);
    memcpy(world->backup_items, world->model.items, sizeof(world->backup_items));
    if (!done)
        return;
    world->has_backup = true;
    world->backup = (struct backup_id){backup.created_ms, backup.id};
    world->backups++;
}

static void drop_backup(struct world *world) {
    struct backup backup = backup_now(&world->fixture, world->backup);
    struct error *error = backup_drop(&world->fixture, &backup);
    if (error != NULL && error->code == ERROR_BACKUP_IN_USE)
        return;
    if (was_done(world, error, &world->backup_unsure))
        world->has_backup = false;
}

/* ---- restores ---- */

static void began_restore(struct world *world, const struct error *error,
                          const struct model_item items[MODEL_KEYS]) {
    memcpy(world->restored, items, sizeof(world->restored));
    world->restoring = was_done(world, error, &world->restore_unsure);
}

static bool restore_backup(struct world *world) {
    struct backup backup = backup_now(&world->fixture, world->backup);
    if (backup.status != BACKUP_AVAILABLE)
        return false;
    struct error *error = backup_restore(&world->fixture, &backup, "R");
    began_restore(world, error, world->backup_items);
    return true;
}

/* Around some change: the moments that differ. */
static int64_t some_time(struct world *world, int64_t from_ms) {
    const struct model *model = &world->model;
    size_t recent = model->change_count < 300 ? model->change_count : 300;
    int64_t ms = world_now_ms();
    if (recent > 0) {
        size_t back = (size_t)chance_below(&world->chance, (int)recent) + 1;
        ms = model->changes[model->change_count - back].ms + chance_below(&world->chance, 3) - 1;
    }
    if (ms < from_ms)
        ms = from_ms;
    return ms < world_now_ms() ? ms : RESTORE_LATEST;
}

static void restore_time(struct world *world) {
    const struct table *table = fixture_table(&world->fixture, "T");
    int64_t ms = some_time(world, recovery_window_start_ms(&table->definition, world_now_ms()));
    struct error *error = backup_restore_time(&world->fixture, "T", ms, "R");
    struct model_item items[MODEL_KEYS];
    model_at(&world->model, ms, items);
    began_restore(world, error, items);
}

static bool change_backup(struct world *world) {
    if (!world->has_backup)
        take_backup(world);
    else if (!world->dying && chance_once_in(&world->chance, 3))
        drop_backup(world);
    else
        return false;
    return true;
}

/* The backup is looked at before, which takes a store that is not about to go. */
static bool restore_something(struct world *world) {
    if (world->restoring)
        return false;
    if (world->has_backup && !world->dying && chance_once_in(&world->chance, 3))
        return restore_backup(world);
    if (world->settings.recovers)
        restore_time(world);
    return world->settings.recovers;
}

bool settings_change(struct world *world) {
    switch (chance_below(&world->chance, 8)) {
    case 0:
        switch_expiry(world);
        return true;
    case 1:
        switch_recovery(world);
        return true;
    case 2:
        switch_index(world);
        return true;
    case 3:
        return change_backup(world);
    default:
        return restore_something(world);
    }
}

/* ---- looking ---- */

static void compare_restored(struct world *world) {
    struct model_item items[MODEL_KEYS];
    CHECK(checks_read_table(world, "R", items));
    for (int key = 0; key < MODEL_KEYS; key++)
        if (!model_item_equal(&items[key], &world->restored[key]))
            world_fail(world, "key %d was not restored as it was", key);
}

void settings_look(struct world *world) {
    if (!world->restoring)
        return;
    const struct table *table = fixture_table(&world->fixture, "R");
    if (table == NULL)
        world_fail(world, "the table that is being restored is gone");
    if (table->definition.restoring)
        return;
    compare_restored(world);
    CHECK(fixture_drop_table(&world->fixture, "R") == NULL);
    world->restoring = false;
    world->restores++;
}

/* ---- after a crash ---- */

static struct world_settings read_settings(struct world *world) {
    const struct table_definition *table = &fixture_table(&world->fixture, "T")->definition;
    return (struct world_settings){
        .expires = slice_present(table->ttl_attribute),
        .recovers = table->pitr_days > 0,
        .later = index_exists(&world->fixture, "T", "later"),
    };
}

/* The only one; an id of 0: there is none. */
static struct backup_id find_backup(struct world *world) {
    struct reader reader;
    struct backup_list list;
    struct backup backup;
    CHECK(reader_begin(world->fixture.engine, &world->fixture.arena, READ_SNAPSHOT, &reader) ==
          NULL);
    CHECK(backup_list_open(reader.arena, reader.txn, NULL, &list) == NULL);
    CHECK(backup_list_next(&list, &backup) == NULL);
    struct backup_id found = {0, 0};
    if (slice_present(backup.name))
        found = (struct backup_id){backup.created_ms, backup.id};
    backup_list_close(&list);
    reader_end(&reader);
    return found;
}

void settings_resolve(struct world *world) {
    struct world_settings now = read_settings(world), *known = &world->settings;
    if (!world->settings_unsure && (now.expires != known->expires ||
                                    now.recovers != known->recovers || now.later != known->later))
        world_fail(world, "a setting of the table is another after a crash");
    *known = now;
    struct backup_id backup = find_backup(world);
    if (!world->backup_unsure && (backup.id != 0) != world->has_backup)
        world_fail(world, "a backup came or went in a crash");
    world->has_backup = backup.id != 0;
    world->backup = backup;
    if (world->restore_unsure)
        world->restoring = fixture_table(&world->fixture, "R") != NULL;
    world->settings_unsure = world->backup_unsure = world->restore_unsure = false;
}
