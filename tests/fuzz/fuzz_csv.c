/* fuzz_csv.c - any bytes as a CSV file of exchange-rates: records within the limits, up to the end
 * or up to a problem. */
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = calloc(1, size + 1);
    CHECK(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    struct csv csv;
    csv_init(&csv, text, size);
    for (size_t records = 0; csv_next(&csv); records++) {
        CHECK(records < size && csv.count >= 1 && csv.count <= CSV_FIELDS_MAX);
        CHECK(csv.next > csv.record && csv.line <= (int)size);
        for (int i = 0; i < csv.count; i++)
            CHECK(strlen(csv.fields[i]) < CSV_FIELD_SIZE);
    }
    CHECK(csv.problem != NULL || csv.next == text + size);
    free(text);
    return 0;
}
