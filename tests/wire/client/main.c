/* main.c - finds the case and runs it with a client made of the environment.
 *
 * CASE_ATTEMPTS, CASE_TIMEOUT_MS, CASE_CONNECT_TIMEOUT_MS, CASE_CALL_TIMEOUT_MS, CASE_REPLY_MAX,
 * CASE_CERT and CASE_KEY set options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static const char *const kind_names[] = {
    [DDB_ERROR_CONFIG] = "config",   [DDB_ERROR_INPUT] = "input",
    [DDB_ERROR_NETWORK] = "network", [DDB_ERROR_TIMEOUT] = "timeout",
    [DDB_ERROR_SERVICE] = "service", [DDB_ERROR_REPLY] = "reply",
};

bool report(struct ddb_client *db, bool ok) {
    const struct ddb_error *error = ddb_client_error(db);
    if (ok != (error == NULL))
        printf("the result and the error disagree\n");
    if (error == NULL) {
        printf("ok\n");
        return ok;
    }
    printf("%s %s status=%d attempts=%d maybe_applied=%d request_id=%s: %s\n",
           kind_names[error->kind], error->type, error->http_status, error->attempts,
           error->maybe_applied, error->request_id[0] != '\0' ? "yes" : "no", error->message);
    if (error->item != NULL)
        print_item("item", error->item);
    for (size_t i = 0; i < error->reason_count; i++) {
        printf("reason %s: %s\n", error->reasons[i].code, error->reasons[i].message);
        if (error->reasons[i].item != NULL)
            print_item("reason item", error->reasons[i].item);
    }
    return ok;
}

void print_item(const char *label, const struct ddb_item *item) {
    char *json = item == NULL ? NULL : ddb_item_json(item);
    printf("%s %s\n", label, json == NULL ? "none" : json);
    free(json);
}

void print_cursor(struct ddb_client *db, struct ddb_cursor *cursor, const char *name) {
    const char *separator = "";
    for (const struct ddb_item *item; (item = ddb_cursor_next(cursor)) != NULL;) {
        const struct ddb_value *value = ddb_item_value(item, name);
        printf("%s%s", separator, ddb_value_string(value, ddb_value_number(value, "?")));
        separator = " ";
    }
    printf("\n");
    report(db, ddb_client_error(db) == NULL);
    ddb_cursor_free(cursor);
}

struct ddb_item *make_key(const char *pk, int64_t sk) {
    struct ddb_item *key = ddb_item_new();
    ddb_item_set_string(key, "pk", pk);
    ddb_item_set_int(key, "sk", sk);
    return key;
}

static int number_from(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : atoi(text);
}

static bool run_one_of(const struct client_case *cases, struct ddb_client *db, const char *name,
                       const char *argument) {
    for (; cases->name != NULL; cases++) {
        if (strcmp(cases->name, name) == 0) {
            cases->run(db, argument);
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "", *argument = argc > 2 ? argv[2] : "";
    struct ddb_client *db = ddb_client_new(&(struct ddb_options){
        .attempts_max = number_from("CASE_ATTEMPTS"),
        .request_timeout_ms = number_from("CASE_TIMEOUT_MS"),
        .connect_timeout_ms = number_from("CASE_CONNECT_TIMEOUT_MS"),
        .call_timeout_ms = number_from("CASE_CALL_TIMEOUT_MS"),
        .client_cert_file = getenv("CASE_CERT"),
        .client_key_file = getenv("CASE_KEY"),
        .reply_size_max = (size_t)number_from("CASE_REPLY_MAX"),
        .backoff_base_ms = 1,
    });
    static const struct client_case *const groups[] = {item_cases,  read_cases,   group_cases,
                                                       table_cases, stream_cases, thread_cases};
    bool known = false;
    for (size_t i = 0; !known && i < sizeof(groups) / sizeof(*groups); i++)
        known = run_one_of(groups[i], db, name, argument);
    ddb_client_free(db);
    if (!known)
        fprintf(stderr, "there is no case \"%s\"\n", name);
    return known ? 0 : 2;
}
