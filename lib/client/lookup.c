/* lookup.c - see lookup.h. */
#include "client/lookup.h"

static const char *present(const char *text) {
    return text != NULL && text[0] != '\0' ? text : NULL;
}

const char *lookup_either(const char *first, const char *second) {
    return present(first) != NULL ? first : present(second);
}

const char *lookup_variable(const struct lookup *lookup, const char *name) {
    return present(lookup->variable(name));
}

const char *lookup_profile(const struct lookup *lookup, const struct profile_file *file,
                           const char *name) {
    return profile_setting(lookup->arena, file, lookup->profile, name);
}

const char *lookup_config(const struct lookup *lookup, const char *name) {
    return lookup_profile(lookup, &lookup->config, name);
}

const char *lookup_printf(const struct lookup *lookup, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(lookup->arena, format, args);
    va_end(args);
    return (const char *)text.data;
}

bool lookup_printable(const char *text) {
    for (; *text != '\0'; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

/* ---- the profile ---- */

static const char *read_file(const struct lookup *lookup, const char *path_variable,
                             const char *path_at_home, struct slice *ret_text) {
    const char *path = lookup_variable(lookup, path_variable);
    const char *home = lookup_variable(lookup, "HOME");
    if (path == NULL && home != NULL)
        path = (const char *)arena_printf(lookup->arena, "%s/%s", home, path_at_home).data;
    return path == NULL ? NULL : profile_file_read(lookup->arena, path, ret_text);
}

const char *lookup_init(struct lookup *lookup, struct arena *arena,
                        const struct ddb_options *options, lookup_environment *variable) {
    *lookup = (struct lookup){.arena = arena, .options = options, .variable = variable};
    lookup->config.named_with_prefix = true;
    const char *named = lookup_either(options->profile, lookup_variable(lookup, "AWS_PROFILE"));
    lookup->profile = named == NULL ? "default" : named;
    const char *problem = read_file(lookup, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials",
                                    &lookup->credentials.text);
    if (problem == NULL)
        problem = read_file(lookup, "AWS_CONFIG_FILE", ".aws/config", &lookup->config.text);
    if (problem != NULL || named == NULL || profile_exists(&lookup->credentials, named) ||
        profile_exists(&lookup->config, named))
        return problem;
    return lookup_printf(
        lookup, "profile \"%s\" is neither in the credentials file nor in the config file", named);
}
