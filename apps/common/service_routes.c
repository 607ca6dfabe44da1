/* service_routes.c - routes matched, checked and described, all from one table. */
#include "common/service_routes.h"

#include <stdio.h>
#include <string.h>

#include "common/document.h"

/* ---- finding ---- */

static bool matches(const char *pattern, const char *path) {
    while (*pattern != '\0' && *path != '\0') {
        if (*pattern == '{') {
            if (*path == '/')
                return false;
            pattern += strcspn(pattern, "}") + 1;
            path += strcspn(path, "/");
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return *pattern == '\0' && *path == '\0';
}

static void take_values(const char *pattern, char *path, const char *ret_values[SERVICE_PATH_MAX]) {
    int count = 0;
    for (; *pattern != '\0'; pattern++, path++) {
        if (*pattern != '{')
            continue;
        pattern += strcspn(pattern, "}");
        size_t size = strcspn(path, "/");
        if (count < SERVICE_PATH_MAX)
            ret_values[count++] = path;
        path += size;
        if (*path == '\0')
            return;
        *path = '\0'; /* the slash */
        pattern++;
    }
}

const struct service_route *routes_find(const struct service_route *routes, const char *method,
                                        char *path, const char *ret_values[SERVICE_PATH_MAX],
                                        bool *ret_other_method) {
    *ret_other_method = false;
    for (const struct service_route *route = routes; route->path != NULL; route++) {
        if (!matches(route->path, path))
            continue;
        if (strcmp(route->method, method) != 0) {
            *ret_other_method = true;
            continue;
        }
        take_values(route->path, path, ret_values);
        return route;
    }
    return NULL;
}

/* ---- checking ---- */

static const struct {
    enum ddb_type type;
    const char *name;  /* OpenAPI's */
    const char *words; /* ours */
} types[] = {
    [SERVICE_STRING] = {DDB_S, "string", "text"},
    [SERVICE_NUMBER] = {DDB_N, "number", "a number"},
    [SERVICE_BOOLEAN] = {DDB_BOOL, "boolean", "true or false"},
    [SERVICE_OBJECT] = {DDB_M, "object", "an object"},
    [SERVICE_LIST] = {DDB_L, "array", "a list"},
};

static enum app_status check_member(const struct service_parameter *parameter,
                                    const struct service_call *call) {
    const struct ddb_value *value = ddb_item_value(call->body, parameter->name);
    enum ddb_type type = ddb_value_type(value);
    if ((value == NULL || type == DDB_NULL) && !parameter->required)
        return APP_OK;
    if (value == NULL)
        return app_bad_usage(call->app, "%s is missing", parameter->name);
    if (type != types[parameter->type].type)
        return app_bad_usage(call->app, "%s must be %s", parameter->name,
                             types[parameter->type].words);
    return APP_OK;
}

enum app_status routes_check(const struct service_route *route, const struct service_call *call) {
    const struct service_parameter *parameter = route->parameters;
    for (; parameter != NULL && parameter->name != NULL; parameter++) {
        if (parameter->place == SERVICE_BODY && check_member(parameter, call) != APP_OK)
            return APP_USAGE;
        if (parameter->place == SERVICE_QUERY && parameter->required &&
            service_query(call, parameter->name, NULL) == NULL)
            return app_bad_usage(call->app, "%s is missing", parameter->name);
    }
    return APP_OK;
}

/* ---- describing ---- */

static void write_member(FILE *out, const char *name, const char *text) {
    fprintf(out, "\"%s\":", name);
    document_write_text(out, text);
}

static void describe_path_values(FILE *out, const char *path, const char **comma) {
    for (const char *name = strchr(path, '{'); name != NULL; name = strchr(name + 1, '{')) {
        fprintf(out,
                "%s{\"name\":\"%.*s\",\"in\":\"path\",\"required\":true,"
                "\"schema\":{\"type\":\"string\"}}",
                *comma, (int)strcspn(name + 1, "}"), name + 1);
        *comma = ",";
    }
}

static void describe_query(FILE *out, const struct service_route *route) {
    const char *comma = "";
    fprintf(out, "\"parameters\":[");
    describe_path_values(out, route->path, &comma);
    for (const struct service_parameter *p = route->parameters; p != NULL && p->name != NULL; p++) {
        if (p->place != SERVICE_QUERY)
            continue;
        fprintf(out, "%s{\"name\":\"%s\",\"in\":\"query\",\"required\":%s,", comma, p->name,
                p->required ? "true" : "false");
        write_member(out, "description", p->help);
        fprintf(out, ",\"schema\":{\"type\":\"%s\"}}", types[p->type].name);
        comma = ",";
    }
    fprintf(out, "],");
}

static bool has_body(const struct service_route *route) {
    for (const struct service_parameter *p = route->parameters; p != NULL && p->name != NULL; p++)
        if (p->place == SERVICE_BODY)
            return true;
    return false;
}

static void describe_body(FILE *out, const struct service_route *route) {
    const char *comma = "";
    fprintf(out, "\"requestBody\":{\"required\":true,\"content\":{\"application/json\":{\"schema\":"
                 "{\"type\":\"object\",\"properties\":{");
    for (const struct service_parameter *p = route->parameters; p->name != NULL; p++) {
        if (p->place != SERVICE_BODY)
            continue;
        fprintf(out, "%s\"%s\":{\"type\":\"%s\",", comma, p->name, types[p->type].name);
        write_member(out, "description", p->help);
        fputc('}', out);
        comma = ",";
    }
    fprintf(out, "},\"required\":[");
    comma = "";
    for (const struct service_parameter *p = route->parameters; p->name != NULL; p++)
        if (p->place == SERVICE_BODY && p->required) {
            fprintf(out, "%s\"%s\"", comma, p->name);
            comma = ",";
        }
    fprintf(out, "]}}}},");
}

static void describe_route(FILE *out, const struct service_route *route) {
    fputc('"', out);
    for (const char *c = route->method; *c != '\0'; c++)
        fputc(*c | 0x20, out);
    fprintf(out, "\":{");
    write_member(out, "summary", route->summary);
    fputc(',', out);
    describe_query(out, route);
    if (has_body(route))
        describe_body(out, route);
    fprintf(out,
            "\"responses\":{\"200\":{\"description\":\"done\",\"content\":{\"application/json\":{"
            "\"schema\":{\"type\":\"object\"}}}},\"default\":{\"description\":\"what went wrong\","
            "\"content\":{\"application/json\":{\"schema\":{\"type\":\"object\",\"properties\":{"
            "\"error\":{\"type\":\"string\"}}}}}}}}");
}

/* A path comes once, with all its methods. */
static bool is_first(const struct service_route *routes, const struct service_route *route) {
    for (const struct service_route *before = routes; before < route; before++)
        if (strcmp(before->path, route->path) == 0)
            return false;
    return true;
}

void routes_describe(FILE *out, const char *program, const char *summary,
                     const struct service_route *routes) {
    fprintf(out, "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"%s\",", program);
    write_member(out, "description", summary);
    fprintf(out, ",\"version\":\"%s\"},\"paths\":{", ddb_version());
    for (const struct service_route *route = routes; route->path != NULL; route++) {
        if (!is_first(routes, route))
            continue;
        fprintf(out, "%s\"%s\":{", route == routes ? "" : ",", route->path);
        describe_route(out, route);
        for (const struct service_route *more = route + 1; more->path != NULL; more++)
            if (strcmp(more->path, route->path) == 0) {
                fputc(',', out);
                describe_route(out, more);
            }
        fputc('}', out);
    }
    fprintf(out, "}}\n");
}
