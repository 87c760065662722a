/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a device: buffers that are kept for reuse, and memory of the host for fast copies.
 */
#ifndef COF_OPENCL_MEMORY_H
#define COF_OPENCL_MEMORY_H

#include "opencl_device.h"

/* A buffer of at least 4 bytes, which are not initialised. Freeing keeps it for the next one. */
CofStatus cofcl_buffer_new(CofiDevice *device, size_t size, CofclBuffer *buffer);
void cofcl_buffer_free(CofiDevice *device, CofclBuffer *buffer);

/* The bytes that all buffers of a device may have together. */
uint64_t cofcl_memory_limit(const CofiDevice *device);

/* Frees buffers that the last images did not need. */
void cofcl_buffers_age(CofiDevice *device);

/* Memory of the host that can be written. It is valid until the next call. */
CofStatus cofcl_staging(CofiDevice *device, size_t size, uint8_t **bytes);

/* Starts to copy a part of it to the same place of a buffer; and copies it from there. */
CofStatus cofcl_send(CofiDevice *device, ClMemory buffer, size_t from, size_t size);
CofStatus cofcl_fetch(CofiDevice *device, ClMemory buffer, size_t from, size_t size);

/* As in CofiDeviceModule. */
CofStatus cofcl_shadow(CofiDevice *device, size_t size, uint8_t **bytes);
CofStatus cofcl_read_buffer(CofiDevice *device, const CofiDeviceBuffer *from, uint8_t *bytes,
                            size_t stride);
CofStatus cofcl_write_buffer(CofiDevice *device, const CofiDeviceBuffer *to, const uint8_t *bytes);

/* Starts to copy a rectangle to another of the same size. */
CofStatus cofcl_copy_rect(CofiDevice *device, const CofiDeviceBuffer *from,
                          const CofiDeviceBuffer *to);

/* Frees everything that is kept. */
void cofcl_memory_free(CofiDevice *device);

#endif
