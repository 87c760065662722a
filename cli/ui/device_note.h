/* SPDX-License-Identifier: BSD-2-Clause */
/* The note that a device left work to the CPU. */
#ifndef COF_DEVICE_NOTE_H
#define COF_DEVICE_NOTE_H

#include <stdbool.h>

/* Remembers why the device left work of a call to the CPU; NULL: it did not. Images and frames that
 * are filtered are counted. Can be called by any thread. */
void device_note_see(const char *reason, bool counted);

/* Prints one line if there was a reason, the first one. `units` is what was counted, such as
 * "frames"; NULL: there was one image. */
void device_note_print(const char *units);

#endif
