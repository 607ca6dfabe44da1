/* totals_place.h - how far the totals have come: one item, and every write of a total goes with it.
 *
 *     PK TOTALS#PLACE, SK METADATA -> Type, Position, the place in the stream up to which all
 *     changes are in the totals, SavedAt, RebuiltAt; or, while they are built anew, Builder, a name
 *     that nobody else has, and SavedAt, when its builder was last seen
 *
 * Who adds to totals has it that Position is still what it was read as; who builds them anew, that
 * Builder is still its own. So what several copies do happens once, and one that was thought dead
 * does no harm. */
#ifndef LEDGER_TOTALS_PLACE_H
#define LEDGER_TOTALS_PLACE_H

#include "common/bundle.h"
#include "common/random.h"
#include "entity.h"

struct totals_place {
    bool found;
    char *position; /* NULL while they are built anew */
    char rebuild[UUID_TEXT_SIZE];
    int64_t saved_ms;
};

/* False, with a message, when it cannot be read. Release it in any case. */
bool place_read(struct app *app, struct totals_place *ret_place);
void place_release(struct totals_place *place);

/* Begins to build anew, under this name: in any case, or only when the place is still as it was
 * read. */
enum bundle_outcome place_claim(struct app *app, const struct totals_place *seen, const char *name);

/* Writes totals and moves the place, all or nothing: from a position to the next, or, with a name,
 * as its builder, who ends with a position. Of failures there is no message yet. */
struct place_move {
    const char *from; /* or NULL: by `rebuild` */
    const char *rebuild;
    const char *to; /* NULL: the building goes on */
};
enum bundle_outcome place_move(struct app *app, const struct place_move *move,
                               struct bundle *totals);

#endif
