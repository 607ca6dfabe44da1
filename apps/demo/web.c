/* web.c - see web.h. */
#include "web.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "common/document.h"

static size_t take_part(char *data, size_t size, size_t count, void *user) {
    struct web_reply *reply = user;
    size_t more = size * count;
    char *text =
        more > WEB_REPLY_MAX - reply->size ? NULL : realloc(reply->text, reply->size + more + 1);
    if (text == NULL)
        return 0;
    memcpy(text + reply->size, data, more);
    reply->text = text;
    reply->size += more;
    text[reply->size] = '\0';
    return more;
}

void web_ask(const char *method, const char *url, const char *body, struct web_reply *ret_reply) {
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    *ret_reply = (struct web_reply){.text = calloc(1, 1)};
    if (curl == NULL || headers == NULL || ret_reply->text == NULL)
        abort();
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* whatever the environment says */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)WEB_TIMEOUT_MS);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_part);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, ret_reply);
    if (body != NULL) {
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    }
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    long status = 0;
    if (curl_easy_perform(curl) == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    ret_reply->status = (int)status;
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
}

void web_reply_free(struct web_reply *reply) {
    free(reply->text);
    reply->text = NULL;
}

struct ddb_item *web_document(const struct web_reply *reply) {
    char problem[DOCUMENT_PROBLEM_SIZE];
    struct ddb_item *item = document_parse(reply->text, reply->size, problem);
    if (item != NULL && ddb_item_map(item, "document") != NULL)
        return item;
    ddb_item_free(item);
    return NULL;
}
