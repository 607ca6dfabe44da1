/* stream_fixture.h - streams as text, for tests of the engine and of its faults. */
#ifndef GRAMME_TESTS_STREAM_FIXTURE_H
#define GRAMME_TESTS_STREAM_FIXTURE_H

#include "engine/stream_read.h"
#include "support/engine_fixture.h"

enum { STREAMS_MAX = 64 };

/* The streams of a table, or of all tables (NULL), oldest first; returns how many. */
size_t streams_of(struct engine_fixture *fixture, const char *table,
                  struct stream_definition ret_streams[STREAMS_MAX]);
/* The only stream of a table, or the newest. */
struct stream_definition stream_of(struct engine_fixture *fixture, const char *table);

/* What is stored of a stream, all shards together by their numbers, a line for each record:
 *   INSERT keys {...}
 *   MODIFY new {...} old {...}
 *   REMOVE expired old {...}
 * The text of records is checked on the way: numbers are of their shard and no two are the same. */
const char *stream_text(struct engine_fixture *fixture, const struct stream_definition *stream);
/* The numbers of those records; returns how many. */
size_t stream_numbers(struct engine_fixture *fixture, const struct stream_definition *stream,
                      uint64_t *ret_numbers, size_t max);

/* How many records and how many streams the store holds, whoever they belong to. */
void streams_stored(struct store *store, size_t *ret_records, size_t *ret_streams);

#endif
