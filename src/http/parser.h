/* parser.h - llhttp and its predecessor http_parser behind one set of names.
 *
 * Only reader.c includes this. Both libraries call back with pieces of the bytes they are given;
 * both stop at the end of a message when the callback asks for it. */
#ifndef GRAMME_HTTP_PARSER_H
#define GRAMME_HTTP_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parser_outcome { PARSER_MORE, PARSER_STOPPED, PARSER_FAILED };

#ifdef GRAMME_LLHTTP

#include <llhttp.h>

typedef llhttp_t parser;
typedef llhttp_settings_t parser_settings;

static inline void parser_init(parser *p, const parser_settings *settings) {
    llhttp_init(p, HTTP_REQUEST, settings);
    /* As its predecessor: any version that is written as one. reader.c tells which we speak. */
    llhttp_set_lenient_version(p, 1);
}

/* What on_message_complete returns to stop there. */
static inline int parser_stop(parser *p) {
    (void)p;
    return HPE_PAUSED;
}

static inline enum parser_outcome parser_execute(parser *p, const parser_settings *settings,
                                                 const char *data, size_t len, size_t *ret_used) {
    (void)settings;
    llhttp_errno_t outcome = llhttp_execute(p, data, len);
    if (outcome == HPE_OK) {
        *ret_used = len;
        return PARSER_MORE;
    }
    const char *at = llhttp_get_error_pos(p);
    *ret_used = at == NULL ? 0 : (size_t)(at - data);
    return outcome == HPE_PAUSED ? PARSER_STOPPED : PARSER_FAILED;
}

static inline bool parser_keep_alive(const parser *p) {
    return llhttp_should_keep_alive(p) != 0;
}

static inline uint64_t parser_content_length(const parser *p) {
    return p->flags & F_CONTENT_LENGTH ? p->content_length : 0;
}

#else

#include <http_parser.h>

typedef struct http_parser parser;
typedef struct http_parser_settings parser_settings;

static inline void parser_init(parser *p, const parser_settings *settings) {
    (void)settings;
    http_parser_init(p, HTTP_REQUEST);
}

static inline int parser_stop(parser *p) {
    http_parser_pause(p, 1);
    return 0;
}

static inline enum parser_outcome parser_execute(parser *p, const parser_settings *settings,
                                                 const char *data, size_t len, size_t *ret_used) {
    *ret_used = http_parser_execute(p, settings, data, len);
    switch ((int)HTTP_PARSER_ERRNO(p)) {
    case HPE_OK:
        return PARSER_MORE;
    case HPE_PAUSED:
        return PARSER_STOPPED;
    default:
        return PARSER_FAILED;
    }
}

static inline bool parser_keep_alive(const parser *p) {
    return http_should_keep_alive(p) != 0;
}

static inline uint64_t parser_content_length(const parser *p) {
    return p->flags & F_CONTENTLENGTH ? p->content_length : 0;
}

#endif

static inline bool parser_chunked(const parser *p) {
    return (p->flags & F_CHUNKED) != 0;
}

#endif
