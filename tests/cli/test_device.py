#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--device of filter and apply, and info --devices, with any OpenCL driver."""
import json
import random
import shutil
import subprocess
import unittest

from command import (COF, ENVIRONMENT, TIMEOUT, FolderTest, run_cof, samples, setUpModule,
                     write_photo)


class Device(FolderTest):
    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")
        self.devices = json.loads(run_cof(["info", "--devices", "--json"], self.folder).stdout or "[]")

    def name(self):
        if not self.devices:
            self.skipTest("there is no OpenCL device")
        return "opencl:" + self.devices[0]["name"]

    def assert_close(self, one, other):
        a, b = samples(self.folder / one), samples(self.folder / other)
        self.assertEqual(len(a), len(b))
        different = [abs(x - y) for x, y in zip(a, b) if x != y]
        self.assertLessEqual(max(different, default=0), 1)
        self.assertLessEqual(len(different), 0.001 * len(a) + 1)

    def test_filter(self):
        self.cof("in.png", "host.png", "--iterations", "2")
        self.cof("--device", self.name(), "in.png", "out.png", "--iterations", "2", "--report", "r.json")
        self.assert_close("host.png", "out.png")
        run = json.loads((self.folder / "r.json").read_text())["run"]
        self.assertEqual("opencl:" + run["device"], self.name())
        self.assertEqual(run["device_stages"], ["colour", "labels", "count", "filter", "store"])
        self.assertNotIn("device_note", run)

    def test_what_runs_on_the_cpu(self):
        """The result is that of the CPU, and the report says why."""
        self.cof("in.png", "host.png", "--detail", "0.5")
        self.cof("in.png", "out.png", "--detail", "0.5", "--device", self.name(), "--report", "r.json")
        self.assertEqual(samples(self.folder / "host.png"), samples(self.folder / "out.png"))
        run = json.loads((self.folder / "r.json").read_text())["run"]
        self.assertIn("detail", run["device_note"])
        self.assertNotIn("filter", run["device_stages"])

    def test_apply_and_batch(self):
        self.cof("learn", "in.png", "-o", "m.cof")
        self.cof("apply", "m.cof", "in.png", "host.png")
        self.cof("apply", "--device", self.name(), "m.cof", "in.png", "out.png")
        self.assert_close("host.png", "out.png")
        for i in range(5):
            write_photo(self.folder / f"{i}.png")
        self.cof("--device", self.name(), "--model", "m.cof", *(f"{i}.png" for i in range(5)), "-o", "to")
        for i in range(5):
            self.assert_close("host.png", f"to/{i}.png")

    def test_raw_frames(self):
        frames = bytes(random.Random(1).randrange(256) for _ in range(3 * 24 * 16 * 3))
        line = ["--raw", "24x16:rgb24", "-", "-"]
        host, other = (subprocess.run([COF, *more, *line], input=frames, env=ENVIRONMENT, check=True,
                                      capture_output=True, timeout=TIMEOUT).stdout
                       for more in ([], ["--device", self.name()]))
        self.assertEqual(len(other), len(frames))
        self.assertLessEqual(max(abs(x - y) for x, y in zip(host, other)), 1)

    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg")
    def test_video(self):
        def ffmpeg(*arguments):
            return subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments], cwd=self.folder, check=True,
                                  capture_output=True, timeout=TIMEOUT).stdout
        name = self.name()
        ffmpeg("-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=2", "-c:v", "ffv1",
               "-pix_fmt", "gbrp", "in.mkv")
        encode = ["--encode", "-c:v ffv1 -pix_fmt gbrp"]
        self.cof("video", *encode, "in.mkv", "host.mkv")
        self.cof("video", *encode, "--device", name, "in.mkv", "out.mkv")
        host, other = (ffmpeg("-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
                       for file in ("host.mkv", "out.mkv"))
        self.assertEqual((len(host), len(other)), (10 * 64 * 48 * 3,) * 2)
        self.assertLessEqual(max(abs(x - y) for x, y in zip(host, other)), 1)

    def test_devices_are_listed(self):
        lines = run_cof(["info", "--devices"], self.folder).stdout.splitlines()
        self.assertEqual(len(lines), len(self.devices))
        for line, device in zip(lines, self.devices):
            self.assertTrue(line.startswith(f"opencl:{device['name']} ({device['type']}, "))

    def test_refused(self):
        """One line, and no output."""
        self.assert_rejected("--device cuda in.png out.png", 1, "--device", "gpu, cpu or opencl:NAME")
        self.assert_rejected("--device opencl:nonesuch in.png out.png", 1, "--device", "device")
        self.assert_rejected("apply --device opencl:nonesuch m.cof in.png out.png", 1, "--device")
        self.assert_rejected("info --devices in.png", 2, "--devices")
        self.assert_rejected("info --devices --matrix", 2, "--devices", "--matrix")
        self.assert_rejected("--raw 8x8:rgb24 --device opencl:nonesuch - -", 1, "--device")
        self.assert_rejected("video --device opencl:nonesuch in.mkv out.mkv", 1, "--device")
        self.assert_rejected("learn --device gpu in.png -o m.cof", 2, "--device")
        if not any(device["type"] == "gpu" for device in self.devices):
            self.assert_rejected("--device gpu in.png out.png", 1, "--device", "OpenCL")

    def test_without_the_module(self):
        ENVIRONMENT["COF_MODULE_PATH"], before = "/nonexistent", ENVIRONMENT.get("COF_MODULE_PATH")
        try:
            self.assert_rejected("--device gpu in.png out.png", 1, "--device", "libcof-opencl.so")
            self.assert_rejected("info --devices", 1, "--devices", "libcof-opencl.so")
            self.cof("in.png", "out.png")
        finally:
            ENVIRONMENT["COF_MODULE_PATH"] = before or ""


if __name__ == "__main__":
    unittest.main()
