/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter of grey and RGB on a device: its memory, input and labels. */
#ifndef COF_DEVICE_FILTER_H
#define COF_DEVICE_FILTER_H

#include "filter/filter.h"
#include "learn/model.h"
#include "learn/palette.h"

/* Why the device of the call cannot do a job that is planned; NULL: it can. And how many pixels of
 * such a job fit in its memory. */
const char *cofi_device_filter_refuses(const CofiFilter *filter);
int64_t cofi_device_filter_max_pixels(const CofiFilter *filter);

/* Takes the memory of the device for an open filter, if the call has a device that can do the job:
 * then filter->device is set, and everything else is left to the functions below. */
CofStatus cofi_device_filter_open(CofiFilter *filter);
void cofi_device_filter_close(CofiFilter *filter);

/* Starts to send the input, before it is labelled. */
CofStatus cofi_device_filter_send(CofiFilter *filter);

/* Can the device label with these palettes, one of each member? */
bool cofi_device_filter_labels(const CofiFilter *filter, const CofiPalette *const *palettes);

/* Sends the input, and finds its labels or, with NULL, sends those of the filter. Worth one unit of
 * progress for each palette, otherwise nothing. */
CofStatus cofi_device_filter_label(CofiFilter *filter, const CofiPalette *const *palettes);

/* Back to the input, and to the labels of a member. */
void cofi_device_filter_restart(CofiFilter *filter, int member);

/* Labels of the working values. Worth one unit of progress. */
CofStatus cofi_device_filter_relabel(CofiFilter *filter, const CofiPalette *palette);

#endif
