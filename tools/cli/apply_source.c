/* apply_source.c - see apply_source.h. */
#include "cli/apply_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "template/variables.h"

struct error *apply_read(struct arena *arena, const char *name, struct slice *ret_text) {
    bool is_stream = strcmp(name, "-") == 0;
    FILE *file = is_stream ? stdin : fopen(name, "rb");
    if (file == NULL)
        return error_local(arena, "%s: %s", name, strerror(errno));
    /* One byte more than allowed shows that it is too long. */
    char *text = malloc(PLAN_BYTES_MAX + 1);
    CHECK(text != NULL);
    size_t len = fread(text, 1, PLAN_BYTES_MAX + 1, file);
    bool broken = ferror(file) != 0;
    int why = errno;
    if (!is_stream)
        fclose(file);
    *ret_text = arena_slice(arena, slice_of(text, len));
    free(text);
    return broken ? error_local(arena, "%s: %s", name, strerror(why)) : NULL;
}

#define AS_JSON "take it as JSON: terraform show -json plan >plan.json"

struct error *apply_check_kind(struct arena *arena, const char *name, struct slice text) {
    if (text.len >= 4 && memcmp(text.data, "PK\3\4", 4) == 0)
        return error_local(arena, "%s: this is a plan as Terraform keeps it: " AS_JSON, name);
    if (slice_ends_with(slice_text(name), SLICE_LITERAL(".tf")))
        return error_local(arena,
                           "%s: Terraform's own files are not read; of a plan (terraform plan -out "
                           "plan) " AS_JSON,
                           name);
    if (variables_is_program(slice_text(name)))
        return error_local(arena, "%s: programs are not run: give what serverless print says",
                           name);
    return NULL;
}

static struct slice read_variable(void *context, struct arena *arena, struct slice name) {
    (void)context;
    const char *text = getenv((const char *)arena_printf(arena, "%.*s", SLICE_ARGS(name)).data);
    return text == NULL ? SLICE_NONE : slice_text(text);
}

/* Relative to the template's folder; standard input's is where the program runs. */
static struct slice read_beside(void *context, struct arena *arena, struct slice path) {
    const char *template_name = *(const char *const *)context;
    const char *slash = strrchr(template_name, '/');
    bool absolute = path.len > 0 && path.data[0] == '/';
    int folder = slash == NULL || absolute ? 0 : (int)(slash - template_name + 1);
    struct slice name = arena_printf(arena, "%.*s%.*s", folder, template_name, SLICE_ARGS(path));
    struct slice text = SLICE_NONE;
    struct error *error = apply_read(arena, (const char *)name.data, &text);
    return error == NULL ? text : SLICE_NONE;
}

struct template_surroundings apply_surroundings(const char *const *template_name) {
    return (struct template_surroundings){(void *)(uintptr_t)template_name, read_variable,
                                          read_beside};
}
