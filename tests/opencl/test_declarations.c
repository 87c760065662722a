/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares opencl_api.h with the headers of OpenCL. It is enough that this file compiles. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "opencl_api.h"

#define SAME(name) _Static_assert(CLI_##name == CL_##name, #name)
SAME(SUCCESS);
SAME(MEM_OBJECT_ALLOCATION_FAILURE);
SAME(OUT_OF_RESOURCES);
SAME(OUT_OF_HOST_MEMORY);
SAME(INVALID_BUFFER_SIZE);
SAME(DEVICE_TYPE_CPU);
SAME(DEVICE_TYPE_GPU);
SAME(DEVICE_TYPE_ALL);
SAME(PLATFORM_VERSION);
SAME(PLATFORM_NAME);
SAME(DEVICE_TYPE);
SAME(DEVICE_MAX_WORK_GROUP_SIZE);
SAME(DEVICE_MAX_MEM_ALLOC_SIZE);
SAME(DEVICE_GLOBAL_MEM_SIZE);
SAME(DEVICE_LOCAL_MEM_SIZE);
SAME(DEVICE_AVAILABLE);
SAME(DEVICE_COMPILER_AVAILABLE);
SAME(DEVICE_NAME);
SAME(DRIVER_VERSION);
SAME(DEVICE_VERSION);
SAME(DEVICE_DOUBLE_FP_CONFIG);
SAME(MEM_READ_WRITE);
SAME(MEM_ALLOC_HOST_PTR);
SAME(MAP_READ);
SAME(MAP_WRITE);
SAME(PROGRAM_BINARY_SIZES);
SAME(PROGRAM_BINARIES);

_Static_assert(sizeof(ClInt) == sizeof(cl_int) && sizeof(ClUint) == sizeof(cl_uint), "int");
_Static_assert(sizeof(ClBits) == sizeof(cl_bitfield) && sizeof(ClUint) == sizeof(cl_bool), "bits");
_Static_assert(sizeof(intptr_t) == sizeof(cl_context_properties), "properties");

/* The opaque objects have other names: each is replaced, then the pointers must be compatible. */
#define ClPlatform cl_platform_id
#define ClDevice cl_device_id
#define ClContext cl_context
#define ClQueue cl_command_queue
#define ClMemory cl_mem
#define ClProgram cl_program
#define ClKernel cl_kernel
#define ClEvent cl_event
#define ClInt cl_int
#define ClUint cl_uint
#define ClBits cl_bitfield
#define DECLARE(name, result, parameters) static result(*checked_##name) parameters;
COF_OPENCL_FUNCTIONS(DECLARE)

/* Nothing is called, so that no library is needed. */
#define COMPARE(name, result, parameters) checked_##name = (__typeof__(name) *)0;

int main(void)
{
    COF_OPENCL_FUNCTIONS(COMPARE)
    return checked_clFinish != NULL;
}
