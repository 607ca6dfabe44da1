/* answer.h - an answer, in the protocol of who asked: JSON, CBOR or XML.
 *
 * An operation writes members of objects and items of lists, by one set of functions; a name of
 * NULL is for items of a list. Every object and list is ended. In XML an item is a <member>.
 *
 *     answer_text(answer, "Label", label);
 *     answer_list(answer, "Values");
 *     answer_number(answer, NULL, 1.5);
 *     answer_end(answer);
 *
 * Memory: a borrowed buffer, whose overflow the caller looks at. */
#ifndef GRAMME_SERVICE_ANSWER_H
#define GRAMME_SERVICE_ANSWER_H

#include "json/writer.h"

enum answer_form { ANSWER_JSON, ANSWER_CBOR, ANSWER_XML };

enum { ANSWER_DEPTH_MAX = 16 };

struct answer {
    enum answer_form form;
    struct buffer *out;
    struct json_writer json;
    unsigned depth;
    struct {
        const char *name; /* of the XML element; NULL: there is none */
        bool list;
        size_t count_at; /* CBOR: where its count stands */
        uint32_t count;
    } open[ANSWER_DEPTH_MAX];
};

/* Begins the outermost object, which answer_finish() ends. In XML it has no element: whoever calls
 * this writes what is around it. */
void answer_init(struct answer *answer, enum answer_form form, struct buffer *out);
void answer_finish(struct answer *answer);

void answer_object(struct answer *answer, const char *name);
void answer_list(struct answer *answer, const char *name);
void answer_end(struct answer *answer); /* of the last of both */

void answer_text(struct answer *answer, const char *name, struct slice text);
/* A text of the program's own; it ends with a NUL. */
void answer_word(struct answer *answer, const char *name, const char *word);
void answer_number(struct answer *answer, const char *name, double n); /* finite */
void answer_integer(struct answer *answer, const char *name, int64_t n);
void answer_bool(struct answer *answer, const char *name, bool truth);
/* A number by a name that comes from elsewhere, in an object that is a map: an <entry> in XML. */
void answer_entry(struct answer *answer, const char *key, double n);
void answer_time(struct answer *answer, const char *name, int64_t ms);

#endif
