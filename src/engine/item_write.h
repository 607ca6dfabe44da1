/* item_write.h - one write on one item, inside a group. Private to this folder. */
#ifndef GRAMME_ENGINE_ITEM_WRITE_H
#define GRAMME_ENGINE_ITEM_WRITE_H

#include "engine/group.h"

/* Decides, and when nothing speaks against it applies: the item's slot, and that of its collection
 * when the table counts them, get their new values. Fills the write's results. */
void item_write_run(struct group *group, const struct write_job *job, struct item_write *write);
/* The slots that the write uses, made when they are new: the item's first. Returns how many; none
 * when it was refused before. */
enum { WRITE_SLOTS_MAX = 2 };
size_t item_write_slots(struct group *group, const struct item_write *write,
                        struct slot *ret_slots[WRITE_SLOTS_MAX]);

#endif
