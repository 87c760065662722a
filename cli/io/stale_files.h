/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporary files that a run of this command left because it was killed. */
#ifndef COF_STALE_FILES_H
#define COF_STALE_FILES_H

/* The pattern of the names of this process's temporary files, for mkstemps(), without the suffix.
 * Where Linux's /proc is readable, it identifies the process. */
const char *temporary_name_pattern(void);

/* Removes the temporary files of this user in a folder whose process has ended. Files of other
 * machines, of other containers and from before the last boot stay, because it cannot be known
 * whether their processes have ended. */
void remove_stale_files(const char *folder);

#endif
