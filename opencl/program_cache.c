/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled programs on disk. A file is a header, the key and the bytes. */
#include "program_cache.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PATH 4096
#define MAX_SIZE ((uint64_t)1 << 28)
#define MAGIC "cofcl 1\n"

/* Numbers are in the byte order of the machine, which the program is for, too. */
typedef struct Header {
    char magic[8];
    uint64_t key_size, size, check;
} Header;

/* FNV-1a. */
static uint64_t hash(uint64_t start, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint64_t sum = start;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ p[i]) * 0x100000001b3u;
    return sum;
}

#define HASH_START 0xcbf29ce484222325u

static uint64_t check_of(const char *key, const unsigned char *bytes, size_t size)
{
    return hash(hash(HASH_START, key, strlen(key)), bytes, size);
}

/* The folder for programs; false: there is none. */
static bool folder_path(char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool is_set = cache && cache[0] == '/'; /* others are to be ignored */
    if (!is_set && !(home && home[0] == '/'))
        return false;
    int size = snprintf(path, MAX_PATH, "%s%s", is_set ? cache : home, is_set ? "" : "/.cache");
    if (size < 0 || size > MAX_PATH - 100)
        return false;
    mkdir(path, 0700);
    snprintf(path + size, (size_t)(MAX_PATH - size), "/cof");
    mkdir(path, 0700);
    return true;
}

static bool file_path(const char *key, char *path)
{
    if (!folder_path(path))
        return false;
    size_t end = strlen(path);
    snprintf(path + end, MAX_PATH - end, "/opencl-%016llx.bin",
             (unsigned long long)hash(HASH_START, key, strlen(key)));
    return true;
}

/* Reads what follows the header; NULL unless it is what the header says. */
static unsigned char *read_rest(FILE *file, const Header *header, const char *key)
{
    size_t key_size = (size_t)header->key_size, size = (size_t)header->size;
    unsigned char *bytes = malloc(key_size + size + 1);
    bool is_right = bytes && fread(bytes, 1, key_size + size + 1, file) == key_size + size &&
                    memcmp(bytes, key, key_size) == 0 &&
                    check_of(key, bytes + key_size, size) == header->check;
    if (!is_right) {
        free(bytes);
        return NULL;
    }
    memmove(bytes, bytes + key_size, size);
    return bytes;
}

unsigned char *cofcl_cache_read(const char *key, size_t *size)
{
    char path[MAX_PATH];
    Header header;
    FILE *file = file_path(key, path) ? fopen(path, "rb") : NULL;
    if (!file)
        return NULL;
    bool is_for_key = fread(&header, sizeof header, 1, file) == 1 &&
                      memcmp(header.magic, MAGIC, sizeof header.magic) == 0 &&
                      header.key_size == strlen(key) && header.size > 0 && header.size < MAX_SIZE;
    unsigned char *bytes = is_for_key ? read_rest(file, &header, key) : NULL;
    fclose(file);
    if (bytes)
        *size = (size_t)header.size;
    return bytes;
}

static bool write_file(FILE *file, const char *key, const unsigned char *bytes, size_t size)
{
    Header header = {.key_size = strlen(key), .size = size, .check = check_of(key, bytes, size)};
    memcpy(header.magic, MAGIC, sizeof header.magic);
    return fwrite(&header, sizeof header, 1, file) == 1 &&
           fwrite(key, 1, strlen(key), file) == strlen(key) && fwrite(bytes, 1, size, file) == size;
}

void cofcl_cache_write(const char *key, const unsigned char *bytes, size_t size)
{
    char path[MAX_PATH], temporary[MAX_PATH + 8];
    if (size == 0 || size >= MAX_SIZE || !file_path(key, path))
        return;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!file) {
        if (descriptor >= 0) {
            close(descriptor);
            unlink(temporary);
        }
        return;
    }
    bool is_written = write_file(file, key, bytes, size);
    is_written = fclose(file) == 0 && is_written;
    if (!is_written || rename(temporary, path) != 0)
        unlink(temporary);
}
