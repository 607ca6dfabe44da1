/* nearest.c - see nearest.h. The distance is Levenshtein's, one row at a time. */
#include "cli/nearest.h"

enum { NAME_CHARS_MAX = 40, DISTANCE_MAX = 2 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t distance(struct slice a, struct slice b) {
    size_t row[NAME_CHARS_MAX + 1];
    for (size_t k = 0; k <= b.len; k++)
        row[k] = k;
    for (size_t i = 0; i < a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < b.len; k++) {
            size_t exchanged = diagonal + (a.data[i] != b.data[k]);
            diagonal = row[k + 1];
            row[k + 1] = least(exchanged, least(diagonal, row[k]) + 1);
        }
    }
    return row[b.len];
}

struct nearest nearest_to(struct slice text) {
    return (struct nearest){.text = text, .distance = DISTANCE_MAX + 1};
}

/* Half of the letters have to be the same, or everything short would be near. */
void nearest_offer(struct nearest *nearest, const char *known) {
    struct slice name = slice_text(known);
    if (name.len > NAME_CHARS_MAX || nearest->text.len > NAME_CHARS_MAX)
        return;
    size_t found = distance(nearest->text, name);
    if (found >= nearest->distance || 2 * found > name.len)
        return;
    nearest->distance = found;
    nearest->name = known;
}
