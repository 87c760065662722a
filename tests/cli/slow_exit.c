/* SPDX-License-Identifier: BSD-2-Clause */
/* A library to preload: the process ends a moment after it has called _exit(), so that its other
 * threads can do what they should not. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void _exit(int status)
{
    static const struct timespec moment = {.tv_nsec = 30000000};
    nanosleep(&moment, NULL);
    _Exit(status);
}
