/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporary files, of atomic outputs and of large results. */
#include "io/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ui/error_line.h"

/* The temporary files that exist, for the signal handler; an empty name marks a free slot. */
#define MAX_PATH_LENGTH 4096
static char open_files[MAX_ATOMIC_FILES][MAX_PATH_LENGTH];
static GMutex lock;

/* Returns whether there was one. */
static bool remove_files(void)
{
    bool found = false;
    for (int i = 0; i < MAX_ATOMIC_FILES; i++)
        if (open_files[i][0] != '\0' && unlink(open_files[i]) == 0)
            found = true;
    return found;
}

/* Keeps other threads, which still run, from creating another temporary file. */
static void open_no_more(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = 0;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static bool are_files_open(void)
{
    for (int i = 0; i < MAX_ATOMIC_FILES; i++)
        if (open_files[i][0] != '\0')
            return true;
    return false;
}

/* Another thread may be about to create its file: waits until none has appeared for QUIET_MOMENTS.
 */
void atomic_file_remove_all(void)
{
    enum { QUIET_MOMENTS = 15 };
    static const struct timespec moment = {.tv_nsec = 2000000};
    open_no_more();
    for (int quiet = 0; quiet < QUIET_MOMENTS && are_files_open(); quiet++) {
        if (remove_files())
            quiet = 0;
        nanosleep(&moment, NULL);
    }
    remove_files();
}

/* Registers a name; NULL with errno set if it is too long or no slot is free. */
static char *take_slot(const char *pattern)
{
    char *slot = NULL;
    errno = ENAMETOOLONG;
    if (strlen(pattern) >= MAX_PATH_LENGTH)
        return NULL;
    g_mutex_lock(&lock);
    for (int i = 0; i < MAX_ATOMIC_FILES && !slot; i++)
        if (open_files[i][0] == '\0')
            slot = open_files[i];
    if (slot) { /* the first byte last: a signal handler must not see a part of the name */
        memcpy(slot + 1, pattern + 1, strlen(pattern));
        __atomic_store_n(&slot[0], pattern[0], __ATOMIC_RELEASE);
    }
    g_mutex_unlock(&lock);
    return slot;
}

/* Slots of files that other libraries create for this thread. */
static _Thread_local GPtrArray *registered;

void atomic_file_register(const char *path)
{
    if (!registered)
        registered = g_ptr_array_new();
    for (guint i = 0; i < registered->len; i++)
        if (strcmp(registered->pdata[i], path) == 0)
            return;
    char *slot = take_slot(path);
    if (slot)
        g_ptr_array_add(registered, slot);
}

void atomic_file_forget(void)
{
    for (guint i = 0; registered && i < registered->len; i++) {
        char *slot = registered->pdata[i];
        unlink(slot);
        slot[0] = '\0';
    }
    if (registered)
        g_ptr_array_free(registered, TRUE);
    registered = NULL;
}

/* Temporary files that a killed run left. Their names are .cof-SPACE-PID-RANDOM.SUFFIX, where SPACE
 * stands for the machine, its boot and the PID namespace, in which PID is unique: Linux's /proc
 * tells it. */

#define PREFIX ".cof-"
#define RANDOM_PART "XXXXXX"
#define SPACE_LENGTH 8

/* The space in which the number of a process is unique, as SPACE_LENGTH digits; "" if unknown. */
static char process_space[SPACE_LENGTH + 1];
static char name_pattern[64] = PREFIX RANDOM_PART;

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
        g_snprintf(name_pattern, sizeof name_pattern, PREFIX "%s-%ld-" RANDOM_PART, process_space,
                   (long)getpid());
        g_free(digits);
        g_free(text);
    }
    return unused;
}

/* The pattern of the names of this process's temporary files, for mkstemps(), without the suffix.
 */
static const char *temporary_name_pattern(void)
{
    static GOnce once = G_ONCE_INIT;
    g_once(&once, find_process_space, NULL);
    return name_pattern;
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

/* Removes the temporary files of this user in a folder whose process has ended. Files of other
 * machines, of other containers and from before the last boot stay, because it cannot be known
 * whether their processes have ended. */
static void remove_stale_files(const char *folder)
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

/* Removes what killed runs left in the folder, the first time that a file is created there. */
static void clean_once(const char *folder)
{
    static GHashTable *cleaned;
    g_mutex_lock(&lock);
    if (!cleaned)
        cleaned = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (g_hash_table_add(cleaned, g_strdup(folder)))
        remove_stale_files(folder[0] != '\0' ? folder : ".");
    g_mutex_unlock(&lock);
}

char *atomic_file_begin(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const char *suffix = dot ? dot : "";
    char *folder = g_strndup(path, (gsize)(base - path));
    char *pattern = g_strconcat(folder, temporary_name_pattern(), suffix, NULL);
    clean_once(folder);
    g_free(folder);
    char *slot = take_slot(pattern);
    int file = slot ? mkstemps(slot, (int)strlen(suffix)) : -1;
    g_free(pattern);
    if (file >= 0) {
        close(file);
        return slot;
    }
    print_error(name, strerror(errno));
    if (slot)
        slot[0] = '\0';
    return NULL;
}

/* Querying the umask changes it for a moment, so it is done once. */
static void *query_umask(void *mode)
{
    mode_t mask = umask(0);
    umask(mask);
    *(mode_t *)mode = 0666 & ~mask;
    return mode;
}

/* Gives the file the mode of the file it replaces, or that of a new file. */
static void copy_mode(const char *temporary, const char *path)
{
    static GOnce once = G_ONCE_INIT;
    static mode_t default_mode;
    struct stat info;
    g_once(&once, query_umask, &default_mode);
    chmod(temporary, stat(path, &info) == 0 ? info.st_mode & 0777 : default_mode);
}

/* Stores the bytes of a file that replaces another, so that a power failure leaves one of the two.
 * Some file systems cannot do that, which is no error. */
static bool store_replacement(const char *temporary, const char *path)
{
    int file = access(path, F_OK) == 0 ? open(temporary, O_RDONLY | O_CLOEXEC) : -1;
    bool ok = file < 0 || fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
    int cause = errno;
    if (file >= 0)
        close(file);
    errno = cause;
    return ok;
}

bool atomic_file_end(char *temporary, const char *path, const char *name)
{
    bool ok = path != NULL;
    if (ok) {
        copy_mode(temporary, path);
        ok = store_replacement(temporary, path) && rename(temporary, path) == 0;
        if (!ok)
            print_error(name, strerror(errno));
    }
    if (!ok)
        unlink(temporary);
    temporary[0] = '\0';
    return ok;
}

/* More than this many bytes are put into a file. */
#define MAX_BYTES_WITHOUT_FILE ((size_t)1 << 29)

int unnamed_file_new(void)
{
    char *path = g_build_filename(g_get_tmp_dir(), ".cof-XXXXXX", NULL);
    int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    g_free(path);
    return file;
}

/* Takes the blocks of a file: a full disk is an error now, not a signal later. Returns an errno. */
static int allocate(int file, off_t size)
{
#ifdef __APPLE__
    fstore_t blocks = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, size, 0};
    bool ok = fcntl(file, F_PREALLOCATE, &blocks) == 0 && ftruncate(file, size) == 0;
    return ok ? 0 : errno;
#else
    return posix_fallocate(file, 0, size);
#endif
}

static void *map_file(size_t size)
{
    int file = unnamed_file_new();
    if (file < 0)
        return NULL;
    int error = allocate(file, (off_t)size);
    void *memory = MAP_FAILED;
    if (error == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (error == 0 && memory == MAP_FAILED)
        error = errno;
    close(file);
    errno = error;
    return memory == MAP_FAILED ? NULL : memory;
}

void *temporary_memory_new(size_t size)
{
    if (size > MAX_BYTES_WITHOUT_FILE)
        return map_file(size);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void temporary_memory_free(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}
