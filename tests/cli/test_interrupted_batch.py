#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Ctrl-C while several threads write files: the others must not create theirs again."""
import os
import random
import signal
import subprocess
import time
import unittest

from command import COF, ENVIRONMENT, FolderTest, TIMEOUT, setUpModule, write_rgb

IMAGES, RUNS = 8, 12


class Interrupted(FolderTest):
    def setUp(self):
        super().setUp()
        for i in range(IMAGES):
            noise = random.Random(i).randbytes(300 * 200 * 3)
            write_rgb(self.folder / f"{i}.ppm", 300, 200, noise)

    def interrupt(self, out, moment):
        """Signals the command a moment after it has created its first file."""
        names = [f"{i}.ppm" for i in range(IMAGES)]
        environment = {**ENVIRONMENT, "LD_PRELOAD": os.environ["COF_SLOW_EXIT"]}
        process = subprocess.Popen([COF, *names, "-o", out, "--format", ".png", "--threads", "4"],
                                   cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        folder, end = self.folder / out, time.monotonic() + TIMEOUT
        while not (folder.is_dir() and os.listdir(folder)) and process.poll() is None:
            self.assertLess(time.monotonic(), end)
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=TIMEOUT), (b"", b""))
        return process.returncode, sorted(os.listdir(folder))

    def test_nothing_is_left(self):
        statuses = set()
        for run in range(RUNS):
            status, files = self.interrupt(f"out{run}", 0.003 * run)
            self.assertFalse([name for name in files if name.startswith(".cof-")], run)
            self.assertIn(status, (0, 128 + signal.SIGINT))
            statuses.add(status)
        self.assertIn(128 + signal.SIGINT, statuses)


if __name__ == "__main__":
    unittest.main()
