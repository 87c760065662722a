#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--device of the subcommands, and info --devices, with any OpenCL driver."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import unittest
import unittest.mock

from command import (COF, ENVIRONMENT, HEIGHT, TIMEOUT, WIDTH, FolderTest, noise, run_cof, samples,
                     setUpModule, write_grey, write_photo, write_rectangle, write_samples)

ROOT = pathlib.Path(__file__).resolve().parents[2]
STROKES = ["--stroke", "24,20 28,22:3", "--background-stroke", "2,2 45,2:2"]


def note(share, reason):
    return f"cof: note: --device: left work to the CPU{share}: {reason}\n"


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
        write_samples(self.folder / "in.tif", 5, "B", "multiband")
        self.cof("in.tif", "host.tif")
        words = ["in.tif", "out.tif", "--device", self.name(), "--report", "r.json"]
        done = run_cof(words, self.folder)
        self.assertEqual((self.folder / "host.tif").read_bytes(),
                         (self.folder / "out.tif").read_bytes())
        run = json.loads((self.folder / "r.json").read_text())["run"]
        self.assertIn("grey and RGB", run["device_note"])
        self.assertNotIn("filter", run["device_stages"])
        self.assertEqual((done.returncode, done.stderr), (0, note("", run["device_note"])))
        self.cof(*words, "--quiet")

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

    def test_notes_of_many(self):
        """One line for all images or frames. Only 5 bands are sure to be left to the CPU."""
        device = ["--device", self.name()]
        for i in range(3):
            write_samples(self.folder / f"{i}.tif", 5, "B", "multiband")
        write_photo(self.folder / "9.png")
        done = run_cof([*device, "0.tif", "1.tif", "2.tif", "9.png", "-o", "to"], self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Acof: note: --device: left work to the CPU for 3 of 4 images: "
                                      r"[^\n]+\n\Z")
        run_cof(["0.tif", "out.tif", *device, "--report", "r.json"], self.folder)
        reason = json.loads((self.folder / "r.json").read_text())["run"]["device_note"]
        self.assertEqual(done.stderr, note(" for 3 of 4 images", reason))
        done = run_cof(["learn", *device, "0.tif", "-o", "m.cof"], self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, note("", reason)))
        done = run_cof(["learn", *device, "--exact-soft", "9.png", "-o", "m.cof"], self.folder)
        self.assertEqual(done.stderr, "cof: note: --device has no effect with --exact-soft\n")

    def test_learn(self):
        """Models and statistics are those of the CPU to the byte."""
        write_rectangle(self.folder / "mask.png", 5, 6, 30, 20)
        write_grey(self.folder / "grey.png", WIDTH, HEIGHT, noise(WIDTH * HEIGHT))
        for case in ("in.png", "in.png --stats", "in.png --mask mask.png", "in.png --region 4,5,30,20",
                     "grey.png --levels 32", "in.png --palettes 3", "in.png --downscale 2",
                     "in.png 1.png 2.png --colours 9"):
            for name in ("1.png", "2.png"):
                write_photo(self.folder / name)
            with self.subTest(case):
                self.cof("learn", *case.split(), "-o", "host.cof")
                self.cof("learn", *case.split(), "--device", self.name(), "-o", "device.cof")
                self.assertEqual((self.folder / "host.cof").read_bytes(),
                                 (self.folder / "device.cof").read_bytes())

    def test_learning_of_filter(self):
        """What is learned from other images, or of labels, is counted on the device, too."""
        write_grey(self.folder / "labels.png", WIDTH, HEIGHT, noise(WIDTH * HEIGHT, high=6))
        write_photo(self.folder / "other.png")
        for case in ("--learn-from other.png", "--labels labels.png", "--guide other.png"):
            with self.subTest(case):
                self.cof(*case.split(), "in.png", "host.png")
                self.cof(*case.split(), "--device", self.name(), "in.png", "out.png", "--report", "r.json")
                self.assert_close("host.png", "out.png")
                run = json.loads((self.folder / "r.json").read_text())["run"]
                self.assertIn("count", run["device_stages"])

    def run_both(self, *words):
        """Runs on the CPU and on the device, which may leave work to the CPU, but then says so."""
        self.cof(*words, "host.png")
        done = run_cof([*words, "out.png", "--device", self.name()], self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"\A(cof: note: --device: left work to the CPU: [^\n]+\n)?\Z")

    def test_select(self):
        for method in ("watershed", "spread"):
            self.run_both("select", "in.png", *STROKES, "--select-method", method, "-o")
            a, b = samples(self.folder / "host.png"), samples(self.folder / "out.png")
            self.assertTrue(any(a) and not all(a))
            self.assertLessEqual(sum(x != y for x, y in zip(a, b)), 0.001 * len(a) + 1)

    def test_focus_and_recolour(self):
        write_rectangle(self.folder / "mask.png", 12, 10, 20, 18)
        for case in ("", "--background grey", "--preset texture", "--update labels --iterations 2"):
            with self.subTest(case):
                self.run_both("focus", "--mask", "mask.png", *case.split(), "in.png")
                self.assert_close("host.png", "out.png")
        self.run_both("focus", *STROKES, "in.png")
        self.assert_close("host.png", "out.png")
        self.run_both("recolour", "--mask", "mask.png", "--colour", "red", "in.png")
        self.assert_close("host.png", "out.png")

    def test_raw_frames(self):
        frames = bytes(random.Random(1).randrange(256) for _ in range(3 * 24 * 16 * 3))
        line = ["--raw", "24x16:rgb24", "-", "-"]
        host, other = (subprocess.run([COF, *more, *line], input=frames, env=ENVIRONMENT, check=True,
                                      capture_output=True, timeout=TIMEOUT).stdout
                       for more in ([], ["--device", self.name()]))
        self.assertEqual(len(other), len(frames))
        self.assertLessEqual(max(abs(x - y) for x, y in zip(host, other)), 1)

    def ffmpeg(self, *arguments, data=None):
        if not shutil.which("ffmpeg"):
            self.skipTest("there is no ffmpeg")
        return subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments], cwd=self.folder, check=True,
                              input=data, capture_output=True, timeout=TIMEOUT).stdout

    def test_video(self):
        name, ffmpeg = self.name(), self.ffmpeg
        ffmpeg("-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=2", "-c:v", "ffv1",
               "-pix_fmt", "gbrp", "in.mkv")
        encode = ["--encode", "-c:v ffv1 -pix_fmt gbrp"]
        self.cof("video", *encode, "in.mkv", "host.mkv")
        self.cof("video", *encode, "--device", name, "in.mkv", "out.mkv")
        host, other = (ffmpeg("-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
                       for file in ("host.mkv", "out.mkv"))
        self.assertEqual((len(host), len(other)), (10 * 64 * 48 * 3,) * 2)
        self.assertLessEqual(max(abs(x - y) for x, y in zip(host, other)), 1)

    def test_frames_in_order(self):
        """Several threads share the device: each frame is that of a run of its own, in its place.

        Frames go through raw pipes, and the encoder copies them.
        """
        width, height, n = 40, 24, 37
        frames = [bytes((v + 5 * i * (j % 3 + 1)) % 256 for j, v in
                        enumerate(noise(3 * width * height, i, high=60))) for i in range(n)]
        raw = ["-f", "rawvideo", "-pix_fmt", "rgb24"]
        device, size = ["--device", self.name()], f"{width}x{height}"
        self.ffmpeg(*raw, "-s", size, "-i", "-", "-c:v", "ffv1", "-pix_fmt", "gbrp", "in.mkv",
                    data=b"".join(frames))
        line = ["video", "--threads", "4", "--encode", "-c:v rawvideo -pix_fmt rgb24", "in.mkv"]
        self.cof(*line, *device, "--save-model", "m.cof", "out.nut")
        found = self.ffmpeg("-i", "out.nut", *raw, "-")
        expected = subprocess.run([COF, *device, "--model", "m.cof", "--raw", size + ":rgb24", "-", "-"],
                                  input=b"".join(frames), env=ENVIRONMENT, check=True, cwd=self.folder,
                                  capture_output=True, timeout=TIMEOUT).stdout
        self.assertEqual(len(found), len(expected))
        parts = [[video[i:i + len(frames[0])] for i in range(0, len(video), len(frames[0]))]
                 for video in (found, expected)]
        self.assertEqual(len(set(parts[1])), n)
        self.assertEqual([parts[1].index(frame) for frame in parts[0]], list(range(n)))

    def test_adapting_video(self):
        """Statistics that follow the video are counted on the device."""
        device = ["--device", self.name()]
        self.ffmpeg("-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=2", "-c:v", "ffv1",
                    "-pix_fmt", "gbrp", "in.mkv")
        line = ["video", "--adapt", "0.3", "--encode", "-c:v ffv1 -pix_fmt gbrp", "in.mkv"]
        self.cof(*line, "host.mkv")
        self.cof(*line, *device, "out.mkv")
        host, other = (self.ffmpeg("-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
                       for file in ("host.mkv", "out.mkv"))
        self.assertEqual(len(host), len(other))
        self.assertLessEqual(max(abs(x - y) for x, y in zip(host, other)), 1)

    def test_note_of_a_video(self):
        """The reason is that of a single frame; without one there is no line."""
        device = ["--device", self.name()]
        self.ffmpeg("-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=1", "-c:v", "ffv1",
                    "-pix_fmt", "gbrp", "in.mkv")
        encode = ["--encode", "-c:v ffv1 -pix_fmt gbrp"]
        for options in (["--detail", "0.5"], ["--palettes", "2"], ["--method", "fast"]):
            run_cof(["in.png", "out.png", *device, *options, "--report", "r.json"], self.folder)
            reason = json.loads((self.folder / "r.json").read_text())["run"].get("device_note")
            done = run_cof(["video", *encode, *device, *options, "in.mkv", "out.mkv"], self.folder)
            expected = note(" for 5 of 5 frames", reason) if reason else ""
            self.assertEqual((done.returncode, done.stderr), (0, expected))
            self.cof("video", "--quiet", *encode, *device, *options, "in.mkv", "out.mkv")

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
        for line in ("learn in.png -o m.cof", "select --stroke 3,3:2 in.png -o out.png",
                     "focus --stroke 3,3:2 in.png out.png",
                     "recolour --colour red --stroke 3,3:2 in.png out.png"):
            self.assert_rejected(line + " --device opencl:nonesuch", 1, "--device opencl:nonesuch: ")
        for line in ("show in.png -o out.png", "merge a.cof b.cof -o c.cof", "info a.cof"):
            self.assert_rejected(line + " --device gpu", 2, "--device")
        if self.devices:
            self.assert_rejected("--device opencl:nonesuch in.png out.png", 1,
                                 "no OpenCL device has this name; see cof info --devices")
        if not any(device["type"] == "gpu" for device in self.devices):
            self.assert_rejected("--device gpu in.png out.png", 1, "--device", "OpenCL")

    def test_messages_are_explained(self):
        """Those of docs/gpu.md are what the library says."""
        page = (ROOT / "docs" / "gpu.md").read_text()
        rows = page.split("### If no device is found")[1].split("\n#")[0].split("| --- | --- |\n")[1]
        code = "".join(path.read_text() for folder in ("src/device", "opencl")
                       for path in sorted((ROOT / folder).glob("*.c")))
        code = code.replace('" MODULE "', "libcof-opencl.so")
        messages = re.findall(r"^\| (.+?) \|", rows, re.M)
        self.assertGreater(len(messages), 3)
        for message in messages:
            self.assertIn(f'"{message}"', code)

    def assert_nothing_found(self, words):
        for device in ("gpu", "cpu", "opencl:NVIDIA"):
            self.assert_rejected(f"--device {device} in.png out.png", 1, f"--device {device}: {words}\n")
        for more in ("", " --json"):
            self.assert_rejected("info --devices" + more, 1, f"--devices: {words}\n")
        self.cof("in.png", "out.png")

    def test_without_the_module(self):
        with unittest.mock.patch.dict(ENVIRONMENT, COF_MODULE_PATH="/nonexistent"):
            self.assert_nothing_found("the module libcof-opencl.so is not installed, or cannot be loaded")

    def test_module_of_the_build_folder(self):
        """It is found where no variable names it."""
        with unittest.mock.patch.dict(ENVIRONMENT):
            del ENVIRONMENT["COF_MODULE_PATH"]
            done = run_cof(["info", "--devices", "--json"], self.folder)
        self.assertNotIn("libcof-opencl.so", done.stdout + done.stderr)
        self.assertEqual(json.loads(done.stdout or "[]"), self.devices)

    def test_without_a_driver(self):
        """OpenCL's loader finds drivers in that folder."""
        self.name()
        with unittest.mock.patch.dict(ENVIRONMENT, OCL_ICD_VENDORS="/nonexistent"):
            if json.loads(run_cof(["info", "--devices", "--json"], self.folder).stdout or "[]"):
                self.skipTest("this libOpenCL has a driver of its own")
            self.assert_nothing_found("no OpenCL driver offers a device")


if __name__ == "__main__":
    unittest.main()
