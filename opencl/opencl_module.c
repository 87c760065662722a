/* SPDX-License-Identifier: BSD-2-Clause */
/* libcof-opencl: the functions that libcof calls. */
#include "opencl_module.h"

#include <stdlib.h>

#include "opencl_alphas.h"
#include "opencl_count.h"
#include "opencl_device.h"
#include "opencl_devices.h"
#include "opencl_fast.h"
#include "opencl_image.h"
#include "opencl_memory.h"
#include "opencl_pass.h"
#include "opencl_refine.h"
#include "opencl_values.h"

/* Copies the description of a device; returns the number of devices. */
static int describe_device(int index, CofDeviceInfo *info)
{
    CofclDevice *devices = calloc(COFCL_MAX_DEVICES, sizeof *devices);
    int n = devices ? cofcl_devices(devices) : 0;
    if (info && index >= 0 && index < n)
        *info = devices[index].info;
    free(devices);
    return n;
}

static int count_devices(void)
{
    return describe_device(-1, NULL);
}

static bool device_info(int index, CofDeviceInfo *info)
{
    return index >= 0 && index < describe_device(index, info);
}

__attribute__((visibility("default"))) const CofiDeviceModule cofi_device_module = {
    .version = COFI_DEVICE_VERSION,
    .count = count_devices,
    .none = cofcl_no_devices,
    .info = device_info,
    .open = cofcl_open,
    .open_in = cofcl_open_in,
    .close = cofcl_close,
    .opened = cofcl_opened,
    .max_pixels = cofcl_max_pixels,
    .image_new = cofcl_image_new,
    .image_free = cofcl_image_free,
    .stage = cofcl_stage,
    .send_rows = cofcl_send_rows,
    .fetch_rows = cofcl_fetch_rows,
    .copy_in = cofcl_copy_in,
    .copy_out = cofcl_copy_out,
    .shadow = cofcl_shadow,
    .read_buffer = cofcl_read_buffer,
    .write_buffer = cofcl_write_buffer,
    .find_alphas = cofcl_find_alphas,
    .count_valid = cofcl_count_valid,
    .load = cofcl_load,
    .store = cofcl_store,
    .choose = cofcl_choose,
    .load_and_label = cofcl_load_and_label,
    .label = cofcl_label,
    .label_grey = cofcl_label_grey,
    .label_bins = cofcl_label_bins,
    .relabel_grey = cofcl_relabel_grey,
    .relabel_rgb = cofcl_relabel_rgb,
    .write_labels = cofcl_write_labels,
    .read_labels = cofcl_read_labels,
    .keep = cofcl_keep,
    .subtract = cofcl_subtract,
    .add_kept = cofcl_add_kept,
    .add_to_mean = cofcl_add_to_mean,
    .mark = cofcl_mark,
    .refine = cofcl_refine,
    .can_be_fast = cofcl_can_be_fast,
    .strip_rows = COFCL_STRIP_ROWS,
    .pass_start = cofcl_pass_start,
    .pass_rows = cofcl_pass_rows,
    .pass_end = cofcl_pass_end,
    .count_start = cofcl_count_start,
    .count_add = cofcl_count_add,
    .count_read = cofcl_count_read,
    .count_end = cofcl_count_end,
};
