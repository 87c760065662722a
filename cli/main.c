/* SPDX-License-Identifier: BSD-2-Clause */
/* The command cof. */
#include <errno.h>
#if defined(__linux__)
#include <malloc.h>
#endif
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>

#include "commands/commands.h"
#include "io/atomic_file.h"
#include "io/formats.h"
#include "io/image_file.h"
#include "options/arguments_check.h"
#include "options/arguments_files.h"
#include "options/arguments_folders.h"
#include "options/option_notes.h"
#include "raster/raster_input.h"
#include "ui/device_note.h"
#include "ui/error_line.h"
#include "ui/message_stream.h"
#include "ui/progress.h"
#include "video/subprocess.h"
#include "vips_operations.h"

enum { EXIT_DONE = 0, EXIT_FILE = 1, EXIT_USAGE = 2 };

/* Programs that still write would create a file again that was removed. */
static void remove_files(void)
{
    message_end();
    subprocess_kill_all();
    atomic_file_remove_all();
}

static volatile sig_atomic_t is_ending;

static void remove_files_and_exit(int signal_number)
{
    is_ending = 1;
    remove_files();
    _exit(128 + signal_number);
}

/* For the signals of a crash. The signal then ends the process as it would have without a handler,
 * so that core files and exit statuses are the usual ones. */
static void remove_files_and_crash(int signal_number)
{
    signal(signal_number, SIG_DFL);
    message_write_at_once("cof: a crash, possibly because a library failed or memory ran out\n");
    remove_files();
    raise(signal_number);
}

/* A signal that the parent process ignores, as nohup does, stays ignored. A sanitizer's handler
 * stays, too. */
static void set_handler(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}, before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL &&
        !(before.sa_flags & SA_SIGINFO))
        sigaction(number, &action, NULL);
}

static void set_signal_handlers(void)
{
    set_handler(SIGINT, remove_files_and_exit);
    set_handler(SIGTERM, remove_files_and_exit);
    set_handler(SIGHUP, remove_files_and_exit);
    set_handler(SIGXFSZ, SIG_IGN); /* a write beyond the file size limit then returns an error */
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        set_handler(crashes[i], remove_files_and_crash);
}

/* glibc returns freed blocks to the system from this size on, but raises it, up to 32 MB, with each
 * block that is freed. Tiles of large images would then stay in the heaps of several threads. */
#define RETURNED_BLOCK (4 << 20)

static void return_freed_memory(void)
{
#if defined(M_MMAP_THRESHOLD)
    mallopt(M_MMAP_THRESHOLD, RETURNED_BLOCK);
#endif
}

static void ignore_message(const char *domain, GLogLevelFlags level, const char *message,
                           void *user)
{
    (void)domain, (void)level, (void)message, (void)user;
}

/* GLib ends the process where it cannot allocate memory or start a thread. */
static void exit_on_fatal_error(const char *domain, GLogLevelFlags level, const char *message,
                                void *user)
{
    (void)domain, (void)user;
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    char line[256];
    if (atomic_flag_test_and_set(&ending) && !(level & G_LOG_FLAG_RECURSION))
        for (;;)
            pause(); /* another thread ends the process */
    bool memory = strstr(message, "failed to allocate") || strstr(message, "creating thread");
    snprintf(line, sizeof line, "cof: %s\n", memory ? "not enough memory" : message);
    message_write_at_once(line);
    remove_files();
    _exit(EXIT_FILE);
}

static void set_log_handlers(void)
{
    g_log_set_handler("GLib", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION,
                      exit_on_fatal_error, NULL);
    /* Every warning of libvips that matters is also returned as an error. */
    g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, ignore_message, NULL);
    g_log_set_handler("GModule", G_LOG_LEVEL_CRITICAL, ignore_message, NULL);
}

static bool needs_vips(const Arguments *a)
{
    return a->subcommand != CMD_MERGE && (a->subcommand != CMD_INFO || option_set(a, OPT_FORMATS));
}

/* Registers the operations of this program first, so that they win over an installed module. */
static bool start_vips(const Arguments *a, const char *name)
{
    return_freed_memory();
    set_log_handlers();
    vips_cof_smooth_get_type();
    vips_cof_learn_get_type();
    vips_cof_label_get_type();
    if (VIPS_INIT(name) != 0) {
        message_write("cof: libvips does not start\n");
        return false;
    }
    formats_init(option_set(a, OPT_ALLOW_READER) ? allow_reader_words[a->allow_reader] : NULL);
    image_file_init(a->max_pixels);
    image_save_init(a->quality);
    if (a->options.threads > 0)
        vips_concurrency_set(a->options.threads);
    progress_init(option_set(a, OPT_QUIET));
    if (option_set(a, OPT_QUIET))
        notes_disable();
    return true;
}

static bool run(const Arguments *a)
{
    switch (a->subcommand) {
    case CMD_FILTER:
        return command_filter(a);
    case CMD_LEARN:
        return command_learn(a);
    case CMD_APPLY:
        return command_apply(a);
    case CMD_MERGE:
        return command_merge(a);
    case CMD_SHOW:
        return command_show(a);
    case CMD_SELECT:
        return command_select(a);
    case CMD_FOCUS:
        return command_focus(a);
    case CMD_RECOLOUR:
        return command_recolour(a);
    case CMD_VIDEO:
        return command_video(a);
    case CMD_INFO:
        return command_info(a);
    }
    return false;
}

static void print_notes(const Arguments *a)
{
    bool frames = a->subcommand == CMD_VIDEO || a->raw;
    option_notes_print(a);
    device_note_print(frames ? "frames" : arguments_is_batch(a) ? "images" : NULL);
}

int main(int argc, char **argv)
{
    Arguments arguments;
    int status = EXIT_FILE;
    message_reserve_streams();
    ParseResult parsed = arguments_read(&arguments, argc, argv);
    if (parsed == PARSE_RUN && !arguments_check(&arguments))
        parsed = PARSE_ERROR;
    switch (parsed) {
    case PARSE_EXIT:
        status = fflush(stdout) == 0 ? EXIT_DONE : EXIT_FILE;
        if (status != EXIT_DONE)
            print_error("standard output", strerror(errno));
        break;
    case PARSE_ERROR:
        status = EXIT_USAGE;
        break;
    case PARSE_RUN:
        if (needs_vips(&arguments)) {
            message_claim_streams(argv);
            if (!start_vips(&arguments, argv[0]))
                break;
        }
        if (!arguments_expand_folders(&arguments,
                                      arguments.reader == READER_VIPS ? NULL : raster_is_file))
            break;
        if (!arguments_check_files(&arguments)) {
            status = EXIT_USAGE;
            break;
        }
        set_signal_handlers();
        status = run(&arguments) && !arguments_folders_failed(&arguments) ? EXIT_DONE : EXIT_FILE;
        if (status == EXIT_DONE)
            print_notes(&arguments);
        if (needs_vips(&arguments))
            vips_shutdown();
        break;
    }
    arguments_free(&arguments);
    while (is_ending) /* a signal handler in another thread states the exit status */
        pause();
    return status;
}
