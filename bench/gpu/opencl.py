# SPDX-License-Identifier: BSD-2-Clause
"""A little of OpenCL through ctypes: a device, buffers, programs, and kernels with their times."""
import ctypes
from ctypes import byref, c_char_p, c_int32, c_size_t, c_uint64, c_void_p

import numpy as np

TYPE_CPU, TYPE_GPU = 2, 4
PROFILING = 2
DEVICE_NAME, DRIVER_VERSION = 0x102B, 0x102D
COMPUTE_UNITS, CLOCK = 0x1002, 0x100C
BUILD_LOG = 0x1183
COMMAND_START, COMMAND_END = 0x1282, 0x1283

FUNCTIONS = {  # name: returns an object and not an error
    "clGetPlatformIDs": False, "clGetDeviceIDs": False, "clGetDeviceInfo": False,
    "clCreateContext": True, "clCreateCommandQueue": True, "clCreateBuffer": True,
    "clEnqueueWriteBuffer": False, "clEnqueueReadBuffer": False,
    "clCreateProgramWithSource": True, "clBuildProgram": False, "clGetProgramBuildInfo": False,
    "clCreateKernel": True, "clSetKernelArg": False, "clEnqueueNDRangeKernel": False,
    "clGetEventProfilingInfo": False, "clReleaseEvent": False, "clReleaseMemObject": False,
    "clFinish": False,
}


class Failed(Exception):
    """A call of OpenCL failed."""


def library():
    found = ctypes.CDLL("libOpenCL.so.1")
    for name, makes_object in FUNCTIONS.items():
        getattr(found, name).restype = c_void_p if makes_object else c_int32
    return found


def check(error, what):
    if error:
        raise Failed(f"{what}: error {error}")


def argument_of(value):
    """The bytes of a structure, a float or an integer as an argument of a kernel."""
    if isinstance(value, Buffer):
        return value.handle
    if isinstance(value, bytes):
        return (ctypes.c_char * len(value)).from_buffer_copy(value)
    return ctypes.c_float(value) if isinstance(value, float) else c_int32(value)


class Buffer:
    def __init__(self, device, array=None, size=0):
        self.device, self.size = device, array.nbytes if array is not None else size
        error = c_int32()
        self.handle = c_void_p(device.cl.clCreateBuffer(
            device.context, c_uint64(1), c_size_t(max(self.size, 4)), None, byref(error)))
        check(error.value, "clCreateBuffer")
        if array is not None:
            self.write(array)

    def write(self, array):
        array = np.ascontiguousarray(array)
        check(self.device.cl.clEnqueueWriteBuffer(
            self.device.queue, self.handle, 1, c_size_t(0), c_size_t(array.nbytes),
            c_void_p(array.ctypes.data), 0, None, None), "clEnqueueWriteBuffer")

    def read(self, shape, dtype):
        array = np.empty(shape, dtype)
        check(self.device.cl.clEnqueueReadBuffer(
            self.device.queue, self.handle, 1, c_size_t(0), c_size_t(array.nbytes),
            c_void_p(array.ctypes.data), 0, None, None), "clEnqueueReadBuffer")
        return array

    def free(self):
        self.device.cl.clReleaseMemObject(self.handle)


class Program:
    def __init__(self, device, source, options):
        self.device = device
        text, error = c_char_p(source.encode()), c_int32()
        self.handle = c_void_p(device.cl.clCreateProgramWithSource(
            device.context, 1, byref(text), None, byref(error)))
        check(error.value, "clCreateProgramWithSource")
        failed = device.cl.clBuildProgram(self.handle, 1, byref(device.id), options.encode(), None,
                                          None)
        log = ctypes.create_string_buffer(20000)
        device.cl.clGetProgramBuildInfo(self.handle, device.id, BUILD_LOG, c_size_t(20000), log,
                                        None)
        self.log = log.value.decode(errors="replace")
        if failed:
            raise Failed(self.log)
        self.kernels = {}

    def kernel(self, name):
        if name not in self.kernels:
            error = c_int32()
            self.kernels[name] = c_void_p(self.device.cl.clCreateKernel(
                self.handle, name.encode(), byref(error)))
            check(error.value, name)
        return self.kernels[name]

    def run(self, name, items, group, *arguments):
        """Runs a kernel, and returns the seconds that it took on the device. Arguments are buffers,
        bytes of structures, integers and floats."""
        cl, kernel = self.device.cl, self.kernel(name)
        for i, argument in enumerate(arguments):
            value = argument_of(argument)
            check(cl.clSetKernelArg(kernel, i, c_size_t(ctypes.sizeof(value)), byref(value)),
                  f"{name}, argument {i}")
        sizes, local = (c_size_t * 2)(*items), (c_size_t * 2)(*group)
        event, start, end = c_void_p(), c_uint64(), c_uint64()
        check(cl.clEnqueueNDRangeKernel(self.device.queue, kernel, 2, None, sizes, local, 0, None,
                                        byref(event)), name)
        check(cl.clFinish(self.device.queue), name)
        for what, number in ((COMMAND_START, start), (COMMAND_END, end)):
            check(cl.clGetEventProfilingInfo(event, what, c_size_t(8), byref(number), None), name)
        cl.clReleaseEvent(event)
        return (end.value - start.value) * 1e-9


class Device:
    """The first GPU, or the first CPU that a driver offers as a device."""

    def __init__(self):
        self.cl = library()
        self.id = self.first(TYPE_GPU) or self.first(TYPE_CPU)
        if not self.id:
            raise Failed("there is no OpenCL device")
        error = c_int32()
        self.context = c_void_p(self.cl.clCreateContext(None, 1, byref(self.id), None, None,
                                                        byref(error)))
        check(error.value, "clCreateContext")
        self.queue = c_void_p(self.cl.clCreateCommandQueue(self.context, self.id,
                                                           c_uint64(PROFILING), byref(error)))
        check(error.value, "clCreateCommandQueue")
        self.name, self.driver = self.text(DEVICE_NAME), self.text(DRIVER_VERSION)

    def first(self, kind):
        platforms, count = (c_void_p * 16)(), ctypes.c_uint32()
        self.cl.clGetPlatformIDs(16, platforms, byref(count))
        for platform in platforms[:count.value]:
            found = c_void_p()
            if not self.cl.clGetDeviceIDs(c_void_p(platform), c_uint64(kind), 1, byref(found),
                                          None):
                return found
        return None

    def text(self, what):
        text = ctypes.create_string_buffer(256)
        check(self.cl.clGetDeviceInfo(self.id, what, c_size_t(256), text, None), "clGetDeviceInfo")
        return text.value.decode()

    def number(self, what):
        number = ctypes.c_uint32()
        check(self.cl.clGetDeviceInfo(self.id, what, c_size_t(4), byref(number), None),
              "clGetDeviceInfo")
        return number.value
