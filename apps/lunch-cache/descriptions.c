/* descriptions.c - takes descriptions out of lunches, and puts them back. */
#include "descriptions.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/document.h"

enum { LEVEL = 9, TEXT_MAX = 4 << 20, GZIP_SIZE_MIN = 18, GZIP_TRAILER = 4 };

/* The menu's lunches with these descriptions, or, without a list of them, with none. */
static void set_descriptions(struct ddb_item *menu, const struct ddb_list *texts) {
    struct ddb_item *old = ddb_item_copy(menu);
    const struct ddb_list *lunches = ddb_item_list(old, "lunches");
    struct ddb_list *changed = ddb_item_set_list(menu, "lunches");
    for (size_t i = 0; i < ddb_list_count(lunches); i++) {
        const struct ddb_item *lunch = ddb_value_map(ddb_list_at(lunches, i));
        struct ddb_item *copy = ddb_list_add_map(changed);
        for (size_t j = 0; j < ddb_item_count(lunch); j++)
            ddb_item_set_value(copy, ddb_item_name_at(lunch, j), ddb_item_value_at(lunch, j));
        const struct ddb_value *text = ddb_list_at(texts, i);
        ddb_item_set_value(copy, "description", ddb_value_type(text) == DDB_S ? text : NULL);
    }
    ddb_item_free(old);
}

/* ---- packing ---- */

/* A JSON array, and how many bytes the descriptions are without it; free() it. */
static char *write_texts(const struct ddb_list *lunches, size_t *ret_size, size_t *ret_plain) {
    struct ddb_item *holder = ddb_item_new();
    struct ddb_list *texts = ddb_item_set_list(holder, "texts");
    char *json = NULL;
    *ret_plain = 0;
    for (size_t i = 0; i < ddb_list_count(lunches); i++) {
        const char *text =
            ddb_item_string(ddb_value_map(ddb_list_at(lunches, i)), "description", NULL);
        *ret_plain += text == NULL ? 0 : strlen(text);
        if (text == NULL)
            ddb_list_add_null(texts);
        else
            ddb_list_add_string(texts, text);
    }
    FILE *out = open_memstream(&json, ret_size);
    if (out == NULL)
        abort();
    document_write(out, ddb_item_value(holder, "texts"));
    fclose(out);
    ddb_item_free(holder);
    return json;
}

void descriptions_pack(struct ddb_item *menu) {
    size_t size, plain;
    char *json = write_texts(ddb_item_list(menu, "lunches"), &size, &plain);
    if (plain > DESCRIPTIONS_PLAIN_MAX) {
        struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
        char *packed = malloc(plain);
        if (compressor == NULL || packed == NULL)
            abort();
        /* 0: it would not be smaller. */
        size_t packed_size = libdeflate_gzip_compress(compressor, json, size, packed, plain);
        if (packed_size > 0) {
            set_descriptions(menu, NULL);
            ddb_item_set_binary(menu, "descriptions", packed, packed_size);
        }
        free(packed);
        libdeflate_free_compressor(compressor);
    }
    free(json);
}

/* ---- unpacking ---- */

/* The size of the text is at the end. */
static size_t text_size(const unsigned char *packed, size_t size) {
    const unsigned char *end = packed + size - GZIP_TRAILER;
    return end[0] | (size_t)end[1] << 8 | (size_t)end[2] << 16 | (size_t)end[3] << 24;
}

/* NULL when the bytes are not what they should be. */
static struct ddb_item *read_texts(const void *packed, size_t packed_size) {
    char problem[DOCUMENT_PROBLEM_SIZE];
    size_t size = text_size(packed, packed_size);
    if (size > TEXT_MAX)
        return NULL;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    char *json = malloc(size + 1);
    if (decompressor == NULL || json == NULL)
        abort();
    bool ok = libdeflate_gzip_decompress(decompressor, packed, packed_size, json, size, NULL) ==
              LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(decompressor);
    json[size] = '\0';
    struct ddb_item *document = ok ? document_parse(json, size, problem) : NULL;
    free(json);
    return document;
}

void descriptions_unpack(struct ddb_item *menu) {
    size_t size = 0;
    const void *packed = ddb_item_binary(menu, "descriptions", &size);
    struct ddb_item *document =
        packed != NULL && size >= GZIP_SIZE_MIN ? read_texts(packed, size) : NULL;
    const struct ddb_list *texts = ddb_item_list(document, "document");
    if (texts != NULL) {
        set_descriptions(menu, texts);
        ddb_item_remove(menu, "descriptions");
    }
    ddb_item_free(document);
}
