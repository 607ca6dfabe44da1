/* test_reserve.c - the file that takes room: made whole or not at all, given up, made again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "store/rocksdb/reserve.h"
#include "support/skip.h"

enum { MIB = 1 << 20 };

static char folder[] = "/tmp/gramme-reserve-XXXXXX", path[64];

static int set_up(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof(path), "%s/RESERVE", folder);
    return 0;
}

/* Not every file system sets room aside. */
static void need_room_aside(void) {
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    bool can = fd >= 0 && fallocate(fd, 0, 0, MIB) == 0;
    close(fd);
    unlink(path);
    if (!can)
        skip_without("a file system with fallocate");
}

static int tear_down(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* Another attempt, however soon. */
static void look(struct reserve *reserve) {
    reserve->look = (struct timespec){0, 0};
    reserve_look(reserve);
}

/* How much it takes; -1: it is not there. */
static int64_t room_taken(void) {
    struct stat status;
    return stat(path, &status) == 0 ? (int64_t)status.st_blocks * 512 : -1;
}

static void it_takes_room_and_gives_it_back(void **state) {
    (void)state;
    need_room_aside();
    struct reserve reserve = {.path = path, .bytes = 3 * MIB};
    assert_false(reserve_give_up(&reserve)); /* there is none */
    look(&reserve);
    assert_true(room_taken() >= 3 * MIB);
    assert_int_equal(reserve_kept_bytes(&reserve), 3 * MIB);
    struct reserve later = {.path = path, .bytes = 3 * MIB};
    assert_true(reserve_give_up(&later));
    assert_int_equal(room_taken(), -1);
    assert_false(reserve_give_up(&later));
    look(&later);
    assert_true(room_taken() >= 3 * MIB);
    assert_false(later.given_up);
}

static void a_part_of_one_is_made_whole(void **state) {
    (void)state;
    need_room_aside();
    struct reserve reserve = {.path = path, .bytes = 2 * MIB},
                   larger = {.path = path, .bytes = 4 * MIB};
    look(&reserve);
    assert_int_equal(truncate(path, MIB), 0);
    struct reserve again = {.path = path, .bytes = 2 * MIB};
    look(&again);
    assert_true(room_taken() >= 2 * MIB && room_taken() < 4 * MIB);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(path, 4 * MIB), 0); /* a hole takes nothing */
    assert_false(reserve_give_up(&larger));
    look(&larger);
    assert_true(room_taken() >= 4 * MIB);
}

static void there_may_be_none(void **state) {
    (void)state;
    need_room_aside();
    struct reserve reserve = {.path = path, .bytes = MIB}, none = {.path = path},
                   nobodys = {.bytes = MIB};
    look(&reserve);
    look(&nobodys);
    assert_false(reserve_give_up(&nobodys));
    assert_true(room_taken() >= MIB);
    look(&none);
    assert_int_equal(room_taken(), -1);
    assert_int_equal(reserve_kept_bytes(&none), 0);
}

/* Nor does it fill the disk itself, and it is not tried again at once. */
static void without_room_there_is_none(void **state) {
    (void)state;
    need_room_aside();
    struct statvfs disk;
    assert_int_equal(statvfs(folder, &disk), 0);
    struct reserve reserve = {.path = path, .bytes = (uint64_t)disk.f_bavail * disk.f_frsize / 2};
    look(&reserve);
    assert_int_equal(room_taken(), -1);
    assert_int_equal(reserve_kept_bytes(&reserve), 0);
    reserve.bytes = MIB;
    reserve_look(&reserve);
    assert_int_equal(room_taken(), -1);
    look(&reserve);
    assert_true(room_taken() >= MIB);
    assert_int_equal(unlink(path), 0);
    struct reserve elsewhere = {.path = "/nowhere/RESERVE", .bytes = MIB};
    look(&elsewhere);
    assert_int_equal(reserve_kept_bytes(&elsewhere), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_takes_room_and_gives_it_back),
        cmocka_unit_test(a_part_of_one_is_made_whole),
        cmocka_unit_test(there_may_be_none),
        cmocka_unit_test(without_room_there_is_none),
    };
    return cmocka_run_group_tests_name("reserve", tests, set_up, tear_down);
}
