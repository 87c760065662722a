/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporary files that a killed run left. Their names are .cof-SPACE-PID-RANDOM.SUFFIX, where SPACE
 * stands for the machine, its boot and the PID namespace, in which PID is unique. */
#include "io/stale_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".cof-"
#define RANDOM_PART "XXXXXX"
#define SPACE_LENGTH 8

/* The space in which the number of a process is unique, as SPACE_LENGTH digits; "" if unknown. */
static char process_space[SPACE_LENGTH + 1];
static char pattern[64] = PREFIX RANDOM_PART;

static void *find_process_space(void *unused)
{
    char boot[64] = "", *text = NULL;
    struct stat namespace;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    bool ok = file && fgets(boot, sizeof boot, file) && stat("/proc/self/ns/pid", &namespace) == 0;
    if (file)
        fclose(file);
    if (ok) {
        text = g_strdup_printf("%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, boot,
                               (guint64) namespace.st_dev, (guint64) namespace.st_ino);
        char *digits = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
        g_strlcpy(process_space, digits, sizeof process_space);
        g_snprintf(pattern, sizeof pattern, PREFIX "%s-%ld-" RANDOM_PART, process_space,
                   (long)getpid());
        g_free(digits);
        g_free(text);
    }
    return unused;
}

const char *temporary_name_pattern(void)
{
    static GOnce once = G_ONCE_INIT;
    g_once(&once, find_process_space, NULL);
    return pattern;
}

/* The process that created a file of this name in the same space; 0 if there is none. */
static pid_t owner_of(const char *name)
{
    const char *space = name + strlen(PREFIX);
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || process_space[0] == '\0' ||
        strncmp(space, process_space, SPACE_LENGTH) != 0 || space[SPACE_LENGTH] != '-')
        return 0;
    const char *number = space + SPACE_LENGTH + 1;
    char *end;
    long pid = g_ascii_isdigit(*number) ? strtol(number, &end, 10) : 0;
    if (pid <= 0 || pid > G_MAXINT || *end != '-')
        return 0;
    size_t random = strcspn(end + 1, ".");
    return random == strlen(RANDOM_PART) ? (pid_t)pid : 0;
}

static bool has_ended(pid_t process)
{
    return kill(process, 0) != 0 && errno == ESRCH;
}

void remove_stale_files(const char *folder)
{
    struct stat info;
    temporary_name_pattern();
    DIR *stream = opendir(folder);
    if (!stream)
        return;
    for (struct dirent *entry; (entry = readdir(stream));) {
        pid_t owner = owner_of(entry->d_name);
        if (owner > 0 && has_ended(owner) &&
            fstatat(dirfd(stream), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode) && info.st_uid == geteuid())
            unlinkat(dirfd(stream), entry->d_name, 0);
    }
    closedir(stream);
}
