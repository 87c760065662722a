/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests use of POSIX and Windows lacks. Every file of the tests is compiled with it. */
#ifndef POSIX_H
#define POSIX_H

#include <stddef.h>
#include <stdlib.h>

static inline int setenv(const char *name, const char *value, int overwrite)
{
    (void)overwrite;
    return _putenv_s(name, value);
}

static inline int unsetenv(const char *name)
{
    return _putenv_s(name, "");
}

/* There is no /tmp. */
static inline char *mkdtemp(char *pattern)
{
    (void)pattern;
    return NULL;
}

#endif
