/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept between calls: threads, scratch memory and a device. */
#ifndef COF_CONTEXT_H
#define COF_CONTEXT_H

#include <stdatomic.h>

#include "cof/cof.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "device/device_module.h"

/* What calls leave for later ones. */
typedef enum CofiKept {
    COFI_KEPT_LINEAR_8,  /* linear light of all samples of 8 bits */
    COFI_KEPT_LINEAR_16, /* of 16 bits */
    COFI_KEPT_ENCODING,  /* of linear light as bytes */
    COFI_KEPT_GRID,      /* the latest grid of the fast filter */
    COFI_KEPT_N
} CofiKept;

struct CofContext {
    CofiPool *pool;
    CofiArena arena;
    void *kept[COFI_KEPT_N]; /* NULL: not yet */
    atomic_bool busy;
    const CofiDeviceModule *module; /* of the device; NULL: there is none */
    CofiDevice *device;
    bool takes_buffers; /* of the OpenCL context of the caller */
    long process;       /* that opened the device: it cannot be used in a child */
};

#endif
