#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The benchmarks can start: every script can be imported, and one call is timed.

COF_LIBRARY names the library.
"""
import os
import pathlib
import subprocess
import sys
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
TIMEOUT = 120

ONE_CALL = """
import numpy as np, bare_call
library = bare_call.Library(bare_call.LIBRARY)
source = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
target = np.zeros_like(source)
call = bare_call.BareCall(library, source, target, bare_call.new_context(library, 1))
call()
report = call.report()
assert (source != target).any()
assert sum(report["stages"].values()) > 0 and "filter" in report["stages"], report
"""


def run(code):
    return subprocess.run([sys.executable, "-B", "-c", code], cwd=BENCH, capture_output=True,
                          text=True, timeout=TIMEOUT)


class Scripts(unittest.TestCase):
    def test_each_can_be_imported(self):
        for script in sorted(BENCH.glob("*.py")):
            with self.subTest(script=script.name):
                done = run(f"import {script.stem}")
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_one_call(self):
        done = run(ONE_CALL)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(BENCH)
    unittest.main()
