# SPDX-License-Identifier: BSD-2-Clause
"""Random calls of the Python package in one process, without end. Every second, a line gives the
number of calls and what the process holds: kB, descriptors and threads."""
import ctypes
import gc
import os
import random
import sys
import tempfile
import time

import numpy as np

import cof


def random_image(source):
    shape = (1 + source.randrange(64), 1 + source.randrange(64), *source.choice([(), (3,), (4,)]))
    values = np.random.default_rng(source.randrange(1 << 30)).integers(0, 256, shape)
    return source.choice([values.astype(np.uint8), (values * 257).astype(np.uint16),
                          (values / 255).astype(np.float32), values.astype(np.uint8)[::-1]])


def random_options(source):
    return dict(source.sample([("window", 5), ("window", 9), ("colours", 6), ("method", "fast"), ("iterations", 2),
                               ("softness", 0.3), ("threads", 2), ("window", 4)], source.randrange(3)))


def call(source, path):
    image, options = random_image(source), random_options(source)
    what = source.randrange(4)
    if what == 0:
        cof.smooth(image, **options)
    elif what == 1:
        model = cof.Model.fit(image, **options)
        model.apply(image)
    elif what == 2:
        stats = cof.Stats()
        stats.scan(image)
        stats.fit_palette()
        stats.add(image)
        stats.save(path)
        cof.Stats.load(path)
    else:
        cof.smooth(image, progress=lambda done: source.randrange(30) > 0, **options)


def count(folder):
    return len(os.listdir(folder))


def main():
    source, calls = random.Random(int(sys.argv[1])), 0
    trim = ctypes.CDLL(None).malloc_trim
    with tempfile.TemporaryDirectory() as folder:
        while True:
            end = time.monotonic() + 1
            while time.monotonic() < end:
                calls += 1
                try:
                    call(source, os.path.join(folder, "stats.cof"))
                except (cof.CofError, ValueError, TypeError):
                    pass  # some options are refused
            gc.collect()
            trim(0)
            with open("/proc/self/statm") as file:
                pages = int(file.read().split()[1])
            print(calls, pages * os.sysconf("SC_PAGESIZE") // 1024, count("/proc/self/fd"),
                  count("/proc/self/task"), flush=True)


if __name__ == "__main__":
    main()
