/* dump_stream.c - file descriptors as sources and sinks, and what a dump's summary says of a
 * database. Memory: none. Threads: the caller's. */
#include "admin/dump_stream.h"

#include <errno.h>
#include <unistd.h>

#include "admin/files.h"
#include "base/container.h"
#include "engine/engine.h"

static struct error *source_read(struct dump_source *base, struct arena *arena, void *bytes,
                                 size_t size, size_t *ret_len) {
    const struct fd_source *source = container_of(base, struct fd_source, base);
    ssize_t len;
    do {
        len = read(source->fd, bytes, size);
    } while (len < 0 && errno == EINTR);
    if (len < 0)
        return files_failed(arena, "read", source->name);
    *ret_len = (size_t)len;
    return NULL;
}

static struct error *sink_write(struct dump_sink *base, struct arena *arena, struct slice bytes) {
    const struct fd_sink *sink = container_of(base, struct fd_sink, base);
    return files_write_all(sink->fd, bytes) ? NULL : files_failed(arena, "write", sink->name);
}

static void progress_report(struct dump_progress *base, uint64_t records, uint64_t bytes) {
    struct dump_observer *observer = container_of(base, struct stream_progress, base)->observer;
    if (observer != NULL)
        observer->report(observer, records, bytes);
}

struct fd_source fd_source_of(int fd, const char *name) {
    return (struct fd_source){{source_read}, fd, name};
}

struct fd_sink fd_sink_of(int fd, const char *name) {
    return (struct fd_sink){{sink_write}, fd, name};
}

struct stream_progress stream_progress_of(struct dump_observer *observer) {
    return (struct stream_progress){{progress_report}, observer};
}

struct dump_file_summary dump_file_summary_of(const struct dump_summary *dump) {
    struct dump_file_summary summary = {
        .counted = true,
        .records = dump->record_count,
        .bytes = dump->bytes,
        .program = dump->program,
        .made_ms = dump->made_ms,
    };
    for (size_t i = 0; i < dump->keyspace_count; i++)
        if (slice_is(dump->names[i], engine_keyspaces[KEYSPACE_ITEMS].name))
            summary.items = dump->records[i];
    return summary;
}
