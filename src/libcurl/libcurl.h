/* libcurl.h - the functions of libcurl, which is loaded when the first of its users needs it.
 *
 * They are called through a table, libcurl.easy_init() and so on, that libcurl_load() fills. Its
 * global state is set up once for the process. A function that is not listed cannot be called.
 * Threads: any. */
#ifndef GRAMME_LIBCURL_LIBCURL_H
#define GRAMME_LIBCURL_LIBCURL_H

#include <curl/curl.h>
#include <stdbool.h>

#define LIBCURL_FUNCTIONS(F) \
    F(easy_cleanup)          \
    F(easy_getinfo)          \
    F(easy_init)             \
    F(easy_perform)          \
    F(easy_setopt)           \
    F(easy_strerror)         \
    F(global_init)           \
    F(multi_add_handle)      \
    F(multi_cleanup)         \
    F(multi_info_read)       \
    F(multi_init)            \
    F(multi_perform)         \
    F(multi_poll)            \
    F(multi_remove_handle)   \
    F(multi_wakeup)          \
    F(slist_append)          \
    F(slist_free_all)        \
    F(url)                   \
    F(url_cleanup)           \
    F(url_get)               \
    F(url_set)               \
    F(free)

#define LIBCURL_MEMBER(name) __typeof__(curl_##name) *name;
struct libcurl {
    LIBCURL_FUNCTIONS(LIBCURL_MEMBER)
};
#undef LIBCURL_MEMBER

extern struct libcurl libcurl; /* written by libcurl_load() only */

/* False: there is no such library here. */
bool libcurl_load(void);

#endif
