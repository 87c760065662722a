/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter on a device: labels, passes and the result of grey and RGB. */
#ifndef COF_DEVICE_FILTER_H
#define COF_DEVICE_FILTER_H

#include "filter/filter.h"
#include "learn/model.h"
#include "learn/palette.h"

/* Takes the memory of the device for an open filter, if the call has a device that can do the job:
 * then filter->device is set, and everything else is left to the functions below. */
CofStatus cofi_device_filter_open(CofiFilter *filter);
void cofi_device_filter_close(CofiFilter *filter);

/* Starts to send the input, before it is labelled. */
CofStatus cofi_device_filter_send(CofiFilter *filter);

/* Sends the input, and finds its labels or, with NULL, sends those of the filter. Worth one unit of
 * progress with a palette, otherwise nothing. */
CofStatus cofi_device_filter_label(CofiFilter *filter, const CofiPalette *palette);

/* Labels of the working values. Worth one unit of progress. */
CofStatus cofi_device_filter_relabel(CofiFilter *filter, const CofiPalette *palette);

/* One pass over `rect` of the full image. *change becomes the mean squared change in 8-bit units,
 * if it is measured. */
CofStatus cofi_device_filter_pass(CofiFilter *filter, const CofModel *model, CofRect rect,
                                  bool is_fast, double *change);

/* Writes the part. */
CofStatus cofi_device_filter_store(CofiFilter *filter);

#endif
