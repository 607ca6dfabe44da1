/* cases_streams.c - reading a stream, a bit in every run, with the position in a file between. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

enum { POSITION_MAX = 100000, PATIENCE_MS = 30000 };

static char *read_position(const char *path) {
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    if (file == NULL)
        return NULL;
    char *text = calloc(1, POSITION_MAX);
    if (fread(text, 1, POSITION_MAX - 1, file) == 0)
        printf("the position is empty\n");
    fclose(file);
    return text;
}

static void keep_position(const char *path, const struct ddb_stream *stream) {
    char *position = ddb_stream_position(stream);
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file != NULL) {
        fputs(position, file);
        fclose(file);
    }
    free(position);
}

static void print_record(const struct ddb_record *record) {
    static const char *const names[] = {
        [DDB_INSERT] = "insert", [DDB_MODIFY] = "modify", [DDB_REMOVE] = "remove"};
    printf("%s %s %s %s%s\n", names[record->event], ddb_item_string(record->keys, "pk", "?"),
           ddb_item_number(record->old_image, "n", "-"),
           ddb_item_number(record->new_image, "n", "-"), record->expired ? " expired" : "");
}

/* The argument is how many records to read at most; "" reads all that there are. */
static void stream(struct ddb_client *db, const char *argument) {
    const char *path = getenv("CASE_POSITION");
    char *position = read_position(path);
    struct ddb_stream *changes = ddb_stream_open(
        db, &(struct ddb_stream_options){
                .table = position == NULL ? "table" : NULL, .position = position, .page_size = 3});
    free(position);
    int left = argument[0] == '\0' ? -1 : atoi(argument);
    while (changes != NULL && left-- != 0) {
        /* With a number in view there is time for all to come. */
        const struct ddb_record *record =
            ddb_stream_next(changes, argument[0] == '\0' ? 0 : PATIENCE_MS);
        if (record == NULL)
            break;
        print_record(record);
        keep_position(path, changes);
    }
    report(db, ddb_client_error(db) == NULL);
    ddb_stream_close(changes);
}

const struct client_case stream_cases[] = {
    {"stream", stream},
    {NULL, NULL},
};
