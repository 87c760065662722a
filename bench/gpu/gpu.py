#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Times the filter on a GPU, next to the CPU of the same machine and to a bilateral filter on the
same GPU. COF_LIBRARY names libcof."""
import argparse
import ctypes
import pathlib
import sys
import threading
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import cof  # noqa: E402
from cof import _library as c  # noqa: E402
import kernels  # noqa: E402
import opencl  # noqa: E402

PHOTOS = ROOT / "tests" / "data" / "photos"
SIZES = {"1": (1000, 1000), "8.3": (3840, 2160), "33": (7680, 4320)}
TILE = 480, 360
MEMORY_OPENCL = 1


def load_photos():
    import cv2  # not needed by the other programs of this folder
    found = [cv2.imread(str(path)) for path in sorted(PHOTOS.iterdir())
             if path.suffix in (".png", ".jpg")]
    return [cv2.cvtColor(photo, cv2.COLOR_BGR2RGB) for photo in found if photo is not None]


def frame(width, height, photos):
    """A mosaic of photographs at their own size: more colours and edges than most frames have."""
    random = np.random.default_rng(3)
    result = np.empty((height, width, 3), np.uint8)
    columns, rows = TILE
    places = [(x, y) for y in range(0, height, rows) for x in range(0, width, columns)]
    for i, (x, y) in enumerate(places):
        photo = photos[i % len(photos)]
        top, left = (random.integers(0, max(1, size - tile))
                     for size, tile in zip(photo.shape, (rows, columns)))
        part = photo[top:top + rows, left:left + columns]
        part = np.pad(part, ((0, rows - part.shape[0]), (0, columns - part.shape[1]), (0, 0)),
                      "reflect")
        result[y:y + rows, x:x + columns] = part[:height - y, :width - x]
    return result


def milliseconds(call, runs):
    call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


def stages(call, runs):
    """The medians of all stages of a call that is given a report."""
    found = []
    for _ in range(runs):
        report = cof.Report()
        call(report)
        found.append(report.seconds)
    return {name: 1e3 * float(np.median([seconds[name] for seconds in found])) for name in found[0]}


class Resident:
    """Calls of the library with images in buffers of the device."""

    def __init__(self, device, rgb):
        self.handle = ctypes.c_void_p()
        c.lib.call("cof_context_new_opencl", ctypes.byref(self.handle), device.context, device.id,
                   0)
        self.buffers = [opencl.Buffer(device, rgb) for _ in range(2)]
        height, width = rgb.shape[:2]
        self.images = [c.Image(data=buffer.handle, width=width, height=height, channels=3,
                               kind=c.kind_number("rgb"), memory=MEMORY_OPENCL)
                       for buffer in self.buffers]
        self.problem = c.Problem()
        self.options = c.lib.new_options()
        self.options.context = self.handle
        self.options.problem = ctypes.pointer(self.problem)

    def smooth(self):
        c.lib.check(c.lib.c.cof_smooth(*map(ctypes.byref, self.images),
                                       ctypes.byref(self.options)), self.problem)

    def apply(self, model, refine=0):
        self.options.refine = refine
        c.lib.check(c.lib.c.cof_filter(model._handle, None, *map(ctypes.byref, self.images),
                                       ctypes.byref(self.options)), self.problem)

    def close(self):
        c.lib.c.cof_context_free(ctypes.byref(self.handle))
        for buffer in self.buffers:
            buffer.free()


def print_kernels(device, rgb, model, runs):
    """The kernels, and the share of the peaks of local memory and arithmetic that the exact filter
    reaches."""
    kernel = kernels.Kernels(device, rgb, model, model.sigma)
    times = kernel.times(runs)
    report = cof.Report()
    cof.smooth(rgb, method="fast", report=report)
    if report.fast_cell == 2:
        kernel.start_fast(report.fast_terms, 2, 3)
        times[f"fast filter, {report.fast_terms} terms"] = \
            1e3 * kernels.median_of(kernel.slice, runs)
    for name, value in times.items():
        print(f"  {name:24} {value:8.3f} ms")
    units, clock = device.number(opencl.COMPUTE_UNITS), device.number(opencl.CLOCK) * 1e6
    taps, seconds = kernels.WINDOW ** 2 * kernel.n, times["exact filter"] / 1e3
    rows = (kernels.WINDOW + kernels.PIXELS - 1) / kernels.WINDOW / kernels.PIXELS
    read = taps * (4 + 16 * rows) / seconds
    flops = taps * 8 / seconds
    shares = 100 * read / (units * 128 * clock), 100 * flops / (units * 256 * clock)
    print(f"  exact filter: {read / 1e12:.1f} TB/s of local memory, {shares[0]:.0f} % of {units} x "
          f"128 bytes at {clock / 1e6:.0f} MHz; {flops / 1e12:.1f} TFLOP/s, {shares[1]:.0f} % of "
          f"{units} x 256")


def frames_per_second(rgb, model, contexts, seconds=2):
    """Of threads that filter one frame after the other, each with a context of its own, as `cof
    video` does."""
    done = [0] * len(contexts)
    end = time.perf_counter() + seconds

    def work(i):
        while time.perf_counter() < end:
            model.apply(rgb, context=contexts[i])
            done[i] += 1

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(contexts))]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - start)


def print_calls(device, rgb, gpu, cpu, runs):
    model = cof.Model.fit(rgb)
    resident = Resident(device, rgb)
    rows = [("resident, with a model", milliseconds(lambda: resident.apply(model), runs), None),
            ("resident, learning", milliseconds(resident.smooth, runs), None)]
    for name, options in (("exact", {}), ("fast", {"method": "fast"})):
        rows += [(f"from and to the host, {name}, with a model",
                  *(milliseconds(lambda: model.apply(rgb, context=context, **options), runs)
                    for context in (gpu, cpu))),
                 (f"from and to the host, {name}, learning",
                  *(milliseconds(lambda: cof.smooth(rgb, context=context, **options), runs)
                    for context in (gpu, cpu)))]
    resident.close()
    for name, on_gpu, on_cpu in rows:
        ratio = f"{on_cpu:8.2f} ms on the CPU, {on_cpu / on_gpu:.1f} times" if on_cpu else ""
        print(f"  {name:45} {on_gpu:8.2f} ms {ratio}")
    for name, context in (("GPU", gpu), ("CPU", cpu)):
        found = stages(lambda report: cof.smooth(rgb, context=context, report=report), runs)
        print(f"  stages, {name}: " + ", ".join(f"{stage} {ms:.2f}" for stage, ms in found.items()))
    one, other = (cof.smooth(rgb, context=context).astype(int) for context in (gpu, cpu))
    print(f"  samples that differ: {(one != other).mean():.6%}, by at most "
          f"{abs(one - other).max()}")
    return model


def print_first_call(rgb):
    """Of a new context whose programs are in the cache."""
    start = time.perf_counter()
    context = cof.Context(device="gpu")
    opened = time.perf_counter()
    cof.smooth(rgb, context=context)
    first = time.perf_counter()
    cof.smooth(rgb, context=context)
    second = time.perf_counter()
    print(f"  context {1e3 * (opened - start):.0f} ms, first call {1e3 * (first - opened):.0f} ms, "
          f"second {1e3 * (second - first):.0f} ms: first - second, with the context, "
          f"{1e3 * (first - start - (second - first)):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1,8.3,33", help="in megapixels, of: 1, 8.3, 33")
    parser.add_argument("--device", default="gpu", help="gpu, cpu or opencl:NAME")
    parser.add_argument("--runs", type=int, default=20)
    arguments = parser.parse_args()
    photos = load_photos()
    device = opencl.Device()
    gpu, cpu = cof.Context(device=arguments.device), cof.Context()
    print(f"{device.name}, driver {device.driver}")
    for size in arguments.sizes.split(","):
        width, height = SIZES[size]
        rgb = frame(width, height, photos)
        runs = arguments.runs if size != "33" else max(arguments.runs // 3, 3)
        print(f"{width} x {height}, window {kernels.WINDOW}, median of {runs}")
        model = print_calls(device, rgb, gpu, cpu, runs)
        print_kernels(device, rgb, model, runs)
        if size == "8.3":
            print_first_call(rgb)
            for n in (1, 2, 4):
                contexts = [cof.Context(threads=4, device="gpu") for _ in range(n)]
                rate = frames_per_second(rgb, model, contexts)
                print(f"  {n} threads with a model: {rate:.0f} frames per second")


if __name__ == "__main__":
    main()
