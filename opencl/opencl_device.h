/* SPDX-License-Identifier: BSD-2-Clause */
/* An open device: its queue and kernels, buffers and errors. */
#ifndef COF_OPENCL_DEVICE_H
#define COF_OPENCL_DEVICE_H

#include "device/device_module.h"
#include "opencl_api.h"
#include "opencl_devices.h"

typedef enum CofclKernel {
    COFCL_LOAD,
    COFCL_STORE,
    COFCL_LABEL_GREY,
    COFCL_HISTOGRAM,
    COFCL_COUNT,
    COFCL_PASS,
    COFCL_LABEL_BYTES, /* these need double precision */
    COFCL_LABEL_VALUES,
    COFCL_KERNELS
} CofclKernel;

/* Items of a work-group; as ITEMS in cof.cl. */
#define COFCL_ITEMS 256

/* The buffers of a count, NULL if there is none. */
typedef struct CofclCounting {
    CofiDeviceCount count;
    ClMemory labels, members, distances, pairs, histogram;
    ClMemory own_labels; /* unless they are those of an image */
    size_t n_pairs;
} CofclCounting;

struct CofiDevice {
    const OpenClApi *cl;
    CofclDevice found;
    ClContext context;
    ClQueue queue;
    ClProgram program;
    ClKernel kernels[COFCL_KERNELS];
    int pixels; /* of an item of the filter */
    CofclCounting counting;
};

CofStatus cofcl_open(CofiDevice **device, const char *name, const char **problem);
void cofcl_close(CofiDevice *device);
const CofDeviceInfo *cofcl_opened(const CofiDevice *device);

/* The status of an error code. */
CofStatus cofcl_status(ClInt error);

/* A new buffer in *buffer, which is not initialised; at least 4 bytes. */
CofStatus cofcl_buffer_new(CofiDevice *device, size_t size, ClMemory *buffer);
void cofcl_buffer_free(const CofiDevice *device, ClMemory *buffer);

/* Copies between host and device; the memory of the host can be used afterwards. */
CofStatus cofcl_write(CofiDevice *device, ClMemory buffer, const void *from, size_t size);
CofStatus cofcl_read(CofiDevice *device, ClMemory buffer, void *to, size_t size);
CofStatus cofcl_clear(CofiDevice *device, ClMemory buffer, size_t size);
CofStatus cofcl_finish(CofiDevice *device);

/* Starts a kernel for at least `items` x `rows` items. Its arguments follow, each as its letter in
 * `types` says: m ClMemory, i int, f double (passed as float). */
CofStatus cofcl_run(CofiDevice *device, CofclKernel kernel, size_t items, size_t rows,
                    const char *types, ...);

#endif
