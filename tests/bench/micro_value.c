/* micro_value.c - how long one item takes from JSON to flat bytes and back.
 *
 * The item is typical: about 300 bytes, eight attributes, names not in order. Prints nanoseconds
 * per item, the best of several rounds, so that other work on the machine disturbs little. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "model/value_json.h"

static const char item_json[] =
    "{\"pk\":{\"S\":\"customer#0000184467\"},\"sk\":{\"S\":\"order#2024-05-16T16:00:34.567Z\"},"
    "\"status\":{\"S\":\"SHIPPED\"},\"total\":{\"N\":\"1249.95\"},\"items\":{\"N\":\"3\"},"
    "\"paid\":{\"BOOL\":true},\"address\":{\"M\":{\"street\":{\"S\":\"Rue du Moulin 12\"},"
    "\"city\":{\"S\":\"Jehay-Bodegn\xC3\xA9"
    "e\"},\"zip\":{\"N\":\"4540\"}}},"
    "\"note\":{\"S\":\"Leave the parcel with the neighbour at number 14 if nobody is in.\"}}";

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

struct bench {
    struct arena arena;
    struct buffer flat;
    struct buffer text;
    struct value item;
};

static void to_flat(struct bench *b) {
    struct json_reader reader;
    struct value_builder builder;
    struct value_fault fault = {0};
    arena_reset(&b->arena);
    buffer_reset(&b->flat);
    json_reader_init(&reader, slice_of(item_json, sizeof(item_json) - 1), &b->arena);
    json_next(&reader);
    value_builder_init(&builder, &b->flat, &b->arena);
    CHECK(item_read_json(&reader, &builder, &fault) == NULL && fault.error == NULL);
}

static void to_json(struct bench *b) {
    struct json_writer writer;
    buffer_reset(&b->text);
    json_writer_init(&writer, &b->text);
    item_write_json(&writer, b->item);
}

static void size_only(struct bench *b) {
    CHECK(item_size(b->item) > 0);
}

static void tokens_only(struct bench *b) {
    struct json_reader reader;
    arena_reset(&b->arena);
    json_reader_init(&reader, slice_of(item_json, sizeof(item_json) - 1), &b->arena);
    CHECK(json_finish(&reader));
}

static double best_ns(struct bench *b, void (*run)(struct bench *), int rounds) {
    enum { RUNS = 20000 };
    double best = 1e30;
    for (int round = 0; round < rounds; round++) {
        double start = now_ns();
        for (int i = 0; i < RUNS; i++)
            run(b);
        double each = (now_ns() - start) / RUNS;
        best = each < best ? each : best;
    }
    return best;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 50;
    struct bench b;
    arena_init(&b.arena);
    arena_alloc(&b.arena, 1); /* a request's arena has a chunk already */
    buffer_init(&b.flat, 1 << 20);
    buffer_init(&b.text, 1 << 20);
    to_flat(&b);
    b.item = value_from_slice(buffer_slice(&b.flat));
    printf("item: %zu bytes of JSON, %zu flat, size %zu\n", sizeof(item_json) - 1, b.item.len,
           item_size(b.item));
    printf("JSON tokens   %6.0f ns\n", best_ns(&b, tokens_only, rounds));
    printf("JSON to flat  %6.0f ns\n", best_ns(&b, to_flat, rounds));
    b.item = value_from_slice(buffer_slice(&b.flat));
    printf("flat to JSON  %6.0f ns\n", best_ns(&b, to_json, rounds));
    printf("item size     %6.0f ns\n", best_ns(&b, size_only, rounds));
    arena_release(&b.arena);
    buffer_release(&b.flat);
    buffer_release(&b.text);
    return 0;
}
