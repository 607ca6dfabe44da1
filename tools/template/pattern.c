/* pattern.c - see pattern.h. PCRE2 is loaded with the first pattern (base/library.h): few runs of
 * the program meet one. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "template/pattern.h"

#include <pcre2.h>

#include "base/check.h"
#include "base/library.h"

enum {
    PATTERN_BYTES_MAX = 16 * 1024,
    STEPS_MAX = 100000, /* PCRE2's own count; what does not backtrack needs few */
    HEAP_KB_MAX = 8 * 1024,
    MESSAGE_BYTES_MAX = 256,
};

struct pcre2_library {
#define PCRE2(name) __typeof__(name) *name;
#include "template/pattern.def"
#undef PCRE2
};

static struct error *load(struct arena *arena, struct pcre2_library *library) {
    const struct library_symbol symbols[] = {
#define PCRE2(name) {#name, &library->name},
#include "template/pattern.def"
#undef PCRE2
    };
    return library_load(arena, GRAMME_PCRE2_LIBRARY, symbols, sizeof(symbols) / sizeof(symbols[0]));
}

/* Java's dot takes neither \n nor \r; \w, \d and \s are ASCII's in both. */
static struct error *compile(const struct pcre2_library *pcre2, struct arena *arena,
                             struct slice pattern, pcre2_code **ret_code) {
    uint32_t options = PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C;
    int problem = 0;
    size_t at = 0;
    pcre2_compile_context *context = pcre2->pcre2_compile_context_create_8(NULL);
    CHECK(context != NULL);
    pcre2->pcre2_set_newline_8(context, PCRE2_NEWLINE_ANYCRLF);
    pcre2->pcre2_set_max_pattern_length_8(context, PATTERN_BYTES_MAX);
    *ret_code = pcre2->pcre2_compile_8(pattern.data, pattern.len, options, &problem, &at, context);
    pcre2->pcre2_compile_context_free_8(context);
    if (*ret_code != NULL)
        return NULL;
    PCRE2_UCHAR8 text[MESSAGE_BYTES_MAX];
    pcre2->pcre2_get_error_message_8(problem, text, sizeof(text));
    return error_local(arena, "%s", (const char *)text);
}

static int match(const struct pcre2_library *pcre2, const pcre2_code *code, struct slice text) {
    pcre2_match_context *context = pcre2->pcre2_match_context_create_8(NULL);
    pcre2_match_data *data = pcre2->pcre2_match_data_create_8(1, NULL);
    CHECK(context != NULL && data != NULL);
    pcre2->pcre2_set_match_limit_8(context, STEPS_MAX);
    pcre2->pcre2_set_depth_limit_8(context, STEPS_MAX);
    pcre2->pcre2_set_heap_limit_8(context, HEAP_KB_MAX);
    int result = pcre2->pcre2_match_8(code, text.data, text.len, 0, 0, data, context);
    pcre2->pcre2_match_data_free_8(data);
    pcre2->pcre2_match_context_free_8(context);
    return result;
}

/* Not UTF-8 is a text that no pattern matches; the readers of templates let none in. */
static enum pattern_outcome outcome_of(int result) {
    if (result >= 0)
        return PATTERN_MATCHES;
    bool bounded = result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT ||
                   result == PCRE2_ERROR_HEAPLIMIT;
    return bounded ? PATTERN_ENDLESS : PATTERN_DIFFERS;
}

struct error *pattern_match(struct arena *arena, struct slice pattern, struct slice text,
                            enum pattern_outcome *ret_outcome) {
    struct pcre2_library pcre2;
    struct slice rewritten;
    pcre2_code *code = NULL;
    if (!pattern_from_java(arena, pattern, &rewritten)) {
        *ret_outcome = PATTERN_JAVA_ONLY;
        return NULL;
    }
    TRY(load(arena, &pcre2));
    TRY(compile(&pcre2, arena, rewritten, &code));
    *ret_outcome = outcome_of(match(&pcre2, code, text));
    pcre2.pcre2_code_free_8(code);
    return NULL;
}
