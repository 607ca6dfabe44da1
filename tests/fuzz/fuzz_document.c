/* fuzz_document.c - any bytes as a JSON file of one of the apps: either a value comes of it, or
 * a message. */
#include "common/document.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char problem[DOCUMENT_PROBLEM_SIZE] = "";
    struct ddb_item *item = document_parse((const char *)data, size, problem);
    if (item == NULL) {
        CHECK(problem[0] != '\0');
        return 0;
    }
    CHECK(problem[0] == '\0' && ddb_item_error(item) == NULL);
    CHECK(ddb_item_count(item) == 1 && ddb_item_value(item, "document") != NULL);
    CHECK(ddb_value_type(ddb_item_value(item, "document")) != DDB_NONE);
    ddb_item_free(item);
    return 0;
}
