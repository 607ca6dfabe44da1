/* check_changes.h - the part of a check for what tells of changes: records of streams, and history.
 * Private to this folder. */
#ifndef GRAMME_ENGINE_CHECK_CHANGES_H
#define GRAMME_ENGINE_CHECK_CHANGES_H

#include "engine/checking.h"

void check_changes(struct checking *checking);

/* A record of a stream that is sound stands in the shard of its item and in the generation of its
 * time, and is from before the end of its stream. */
struct error *check_stream_place(struct arena *arena, const struct key_codec *codec,
                                 const struct stream_definition *stream, struct slice key,
                                 struct slice value);

#endif
