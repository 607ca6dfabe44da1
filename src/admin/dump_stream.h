/* dump_stream.h - dumps over file descriptors, for dump_file.c and dump_restore.c. */
#ifndef GRAMME_ADMIN_DUMP_STREAM_H
#define GRAMME_ADMIN_DUMP_STREAM_H

#include "admin/dump_file.h"
#include "store/dump/dump.h"

struct fd_source {
    struct dump_source base;
    int fd;
    const char *name; /* for errors */
};

struct fd_sink {
    struct dump_sink base;
    int fd;
    const char *name;
};

struct stream_progress {
    struct dump_progress base;
    struct dump_observer *observer; /* or NULL */
};

struct fd_source fd_source_of(int fd, const char *name);
struct fd_sink fd_sink_of(int fd, const char *name);
struct stream_progress stream_progress_of(struct dump_observer *observer);

struct dump_file_summary dump_file_summary_of(const struct dump_summary *dump);

#endif
