/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of OpenCL 1.2 that the backend uses. libOpenCL is loaded at run time, and its headers
 * are not needed; a test compares these declarations with them. */
#ifndef COF_OPENCL_API_H
#define COF_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t ClInt;
typedef uint32_t ClUint;
typedef uint64_t ClBits;
typedef struct ClPlatformObject *ClPlatform;
typedef struct ClDeviceObject *ClDevice;
typedef struct ClContextObject *ClContext;
typedef struct ClQueueObject *ClQueue;
typedef struct ClMemoryObject *ClMemory;
typedef struct ClProgramObject *ClProgram;
typedef struct ClKernelObject *ClKernel;
typedef struct ClEventObject *ClEvent;

#define CLI_SUCCESS 0
#define CLI_MEM_OBJECT_ALLOCATION_FAILURE (-4)
#define CLI_OUT_OF_RESOURCES (-5)
#define CLI_OUT_OF_HOST_MEMORY (-6)
#define CLI_INVALID_BUFFER_SIZE (-61)
#define CLI_DEVICE_TYPE_CPU (1 << 1)
#define CLI_DEVICE_TYPE_GPU (1 << 2)
#define CLI_DEVICE_TYPE_ALL 0xFFFFFFFF
#define CLI_PLATFORM_VERSION 0x0901
#define CLI_PLATFORM_NAME 0x0902
#define CLI_DEVICE_TYPE 0x1000
#define CLI_DEVICE_MAX_WORK_GROUP_SIZE 0x1004
#define CLI_DEVICE_MAX_MEM_ALLOC_SIZE 0x1010
#define CLI_DEVICE_GLOBAL_MEM_SIZE 0x101F
#define CLI_DEVICE_LOCAL_MEM_SIZE 0x1023
#define CLI_DEVICE_AVAILABLE 0x1027
#define CLI_DEVICE_COMPILER_AVAILABLE 0x1028
#define CLI_DEVICE_NAME 0x102B
#define CLI_DRIVER_VERSION 0x102D
#define CLI_DEVICE_VERSION 0x102F
#define CLI_DEVICE_DOUBLE_FP_CONFIG 0x1032
#define CLI_MEM_READ_WRITE (1 << 0)
#define CLI_MEM_ALLOC_HOST_PTR (1 << 4)
#define CLI_MAP_READ (1 << 0)
#define CLI_MAP_WRITE (1 << 1)
#define CLI_PROGRAM_BINARY_SIZES 0x1165
#define CLI_PROGRAM_BINARIES 0x1166

/* name, result, parameters */
#define COF_OPENCL_FUNCTIONS(X) \
    X(clGetPlatformIDs, ClInt, (ClUint, ClPlatform *, ClUint *)) \
    X(clGetPlatformInfo, ClInt, (ClPlatform, ClUint, size_t, void *, size_t *)) \
    X(clGetDeviceIDs, ClInt, (ClPlatform, ClBits, ClUint, ClDevice *, ClUint *)) \
    X(clGetDeviceInfo, ClInt, (ClDevice, ClUint, size_t, void *, size_t *)) \
    X(clCreateContext, ClContext, \
      (const intptr_t *, ClUint, const ClDevice *, \
       void (*)(const char *, const void *, size_t, void *), void *, ClInt *)) \
    X(clRetainContext, ClInt, (ClContext)) \
    X(clReleaseContext, ClInt, (ClContext)) \
    X(clCreateCommandQueue, ClQueue, (ClContext, ClDevice, ClBits, ClInt *)) \
    X(clReleaseCommandQueue, ClInt, (ClQueue)) \
    X(clCreateBuffer, ClMemory, (ClContext, ClBits, size_t, void *, ClInt *)) \
    X(clReleaseMemObject, ClInt, (ClMemory)) \
    X(clCreateProgramWithSource, ClProgram, \
      (ClContext, ClUint, const char **, const size_t *, ClInt *)) \
    X(clCreateProgramWithBinary, ClProgram, \
      (ClContext, ClUint, const ClDevice *, const size_t *, const unsigned char **, ClInt *, \
       ClInt *)) \
    X(clReleaseProgram, ClInt, (ClProgram)) \
    X(clBuildProgram, ClInt, \
      (ClProgram, ClUint, const ClDevice *, const char *, void (*)(ClProgram, void *), void *)) \
    X(clGetProgramInfo, ClInt, (ClProgram, ClUint, size_t, void *, size_t *)) \
    X(clCreateKernel, ClKernel, (ClProgram, const char *, ClInt *)) \
    X(clReleaseKernel, ClInt, (ClKernel)) \
    X(clSetKernelArg, ClInt, (ClKernel, ClUint, size_t, const void *)) \
    X(clFlush, ClInt, (ClQueue)) \
    X(clFinish, ClInt, (ClQueue)) \
    X(clEnqueueReadBuffer, ClInt, \
      (ClQueue, ClMemory, ClUint, size_t, size_t, void *, ClUint, const ClEvent *, ClEvent *)) \
    X(clEnqueueWriteBuffer, ClInt, \
      (ClQueue, ClMemory, ClUint, size_t, size_t, const void *, ClUint, const ClEvent *, \
       ClEvent *)) \
    X(clEnqueueReadBufferRect, ClInt, \
      (ClQueue, ClMemory, ClUint, const size_t *, const size_t *, const size_t *, size_t, size_t, \
       size_t, size_t, void *, ClUint, const ClEvent *, ClEvent *)) \
    X(clEnqueueCopyBufferRect, ClInt, \
      (ClQueue, ClMemory, ClMemory, const size_t *, const size_t *, const size_t *, size_t, \
       size_t, size_t, size_t, ClUint, const ClEvent *, ClEvent *)) \
    X(clEnqueueWriteBufferRect, ClInt, \
      (ClQueue, ClMemory, ClUint, const size_t *, const size_t *, const size_t *, size_t, size_t, \
       size_t, size_t, const void *, ClUint, const ClEvent *, ClEvent *)) \
    X(clEnqueueFillBuffer, ClInt, \
      (ClQueue, ClMemory, const void *, size_t, size_t, size_t, ClUint, const ClEvent *, \
       ClEvent *)) \
    X(clEnqueueMapBuffer, void *, \
      (ClQueue, ClMemory, ClUint, ClBits, size_t, size_t, ClUint, const ClEvent *, ClEvent *, \
       ClInt *)) \
    X(clEnqueueUnmapMemObject, ClInt, \
      (ClQueue, ClMemory, void *, ClUint, const ClEvent *, ClEvent *)) \
    X(clEnqueueNDRangeKernel, ClInt, \
      (ClQueue, ClKernel, ClUint, const size_t *, const size_t *, const size_t *, ClUint, \
       const ClEvent *, ClEvent *))

/* The functions of libOpenCL, by their names. */
typedef struct OpenClApi {
#define COF_OPENCL_MEMBER(name, result, parameters) result(*name) parameters;
    COF_OPENCL_FUNCTIONS(COF_OPENCL_MEMBER)
#undef COF_OPENCL_MEMBER
} OpenClApi;

#endif
