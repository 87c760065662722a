/* SPDX-License-Identifier: BSD-2-Clause */
/* An open device: its queue and kernels, buffers and errors. */
#ifndef COF_OPENCL_DEVICE_H
#define COF_OPENCL_DEVICE_H

#include <stdarg.h>

#include "device/device_module.h"
#include "kernels/shapes.h"
#include "opencl_api.h"
#include "opencl_devices.h"

typedef enum CofclKernel {
    COFCL_LOAD,
    COFCL_STORE,
    COFCL_LABEL_GREY,
    COFCL_HISTOGRAM,
    COFCL_COUNT,
    COFCL_COUNT_FEW,
    COFCL_PASS,
    COFCL_FIND_ALPHAS,
    COFCL_KEEP,
    COFCL_SUBTRACT,
    COFCL_ADD_KEPT,
    COFCL_ADD_TO_MEAN,
    COFCL_ROUND_BYTES,
    COFCL_MARK_WEIGHTS,
    COFCL_REFINE,
    COFCL_REFINE_SMALL,
    COFCL_LABEL_BYTES, /* these need double precision */
    COFCL_LABEL_VALUES,
    COFCL_LOAD_AND_LABEL,
    COFCL_LOAD_WIDE,
    COFCL_STORE_WIDE,
    COFCL_LABEL_WIDE,
    COFCL_LABEL_BINS,
    COFCL_SUBTRACT_WIDE,
    COFCL_LABEL_GREY_VALUES,
    COFCL_LABEL_RGB_VALUES,
    COFCL_ROUND_WORDS,
    COFCL_KERNELS
} CofclKernel;

/* Buffers that are kept for the next image, which is often as large: some drivers take a
 * millisecond for a large one. */
#define COFCL_KEPT_BUFFERS 48

typedef struct CofclBuffer {
    ClMemory memory;
    size_t size;
} CofclBuffer;

typedef struct CofclKeptBuffer {
    CofclBuffer buffer;
    int images; /* that have been freed since it was used */
} CofclKeptBuffer;

/* Memory of the host that devices copy from and to at full speed. */
typedef struct CofclStaging {
    CofclBuffer buffer;
    uint8_t *bytes;
    bool busy; /* copies from it may not have ended */
} CofclStaging;

/* The buffers of a count, NULL if there is none. */
typedef struct CofclCounting {
    CofiDeviceCount count;
    ClMemory labels;
    CofclBuffer members, distances, pairs, histogram;
    CofclBuffer own_labels; /* unless they are those of an image */
    size_t n_pairs;
    int32_t *distance_table; /* what is being written to `distances` */
    bool is_counting;        /* commands of it may still run */
    bool has_added;          /* among them kernels that add to the sums */
    bool is_read;            /* the sums were read, and have to be cleared before the next ones */
} CofclCounting;

/* The kernels of the fast filter for one grid. */
typedef struct CofclFastProgram {
    int step, radius;
    ClProgram program; /* NULL: none */
    ClKernel splat, slice;
} CofclFastProgram;

#define COFCL_FAST_PROGRAMS 4

struct CofiDevice {
    const OpenClApi *cl;
    CofclDevice found;
    ClContext context;
    ClQueue queue;
    ClProgram program;
    ClKernel kernels[COFCL_KERNELS];
    int pixels; /* of an item of the filter */
    CofclCounting counting;
    uint64_t used; /* bytes of all buffers, also of those that are kept */
    CofclKeptBuffer kept[COFCL_KEPT_BUFFERS];
    CofclStaging staging; /* of images that are sent or fetched */
    CofclStaging shadow;  /* of a buffer of the caller */
    CofclFastProgram fast[COFCL_FAST_PROGRAMS];
    int next_fast; /* that is replaced by the next grid */
};

CofStatus cofcl_open(CofiDevice **device, const char *name, const char **problem);
CofStatus cofcl_open_in(CofiDevice **device, void *context, void *id, const char **problem);
void cofcl_close(CofiDevice *device);
const CofDeviceInfo *cofcl_opened(const CofiDevice *device);

/* The status of an error code. */
CofStatus cofcl_status(ClInt error);

/* Copies between host and device; the memory of the host can be used afterwards. */
CofStatus cofcl_write(CofiDevice *device, ClMemory buffer, const void *from, size_t size);
CofStatus cofcl_read(CofiDevice *device, ClMemory buffer, void *to, size_t size);
CofStatus cofcl_clear(CofiDevice *device, ClMemory buffer, size_t size);
CofStatus cofcl_finish(CofiDevice *device);

/* Starts a kernel for wide x high groups. Its arguments follow, each as its letter in `types` says:
 * m ClMemory, i int, d double, f float (given as double), s size and address of a structure. */
CofStatus cofcl_run(CofiDevice *device, CofclKernel kernel, size_t wide, size_t high,
                    const char *types, ...);

/* Starts any kernel with groups of any size. */
CofStatus cofcl_run_kernel(CofiDevice *device, ClKernel kernel, size_t items, size_t wide,
                           size_t high, const char *types, va_list arguments);

/* Options with which all programs are compiled; those of a program follow. */
#define COFCL_OPTIONS "-cl-std=CL1.2 -w"

/* The groups of ITEMS items that n items need. */
size_t cofcl_groups(size_t n);

#endif
