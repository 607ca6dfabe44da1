/* xml.h - answers of the query protocol: elements with texts in them. */
#ifndef GRAMME_QUERY_XML_H
#define GRAMME_QUERY_XML_H

#include "base/buffer.h"

void xml_open(struct buffer *out, const char *name);
/* With a name space, for the outermost. */
void xml_open_root(struct buffer *out, const char *name, const char *name_space);
void xml_close(struct buffer *out, const char *name);
/* An element that is a text, which is escaped. */
void xml_text(struct buffer *out, const char *name, struct slice text);

struct xml_fault {
    const char *name_space;
    bool ours; /* the server's, not the sender's */
    struct slice code;
    struct slice message; /* absent: there is none */
    struct slice request_id;
};

/* The whole answer for what went wrong. */
void xml_write_fault(struct buffer *out, const struct xml_fault *fault);

#endif
