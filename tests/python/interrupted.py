# SPDX-License-Identifier: BSD-2-Clause
"""Interrupts calls that would take minutes, and prints their names: interrupted.py PYTHON-FOLDER"""
import os
import signal
import sys
import threading

import numpy as np

sys.path.insert(0, sys.argv[1])
import cof  # noqa: E402

random = np.random.default_rng(0)
image = random.integers(0, 256, (1500, 1500, 3), np.uint8)
bands = random.random((500, 500, 64), np.float32)
small = image[:200, :200]
marks = np.zeros(image.shape[:2], bool)
marks[100:200, 100:200] = True
model = cof.Model.fit(small)
pair = cof.Model.fit_pair(small, marks[:200, :200])
long = {"iterations": 1000}

CALLS = {
    "smooth": lambda: cof.smooth(image, **long),
    "rolling": lambda: cof.smooth(image, update="model", **long),
    "fit": lambda: cof.Model.fit([bands] * 200, kind="bands", colours=256, sampling="all",
                                 window=63),
    "soft": lambda: cof.Model.fit_soft(image, colours=256, window=63),
    "apply": lambda: model.apply(image, filter_window=255, **long),
    "spread": lambda: cof.select(image, marks, model=model, spread_iterations=1000),
    "select": lambda: cof.select(image, marks, select_method="spread", spread_iterations=1000,
                                 spread_window=255),
    "watershed": lambda: cof.select(bands, marks[:500, :500], kind="bands", threads=1),
    "selector": lambda: cof.Selector(bands, kind="bands", threads=1),
    "focus": lambda: cof.focus(image, marks, **long),
    "matte": lambda: cof.focus(image, marks, models=pair, filter_window=255, **long),
}

for name, call in CALLS.items():
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        print(name, flush=True)
    timer.join()
