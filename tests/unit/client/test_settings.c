/* test_settings.c - endpoint, region and credentials from options, environment and profiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/settings.h"

/* The environment that the settings see: pairs, and NULL. */
static const char *const *environment;

static const char *fake_variable(const char *name) {
    for (size_t i = 0; environment[i] != NULL; i += 2)
        if (strcmp(environment[i], name) == 0)
            return environment[i + 1];
    return NULL;
}

static char home[] = "/tmp/gramme-client-XXXXXX";

static void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", home, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_home(void **state) {
    (void)state;
    char path[128];
    if (mkdtemp(home) == NULL)
        return -1;
    snprintf(path, sizeof(path), "%s/.aws", home);
    mkdir(path, 0700);
    write_file(".aws/config", "# comment\n"
                              "[default]\n"
                              "region=eu-west-1 # not eu-west-2\n"
                              "[ profile  work ]\n"
                              "s3 =\n"
                              "  region = nested\n"
                              "region = eu-central-1\r\n"
                              "[services local]\n"
                              "region = services\n"
                              "[profile keys]\n"
                              "aws_access_key_id = config-id\n"
                              "aws_secret_access_key = config-secret\n"
                              "region = us-west-2\n"
                              "[profile process]\n"
                              "region = r\n"
                              "services = mine\n"
                              "endpoint_url = http://profile\n"
                              "max_attempts = 3\n"
                              "credential_process = /bin/keys --of \"me # too\"\n"
                              "[profile role]\n"
                              "region = r\n"
                              "role_arn = arn:aws:iam::1:role/x\n"
                              "endpoint_url = http://profile\n"
                              "ignore_configured_endpoint_urls = true\n"
                              "[profile sso]\n"
                              "region = r\n"
                              "sso_session = x\n"
                              "ca_bundle = /ca.pem\n"
                              "[services other]\n"
                              "dynamodb =\n"
                              "  endpoint_url = http://other\n"
                              "[services mine]\n"
                              "s3 =\n"
                              "  endpoint_url = http://s3\n"
                              "dynamodb =\n"
                              "  # endpoint_url = http://comment\n"
                              "\tendpoint_url = http://services # a comment\n"
                              "  endpoint_url = http://second\n");
    write_file(".aws/credentials", "[default]\n"
                                   "aws_access_key_id = default-id\n"
                                   "aws_secret_access_key = default=secret\n"
                                   "\n"
                                   "[work]\n"
                                   "; comment\n"
                                   "aws_access_key_id=work-id\n"
                                   "aws_secret_access_key=work-secret\n"
                                   "aws_session_token=work-token\n"
                                   "[half]\n"
                                   "aws_access_key_id=half-id");
    write_file("elsewhere", "[default]\naws_access_key_id=x\naws_secret_access_key=y\n");
    write_file("config", "[default]\nregion=ap-south-1\n");
    return 0;
}

static int remove_home(void **state) {
    (void)state;
    static const char *const names[] = {".aws/config", ".aws/credentials", ".aws",
                                        "elsewhere",   "config",           ""};
    char path[128];
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        snprintf(path, sizeof(path), "%s/%s", home, names[i]);
        remove(path);
    }
    return 0;
}

/* Loads, and prints the settings as one line: "endpoint region id secret token" or the problem.
 * The service that it signs for comes last when it was given. */
static void assert_settings(const struct ddb_options *options, const char *const *variables,
                            const char *expected) {
    struct arena arena;
    struct settings settings;
    char line[512];
    environment = variables;
    arena_init(&arena);
    const char *problem = settings_load(&arena, options, fake_variable, &settings);
    if (problem != NULL)
        snprintf(line, sizeof(line), "%s", problem);
    else
        snprintf(line, sizeof(line), "%s %s %s %s %s%s%s", settings.endpoint,
                 settings.credentials.region, settings.credentials.id, settings.credentials.secret,
                 settings.credentials.token == NULL ? "-" : settings.credentials.token,
                 settings.credentials.service == NULL ? "" : " ",
                 settings.credentials.service == NULL ? "" : settings.credentials.service);
    assert_string_equal(line, expected);
    arena_release(&arena);
}

#define VARIABLES(...) ((const char *[]){__VA_ARGS__, NULL})
#define KEYS "AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "secret"

static void the_environment(void **state) {
    (void)state;
    assert_settings(&(struct ddb_options){.signing_name = "monitoring"},
                    VARIABLES("AWS_REGION", "us-east-2", KEYS),
                    "https://dynamodb.us-east-2.amazonaws.com us-east-2 id secret - monitoring");
    assert_settings(NULL, VARIABLES("AWS_REGION", "us-east-2", "AWS_DEFAULT_REGION", "x", KEYS),
                    "https://dynamodb.us-east-2.amazonaws.com us-east-2 id secret -");
    assert_settings(NULL, VARIABLES("AWS_DEFAULT_REGION", "cn-north-1", KEYS),
                    "https://dynamodb.cn-north-1.amazonaws.com.cn cn-north-1 id secret -");
    assert_settings(NULL,
                    VARIABLES("AWS_REGION", "r", "AWS_ENDPOINT_URL", "http://b:1",
                              "AWS_ENDPOINT_URL_DYNAMODB", "http://a:1", "AWS_SESSION_TOKEN", "t",
                              KEYS),
                    "http://a:1 r id secret t");
    assert_settings(NULL,
                    VARIABLES("AWS_REGION", "r", "AWS_ENDPOINT_URL", "http://b:1",
                              "AWS_ENDPOINT_URL_DYNAMODB", "", KEYS),
                    "http://b:1 r id secret -");
}

static void options_win(void **state) {
    (void)state;
    struct ddb_options options = {.endpoint = "https://[::1]:9", .region = "mine"};
    const char *const *variables = VARIABLES("AWS_REGION", "r", "AWS_ENDPOINT_URL", "http://b:1",
                                             "AWS_SESSION_TOKEN", "t", KEYS);
    assert_settings(&options, variables, "https://[::1]:9 mine id secret t");
    options.access_key_id = "a";
    options.secret_access_key = "b";
    assert_settings(&options, variables, "https://[::1]:9 mine a b -");
    options.secret_access_key = NULL;
    assert_settings(&options, variables,
                    "the credentials in the options have an access key id, but no secret access "
                    "key");
}

static void profiles(void **state) {
    (void)state;
    assert_settings(NULL, VARIABLES("HOME", home),
                    "https://dynamodb.eu-west-1.amazonaws.com eu-west-1 default-id default=secret "
                    "-");
    assert_settings(NULL, VARIABLES("HOME", home, "AWS_PROFILE", "work"),
                    "https://dynamodb.eu-central-1.amazonaws.com eu-central-1 work-id work-secret "
                    "work-token");
    assert_settings(&(struct ddb_options){.profile = "keys"},
                    VARIABLES("HOME", home, "AWS_PROFILE", "work"),
                    "https://dynamodb.us-west-2.amazonaws.com us-west-2 config-id config-secret -");
    assert_settings(NULL, VARIABLES("HOME", home, "AWS_PROFILE", "work", KEYS),
                    "https://dynamodb.eu-central-1.amazonaws.com eu-central-1 id secret -");
    assert_settings(NULL, VARIABLES("HOME", home, "AWS_PROFILE", "local"),
                    "profile \"local\" is neither in the credentials file nor in the config file");
    assert_settings(NULL, VARIABLES("HOME", home, "AWS_PROFILE", "half", "AWS_REGION", "r"),
                    "the credentials in the credentials file have an access key id, but no secret "
                    "access key");
}

static void files_elsewhere(void **state) {
    (void)state;
    char credentials[128], config[128];
    snprintf(credentials, sizeof(credentials), "%s/elsewhere", home);
    snprintf(config, sizeof(config), "%s/config", home);
    assert_settings(
        NULL, VARIABLES("AWS_SHARED_CREDENTIALS_FILE", credentials, "AWS_CONFIG_FILE", config),
        "https://dynamodb.ap-south-1.amazonaws.com ap-south-1 x y -");
    assert_settings(
        NULL, VARIABLES("HOME", home, "AWS_SHARED_CREDENTIALS_FILE", "/nowhere", "AWS_REGION", "r"),
        "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or keys in "
        "the profile, or the options; a local server is content with any");
}

static void files_that_cannot_be_read(void **state) {
    (void)state;
    char path[128], expected[256];
    snprintf(expected, sizeof(expected), "cannot read %s: Is a directory", home);
    assert_settings(NULL, VARIABLES("AWS_CONFIG_FILE", home), expected);
    snprintf(expected, sizeof(expected), "/dev/zero is larger than a megabyte");
    assert_settings(NULL, VARIABLES("AWS_SHARED_CREDENTIALS_FILE", "/dev/zero"), expected);
    /* A name below a file is not there. */
    snprintf(path, sizeof(path), "%s/config/x", home);
    assert_settings(NULL, VARIABLES("AWS_CONFIG_FILE", path, "AWS_REGION", "r", KEYS),
                    "https://dynamodb.r.amazonaws.com r id secret -");
}

static void load(const struct ddb_options *options, const char *const *variables,
                 struct arena *arena, struct settings *ret_settings) {
    environment = variables;
    arena_init(arena);
    assert_null(settings_load(arena, options, fake_variable, ret_settings));
}

static void a_process_gives_the_credentials(void **state) {
    (void)state;
    struct arena arena;
    struct settings settings;
    load(&(struct ddb_options){.profile = "process"}, VARIABLES("HOME", home, KEYS), &arena,
         &settings);
    assert_string_equal(settings.process, "/bin/keys --of \"me");
    assert_string_equal(settings.profile, "process");
    assert_null(settings.credentials.id);
    assert_int_equal(settings.attempts_max, 3);
    arena_release(&arena);
    /* Keys of the environment come before a profile that was not asked for in so many words. */
    load(NULL, VARIABLES("HOME", home, "AWS_PROFILE", "process", KEYS), &arena, &settings);
    assert_null(settings.process);
    assert_string_equal(settings.credentials.id, "id");
    arena_release(&arena);
}

static void assert_endpoints(const struct ddb_options *options, const char *const *variables,
                             const char *endpoint, const char *streams) {
    struct arena arena;
    struct settings settings;
    load(options, variables, &arena, &settings);
    assert_string_equal(settings.endpoint, endpoint);
    assert_string_equal(settings.streams_endpoint, streams);
    arena_release(&arena);
}

static void endpoints_of_tables_and_of_streams(void **state) {
    (void)state;
    assert_endpoints(NULL, VARIABLES("AWS_REGION", "r", KEYS), "https://dynamodb.r.amazonaws.com",
                     "https://streams.dynamodb.r.amazonaws.com");
    assert_endpoints(NULL,
                     VARIABLES("AWS_REGION", "r", KEYS, "AWS_ENDPOINT_URL_DYNAMODB", "http://a:1"),
                     "http://a:1", "http://a:1");
    assert_endpoints(NULL,
                     VARIABLES("AWS_REGION", "r", KEYS, "AWS_ENDPOINT_URL", "http://a:1",
                               "AWS_ENDPOINT_URL_DYNAMODB_STREAMS", "http://b:1"),
                     "http://a:1", "http://b:1");
    assert_endpoints(NULL,
                     VARIABLES("AWS_REGION", "r", KEYS, "AWS_ENDPOINT_URL", "http://a:1",
                               "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "TRUE"),
                     "https://dynamodb.r.amazonaws.com",
                     "https://streams.dynamodb.r.amazonaws.com");
    const char *const *named = VARIABLES("HOME", home, KEYS, "AWS_PROFILE", "process");
    assert_endpoints(NULL, named, "http://services", "http://services");
    assert_endpoints(&(struct ddb_options){.endpoint = "http://o"}, named, "http://o", "http://o");
    assert_endpoints(NULL, VARIABLES("HOME", home, KEYS, "AWS_PROFILE", "role"),
                     "https://dynamodb.r.amazonaws.com",
                     "https://streams.dynamodb.r.amazonaws.com");
}

static void profiles_for_the_aws_cli_only(void **state) {
    (void)state;
    assert_settings(NULL, VARIABLES("HOME", home, "AWS_PROFILE", "role"),
                    "profile \"role\" has its credentials by role_arn, which needs the AWS CLI: "
                    "credential_process = aws configure export-credentials --profile role");
    assert_settings(NULL, VARIABLES("HOME", home, "AWS_PROFILE", "sso"),
                    "profile \"sso\" has its credentials by single sign-on, which needs the AWS "
                    "CLI: credential_process = aws configure export-credentials --profile sso");
}

static void certificates(void **state) {
    (void)state;
    struct arena arena;
    struct settings settings;
    load(&(struct ddb_options){.client_cert_file = "cert", .client_key_file = "key"},
         VARIABLES("HOME", home, "AWS_PROFILE", "sso", KEYS), &arena, &settings);
    assert_string_equal(settings.ca_file, "/ca.pem");
    assert_string_equal(settings.client_cert_file, "cert");
    assert_string_equal(settings.client_key_file, "key");
    arena_release(&arena);
    load(NULL, VARIABLES("AWS_REGION", "r", "AWS_CA_BUNDLE", "/mine", KEYS), &arena, &settings);
    assert_string_equal(settings.ca_file, "/mine");
    arena_release(&arena);
    assert_settings(&(struct ddb_options){.client_key_file = "key"},
                    VARIABLES("AWS_REGION", "r", KEYS),
                    "client_key_file is given, but no client_cert_file");
}

static void what_is_missing_or_wrong(void **state) {
    (void)state;
    assert_settings(NULL, VARIABLES(KEYS),
                    "no region: set AWS_REGION, or `region` in the profile, or the option");
    assert_settings(NULL, VARIABLES("AWS_REGION", "a:b", KEYS), "\"a:b\" is no region");
    assert_settings(NULL, VARIABLES("AWS_REGION", "r", "AWS_SECRET_ACCESS_KEY", "x"),
                    "the credentials in the environment have a secret access key, but no access "
                    "key id");
    assert_settings(NULL, VARIABLES("AWS_REGION", "r", "AWS_SESSION_TOKEN", "t\r\nX: y", KEYS),
                    "the credentials in the environment contain a blank or a character that is "
                    "not ASCII");
    static const char *const endpoints[] = {"localhost:8000", "ftp://x",      "http://",
                                            "http:///x",      "https://:1",   "http://a b",
                                            "http://me@x",    "http://x/?a=b"};
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(*endpoints); i++) {
        char expected[128];
        snprintf(expected, sizeof(expected),
                 "\"%s\" is no endpoint: it is written http://host:port or https://host",
                 endpoints[i]);
        assert_settings(&(struct ddb_options){.endpoint = endpoints[i]},
                        VARIABLES("AWS_REGION", "r", KEYS), expected);
    }
}

static void patience(void **state) {
    (void)state;
    struct arena arena;
    struct settings settings;
    environment = VARIABLES("AWS_REGION", "r", KEYS);
    arena_init(&arena);
    assert_null(settings_load(&arena, NULL, fake_variable, &settings));
    assert_int_equal(settings.connect_timeout_ms, 3000);
    assert_int_equal(settings.request_timeout_ms, 30000);
    assert_int_equal(settings.attempts_max, 6);
    assert_int_equal(settings.backoff_base_ms, 50);
    assert_int_equal(settings.backoff_max_ms, 5000);
    assert_int_equal(settings.reply_size_max, 64 * 1024 * 1024);
    assert_int_equal(settings.retry_budget, 500);
    assert_int_equal(settings.call_timeout_ms, 0);
    arena_release(&arena);
    load(NULL, VARIABLES("AWS_REGION", "r", "AWS_MAX_ATTEMPTS", "9", KEYS), &arena, &settings);
    assert_int_equal(settings.attempts_max, 9);
    arena_release(&arena);
    load(&(struct ddb_options){.attempts_max = 2},
         VARIABLES("AWS_REGION", "r", "AWS_MAX_ATTEMPTS", "no", KEYS), &arena, &settings);
    assert_int_equal(settings.attempts_max, 2);
    arena_release(&arena);
    assert_settings(NULL, VARIABLES("AWS_REGION", "r", "AWS_MAX_ATTEMPTS", "0", KEYS),
                    "AWS_MAX_ATTEMPTS or max_attempts is 1 to 1000, not \"0\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment),
        cmocka_unit_test(options_win),
        cmocka_unit_test(profiles),
        cmocka_unit_test(files_elsewhere),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(a_process_gives_the_credentials),
        cmocka_unit_test(endpoints_of_tables_and_of_streams),
        cmocka_unit_test(profiles_for_the_aws_cli_only),
        cmocka_unit_test(certificates),
        cmocka_unit_test(what_is_missing_or_wrong),
        cmocka_unit_test(patience),
    };
    return cmocka_run_group_tests_name("client settings", tests, make_home, remove_home);
}
