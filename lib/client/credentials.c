/* credentials.c - looking for credentials, in the AWS tools' order. */
#include "client/credentials.h"

const char *credentials_problem(const struct credentials *found) {
    if (found->id == NULL)
        return "have a secret access key, but no access key id";
    if (found->secret == NULL)
        return "have an access key id, but no secret access key";
    if (!lookup_printable(found->id) || !lookup_printable(found->secret) ||
        (found->token != NULL && !lookup_printable(found->token)))
        return "contain a blank or a character that is not ASCII";
    return NULL;
}

/* ---- sources: each may have keys, and then the search is over ---- */

static bool take(const struct lookup *lookup, struct credentials found, const char *where,
                 struct credentials *credentials, const char **ret_problem) {
    if (found.id == NULL && found.secret == NULL)
        return false;
    const char *problem = credentials_problem(&found);
    if (problem != NULL)
        *ret_problem = lookup_printf(lookup, "the credentials in %s %s", where, problem);
    credentials->id = found.id;
    credentials->secret = found.secret;
    credentials->token = found.token;
    return true;
}

static struct credentials of_options(const struct ddb_options *options) {
    return (struct credentials){.id = lookup_either(options->access_key_id, NULL),
                                .secret = lookup_either(options->secret_access_key, NULL),
                                .token = lookup_either(options->session_token, NULL)};
}

static struct credentials of_environment(const struct lookup *lookup) {
    return (struct credentials){.id = lookup_variable(lookup, "AWS_ACCESS_KEY_ID"),
                                .secret = lookup_variable(lookup, "AWS_SECRET_ACCESS_KEY"),
                                .token = lookup_variable(lookup, "AWS_SESSION_TOKEN")};
}

static struct credentials of_file(const struct lookup *lookup, const struct profile_file *file) {
    return (struct credentials){.id = lookup_profile(lookup, file, "aws_access_key_id"),
                                .secret = lookup_profile(lookup, file, "aws_secret_access_key"),
                                .token = lookup_profile(lookup, file, "aws_session_token")};
}

/* The config file's, as it stands there first of all, or that of the credentials file. */
static const char *find_process(const struct lookup *lookup) {
    return lookup_either(lookup_config(lookup, "credential_process"),
                         lookup_profile(lookup, &lookup->credentials, "credential_process"));
}

/* ---- all of them ---- */

/* A profile may be one that the AWS tools understand and this library does not. */
static const char *none_found(const struct lookup *lookup) {
    const char *needs = lookup_config(lookup, "role_arn") != NULL ? "role_arn"
                        : lookup_config(lookup, "sso_session") != NULL ||
                                lookup_config(lookup, "sso_start_url") != NULL
                            ? "single sign-on"
                            : NULL;
    if (needs != NULL)
        return lookup_printf(lookup,
                             "profile \"%s\" has its credentials by %s, which needs the AWS CLI: "
                             "credential_process = aws configure export-credentials --profile %s",
                             lookup->profile, needs, lookup->profile);
    return "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or keys in the "
           "profile, or the options; a local server is content with any";
}

/* A profile that the caller names outranks the environment. */
const char *credentials_load(const struct lookup *lookup, struct credentials *credentials,
                             const char **ret_process) {
    const char *problem = NULL;
    bool by_profile = lookup_either(lookup->options->profile, NULL) != NULL;
    if (take(lookup, of_options(lookup->options), "the options", credentials, &problem) ||
        (!by_profile &&
         take(lookup, of_environment(lookup), "the environment", credentials, &problem)) ||
        take(lookup, of_file(lookup, &lookup->credentials), "the credentials file", credentials,
             &problem))
        return problem;
    *ret_process = find_process(lookup);
    if (*ret_process != NULL ||
        take(lookup, of_file(lookup, &lookup->config), "the config file", credentials, &problem))
        return problem;
    return none_found(lookup);
}
