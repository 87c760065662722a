#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Times the refinement of 8-bit RGB on a GPU: its kernels, and the calls that refine. COF_LIBRARY
names libcof. Needs NumPy, but no OpenCV."""
import argparse
import sys

import numpy as np

import gpu
import kernels
import opencl
from gpu import cof

IMAGE = gpu.ROOT / "tests" / "data" / "cat.ppm"


def load_ppm(path):
    kind, size, _, pixels = path.read_bytes().split(b"\n", 3)
    assert kind == b"P6"
    width, height = map(int, size.split())
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


def repeated(width, height):
    """An image beside its mirror images."""
    image = load_ppm(IMAGE)
    image = np.concatenate([image, image[:, ::-1]], 1)
    image = np.concatenate([image, image[::-1]])
    times = -(-height // image.shape[0]), -(-width // image.shape[1]), 1
    return np.ascontiguousarray(np.tile(image, times)[:height, :width])


def print_kernels(device, rgb, model, runs):
    kernel = kernels.Kernels(device, rgb, model, model.sigma)
    kernel.load_and_label()
    kernel.exact()
    store, rounding, refine = (1e3 * kernels.median_of(run, runs)
                               for run in (kernel.store, kernel.round, kernel.refine))
    print(f"  kernels of radius 2: rounding {rounding:.4f} ms + refining and storing {refine:.4f} "
          f"ms - storing alone {store:.4f} ms = {rounding + refine - store:.4f} ms")
    for radius in (1, 2, 4, 8, 16):
        print(f"  kernel of any radius: {radius:2} "
              f"{1e3 * kernels.median_of(lambda: kernel.refine(radius, False), runs):.4f} ms")


def print_calls(device, rgb, model, runs):
    resident = gpu.Resident(device, rgb)
    times = {radius: gpu.milliseconds(lambda: resident.apply(model, radius), runs)
             for radius in (0, 2, 4)}
    resident.close()
    print("  calls in buffers of the device: "
          + ", ".join(f"radius {radius} {time:.3f} ms" for radius, time in times.items()))


def print_difference(rgb, model, context):
    report = cof.Report()
    on_gpu = model.apply(rgb, refine=2, context=context, report=report).astype(int)
    difference = abs(on_gpu - model.apply(rgb, refine=2))
    print(f"  samples that differ from the CPU's: {(difference > 0).mean():.6%}, by at most "
          f"{difference.max()}; on the device: {', '.join(report.device_stages)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="3840x2160")
    parser.add_argument("--device", default="gpu", help="gpu, cpu or opencl:NAME")
    parser.add_argument("--runs", type=int, default=50)
    arguments = parser.parse_args()
    width, height = map(int, arguments.size.split("x"))
    rgb = repeated(width, height)
    device, context = opencl.Device(), cof.Context(device=arguments.device)
    model = cof.Model.fit(rgb)
    print(f"{device.name}, driver {device.driver}: {width} x {height}, median of {arguments.runs}")
    print_kernels(device, rgb, model, arguments.runs)
    print_calls(device, rgb, model, arguments.runs)
    print_difference(rgb, model, context)


if __name__ == "__main__":
    sys.exit(main())
