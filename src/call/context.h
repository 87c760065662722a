/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept between calls: threads, scratch memory and a device. */
#ifndef COF_CONTEXT_H
#define COF_CONTEXT_H

#include <stdatomic.h>

#include "cof/cof.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "device/device_module.h"

struct CofContext {
    CofiPool *pool;
    CofiArena arena;
    atomic_bool busy;
    const CofiDeviceModule *module; /* of the device; NULL: there is none */
    CofiDevice *device;
    bool takes_buffers; /* of the OpenCL context of the caller */
    long process;       /* that opened the device: it cannot be used in a child */
};

#endif
