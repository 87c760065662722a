#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The frei0r plug-in in video programs: melt (MLT) and gst-launch-1.0 (GStreamer). Both can process raw
frames without loss, so the frames are compared with those of the command. The description for Kdenlive
is compared with the plug-in.

COF names the command, COF_FREI0R the plugin.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
sys.path.insert(0, str(ROOT / "tests" / "plugins"))
from command import ENVIRONMENT, TIMEOUT, write_grey  # noqa: E402
from frei0r_host import (BOOL, DOUBLE, HEIGHT, NAMES, PLUGIN, STRING, WIDTH,  # noqa: E402
                         Effect, VideoTest, cut, ffmpeg, filtered_with_preset, fresh, make_video,
                         marked, parameter_infos, raw)
from presets import LARGE, PRESETS  # noqa: E402

EFFECT = ROOT / "plugins" / "frei0r" / "frei0r_cof.xml"
PROFILE = """description=test
frame_rate_num=25
frame_rate_den=1
width={0}
height={1}
progressive=1
sample_aspect_num=1
sample_aspect_den=1
display_aspect_num={0}
display_aspect_den={1}
colorspace=709
"""


class Hosts(VideoTest):
    """Helpers for the tests of both programs."""

    def problems(self, done):
        return [line for line in done.stderr.splitlines() if line.startswith("frei0r cof: ")]

    def bad_models(self):
        (self.folder / "empty.cof").write_bytes(b"")
        (self.folder / "text.cof").write_text("no model")
        (self.folder / "folder.cof").mkdir()
        write_grey(self.folder / "grey.pgm", 16, 16, range(256))
        self.cof("learn", "grey.pgm", "-o", "grey.cof")
        self.model()
        good = (self.folder / "m.cof").read_bytes()
        (self.folder / "short.cof").write_bytes(good[:-9])
        (self.folder / "damaged.cof").write_bytes(good[:99] + b"\xff\0\xff" + good[102:])
        return [("gone", "No such file"), ("empty", "not a .cof"), ("text", "not a .cof"),
                ("folder", "directory"), ("grey", "colour images"), ("short", "not a .cof"),
                ("damaged", "not a .cof")]

    def assert_lived(self, done):
        """Expects that the program exited by itself, not by a signal."""
        self.assertGreaterEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Segmentation", done.stderr)


class Melt(Hosts):
    def melt(self, frames, *properties, effect="frei0r.cof", size=(WIDTH, HEIGHT), threads=1):
        """Returns the finished process and the frames."""
        ffmpeg(*raw(size), "-i", "-", "-c:v", "ffv1", "-pix_fmt", "bgra", self.folder / "video.mkv",
               data=b"".join(frames))
        (self.folder / "profile").write_text(PROFILE.format(*size))
        target = self.folder / "melted.raw"
        target.unlink(missing_ok=True)
        chosen = ["-filter", effect, *properties] if effect else []
        done = subprocess.run(
            ["melt", "-silent", "-profile", "profile", "video.mkv", *chosen, "-consumer",
             "avformat:melted.raw", "f=rawvideo", "vcodec=rawvideo", "pix_fmt=rgba",
             "mlt_image_format=rgba", f"real_time=-{threads}", "an=1"],
            cwd=self.folder, env={**ENVIRONMENT, "MLT_FREI0R_PLUGIN_PATH": str(PLUGIN.parent)},
            capture_output=True, text=True, timeout=TIMEOUT)
        return done, cut(target.read_bytes() if target.exists() else b"", size)

    def melted(self, frames, *properties, **how):
        """The frames of a run that must succeed."""
        done, after = self.melt(frames, *properties, **how)
        self.assertEqual((done.returncode, self.problems(done)), (0, []))
        return after

    def test_the_way_loses_nothing(self):
        for alpha in (False, True):
            self.assert_same(self.melted(make_video(alpha=alpha), effect=None), make_video(alpha=alpha))

    def test_as_the_command(self):
        self.model()
        for properties, options in (
                ("", ""), ("window=0.09 iterations=0.02", "--window 9 --iterations 2"),
                ("2=0.21 5=1", "--window 21 --method fast"), ("adapt=0.1", "--adapt 0.1"),
                ("softness=0 colours=0.08", "--softness 0 --colours 8"),
                ("model=m.cof", "--model m.cof")):
            with self.subTest(properties):
                self.assert_same(self.melted(make_video(), *properties.split()),
                                 self.video(make_video(), *options.split()))

    def test_presets(self):
        for preset in PRESETS:
            with self.subTest(preset):
                self.assert_same(self.melted(make_video(), f"preset={preset}"),
                                 filtered_with_preset(make_video(), preset))
        frames = make_video(*LARGE, 2)
        self.assert_same(self.melted(frames, "0=texture", "colours=0.2", size=LARGE),
                         filtered_with_preset(frames, "texture", LARGE, learning={"colours": 20}))

    def test_a_preset_that_does_not_exist(self):
        done, after = self.melt(make_video(), "preset=painted")
        self.assert_same(after, list(map(marked, make_video())))
        self.assertEqual(self.problems(done),
                         ["frei0r cof: preset: must be none, subtle, texture, cartoon, flat, video, "
                          "portrait or drawing"])

    def test_other_sizes_and_alpha(self):
        for size in ((100, 70), (90, 46)):
            frames = make_video(*size, 2)
            self.assert_same(self.melted(frames, size=size), self.video(frames, size=size))
        frames = make_video(alpha=True)
        self.assert_same(self.melted(frames), fresh(frames))

    def test_keyframes(self):
        frames = make_video()
        after = self.melted(frames, "strength=0=0;4=1", "iterations=0|=0.01;3|=0.02")
        with Effect() as effect:
            for i, frame in enumerate(frames):
                effect.set(strength=min(i / 4, 1), iterations=0.01 if i < 3 else 0.02)
                self.assert_same([effect.update(frame)], [after[i]])

    def test_several_threads_with_a_model(self):
        """Each thread has its own instance, so models learned from frames would differ."""
        self.model()
        self.assert_same(self.melted(make_video(), "model=m.cof", threads=3),
                         self.melted(make_video(), "model=m.cof"))

    def test_metadata(self):
        done = subprocess.run(["melt", "-query", "filter=frei0r.cof"], capture_output=True, text=True,
                              env={**ENVIRONMENT, "MLT_FREI0R_PLUGIN_PATH": str(PLUGIN.parent)},
                              timeout=TIMEOUT)
        for name in NAMES:
            self.assertIn(f"title: {name}\n", done.stdout)

    def test_bad_models(self):
        for name, words in self.bad_models():
            with self.subTest(name):
                done, after = self.melt(make_video(), f"model={name}.cof")
                self.assertEqual(done.returncode, 0)
                self.assert_same(after, list(map(marked, make_video())))
                self.assertEqual(len(self.problems(done)), 1, done.stderr)
                self.assertIn(words, done.stderr)

    def test_bad_values(self):
        """MLT takes what looks like a number and ignores what it does not know."""
        frames = make_video()[:2]
        for properties, meant in (
                ("window=0.9", {"window": 0.63}), ("window=x", {"window": 0}), ("strength=1.2", {}),
                ("strength=-0.1", {"strength": 0}), ("iterations=", {"iterations": 0}),
                ("unknown=1", {}), ("99=1", {}), ("-1=1", {}), ("fast=9", {"fast": 1}),
                ("model=", {}), ("preset=", {})):
            with self.subTest(properties):
                done, after = self.melt(frames, properties)
                self.assertEqual((done.returncode, self.problems(done)), (0, []))
                self.assert_same(after, fresh(frames, **meant))
        for properties in ("window=9", "window=-1", "window=nan", "window=inf", "strength=9",
                           "softness=1e300", "colours=-1e300", "adapt=7", "relearn-interval=-3"):
            with self.subTest(properties):
                done, after = self.melt(frames, properties)
                self.assertEqual(done.returncode, 0)
                self.assertEqual(len(self.problems(done)), 1, done.stderr)
                self.assert_same(after, list(map(marked, frames)))

    def test_slices(self):
        """One instance in several threads, each with a part of the frame: against frei0r's rules."""
        for count in ("0", "2", "99"):
            done, after = self.melt(make_video(), f"threads={count}")
            self.assertEqual((done.returncode, len(after)), (0, len(make_video())))

    def test_no_such_effect(self):
        self.assert_lived(self.melt(make_video(), effect="frei0r.coff")[0])


class GStreamer(Hosts):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="cof-gst-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.environment = {**ENVIRONMENT, "FREI0R_PATH": str(PLUGIN.parent),
                           "GST_REGISTRY": str(cls.home / "registry.bin")}
        subprocess.run(["gst-inspect-1.0", "--exists", "frei0r-filter-cof"], env=cls.environment,
                       timeout=TIMEOUT, check=True)

    def launch(self, frames, *properties, element="frei0r-filter-cof", size=(WIDTH, HEIGHT),
               pixels="rgba"):
        (self.folder / "video.raw").write_bytes(b"".join(frames))
        target = self.folder / "launched.raw"
        target.unlink(missing_ok=True)
        done = subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", "location=video.raw", "!", "rawvideoparse",
             f"format={pixels}", f"width={size[0]}", f"height={size[1]}", "framerate=25/1", "!",
             *element.split(), *properties, "!", "filesink", "location=launched.raw"],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=TIMEOUT)
        return done, cut(target.read_bytes() if target.exists() else b"", size)

    def launched(self, frames, *properties, **how):
        done, after = self.launch(frames, *properties, **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return after

    def test_as_the_command(self):
        self.model()
        for properties, options in (
                ("", ""), ("window=0.09 iterations=0.02", "--window 9 --iterations 2"),
                ("window=0.21 fast=true", "--window 21 --method fast"), ("adapt=0.1", "--adapt 0.1"),
                ("softness=0 colours=0.08", "--softness 0 --colours 8"),
                ("model=m.cof", "--model m.cof")):
            with self.subTest(properties):
                self.assert_same(self.launched(make_video(), *properties.split()),
                                 self.video(make_video(), *options.split()))

    def test_presets(self):
        for preset in PRESETS:
            with self.subTest(preset):
                self.assert_same(self.launched(make_video(), f"preset={preset}"),
                                 filtered_with_preset(make_video(), preset))
        frames = make_video(*LARGE, 2)
        self.assert_same(self.launched(frames, "preset=texture", "colours=0.2", size=LARGE),
                         filtered_with_preset(frames, "texture", LARGE, learning={"colours": 20}))

    def test_a_preset_that_does_not_exist(self):
        done, after = self.launch(make_video(), "preset=painted")
        self.assert_same(after, list(map(marked, make_video())))
        self.assertEqual(self.problems(done),
                         ["frei0r cof: preset: must be none, subtle, texture, cartoon, flat, video, "
                          "portrait or drawing"])

    def test_other_sizes_and_alpha(self):
        for size in ((81, 47), (3, 5), (1, 1)):
            frame = make_video()[0][:4 * size[0] * size[1]]
            self.assert_same(self.launched([frame], size=size), [self.filtered_image(frame, size)])
        frames = make_video(alpha=True)
        self.assert_same(self.launched(frames, "strength=0.5"), fresh(frames, strength=0.5))

    def test_metadata(self):
        done = subprocess.run(["gst-inspect-1.0", "frei0r-filter-cof"], env=self.environment,
                              capture_output=True, text=True, timeout=TIMEOUT)
        for name in NAMES:
            self.assertRegex(done.stdout, rf"(?m)^  {name} +: ")

    def test_bad_models(self):
        for name, words in self.bad_models():
            with self.subTest(name):
                done, after = self.launch(make_video(), f"model={name}.cof")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_same(after, list(map(marked, make_video())))
                self.assertEqual(len(self.problems(done)), 1, done.stderr)
                self.assertIn(words, done.stderr)

    def test_what_gstreamer_refuses(self):
        frames = make_video()[:1]
        for how in ({"properties": ["unknown=1"]}, {"properties": ["window=x"]},
                    {"properties": ["fast=maybe"]}, {"properties": ["window"]},
                    {"properties": ["1=0.5"]}, {"properties": ["iterations=0.01|0.02"]},
                    {"element": "frei0r-filter-coff"}, {"element": "frei0r-filter-"},
                    {"element": "video/x-raw,format=I420 ! frei0r-filter-cof"},
                    {"element": "video/x-raw,format=BGRA ! frei0r-filter-cof"},
                    {"element": "audio/x-raw ! frei0r-filter-cof"},
                    {"pixels": "nothing"}, {"element": "frei0r-filter-cof !"}):
            with self.subTest(how):
                done, _ = self.launch(frames, *how.pop("properties", ()), **how)
                self.assert_lived(done)
                self.assertNotEqual(done.returncode, 0)
                self.assertNotEqual(done.stderr, "")

    def test_values_beyond(self):
        """GStreamer prints a warning and keeps the defaults."""
        frames = make_video()[:2]
        for properties in ("window=9", "window=-1", "window=nan", "strength=1e300", "softness=inf",
                           "colours=-7", "adapt=-7"):
            with self.subTest(properties):
                done, after = self.launch(frames, properties)
                self.assertEqual(done.returncode, 0)
                self.assertIn("out of range", done.stderr)
                self.assert_same(after, fresh(frames))


class Kdenlive(unittest.TestCase):
    def setUp(self):
        self.effect = xml.etree.ElementTree.parse(EFFECT).getroot()
        self.parameters = self.effect.findall("parameter")

    def test_the_effect(self):
        self.assertEqual((self.effect.tag, self.effect.get("tag")), ("effect", "frei0r.cof"))
        for part in ("name", "description", "author"):
            self.assertTrue(self.effect.findtext(part))

    def test_it_names_the_parameters(self):
        self.assertEqual([p.get("name") for p in self.parameters], NAMES)
        with Effect() as effect:
            defaults = [effect.get(name) for name in NAMES]
        for parameter, info, default in zip(self.parameters, parameter_infos(), defaults):
            with self.subTest(info.name):
                kinds = {BOOL: ["bool"], STRING: ["list", "url"], DOUBLE: ["animated", "constant"]}
                self.assertIn(parameter.get("type"), kinds[info.type])
                self.assertTrue(parameter.findtext("name"))
                if info.type == STRING:
                    self.assertEqual(parameter.get("default"), default.decode())
                else:
                    self.assertEqual(float(parameter.get("default")), default)

    def test_presets(self):
        preset = self.parameters[NAMES.index("preset")]
        values = preset.get("paramlist").split(";")
        self.assertEqual(values, ["none", *PRESETS])
        self.assertEqual(len(preset.findtext("paramlistdisplay").split(",")), len(values))

    def test_ranges(self):
        """Kdenlive offers the ranges that the plug-in explains."""
        for parameter, info in zip(self.parameters, parameter_infos()):
            if parameter.get("type") in ("animated", "constant"):
                ends = [float(parameter.get(end)) / float(parameter.get("factor"))
                        for end in ("min", "max")]
                explained = re.search(r"([\d.]+) to ([\d.]+)", info.explanation.decode())
                self.assertEqual(ends, [float(end.strip(".")) for end in explained.groups()])


if __name__ == "__main__":
    unittest.main()
