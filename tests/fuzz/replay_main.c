/* replay_main.c - runs a fuzz target over the files of a corpus, without libFuzzer.
 *
 * Arguments are files or folders (one level). An argument without any file is an error, so that a
 * corpus that went missing is noticed. Each input is copied to memory of just its size, so that the
 * sanitizer sees a read past its end. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static void run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size == 0 ? 1 : size);
    CHECK(data != NULL && fread(data, 1, size, file) == size);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int run_folder(const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        perror(path);
        exit(1);
    }
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char file[4096];
        int len = snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        struct stat status;
        CHECK(len > 0 && (size_t)len < sizeof(file));
        if (stat(file, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        run_file(file);
        count++;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    int total = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        bool folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        int count = 1;
        if (folder)
            count = run_folder(argv[i]);
        else
            run_file(argv[i]);
        if (count == 0) {
            fprintf(stderr, "%s: no inputs\n", argv[i]);
            return 1;
        }
        total += count;
    }
    printf("%d inputs\n", total);
    return total == 0;
}
