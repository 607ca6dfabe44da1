/* post.h - one attempt to POST a parcel, among others that are under way at the same time.
 *
 * Redirects are not followed: a parcel goes where it was sent to or nowhere. The answer's body is
 * read and forgotten. Threads: the courier's. */
#ifndef GRAMME_NOTIFY_POST_H
#define GRAMME_NOTIFY_POST_H

#include "libcurl/libcurl.h"
#include "notify/parcel.h"

struct post_limits {
    long connect_ms;
    long total_ms;
    const char *const *hosts; /* that may be sent to; NULL ends them, or is for any */
};

struct post;

/* NULL, and the outcome is set: there is nothing to try. The parcel must outlive it. */
struct post *post_start(CURLM *multi, const struct parcel *parcel, const struct post_limits *limits,
                        struct outcome *ret_outcome);
CURL *post_handle(const struct post *post);
/* After libcurl said that it is done. */
void post_finish(struct post *post, CURLcode code, struct outcome *ret_outcome);
/* Gives up what is under way. post_free(NULL) is fine. */
void post_free(struct post *post);

#endif
