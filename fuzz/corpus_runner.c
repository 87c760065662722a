/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a fuzz target on files and on the files of folders, without a fuzzing engine: the tests run
 * the corpus with it, and afl-fuzz can start it with one file. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static long inputs;

static bool complain(const char *name)
{
    fprintf(stderr, "%s: %s\n", name, strerror(errno));
    return false;
}

static bool run_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        return complain(name);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1); /* of this size, for the sanitizers */
    bool ok = data && size >= 0 && fread(data, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    if (ok) {
        fprintf(stderr, "%s\n", name); /* a crash is that of the last name */
        LLVMFuzzerTestOneInput(data, (size_t)size);
        inputs++;
    }
    free(data);
    return ok || complain(name);
}

static bool run_folder(const char *name)
{
    struct dirent **entries;
    int n = scandir(name, &entries, NULL, alphasort);
    if (n < 0)
        return complain(name);
    bool ok = true;
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", name, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            ok = run_file(path) && ok;
        free(entries[i]);
    }
    free(entries);
    return ok;
}

int main(int argc, char **argv)
{
    struct stat status;
    bool ok = argc > 1;
    for (int i = 1; i < argc; i++) {
        bool folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        ok = (folder ? run_folder(argv[i]) : run_file(argv[i])) && ok;
    }
    fprintf(stderr, "%ld inputs\n", inputs);
    return ok && inputs > 0 ? 0 : 1;
}
