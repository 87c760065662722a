# SPDX-License-Identifier: BSD-2-Clause
"""The kernels of opencl/kernels one by one, with the times that the device measures, next to a
bilateral filter with the same tiling."""
import pathlib
import re
import struct

import numpy as np

import opencl

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ITEMS, PASS_ITEMS, TILE_WIDTH, PIXELS = 256, 128, 32, 8
REFINE_WALK, REFINE_ROWS = 32, 8
WINDOW = 15


def library_source():
    """The kernels in the order in which opencl/meson.build joins them."""
    listed = re.findall(r"'(kernels/[a-z_]+\.(?:cl|h))'", (ROOT / "opencl/meson.build").read_text())
    return "\n".join((ROOT / "opencl" / name).read_text() for name in listed)


def median_of(run, runs):
    run()
    return float(np.median([run() for _ in range(runs)]))


def groups(n):
    return (n + ITEMS - 1) // ITEMS * ITEMS


def linear_light():
    value = np.arange(256) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def encoding_table():
    """The table of cofi_colour_init_stores()."""
    middles = (np.arange(256) + 0.5) / 255
    steps = np.ceil(np.where(middles <= 0.04045, middles / 12.92,
                             ((middles + 0.055) / 1.055) ** 2.4) * 2 ** 24).astype(np.uint64)
    steps[255] = 0xffffff
    ends = np.arange(1, 4097, dtype=np.uint64) << np.uint64(12)
    codes = np.searchsorted(steps, ends - np.uint64(4096)).clip(0, 255)
    steps = np.where(steps[codes] < ends, steps[codes], 0xffffff).astype(np.uint64)
    return (steps << np.uint64(8) | codes.astype(np.uint64)).astype(np.uint32)


class Kernels:
    """Buffers of one frame, and the kernels that use them."""

    def __init__(self, device, rgb, model, sigma):
        self.device = device
        self.height, self.width = rgb.shape[:2]
        self.n = self.width * self.height
        self.k = model.size
        self.program = opencl.Program(device, library_source(),
                                      f"-cl-std=CL1.2 -DPIXELS={PIXELS} -DCOF_FP64")
        peer = (HERE / "bilateral.cl").read_text()
        self.peer = opencl.Program(device, peer, "-cl-std=CL1.2 -cl-fast-relaxed-math")
        buffer = opencl.Buffer
        matrix = np.zeros((self.k, self.k + 1), np.float32)
        matrix[:, :-1] = model.matrix
        self.gauss_weights = np.exp(-(np.arange(WINDOW) - WINDOW // 2) ** 2 / (2 * sigma ** 2))
        self.bytes = buffer(device, rgb)
        self.linear = buffer(device, linear_light().astype(np.float32))
        self.centres = buffer(device, np.asarray(model.palette, np.float32))
        self.matrix = buffer(device, matrix)
        self.gauss = buffer(device, self.gauss_weights.astype(np.float32))
        self.encoding = buffer(device, encoding_table())
        self.values, self.filtered = (buffer(device, size=16 * self.n) for _ in range(2))
        self.labels, self.changed = (buffer(device, size=self.n) for _ in range(2))
        self.sums = buffer(device, size=4 * self.n)
        self.histogram = buffer(device, np.zeros(256, np.uint32))

    def load_and_label(self):
        return self.program.run("load_and_label", (groups(self.n), 1), (ITEMS, 1), self.bytes,
                                self.linear, 3, self.centres, self.k, self.n, self.values,
                                self.changed, self.labels)

    def histogram_of_labels(self):
        return self.program.run("count_labels", (4 * ITEMS, 256), (ITEMS, 1), self.labels,
                                self.labels, 0, self.width, 0, 0, self.width, self.height,
                                self.histogram)

    def exact(self):
        width, height = self.width, self.height
        shape = struct.pack("20i3f", self.k, WINDOW // 2, 0, width, height, 0, 0, width, height,
                            0, width, 0, height, 0, 0, 0, 0, width, height, 0, 1.0, 1.0, 1.0)
        rows = PASS_ITEMS // TILE_WIDTH * PIXELS
        size = (width + TILE_WIDTH - 1) // TILE_WIDTH * PASS_ITEMS, (height + rows - 1) // rows
        return self.program.run("filter_pass", size, (PASS_ITEMS, 1), self.values, self.labels,
                                self.labels, self.matrix, self.gauss, shape, self.filtered,
                                self.changed, self.sums)

    def start_fast(self, terms, step, radius):
        """Tables of the fast filter with so many terms. Their values do not change its time, as
        long as all sums are trusted."""
        source = library_source()
        self.fast_program = opencl.Program(
            self.device, source,
            f"-cl-std=CL1.2 -DPIXELS={PIXELS} -DSTEP={step} -DGRID_RADIUS={radius}")
        random = np.random.default_rng(1)
        buffer, tile = opencl.Buffer, 2 if step >= 16 else 32 // step
        self.grid = step, radius, tile, terms
        self.cells_wide, self.cells_high = (size // step + 3 + 2 * radius
                                            for size in (self.width, self.height))
        self.inner = buffer(self.device, random.random((terms, 32), np.float32))
        self.outer = buffer(self.device, random.random((terms, 128), np.float32))
        self.joint = buffer(self.device, random.random((32, 32), np.float32))
        self.trust = buffer(self.device, np.full(128, -1e30, np.float32))
        self.taps = buffer(self.device, np.full(radius + 1, 0.1, np.float32))
        self.cells = buffer(self.device, size=16 * terms * self.cells_wide * self.cells_high)

    def shapes(self):
        step, radius, tile, terms = self.grid
        width, height = self.width, self.height
        shape = struct.pack("20i3f", self.k, WINDOW // 2, 0, width, height, 0, 0, width, height,
                            0, width, 0, height, 0, 0, 0, 0, width, height, 0, 1.0, 1.0, 1.0)
        return shape, struct.pack("6i", terms, 0, -1 - radius, -1 - radius, self.cells_wide,
                                  self.cells_high)

    def splat(self):
        return self.fast_program.run("splat", (groups(self.cells_wide), self.cells_high),
                                     (ITEMS, 1), self.values, self.labels, self.labels, self.inner,
                                     *self.shapes(), self.cells)

    def slice(self):
        tile = self.grid[2]
        size = [(cells - 2 * self.grid[1] - 2 + tile) // tile
                for cells in (self.cells_wide, self.cells_high)]
        return self.fast_program.run("slice", (128 * size[0], size[1]), (128, 1), self.cells,
                                     self.values, self.labels, self.labels, self.matrix, self.gauss,
                                     self.inner, self.outer, self.joint, self.trust, self.taps,
                                     *self.shapes(), self.filtered, self.changed, self.sums)

    def store(self):
        return self.program.run("store_values", (groups(self.n), 1), (ITEMS, 1), self.filtered,
                                self.changed, self.linear, self.encoding, 0.0, 3, 3, 1, self.n,
                                self.bytes)

    def round(self):
        return self.program.run("round_bytes", (groups(self.n), 1), (ITEMS, 1), self.linear,
                                self.encoding, 1, self.n, self.filtered)

    def refine(self, radius=2, small=True):
        """Refines what `exact` has filtered."""
        width, height = self.width, self.height
        shape = struct.pack("20i3f", 0, radius, 0, width, height, 0, 0, 0, 0, 0, width, 0, height,
                            *[0] * 7, 0.0, 0.0, 0.0)
        lab = 0.01, 0.01, 0.01, -0.5, 0.0, 0.0, 100.0, 100.0, 100.0, 50.0, 0.0, 0.0
        scales = struct.pack("5i13f", 0, 1, 3, 3, 1, *lab, 0.0)
        wide, rows = PASS_ITEMS - 2 * radius, REFINE_WALK if small else REFINE_ROWS
        size = (width + wide - 1) // wide * PASS_ITEMS, (height + rows - 1) // rows
        return self.program.run("refine_small" if small else "refine", size, (PASS_ITEMS, 1),
                                self.values, self.filtered, self.labels, self.encoding, shape,
                                scales, self.values, self.changed, self.bytes)

    def bilateral(self):
        size = (self.width + 31) // 32 * 128, (self.height + 31) // 32
        return self.peer.run("bilateral", size, (128, 1), self.values, self.gauss, self.width,
                             self.height, -1.4427 / (2 * 10.0 ** 2), self.filtered)

    def times(self, runs):
        """The milliseconds of each kernel."""
        return {name: 1e3 * median_of(call, runs)
                for name, call in (("colour and labels", self.load_and_label),
                                   ("histogram", self.histogram_of_labels),
                                   ("exact filter", self.exact), ("store", self.store),
                                   ("rounding, to refine", self.round), ("refine", self.refine),
                                   ("bilateral filter", self.bilateral))}
