/* stream.h - what a stream is: the changes of one table, in the order in which they happened.
 *
 * A definition is plain data; its slices live as long as the bytes that it was read from. It
 * outlives the table, and is found by the table's name and its own label. */
#ifndef GRAMME_MODEL_STREAM_H
#define GRAMME_MODEL_STREAM_H

#include "model/capacity.h"

/* One for each partition, or for each group of keys where several servers write. */
enum { STREAM_SHARDS_MAX = 32 };

struct stream_definition {
    struct slice table_name;
    struct slice label;    /* when it was made, as text; of one table no two are the same */
    uint32_t id;           /* of the key range of its records */
    enum stream_view view; /* never STREAM_OFF */
    struct key_schema keys;
    int64_t shards;     /* at a time, 1 to STREAM_SHARDS_MAX */
    int64_t created_ms; /* the time of its first number */
    int64_t ended;      /* the first number that it cannot have; 0: it goes on */
    int64_t kept;       /* the first generation of shards whose records were not deleted */
};

enum change_event { CHANGE_INSERT, CHANGE_MODIFY, CHANGE_REMOVE };

/* What became of one item in one write. Which parts are there depends on the stream's view. */
struct stream_record {
    enum change_event event;
    bool expired; /* its time to live had passed; nobody asked for it */
    /* DynamoDB's size of the keys and of the images that are there. */
    uint32_t size;
    struct value keys; /* absent when there is an image, which has them */
    struct value new_image;
    struct value old_image;
};

#endif
