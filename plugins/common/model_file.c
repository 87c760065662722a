/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a model from a file given by name. */
#include "model_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger than any file that the library writes. */
#define MAX_FILE_SIZE ((size_t)1 << 30)
#define CHUNK_SIZE ((size_t)1 << 20)

/* Reads to the end of a file, which may be a pipe. Returns NULL and sets errno on failure. */
static char *read_all(FILE *file, size_t *size)
{
    char *bytes = NULL;
    size_t capacity = 0, got;
    *size = 0;
    do {
        char *more = capacity < MAX_FILE_SIZE ? realloc(bytes, capacity += CHUNK_SIZE) : NULL;
        if (!more) {
            free(bytes);
            errno = capacity < MAX_FILE_SIZE ? ENOMEM : EFBIG;
            return NULL;
        }
        bytes = more;
        got = fread(bytes + *size, 1, CHUNK_SIZE, file);
        *size += got;
    } while (got == CHUNK_SIZE);
    if (ferror(file)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rbe");
    if (!file)
        return NULL;
    char *bytes = read_all(file, size);
    int problem = errno;
    fclose(file);
    errno = problem;
    return bytes;
}

CofModel *model_file_load(const char *name, const CofOptions *options,
                          char problem[MODEL_FILE_PROBLEM])
{
    size_t size = 0;
    char *bytes = read_file(name, &size);
    if (!bytes) {
        snprintf(problem, MODEL_FILE_PROBLEM, "%s", strerror(errno));
        return NULL;
    }
    CofProblem reason;
    CofOptions own = *options;
    own.problem = &reason;
    CofModel *model = NULL;
    if (cof_load(NULL, &model, bytes, size, &own) != COF_OK)
        snprintf(problem, MODEL_FILE_PROBLEM, "%s", reason.text);
    free(bytes);
    return model;
}
