/* loader.h - what the files that read a policy share. */
#ifndef GRAMME_POLICY_LOADER_H
#define GRAMME_POLICY_LOADER_H

#include "json/reader.h"
#include "policy/state.h"

struct policy_loader {
    struct arena *arena;
    struct json_reader json;
    const struct policy_document *document;
    size_t statement;     /* counted from 1; 0: outside of statements */
    struct slice sid;     /* absent: the statement has none, or it was not read yet */
    struct slice element; /* where the reader is; absent: in none */
    bool variables;       /* the document's version has them */
    uint64_t keys_used;
    const uint8_t *counted; /* up to here lines and characters are counted */
    struct policy_position position;
};

/* "policy.json: statement 2 (Sid), Condition: ...". */
struct error *policy_fault(const struct policy_loader *loader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What is wrong with the JSON, when it is; else `wanted`: "must be an object". */
struct error *policy_shape_fault(const struct policy_loader *loader, const char *wanted);

/* Room for one more at the end of an array that grows only by this: zeroed, in the arena. */
void *policy_room(struct arena *arena, void *list, size_t count, size_t size);
#define POLICY_ADD(arena, list, count) \
    ((list) = policy_room((arena), (list), (count), sizeof(*(list))), &(list)[(count)++])

/* How texts are read here: with the document's variables. */
struct pattern_syntax policy_syntax(const struct policy_loader *loader, bool wildcards);
struct error *policy_read_pattern(struct policy_loader *loader, const struct pattern_syntax *syntax,
                                  struct slice text, struct pattern *ret_pattern);
struct error *policy_read_arn(struct policy_loader *loader, struct slice text,
                              struct arn_pattern *ret_arn);

/* A string, or a list of at least one, each of which is taken. */
typedef struct error *policy_take(struct policy_loader *loader, struct policy_statement *statement,
                                  struct slice text);
struct error *policy_read_strings(struct policy_loader *loader, policy_take *take,
                                  struct policy_statement *statement);

/* After the name of the element: reads its value. */
struct error *policy_read_principals(struct policy_loader *loader,
                                     struct policy_statement *statement);
struct error *policy_read_conditions(struct policy_loader *loader,
                                     struct policy_statement *statement);

#endif
