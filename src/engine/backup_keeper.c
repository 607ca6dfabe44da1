/* backup_keeper.c - see the header. */
#include "engine/backup_keeper.h"

#include "engine/backup_records.h"

static struct error *find_first(struct backup_list *list, struct backup_keeper *ret_keeper) {
    *ret_keeper = (struct backup_keeper){INT64_MAX};
    for (;;) {
        struct backup backup;
        TRY(backup_list_next(list, &backup));
        if (!slice_present(backup.name))
            return NULL;
        if (backup.expiry_ms != 0)
            backup_keeper_expect(ret_keeper, backup.expiry_ms);
    }
}

struct error *backup_keeper_load(struct backup_keeper *keeper, struct arena *arena,
                                 struct store_txn *txn) {
    struct backup_list list;
    struct backup_keeper found;
    TRY(backup_list_open(arena, txn, NULL, &list));
    struct error *error = find_first(&list, &found);
    backup_list_close(&list);
    if (error == NULL)
        *keeper = found;
    return error;
}
