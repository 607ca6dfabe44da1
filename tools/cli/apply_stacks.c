/* apply_stacks.c - see apply_stacks.h. A cloud assembly of CDK is a folder with a manifest.json:
 * its artifacts are stacks with their templates, and assemblies within it, one for each stage. */
#include "cli/apply_stacks.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/apply_source.h"
#include "json/tree.h"

enum { STACKS_MAX = 500, ASSEMBLIES_DEEP_MAX = 8 };

struct assembly {
    struct arena *arena;
    struct apply_stack *stacks;
    size_t count;
};

static const char *within(struct arena *arena, const char *folder, struct slice name) {
    return (const char *)arena_printf(arena, "%s/%.*s", folder, SLICE_ARGS(name)).data;
}

/* What lies elsewhere does not belong to the assembly. */
static bool is_inside(struct slice name) {
    return name.len > 0 && name.data[0] != '/' &&
           (name.len < 2 || memmem(name.data, name.len, "..", 2) == NULL);
}

static struct error *add_stack(struct assembly *assembly, const char *folder,
                               const struct json_value *artifact) {
    const struct json_value *properties = json_find(artifact, "properties");
    struct slice file = json_find_text(properties, "templateFile");
    struct slice name = json_find_text(properties, "stackName");
    if (!is_inside(file))
        return error_local(assembly->arena, "%s/manifest.json: stack %.*s has no templateFile here",
                           folder, SLICE_ARGS(artifact->name));
    if (assembly->count == STACKS_MAX)
        return error_local(assembly->arena, "%s: more than %d stacks", folder, STACKS_MAX);
    struct slice shown = json_find_text(artifact, "displayName"); /* STAGE/STACK */
    assembly->stacks[assembly->count++] = (struct apply_stack){
        .file = within(assembly->arena, folder, file),
        .id = slice_present(shown) ? shown : artifact->name,
        .name = slice_present(name) ? name : artifact->name,
    };
    return NULL;
}

static struct error *read_assembly(struct assembly *assembly, const char *folder, size_t depth) {
    const char *manifest = within(assembly->arena, folder, SLICE_LITERAL("manifest.json"));
    struct slice text;
    if (access(manifest, F_OK) != 0)
        return error_local(assembly->arena,
                           "%s: it has no manifest.json: name a template, or the folder that cdk "
                           "synth has made",
                           folder);
    TRY(apply_read(assembly->arena, manifest, &text));
    const struct json_value *artifacts =
        json_find(json_tree_read(assembly->arena, text, NULL), "artifacts");
    if (artifacts == NULL)
        return error_local(assembly->arena, "%s: no manifest of CDK", manifest);
    const struct json_value *artifact =
        artifacts->kind == JSON_OBJECT_BEGIN ? artifacts->first : NULL;
    for (; artifact != NULL; artifact = artifact->next) {
        struct slice type = json_find_text(artifact, "type");
        struct slice directory = json_find_text(json_find(artifact, "properties"), "directoryName");
        if (slice_is(type, "aws:cloudformation:stack"))
            TRY(add_stack(assembly, folder, artifact));
        if (slice_is(type, "cdk:cloud-assembly") && is_inside(directory) &&
            depth < ASSEMBLIES_DEEP_MAX)
            TRY(read_assembly(assembly, within(assembly->arena, folder, directory), depth + 1));
    }
    return NULL;
}

/* The one that is wanted comes first. */
static struct error *choose(struct assembly *assembly, const char *path, const char *only) {
    struct slice names = SLICE_LITERAL("");
    for (size_t i = 0; i < assembly->count; i++) {
        struct apply_stack *stack = &assembly->stacks[i];
        if (slice_is(stack->id, only) || slice_is(stack->name, only)) {
            assembly->stacks[0] = *stack;
            assembly->count = 1;
            return NULL;
        }
        names = arena_printf(assembly->arena, "%.*s%s%.*s", SLICE_ARGS(names), i == 0 ? "" : ", ",
                             SLICE_ARGS(stack->id));
    }
    return error_local(assembly->arena, "%s: there is no stack %s (--stack): there are %.*s", path,
                       only, SLICE_ARGS(names));
}

/* ---- one file ---- */

static bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* The file's name without folder and extension, and only with what a table's name may have. */
static struct slice stack_name_of(struct arena *arena, const char *file) {
    if (strcmp(file, "-") == 0)
        return SLICE_LITERAL("stack");
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;
    const char *dot = strrchr(name, '.');
    size_t len = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
    len = len > STACK_NAME_MAX ? STACK_NAME_MAX : len;
    char *copy = arena_copy(arena, name, len + 1);
    for (size_t i = 0; i < len; i++)
        if (!is_alphanumeric(copy[i]))
            copy[i] = '-';
    return len == 0 ? SLICE_LITERAL("stack") : slice_of(copy, len);
}

struct error *apply_find_stacks(struct arena *arena, const char *path, const char *only,
                                struct apply_stack **ret_stacks, size_t *ret_count) {
    struct assembly assembly = {.arena = arena,
                                .stacks = ARENA_ARRAY(arena, struct apply_stack, STACKS_MAX)};
    struct stat about;
    bool folder = strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    if (!folder && only != NULL)
        return error_local(arena, "%s: --stack is for a folder of CDK", path);
    if (!folder)
        assembly.stacks[assembly.count++] =
            (struct apply_stack){.file = path, .name = stack_name_of(arena, path)};
    else
        TRY(read_assembly(&assembly, path, 0));
    if (assembly.count == 0)
        return error_local(arena, "%s: there are no stacks", path);
    if (only != NULL)
        TRY(choose(&assembly, path, only));
    *ret_stacks = assembly.stacks;
    *ret_count = assembly.count;
    return NULL;
}

/* ---- stacks within stacks ---- */

static size_t count_all(const struct template *t) {
    size_t count = 1;
    for (size_t i = 0; i < t->resource_count; i++)
        if (t->resources[i].nested != NULL)
            count += count_all(t->resources[i].nested);
    return count;
}

static void add_all(struct assembly *assembly, struct template *t, struct slice id) {
    struct slice file = t->options.file;
    assembly->stacks[assembly->count++] = (struct apply_stack){
        .file = (const char *)arena_printf(assembly->arena, "%.*s", SLICE_ARGS(file)).data,
        .id = id,
        .name = t->options.stack_name,
        .template = t};
    for (size_t i = 0; i < t->resource_count; i++)
        if (t->resources[i].nested != NULL)
            add_all(assembly, t->resources[i].nested,
                    arena_printf(assembly->arena, "%.*s/%.*s", SLICE_ARGS(id),
                                 SLICE_ARGS(t->resources[i].id)));
}

void apply_add_nested(struct arena *arena, struct apply_stack **stacks, size_t *count) {
    struct assembly all = {.arena = arena};
    size_t total = 0;
    for (size_t i = 0; i < *count; i++)
        total += count_all((*stacks)[i].template);
    if (total == *count)
        return;
    all.stacks = ARENA_ARRAY(arena, struct apply_stack, total);
    for (size_t i = 0; i < *count; i++) {
        const struct apply_stack *stack = &(*stacks)[i];
        add_all(&all, stack->template,
                slice_present(stack->id) ? stack->id : stack->template->options.stack_name);
    }
    *stacks = all.stacks;
    *count = all.count;
}
