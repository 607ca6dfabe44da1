/* test_process.c - process metrics agree with what the system reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "prometheus/process.h"

static struct buffer out;

static int setup(void **state) {
    (void)state;
    buffer_init(&out, 64 * 1024);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    buffer_release(&out);
    return 0;
}

static void write_page(void) {
    struct exposition exposition = {.out = &out};
    buffer_reset(&out);
    process_page_write(&exposition);
    buffer_append_byte(&out, '\0');
    assert_false(out.overflow);
}

/* The value of this sample on the page. */
static double value_of(const char *name) {
    char start[64];
    snprintf(start, sizeof(start), "\n%s ", name);
    const char *line = strstr((const char *)out.data, start);
    if (line == NULL)
        fail_msg("%s is not there", name);
    return strtod(line + strlen(start), NULL);
}

static unsigned count_descriptors(void) {
    unsigned count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void open_fds_counts_every_descriptor(void **state) {
    (void)state;
    enum { MORE = 3 };
    int fds[MORE];
    write_page();
    double before = value_of("process_open_fds");
    assert_true(before == count_descriptors());
    for (size_t i = 0; i < MORE; i++)
        fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    write_page();
    assert_true(value_of("process_open_fds") == before + MORE);
    for (size_t i = 0; i < MORE; i++)
        close(fds[i]);
    write_page();
    assert_true(value_of("process_open_fds") == before);
}

static void max_fds_is_the_soft_limit(void **state) {
    (void)state;
    struct rlimit limit, lower;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    lower = limit;
    lower.rlim_cur = 123;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &lower), 0);
    write_page();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(value_of("process_max_fds") == 123);
}

/* With no free descriptor, nothing in /proc can be opened. */
static void unreadable_values_are_omitted(void **state) {
    (void)state;
    struct rlimit limit, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    write_page();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_string_equal((const char *)out.data,
                        "# HELP process_max_fds How many there may be.\n"
                        "# TYPE process_max_fds gauge\nprocess_max_fds 0\n");
}

static double used_s(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* The kernel rounds user and system time to clock ticks, each. */
static void cpu_seconds_agree_with_getrusage(void **state) {
    (void)state;
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    double begin = used_s(), before;
    while ((before = used_s()) < begin + 0.05)
        ;
    write_page();
    double told = value_of("process_cpu_seconds_total");
    assert_true(told >= before - 2 * tick);
    assert_true(told <= used_s() + 2 * tick);
}

static void start_time_is_between_boot_and_now(void **state) {
    (void)state;
    struct timespec uptime;
    clock_gettime(CLOCK_BOOTTIME, &uptime);
    double now = (double)time(NULL);
    write_page();
    double start = value_of("process_start_time_seconds");
    assert_true(start <= now + 2);
    assert_true(start >= now - (double)uptime.tv_sec - 2);
}

static void resident_memory_is_within_virtual_memory(void **state) {
    (void)state;
    write_page();
    double resident = value_of("process_resident_memory_bytes");
    assert_true(resident >= (double)sysconf(_SC_PAGESIZE));
    assert_true(resident <= value_of("process_virtual_memory_bytes"));
}

/* /proc/self/stat has the name in parentheses before the numbers. */
static void process_name_with_parentheses_is_skipped(void **state) {
    (void)state;
    char name[16];
    assert_int_equal(prctl(PR_GET_NAME, name), 0);
    write_page();
    double start = value_of("process_start_time_seconds");
    assert_int_equal(prctl(PR_SET_NAME, ") R 1 (2) 3 4"), 0);
    write_page();
    assert_int_equal(prctl(PR_SET_NAME, name), 0);
    assert_true(value_of("process_start_time_seconds") == start);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_fds_counts_every_descriptor),
        cmocka_unit_test(max_fds_is_the_soft_limit),
        cmocka_unit_test(unreadable_values_are_omitted),
        cmocka_unit_test(cpu_seconds_agree_with_getrusage),
        cmocka_unit_test(start_time_is_between_boot_and_now),
        cmocka_unit_test(resident_memory_is_within_virtual_memory),
        cmocka_unit_test(process_name_with_parentheses_is_skipped),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
