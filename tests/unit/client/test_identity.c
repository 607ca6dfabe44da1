/* test_identity.c - credentials that a process prints, and running it. */
#include "script.h"

#include <signal.h>
#include <stdlib.h>

#include "client/process.h"

#define KEYS "\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"secret\""

/* ---- what a process prints ---- */

static void assert_read(const char *output, const char *expected) {
    struct arena arena;
    struct credentials credentials;
    int64_t expires_s = 0;
    char line[256];
    arena_init(&arena);
    const char *problem = identity_read(&arena, slice_text(output), &credentials, &expires_s);
    snprintf(line, sizeof(line), "%s", problem == NULL ? "" : problem);
    if (problem == NULL)
        snprintf(line, sizeof(line), "%s %s %s %lld", credentials.id, credentials.secret,
                 credentials.token == NULL ? "-" : credentials.token,
                 expires_s == INT64_MAX ? -1LL : (long long)expires_s);
    assert_string_equal(line, expected);
    arena_release(&arena);
}

static void what_a_process_prints(void **state) {
    (void)state;
    assert_read("{\"Version\":1," KEYS "}\n", "id secret - -1");
    assert_read("{\"More\":[{}],\"SessionToken\":\"t\"," KEYS ",\"Version\":1,"
                "\"Expiration\":\"2026-10-17T08:30:00Z\"}",
                "id secret t 1792225800");
    assert_read("{\"Version\":1,\"SessionToken\":null," KEYS ",\"Expiration\":null}",
                "id secret - -1");
    assert_read("{\"Version\":1," KEYS ",\"Expiration\":\"2026-10-17T08:30:00.123456+01:30\"}",
                "id secret - 1792220400");
    assert_read("{\"Version\":1," KEYS ",\"Expiration\":\"2026-10-17T08:30:00-00:30\"}",
                "id secret - 1792227600");
}

static void what_is_wrong_with_it(void **state) {
    (void)state;
    static const char *const not_json[] = {
        "",
        "keys",
        "[]",
        "{\"Version\":1," KEYS,
        "{\"Version\":1," KEYS "}{}",
        "{" KEYS "}",
        "{\"Version\":2," KEYS "}",
        "{\"Version\":\"1\"," KEYS "}",
    };
    for (size_t i = 0; i < sizeof(not_json) / sizeof(*not_json); i++)
        assert_read(not_json[i], "does not print JSON with \"Version\": 1");
    assert_read("{\"Version\":1,\"AccessKeyId\":\"id\"}",
                "prints no AccessKeyId or no SecretAccessKey");
    assert_read("{\"Version\":1,\"AccessKeyId\":5,\"SecretAccessKey\":\"x\"}",
                "prints no AccessKeyId or no SecretAccessKey");
    assert_read("{\"Version\":1,\"AccessKeyId\":\"a\\nb\",\"SecretAccessKey\":\"x\"}",
                "prints credentials with a blank or a character that is not ASCII");
    static const char *const times[] = {"tomorrow",
                                        "2026-10-17",
                                        "2026-10-17T08:30:00",
                                        "2026-13-17T08:30:00Z",
                                        "2026-10-17T08:30:00+1",
                                        "2026-10-17T08:30:00Zx"};
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        char output[256];
        snprintf(output, sizeof(output), "{\"Version\":1," KEYS ",\"Expiration\":\"%s\"}",
                 times[i]);
        assert_read(output, "prints an Expiration that is no time");
    }
}

/* ---- words ---- */

static void assert_words(const char *command, const char *expected) {
    struct arena arena;
    char line[256] = "";
    arena_init(&arena);
    char **words = process_words(&arena, command);
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        snprintf(line + strlen(line), sizeof(line) - strlen(line), "<%s>", words[i]);
    assert_string_equal(words == NULL ? "none" : line, expected);
    arena_release(&arena);
}

static void words_of_a_command(void **state) {
    (void)state;
    assert_words("/bin/keys", "</bin/keys>");
    assert_words("  a\tb  c ", "<a><b><c>");
    assert_words("\"C d\"/x --a='b  c' '' e\\ f \"\\\"\" '\\'", "<C d/x><--a=b  c><><e f><\"><\\>");
    assert_words("$HOME `x` *", "<$HOME><`x`><*>");
    assert_words("", "none");
    assert_words(" \t", "none");
    assert_words("a \"b", "none");
}

/* ---- running ---- */

static const char *run(struct arena *arena, const char *command, int64_t run_timeout_ms,
                       struct buffer *out) {
    const char *words[] = {"sh", "-c", command, NULL};
    buffer_init(out, 1000);
    return process_run(arena, (char *const *)(uintptr_t)words, run_timeout_ms, out);
}

static void assert_run(const char *command, const char *problem, const char *output) {
    struct arena arena;
    struct buffer out;
    arena_init(&arena);
    const char *found = run(&arena, command, 30000, &out);
    assert_string_equal(found == NULL ? "" : found, problem);
    buffer_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, output);
    buffer_release(&out);
    arena_release(&arena);
}

static void a_process_is_run(void **state) {
    (void)state;
    assert_run("echo a; echo b", "", "a\nb\n");
    assert_run("echo a; exit 7", "ended with status 7", "a\n");
    assert_run("kill -9 $$", "was ended by signal 9", "");
    /* Nobody can tell how it ended, but what it has printed counts. */
    signal(SIGCHLD, SIG_IGN);
    assert_run("echo a; exit 7", "", "a\n");
    signal(SIGCHLD, SIG_DFL);
}

static void a_process_is_bounded(void **state) {
    (void)state;
    struct arena arena;
    struct buffer out;
    arena_init(&arena);
    assert_string_equal(run(&arena, "exec yes", 30000, &out), "prints too much");
    buffer_release(&out);
    assert_string_equal(run(&arena, "exec sleep 60", 50, &out), "takes too long");
    buffer_release(&out);
    assert_string_equal(run(&arena, "exec >&-; exec sleep 60", 50, &out), "takes too long");
    buffer_release(&out);
    const char *words[] = {"/nowhere/keys", NULL};
    buffer_init(&out, 10);
    assert_string_equal(process_run(&arena, (char *const *)(uintptr_t)words, 1000, &out),
                        "cannot be run: No such file or directory");
    buffer_release(&out);
    arena_release(&arena);
}

/* ---- refreshing ---- */

/* The keys of a script that expire at a time, and count how often it was run. */
static void write_config(const char *home, const char *expiration, int status) {
    char path[128], text[1024];
    snprintf(path, sizeof(path), "%s/config", home);
    snprintf(text, sizeof(text),
             "[default]\nregion = r\ncredential_process = sh -c 'echo >> %s/runs; "
             "printf \"{\\\"Version\\\":1,\\\"AccessKeyId\\\":\\\"id$(wc -l < %s/runs)\\\","
             "\\\"SecretAccessKey\\\":\\\"x\\\",\\\"Expiration\\\":\\\"%s\\\"}\"; exit %d'\n",
             home, home, expiration, status);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char *config_path;

static const char *variable(const char *name) {
    return strcmp(name, "AWS_CONFIG_FILE") == 0 ? config_path : NULL;
}

static void load(struct arena *arena, struct settings *settings, struct identity *identity) {
    assert_null(settings_load(arena, NULL, variable, settings));
    identity_init(identity, settings);
}

static const char *refresh(struct identity *identity, struct arena *arena, int64_t now_s,
                           bool expected_new) {
    bool changed;
    const char *problem = identity_refresh(identity, arena, now_s, 30000, &changed);
    assert_int_equal(changed, expected_new);
    return problem;
}

static void keys_are_asked_for_again_before_they_expire(void **state) {
    (void)state;
    enum { END_S = 1792225800 };
    char home[] = "/tmp/gramme-identity-XXXXXX", path[64], runs[64];
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof(path), "%s/config", home);
    snprintf(runs, sizeof(runs), "%s/runs", home);
    config_path = path;
    struct arena arena;
    struct settings settings;
    struct identity identity;
    arena_init(&arena);
    write_config(home, "2026-10-17T08:30:00Z", 0);
    load(&arena, &settings, &identity);
    assert_null(refresh(&identity, &arena, END_S - 1000, true));
    assert_string_equal(identity.credentials.id, "id1");
    assert_string_equal(identity.credentials.region, "r");
    assert_null(refresh(&identity, &arena, END_S - 61, false));
    assert_null(refresh(&identity, &arena, END_S - 60, true));
    assert_string_equal(identity.credentials.id, "id2");
    assert_string_equal(refresh(&identity, &arena, END_S, false),
                        "the credential_process of profile \"default\" prints credentials that "
                        "have expired already");
    identity_release(&identity);
    /* One that fails is asked again after a while, and the old keys are used as long as they are
     * good. */
    write_config(home, "2026-10-17T08:30:00Z", 1);
    load(&arena, &settings, &identity);
    identity.credentials.id = "old";
    identity.expires_s = END_S;
    remove(runs);
    assert_null(refresh(&identity, &arena, END_S - 30, false));
    assert_null(refresh(&identity, &arena, END_S - 21, false));
    assert_null(refresh(&identity, &arena, END_S - 20, false));
    assert_string_equal(identity.credentials.id, "old");
    assert_string_equal(refresh(&identity, &arena, END_S, false),
                        "the credential_process of profile \"default\" ended with status 1");
    FILE *file = fopen(runs, "r");
    int lines = 0;
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    assert_int_equal(lines, 3);
    identity_release(&identity);
    arena_release(&arena);
    remove(runs);
    remove(path);
    remove(home);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_process_prints),
        cmocka_unit_test(what_is_wrong_with_it),
        cmocka_unit_test(words_of_a_command),
        cmocka_unit_test(a_process_is_run),
        cmocka_unit_test(a_process_is_bounded),
        cmocka_unit_test(keys_are_asked_for_again_before_they_expire),
    };
    return cmocka_run_group_tests_name("client identity", tests, NULL, NULL);
}
