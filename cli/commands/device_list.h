/* SPDX-License-Identifier: BSD-2-Clause */
/* cof info --devices: lists the devices of OpenCL. */
#ifndef COF_DEVICE_LIST_H
#define COF_DEVICE_LIST_H

#include <stdbool.h>

/* Prints one line for each device, or JSON; prints an error if there are none. */
bool device_list_print(bool json);

#endif
