/* web.h - asks one of the services over HTTP. Threads: any. */
#ifndef DEMO_WEB_H
#define DEMO_WEB_H

#include "common/app.h"

enum { WEB_TIMEOUT_MS = 20000, WEB_REPLY_MAX = 4 << 20 };

struct web_reply {
    int status; /* HTTP's; 0: there was no answer */
    char *text; /* with a NUL after it, never NULL */
    size_t size;
};

/* With a body, JSON, it is sent; without one (NULL) it is not. */
void web_ask(const char *method, const char *url, const char *body, struct web_reply *ret_reply);
void web_reply_free(struct web_reply *reply);

/* The JSON object of a reply as the map `document` of an item that is yours; NULL: it is none. */
struct ddb_item *web_document(const struct web_reply *reply);

#endif
