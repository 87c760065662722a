#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The plugin of frei0r, inside ffmpeg and called as a host calls it: the frames are those of the
command, and nothing that a host sets makes it stumble. What it needs: see frei0r_host.py.
"""
import ctypes
import itertools
import math
import os
import pathlib
import subprocess
import sys
import threading
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import (ENVIRONMENT, TIMEOUT, vips, write_grey, write_rgb)  # noqa: E402
from frei0r_host import (DEFAULTS, DOUBLE, HEIGHT, NAMES, PLUGIN, TYPES, WIDTH,  # noqa: E402
                         Effect, Info, ParameterInfo, VideoTest, cut, ffmpeg, filtered_with_preset,
                         frame_of, fresh, image_of, make_video, marked, parameter_infos, plugin, raw,
                         standard_error,
                         write_model_of_labels)
from presets import LARGE, PRESETS, cof, preset_options, reduced  # noqa: E402

# Address space for the frames is taken before it becomes scarce.
WITHOUT_MEMORY = """
import resource, sys, frei0r_host
side = 1200
source = frei0r_host.ctypes.create_string_buffer(bytes(range(256)) * (side * side // 64))
target = frei0r_host.ctypes.create_string_buffer(4 * side * side)
same = target.raw == source.raw[:len(target)]
with frei0r_host.Effect(side, side) as effect:
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]), resource.RLIM_INFINITY))
    for _ in range(2):
        frei0r_host.plugin().f0r_update(effect.handle, 0.0, source, target)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    passed = target.raw == source.raw[:len(target)] and not same
    frei0r_host.plugin().f0r_update(effect.handle, 0.0, source, target)
print("passed" if passed else "changed", "filtered" if target.raw != source.raw[:len(target)] else "not",
      sep=", ")
"""


class InFfmpeg(VideoTest):
    def test_as_the_command(self):
        for parameters, options in (
                ("", ""),
                ("none|1|0.09|0.5|0.02", "--window 9 --softness 0.5 --iterations 2"),
                ("none|1|0.08|0", "--window 9 --softness 0"),
                ("none|1|0.21|0.75|0.01|y", "--window 21 --method fast"),
                ("none|1|0.15|0.75|0.01|n|0|0.1", "--adapt 0.1"),
                ("none|1|0.15|0.75|0.01|n|0|0||0.08", "--colours 8"),
                ("none|1|0.63|1|0.03|y|0|0||1",
                 "--window 63 --softness 1 --iterations 3 --method fast --colours 100")):
            with self.subTest(parameters):
                self.assert_same(self.in_ffmpeg(make_video(), parameters),
                                 self.video(make_video(), *options.split()))

    def test_alpha(self):
        frames = make_video(alpha=True)
        self.assertGreater(len(set(frames[0][3::4])), 100)
        follows = "none|1|0.15|0.75|0.01|n|0|0.2"
        for parameters, options in (("", ()), (follows, ("--adapt", "0.2"))):
            after = self.in_ffmpeg(frames, parameters)
            self.assert_same(after, self.video(frames, *options, alpha=True))
            self.assert_same([f[3::4] for f in after], [f[3::4] for f in frames])

    def test_a_cut(self):
        frames = make_video()[:3] + make_video(photo="astronaut.png")[:3]
        after = self.in_ffmpeg(frames, "none|1|0.15|0.75|0.01|n|0|0.1")
        self.assert_same(after, self.video(frames, "--adapt", "0.1"))
        self.assert_same(after[3:4], self.in_ffmpeg(frames[3:4]))

    def test_relearn_interval(self):
        after = self.in_ffmpeg(make_video(), "none|1|0.15|0.75|0.01|n|0.03")
        self.assert_same(after[:3], self.video(make_video(), "--learn-frame", 1)[:3])
        self.assert_same(after[3:], self.video(make_video(), "--learn-frame", 4)[3:])

    def test_model(self):
        self.model()
        self.save_image(make_video()[0], "learn.png")
        self.cof("learn", "learn.png", "--stats", "-o", "stats.cof")
        for name in ("m.cof", "stats.cof"):
            after = self.in_ffmpeg(make_video(),
                                   f"none|1|0.33|0.75|0.01|n|0.5|0.5|{self.folder / name}|1")
            self.assert_same(after, self.video(make_video(), "--model", name))
            self.save_image(make_video()[4], "frame.png")
            self.cof("apply", name, "frame.png", "applied.png")
            applied = ffmpeg("-i", self.folder / "applied.png", "-f", "rawvideo", "-pix_fmt", "rgba",
                             "-").stdout
            self.assert_same([applied], [after[4]])

    def test_strength(self):
        self.assert_same(self.in_ffmpeg(make_video(), "none|0"), make_video())
        self.assert_same(self.in_ffmpeg(make_video(), "none|0.3"),
                         self.video(make_video(), "--strength", 0.3))

    def test_commands_on_the_way(self):
        """ffmpeg's counterpart of keyframes."""
        filters = "sendcmd=c='0.12 frei0r filter_params none|0.5|0.15|0.75|0.02',{}"
        after = self.in_ffmpeg(make_video(), filters=filters)
        once = self.in_ffmpeg(make_video())
        twice = self.in_ffmpeg(make_video(), "none|0.5|0.15|0.75|0.02")
        self.assert_same(after, once[:3] + twice[3:])

    def test_widths_that_ffmpeg_pads(self):
        """Old ffmpegs pad rows to 64 bytes and do not tell: transparent columns do no harm."""
        size, frames = (81, 47), make_video(81, 47, 3)
        self.model()
        after = self.in_ffmpeg(
            frames, f"none|1|0.15|0.75|0.01|n|0|0|{self.folder / 'm.cof'}", size,
            filters="pad=ceil(iw/16)*16:ih:color=black@0,{},crop=81:47:0:0")
        self.assert_same(after, self.video(frames, "--model", "m.cof", size=size))

    def test_parameters_that_ffmpeg_refuses(self):
        for parameters in ("|x", "none|1|x", "none|1|0.15|0.75|0.01|maybe", "none|0.5x", "|inf",
                           "none|1|0.15|0.75|0.01|1", "|1 2"):
            with self.subTest(parameters):
                done = ffmpeg(*raw(), "-i", "-", "-vf", f"frei0r=cof:{parameters}", "-f", "null", "-",
                              data=make_video()[0], check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertGreater(done.returncode, 0)
                self.assertIn(b"Invalid value", done.stderr)

    def test_a_model_that_is_missing(self):
        effect = "frei0r=cof:none|1|0.15|0.75|0.01|n|0|0|gone.cof"
        done = ffmpeg(*raw(), "-i", "-", "-vf", effect, "-f", "rawvideo", "-",
                      data=b"".join(make_video()))
        self.assert_same(cut(done.stdout), list(map(marked, make_video())))
        self.assertEqual(done.stderr, b"frei0r cof: gone.cof: No such file or directory\n")

    def test_device(self):
        """Frames are those of the CPU, or 1 beside; without the device they stay as they are."""
        names = {"COF_MODULE_PATH": str(pathlib.Path(PLUGIN).parents[2] / "opencl"),
                 "XDG_CACHE_HOME": str(self.folder), "COF_DEVICE": "opencl:nonesuch"}
        with unittest.mock.patch.dict(ENVIRONMENT, names):
            done = ffmpeg(*raw(), "-i", "-", "-vf", "frei0r=cof", "-f", "rawvideo", "-",
                          data=b"".join(make_video()))
            self.assert_same(cut(done.stdout), make_video())
            self.assertRegex(done.stderr, rb"\Afrei0r cof: COF_DEVICE: [^\n]+\n\Z")
            if b"no OpenCL device has this name" not in done.stderr:
                self.skipTest("there is no OpenCL device")
            ENVIRONMENT["COF_DEVICE"] = "opencl:"
            on_device = b"".join(self.in_ffmpeg(make_video()))
        host = b"".join(self.in_ffmpeg(make_video()))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(host, on_device)), 1)

    def test_numbers_that_are_mistakes(self):
        """Pixels instead of hundredths of them, and the like: frames are marked, with one line."""
        for parameters, line in (
                ("none|1|15", "window: 15 is not 0 to 1; 0.15 stands for 15"),
                ("none|1|0.15|0.75|3", "iterations: 3 is not 0 to 1; 0.15 stands for 15"),
                ("none|50", "strength: 50 is not 0 to 1"), ("none|nan", "strength: nan is not 0 to 1")):
            with self.subTest(parameters):
                done = ffmpeg(*raw(), "-i", "-", "-vf", f"frei0r=cof:{parameters}", "-f", "rawvideo", "-",
                              data=b"".join(make_video()[:2]))
                self.assert_same(cut(done.stdout), list(map(marked, make_video()[:2])))
                self.assertEqual(done.stderr.decode(), f"frei0r cof: {line}\n")

    def test_values_that_are_clamped(self):
        for given, meant in (("none|1.4|0.9|-0.4|-0.1", "none|1|0.63|0|0.01"),
                             ("|1|0|0.75|0", "none|1|0.01|0.75|0.01"),
                             ("none|1|0.15||0.01|n|-0.2|-0.1", "none|1|0.15|0"),
                             ("none|1|0.15|0.75|0.01|n|0|0||0",
                              "none|1|0.15|0.75|0.01|n|0|0||0.01"),
                             ("none|1|0.15|0.75|0.01|n|0|0||0.32|1.4|too|many", "")):
            with self.subTest(given):
                self.assert_same(self.in_ffmpeg(make_video()[:2], given),
                                 self.in_ffmpeg(make_video()[:2], meant))


class AsAHost(VideoTest):
    def test_what_it_is(self):
        info = Info()
        plugin().f0r_get_plugin_info(info)
        self.assertGreaterEqual(plugin().f0r_init(), 0)
        self.assertEqual((info.name, info.plugin_type, info.color_model, info.frei0r_version,
                          info.num_params), (b"cof", 0, 1, 1, len(NAMES)))
        self.assertIn(b"textures", info.explanation)
        found = parameter_infos()
        self.assertEqual([p.name.decode() for p in found], NAMES)
        self.assertEqual([p.type for p in found], TYPES)
        for parameter in found:
            self.assertGreater(len(parameter.explanation), 20)
            if parameter.type == DOUBLE:
                self.assertRegex(parameter.explanation.decode(), r"0(\.\d+)? to (1|0\.63)\b")

    def test_only_its_functions_are_seen(self):
        text = subprocess.run(["nm", "-D", "--defined-only", PLUGIN], capture_output=True, text=True,
                              check=True).stdout
        names = {line.split()[-1] for line in text.splitlines()}
        asan = {name for name in names if "asan" in name or "ubsan" in name}
        self.assertEqual(names - asan, {f"f0r_{name}" for name in (
            "init deinit get_plugin_info get_param_info construct destruct set_param_value "
            "get_param_value update update2").split()})

    def test_defaults_and_round_trips(self):
        with Effect() as effect:
            self.assertEqual([effect.get(name) for name in NAMES], DEFAULTS)
            values = [b"cartoon", 0.25, 0.5, 0.125, 1, 1, 0.07, 0.9, b"some/fi\xc3\xa9le.cof", 0.04, 0.5]
            effect.set(**dict(zip(NAMES, values)))
            self.assertEqual([effect.get(name) for name in NAMES], values)
            effect.set(preset=b"", model=b"")
            self.assertEqual((effect.get("preset"), effect.get("model")), (b"", b""))

    def test_destroyed_without_a_frame(self):
        for values in ({}, {"model": b"x"}, {"window": 0.5}, {"preset": b"texture"}, {"preset": b"x"}):
            with Effect(**values):
                pass

    def test_sizes(self):
        for size in ((81, 47), (17, 9), (1, 50), (50, 1), (3, 2)):
            with self.subTest(size):
                frame = make_video()[0][:4 * size[0] * size[1]]
                with Effect(*size) as effect:
                    self.assert_same([effect.update(frame)], [self.filtered_image(frame, size)])

    def test_a_single_pixel(self):
        with Effect(1, 1) as effect:
            self.assertEqual(effect.update(b"\x10\x80\xf0\xff"), b"\x10\x80\xf0\xff")

    def test_any_alignment(self):
        frame = make_video()[0]
        for model in (b"", self.model()):
            with Effect(model=model) as effect:
                after = effect.update(frame)
                for shift in (1, 2, 3, 4, 8, 15):
                    self.assert_same([effect.update(frame, shift)], [after])

    def test_in_place(self):
        for alpha, strength in itertools.product((False, True), (0, 0.4, 1)):
            frames = make_video(alpha=alpha)
            with Effect(strength=strength) as one, Effect(strength=strength) as other:
                self.assert_same([one.update_in_place(f) for f in frames], other.filter_frames(frames))

    def test_opaque_or_nearly(self):
        """Opaque frames give the same colours with and without alpha."""
        frame = bytearray(make_video()[0])
        model = self.model()
        with Effect(model=model) as effect:
            opaque = effect.update(bytes(frame))
            frame[-1] = 254
            nearly = effect.update(bytes(frame))
        far = 4 * WIDTH * (HEIGHT - 16)
        self.assert_same([opaque[:far]], [nearly[:far]])
        self.assertEqual((opaque[-1], nearly[-1]), (255, 254))
        frame[3::4] = b"\xff" * (WIDTH * HEIGHT)
        with Effect() as first, Effect() as second:  # learned the same, too
            first.update(bytes(frame))
            frame[3] = 254
            second.update(bytes(frame))
            frame[3] = 255
            self.assert_same([first.update(bytes(frame))], [second.update(bytes(frame))])

    def test_update2(self):
        frame = make_video()[0]
        target = ctypes.create_string_buffer(len(frame))
        with Effect() as effect:
            plugin().f0r_update2(effect.handle, 0.0, frame, None, None, target)
            self.assert_same([target.raw], [effect.update(frame)])

    def test_filter_parameters_change_at_once(self):
        """Filter parameters keep the model of the first frame."""
        frames = make_video()
        with Effect() as effect:
            effect.update(frames[0])
            effect.set(iterations=0.03, fast=1, strength=0.5)
            changed = effect.update(frames[3])
            effect.set(iterations=0.01, fast=0, strength=1)
            back = effect.update(frames[4])
        thrice = fresh(frames, iterations=0.03, fast=1, strength=0.5)[3]
        self.assert_same([changed, back], [thrice, fresh(frames)[4]])

    def test_softness_needs_no_new_lesson(self):
        frames = make_video()
        with Effect() as effect:
            effect.update(frames[0])
            effect.set(softness=0.25)
            self.assert_same([effect.update(frames[3])], [fresh(frames, softness=0.25)[3]])

    def test_learning_parameters_restart_learning(self):
        frames = make_video()
        for values in ({"window": 0.09}, {"colours": 0.08}, {"adapt": 0.1}, {"relearn_interval": 0.02}):
            with self.subTest(values), Effect() as effect:
                effect.update(frames[0])
                effect.set(**values)
                self.assert_same(effect.filter_frames(frames[2:]), fresh(frames[2:], **values))
                effect.set(**dict(zip(NAMES, DEFAULTS)))
                self.assert_same(effect.filter_frames(frames), fresh(frames))

    def test_models_come_and_go(self):
        frames, model = make_video(), self.model("--window", 9)
        learned, applied = fresh(frames), self.video(frames, "--model", "m.cof")
        with Effect() as effect:
            self.assert_same([effect.update(frames[0])], learned[:1])
            effect.set(model=model)
            self.assert_same(effect.filter_frames(frames), applied)
            effect.set(model=b"", window=0.15)
            self.assert_same(effect.filter_frames(frames), learned)

    def test_videos_that_start_black(self):
        """Black frames are skipped for learning; adaptation detects their end."""
        frames = make_video()
        black = b"\0\0\0\xff" * (WIDTH * HEIGHT)
        for values in ({}, {"relearn_interval": 0.5}, {"adapt": 0.1}):
            with self.subTest(values=values), Effect(**values) as effect:
                self.assert_same(effect.filter_frames([black, black, *frames])[2:], fresh(frames, **values))

    def test_strength_of_0_learns_nothing(self):
        frames = make_video()
        with Effect(strength=0) as effect:
            self.assert_same(effect.filter_frames(frames[:2]), frames[:2])
            effect.set(strength=1)
            self.assert_same(effect.filter_frames(frames[2:]), fresh(frames[2:]))

    def test_two_instances_in_two_threads(self):
        frames, found = make_video(), {}

        def run(window):
            with Effect(window=window) as effect:
                found[window] = effect.filter_frames(frames * 3)
        threads = [threading.Thread(target=run, args=(window,)) for window in (0.09, 0.15)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for window in (0.09, 0.15):
            with Effect(window=window) as effect:
                self.assert_same(found[window], effect.filter_frames(frames * 3))

    def test_one_instance_in_two_threads(self):
        """frei0r forbids concurrent calls, but MLT can be configured to make them."""
        frames = make_video()
        with Effect(model=self.model()) as effect:
            alone, found = effect.filter_frames(frames), {}
            threads = [threading.Thread(target=lambda i=i: found.update({i: effect.filter_frames(frames)}))
                       for i in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for i in range(3):
                self.assert_same(found[i], alone)


class Presets(VideoTest):
    def test_as_the_package(self):
        for preset in PRESETS:
            with self.subTest(preset):
                self.assert_same(self.in_ffmpeg(make_video(), preset),
                                 filtered_with_preset(make_video(), preset))

    def test_the_first_frame_is_as_an_image(self):
        for size in ((640, 400), LARGE):
            frame = make_video(*size, 1)[0]
            for preset in PRESETS:
                with self.subTest(size=size, preset=preset), \
                        Effect(*size, preset=preset.encode()) as effect:
                    wanted = cof.smooth(image_of(frame, size), preset=preset)
                    self.assert_same([effect.update(frame)], [frame_of(wanted)])

    def test_alpha(self):
        frames = make_video(alpha=True)
        with Effect(preset=b"texture") as effect:
            self.assert_same(effect.filter_frames(frames), filtered_with_preset(frames, "texture"))

    def test_large_frames(self):
        self.assertEqual(reduced(LARGE), 2)
        frames = make_video(*LARGE, 2)
        for preset in PRESETS:
            with self.subTest(preset), Effect(*LARGE, preset=preset.encode()) as effect:
                self.assert_same(effect.filter_frames(frames), filtered_with_preset(frames, preset, LARGE))

    def test_lessons_that_follow_are_of_the_reduced_frame(self):
        frames, preset = make_video(*LARGE, 2), "subtle"
        with Effect(*LARGE, preset=preset.encode(), relearn_interval=0.01) as effect:
            self.assert_same(effect.filter_frames(frames),
                             [filtered_with_preset([f], preset, LARGE)[0] for f in frames])
        with Effect(*LARGE, preset=preset.encode(), adapt=1) as effect:
            self.assert_same(effect.filter_frames(frames)[1:], [self.recounted(*frames, preset)])

    def recounted(self, first, second, preset):
        """The second frame, filtered with the palette of the first frame and its own counts."""
        options = preset_options(preset, LARGE)
        learning = {name: options[name]
                    for name in ("window", "colours", "levels", "palettes", "downscale")}
        stats = cof.Stats(**learning).scan(image_of(first, LARGE)).fit_palette().like()
        stats.add(image_of(second, LARGE))
        model = cof.Model.from_stats(stats, **{name: options[name] for name in
                                               ("sigma", "softness", "separation")})
        return filtered_with_preset([second], preset, LARGE, model)[0]

    def test_parameters_override_them(self):
        frames = make_video()[:2]
        preset = cof.preset("cartoon", HEIGHT, WIDTH)
        sigma = preset["sigma"] * 63 / preset["window"]  # no parameter: it follows the window
        for values, options in (
                ({"window": 0.63}, {"learning": {"window": 63, "sigma": sigma}}),
                ({"softness": 1}, {"learning": {"softness": 1}}),
                ({"colours": 0.02}, {"learning": {"colours": 2}}), ({"fast": 1}, {}),
                ({"iterations": 0.01}, {"iterations": 1}), ({"iterations": 0.2}, {"iterations": 20})):
            with self.subTest(values):
                self.assert_same(fresh(frames, preset=b"cartoon", **values),
                                 filtered_with_preset(frames, "cartoon", **options))

    def test_size(self):
        """In quarters, so that 1 is the largest."""
        frames, options = make_video()[:2], {"preset": "texture", "size": 4}
        images = [image_of(frame) for frame in frames]
        model = cof.Model.fit(images[0], **options)
        coarse = fresh(frames, preset=b"texture", size=1)
        self.assert_same(coarse, [frame_of(model.apply(image, **options)) for image in images])
        self.assertNotEqual(coarse, fresh(frames, preset=b"texture"))

    def test_parameters_with_their_defaults_do_not(self):
        """Some hosts set every parameter."""
        frames = make_video()[:2]
        with Effect() as effect:
            for name, value in zip(NAMES, DEFAULTS):
                effect.set(**{name: value})
            effect.set(preset=b"cartoon")
            self.assert_same(effect.filter_frames(frames), filtered_with_preset(frames, "cartoon"))

    def test_strength_and_models_have_one(self):
        frames, model = make_video()[:2], self.model("--window", 9)
        self.assert_same(fresh(frames, preset=b"texture", strength=0.3),
                         filtered_with_preset(frames, "texture", strength=0.3))
        self.assert_same(fresh(frames, preset=b"texture", model=model),
                         filtered_with_preset(frames, "texture", model=cof.Model.load(os.fsdecode(model))))

    def test_they_come_and_go(self):
        frames = make_video()
        with Effect() as effect:
            for preset in ("texture", "none", "cartoon", "", "subtle"):
                effect.set(preset=preset.encode())
                wanted = filtered_with_preset(frames[:2], preset) if preset in PRESETS else fresh(frames[:2])
                self.assert_same(effect.filter_frames(frames[:2]), wanted)

    def test_only_the_reduction_differs(self):
        frames = make_video(*LARGE, 2)
        options = preset_options("cartoon", LARGE)
        with Effect(*LARGE, window=options["window"] / 100, colours=options["colours"] / 100,
                    softness=options["softness"], fast=1) as effect:
            effect.update(frames[0])
            effect.set(preset=b"cartoon")
            self.assert_same(effect.filter_frames(frames), filtered_with_preset(frames, "cartoon", LARGE))

    def test_names_that_are_none(self):
        """The frames are marked, with one message."""
        frames = make_video()[:3]
        for name in (b"x", b"Texture", b"texture ", b"0.5", b"nonee", b"\xff\n", b"x" * 5000, b" "):
            with self.subTest(name[:20]), standard_error() as lines, Effect(preset=name) as effect:
                self.assertEqual(effect.get("preset"), name)
                self.assert_same(effect.filter_frames(frames), list(map(marked, frames)))
                effect.set(preset=b"subtle")
                self.assert_same(effect.filter_frames(frames), filtered_with_preset(frames, "subtle"))
            self.assertEqual(lines, ["frei0r cof: preset: must be none, subtle, texture, cartoon, "
                                     "flat, video, portrait or drawing"])


class BadInput(VideoTest):
    def models(self):
        """Files that are not models of colour images, and the message for each."""
        good = pathlib.Path(os.fsdecode(self.model())).read_bytes()
        size = WIDTH * HEIGHT
        write_grey(self.folder / "grey.pgm", WIDTH, HEIGHT, [i % 251 for i in range(size)])
        write_rgb(self.folder / "rgb.ppm", WIDTH, HEIGHT, [i % 253 for i in range(3 * size)])
        vips("bandjoin", f"{self.folder}/rgb.ppm {self.folder}/rgb.ppm", self.folder / "six.tif")
        vips("copy", self.folder / "six.tif", self.folder / "bands.tif", "--interpretation", "multiband")
        self.cof("learn", "grey.pgm", "-o", "grey.cof")
        self.cof("learn", "bands.tif", "-o", "bands.cof")
        write_model_of_labels(self.folder / "labels.cof")
        self.cof("learn", "grey.pgm", "--stats", "-o", "greystats.cof")
        newer = bytearray(good)
        newer[4] += 1
        damaged = bytearray(good)
        damaged[len(good) // 2] ^= 0x40
        for name, content in (("empty", b""), ("text", b"no model\n"), ("short", good[:-1]),
                              ("half", good[:len(good) // 2]), ("head", good[:8]), ("newer", newer),
                              ("damaged", damaged), ("long", good + b"\0"),
                              ("image", (self.folder / "rgb.ppm").read_bytes())):
            (self.folder / f"{name}.cof").write_bytes(content)
        (self.folder / "folder.cof").mkdir()
        (self.folder / "circle.cof").symlink_to("circle.cof")
        bad = "not a .cof file"
        return [("missing", "No such file"), ("folder", "Is a directory"), ("empty", bad),
                ("text", bad), ("short", bad), ("half", bad), ("head", bad), ("newer", ""),
                ("damaged", bad), ("long", bad), ("image", bad), ("circle", "symbolic link"),
                ("grey", "colour images"), ("greystats", "colour images"),
                ("bands", "colour images"), ("labels", "colour images")]

    def assert_marked(self, model, words, alpha=False):
        """Expects marked frames and one line with these words."""
        frames = make_video(alpha=alpha)
        with standard_error() as lines, Effect(model=model) as effect:
            after = effect.filter_frames(frames) + [effect.update_in_place(frames[0])]
        self.assert_same(after, list(map(marked, frames + frames[:1])))
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"\Afrei0r cof: .+: .+\Z")
        self.assertIn(words, lines[0])

    def test_models(self):
        for name, words in self.models():
            with self.subTest(name):
                self.assert_marked(os.fsencode(self.folder / f"{name}.cof"), words)
        self.assert_marked(os.fsencode(self.folder / "grey.cof"), "colour images", alpha=True)

    def test_names(self):
        for name in (b"a\nb\x1b[31m\tc", b"x" * 5000, b"\xff\xfe\x80", b" ", b"%s%n%d", b"a/" * 3000,
                     b"file:///m.cof", b"."):
            with self.subTest(name[:20]):
                self.assert_marked(name, "")

    def test_a_model_that_appears(self):
        """After a failed load, another file name is tried and used."""
        frames, good = make_video(), self.model()
        with standard_error() as lines, Effect(model=b"gone.cof") as effect:
            effect.filter_frames(frames)
            effect.set(model=b"lost.cof")
            effect.filter_frames(frames)
            effect.set(model=good)
            after = effect.filter_frames(frames)
        self.assert_same(after, fresh(frames, model=good))
        self.assertEqual([line.split(":")[1] for line in lines], [" gone.cof", " lost.cof"])

    def test_numbers(self):
        frame = make_video(48, 32)[0]
        low = dict(zip(NAMES, (None, 0, 0.01, 0, 0, 0, 0, 0, None, 0.01, 0.0625)))
        high = dict(zip(NAMES, (None, 1, 0.63, 1, 1, 1, 1, 1, None, 1, 1)))
        for name in NAMES:
            if name in ("preset", "model", "iterations"):  # a hundred passes take their time
                continue
            for value, meant in ((-0.4, low[name]), (-5e-324, low[name]), (1.4, high[name])):
                with self.subTest(name=name, value=value), standard_error() as lines, \
                        Effect(48, 32, **{name: value}) as effect, \
                        Effect(48, 32, **{name: meant}) as other:
                    self.assertTrue(0 <= effect.get(name) <= 1)
                    self.assert_same([effect.update(frame)], [other.update(frame)])
                self.assertEqual(lines, [])

    def test_numbers_far_from_the_range(self):
        frame = make_video(48, 32)[0]
        for name, kind in zip(NAMES, TYPES):
            for value in (math.nan, -math.inf, -1, math.inf, 2, 1.7e308):
                if kind != DOUBLE:
                    continue
                with self.subTest(name=name, value=value), standard_error() as lines, \
                        Effect(48, 32, **{name: value}) as effect:
                    self.assertTrue(0 <= effect.get(name) <= 1)
                    after = [effect.update(frame), effect.update_in_place(frame)]
                    effect.set(**{name: DEFAULTS[NAMES.index(name)]})
                    self.assertNotEqual(effect.update(frame), after[0])
                self.assert_same(after, [marked(frame, (48, 32))] * 2)
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0], rf"\Afrei0r cof: {name}: .+ is not 0 to 1")

    def test_iterations(self):
        frame = make_video(48, 32)[0][:4 * 16 * 16]
        for value, meant in ((-0.1, 0.01), (0, 0.01), (0.004, 0.01), (1.2, 1)):
            with Effect(16, 16, iterations=value) as effect, Effect(16, 16, iterations=meant) as other:
                self.assert_same([effect.update(frame)], [other.update(frame)])

    def test_sizes_that_cannot_be(self):
        most = 2 ** 32 - 1
        for size in ((0, 0), (0, 8), (8, 0), (most, 1), (1, most), (most, most), (2 ** 31, 1),
                     (65536, 65536), (2 ** 30, 2 ** 30)):
            self.assertIsNone(plugin().f0r_construct(*size), size)

    def test_pointers_and_places(self):
        lib, frame = plugin(), make_video()[0]
        with Effect() as effect:
            number, text = ctypes.c_double(0.3), ctypes.c_char_p(None)
            for index in (-1, len(NAMES), 1000, 2 ** 31 - 1, -2 ** 31):
                lib.f0r_set_param_value(effect.handle, ctypes.addressof(number), index)
                lib.f0r_get_param_value(effect.handle, ctypes.addressof(number), index)
                info = ParameterInfo()
                lib.f0r_get_param_info(info, index)
                self.assertEqual(info.name, b"")
            for index in range(len(NAMES)):
                lib.f0r_set_param_value(effect.handle, None, index)
                lib.f0r_get_param_value(effect.handle, None, index)
            for name in ("preset", "model"):
                lib.f0r_set_param_value(effect.handle, ctypes.addressof(text), NAMES.index(name))
            self.assertEqual(number.value, 0.3)
            self.assertEqual([effect.get(name) for name in NAMES], DEFAULTS)
            target = ctypes.create_string_buffer(len(frame))
            lib.f0r_update(effect.handle, 0.0, None, target)
            lib.f0r_update(effect.handle, 0.0, frame, None)
            lib.f0r_update(effect.handle, math.nan, frame, target)
            self.assert_same([effect.update(frame)], [target.raw])
        lib.f0r_destruct(None)
        lib.f0r_update(None, 0.0, frame, target)
        lib.f0r_set_param_value(None, ctypes.addressof(number), 1)
        lib.f0r_get_param_value(None, ctypes.addressof(number), 1)

    def test_no_memory(self):
        """In a process of its own: frames pass, with one line, and are filtered once there is some."""
        for left in (0, 8 << 20):
            done = subprocess.run([sys.executable, "-c", WITHOUT_MEMORY, str(left)], env=ENVIRONMENT,
                                  cwd=pathlib.Path(__file__).parent, capture_output=True, text=True,
                                  timeout=TIMEOUT)
            self.assertEqual((done.returncode, done.stdout), (0, "passed, filtered\n"), done.stderr)
            self.assertRegex(done.stderr, r"\Afrei0r cof: [a-z]+: not enough memory\n\Z")

    def test_frames_without_anything(self):
        """One colour, or nothing to be seen: as they are, and in every way to learn."""
        n = WIDTH * HEIGHT
        for pixel in (b"\0\0\0\xff", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x40\x80\xc0\x01"):
            for values in ({}, {"adapt": 0.5}, {"relearn_interval": 0.01}, {"fast": 1, "window": 0.31}):
                with self.subTest(pixel=pixel, values=values), standard_error() as lines, \
                        Effect(**values) as effect:
                    self.assert_same(effect.filter_frames([pixel * n] * 2), [pixel * n] * 2)
                self.assertLessEqual(len(lines), 1, lines)


if __name__ == "__main__":
    unittest.main()
