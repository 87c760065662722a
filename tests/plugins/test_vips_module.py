#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The libvips module: arguments, results and errors.

COF_VIPS_MODULE names the module, VIPS_LIBDIR the folder that libvips' modules are looked for in.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import (ENVIRONMENT, FolderTest, PHOTOS, TIMEOUT, noise, samples,  # noqa: E402
                     setUpModule as write_nothing, write_grey, write_samples)

MODULE = os.environ["COF_VIPS_MODULE"]
TABLE = pathlib.Path(__file__).resolve().parents[2] / "src" / "options" / "options.def"
LIBDIR = pathlib.PurePath(os.environ["VIPS_LIBDIR"]).name
VERSION = subprocess.run(["vips", "--version"], capture_output=True, text=True,
                         check=True).stdout.split("-")[1]

# Prints the properties that an operation has in addition to those of every operation.
LIST_PROPERTIES = """
import ctypes, sys
vips = ctypes.CDLL("libvips.so.42")
vips.vips_type_find.restype = vips.g_type_class_ref.restype = ctypes.c_void_p
vips.g_type_from_name.restype = ctypes.c_void_p
vips.g_object_class_list_properties.restype = ctypes.POINTER(ctypes.c_void_p)
vips.g_param_spec_get_name.restype = ctypes.c_char_p
vips.vips_init(b"test")
def names(kind):
    n = ctypes.c_uint()
    found = ctypes.c_void_p(vips.g_type_class_ref(ctypes.c_void_p(kind)))
    specs = vips.g_object_class_list_properties(found, ctypes.byref(n))
    return {vips.g_param_spec_get_name(ctypes.c_void_p(specs[i])).decode() for i in range(n.value)}
own = names(vips.vips_type_find(b"VipsOperation", sys.argv[1].encode()))
print(*sorted(own - names(vips.g_type_from_name(b"VipsOperation"))))
"""

# Images, options of the operation, the same for the command.
CASES = [
    ("coffee.png", "", ""),
    ("camera.png", "", ""),
    ("rocket.jpg", "--window 7 --iterations 2", "--window 7 --iterations 2"),
    ("chelsea.png", "--variant authors", "--variant authors"),
    ("ihc.png", "--colours 8 --softness 0", "--colours 8 --softness 0"),
    ("gravel.png", "--levels 32 --border mirror", "--levels 32 --border mirror"),
    ("astronaut.png", "--method fast --filter-window 31", "--method fast --filter-window 31"),
    ("coffee.png", "--update model --iterations 2", "--update model --iterations 2"),
    ("coffee.png", "--region '10 20 200 100' --space native",
     "--region 10,20,200,100 --space native"),
    ("chelsea.png", "--learn-from coffee.png --tolerance 1 --iterations 5",
     "--learn-from coffee.png --tolerance 1 --iterations 5"),
    ("chelsea.png", "--exact-soft --colours 8", "--exact-soft --colours 8"),
    ("wide.png", "--update labels --iterations 2", "--update labels --iterations 2"),
    ("wide.png", "--kind bands", "--kind bands"),
    ("coffee.png", "--preset texture", "--preset texture"),
    ("camera.png", "--window 7 --sigma 2 --preset cartoon", "--window 7 --sigma 2 --preset cartoon"),
    ("coffee.png", "--downscale 3 --variant authors", "--downscale 3 --variant authors"),
    ("coffee.png", "--preset none --variant authors", "--variant authors"),
    ("coffee.png", "--preset texture --variant authors", "--variant authors --preset texture"),
    ("coffee.png", "--preset texture --downscale 1 --update model --iterations 2",
     "--preset texture --downscale 1 --update model --iterations 2"),
    ("large.png", "--preset subtle", "--preset subtle"),
    ("coffee.png", "--preset texture --size 2", "--size 2 --preset texture"),
    ("large.png", "--preset texture --region '200 100 600 600'",
     "--preset texture --region 200,100,600,600"),
]


def setUpModule():
    write_nothing()


class ModuleTest(FolderTest):
    def setUp(self):
        super().setUp()
        home = self.folder / "home" / LIBDIR / f"vips-modules-{'.'.join(VERSION.split('.')[:2])}"
        home.mkdir(parents=True)
        (home / "vips-cof.so").symlink_to(MODULE)
        self.environment = {**ENVIRONMENT, "VIPSHOME": str(self.folder / "home")}
        for photo in PHOTOS.glob("*.*g"):
            (self.folder / photo.name).symlink_to(photo)
        write_samples(self.folder / "wide.png", 4, "H", "rgb16")

    def make_large(self):
        """Writes an image that presets downscale by 2."""
        self.vips("resize coffee.png large.png 2")

    def assert_same_files(self, *names):
        one, other = ((self.folder / name).read_bytes() for name in names)
        self.assertTrue(one == other)

    def vips(self, line, status=0):
        done = subprocess.run(f"vips {line}", shell=True, cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, done.stderr)
        return done


class TheSame(ModuleTest):
    def test_as_the_command(self):
        self.make_large()
        for image, of_operation, of_command in CASES:
            with self.subTest(image=image, options=of_command):
                self.vips(f"cof {image} module.png {of_operation}")
                self.cof(*of_command.split(), image, "command.png")
                self.assertEqual((self.folder / "module.png").read_bytes(),
                                 (self.folder / "command.png").read_bytes())

    def test_mask_guide_and_labels(self):
        write_grey(self.folder / "labels.pgm", 600, 400, [v % 7 for v in noise(240000)])
        for options in ("--mask labels.pgm", "--guide labels.pgm", "--labels labels.pgm"):
            with self.subTest(options=options):
                self.vips(f"cof coffee.png module.png {options}")
                self.cof(*options.split(), "coffee.png", "command.png")
                self.assertEqual((self.folder / "module.png").read_bytes(),
                                 (self.folder / "command.png").read_bytes())

    def test_device(self):
        """Models are those of the CPU, and so are samples, or 1 beside."""
        names = {"COF_MODULE_PATH": str(pathlib.Path(MODULE).parents[2] / "opencl"),
                 "XDG_CACHE_HOME": str(self.folder)}
        self.environment.update(names)
        done = self.vips("cof coffee.png no.png --device opencl:nonesuch", status=1)
        if "no OpenCL device has this name" not in done.stderr:
            self.skipTest("there is no OpenCL device")
        self.vips("cof_learn coffee.png --filename no.cof --device opencl:nonesuch", status=1)
        self.assertFalse(any((self.folder / name).exists() for name in ("no.png", "no.cof")))
        for case in ("'coffee.png chelsea.png'", "coffee.png --region '10 20 200 100'"):
            self.vips(f"cof_learn {case} --filename host.cof")
            self.vips(f"cof_learn {case} --filename device.cof --device opencl:")
            self.assert_same_files("host.cof", "device.cof")
        for case in ("", "--model host.cof", "--learn-from chelsea.png", "--method fast"):
            with self.subTest(case):
                self.vips(f"cof coffee.png host.png {case}")
                self.vips(f"cof coffee.png device.png {case} --device opencl:")
                one, other = (samples(self.folder / f"{name}.png") for name in ("host", "device"))
                self.assertLessEqual(max(abs(a - b) for a, b in zip(one, other)), 1)

    def test_learning(self):
        self.vips("cof_learn 'coffee.png chelsea.png' --filename module.cof --window 9")
        self.cof("learn", "coffee.png", "chelsea.png", "-o", "command.cof", "--window", 9)
        self.assertEqual((self.folder / "module.cof").read_bytes(),
                         (self.folder / "command.cof").read_bytes())
        self.vips("cof ihc.png module.png --model module.cof")
        self.cof("apply", "command.cof", "ihc.png", "command.png")
        self.assertEqual((self.folder / "module.png").read_bytes(),
                         (self.folder / "command.png").read_bytes())


class Presets(ModuleTest):
    """Presets at 600 x 400 pixels and twice that size, compared with the options that the command
    reports."""

    def setUp(self):
        super().setUp()
        self.make_large()
        self.cof("--preset", "texture", "--report", "r.json", "coffee.png", "x.png")
        told = json.loads((self.folder / "r.json").read_text())["options"]

        def line(*names):
            return " ".join(f"--{name} {told[name]}" for name in names)
        # A variant sets sigma and softness, too.
        self.palette = line("window", "colours", "palettes", "separation")
        self.small = f"{self.palette} {line('sigma', 'softness')}"
        self.large = f"{self.small} --downscale 2"
        self.filter = line("iterations", "method", "refine")

    def assert_alike(self, preset, options, operation="cof coffee.png {}.v"):
        self.vips(f"{operation.format('preset')} {preset}")
        self.vips(f"{operation.format('options')} {options}")
        self.assert_same_files("preset.v", "options.v")

    def test_options(self):
        self.assert_alike("--preset texture", f"{self.small} {self.filter}")
        self.assert_alike("--preset texture", f"{self.large} {self.filter}", "cof large.png {}.v")
        self.assert_alike("--preset texture --downscale 3 --method exact --iterations 4",
                          f"{self.small} --downscale 3 --method exact --iterations 4")

    def test_explicit_options_override_in_any_order(self):
        self.vips("cof coffee.png preset.v --variant authors --window 7 --preset texture")
        self.vips("cof coffee.png options.v --preset texture --window 7 --variant authors")
        self.assert_same_files("preset.v", "options.v")
        self.assert_alike("--preset texture --variant authors",
                          f"{self.palette} {self.filter} --variant authors")

    def learn(self, arguments, name):
        self.vips(f"cof_learn {arguments} --filename {name}")

    def test_learning(self):
        self.learn("large.png --preset texture", "preset.cof")
        self.learn(f"large.png {self.large}", "options.cof")
        self.assert_same_files("preset.cof", "options.cof")
        self.assert_alike("--preset texture --learn-from large.png",
                          f"--model preset.cof {self.filter} --filter-downscale 1")
        self.assert_alike("--preset texture --model preset.cof",
                          f"--model preset.cof {self.filter} --filter-downscale 1")
        self.assert_alike("--preset texture --model preset.cof --iterations 1 --method exact "
                          "--filter-downscale 2", "--model preset.cof")

    def test_learning_from_two_sizes(self):
        """The first image decides on the downscaling factor, which a model has one of."""
        for images, factor in (("large.png coffee.png", 2), ("coffee.png large.png", 1)):
            self.learn(f"'{images}' --preset texture", "preset.cof")
            self.learn(f"'{images}' {self.small} --downscale {factor}", "options.cof")
            self.assert_same_files("preset.cof", "options.cof")

    def test_guide_and_mask(self):
        self.vips("extract_band large.png band.png 1")
        self.learn("band.png --preset texture", "guide.cof")
        self.assert_alike("--preset texture --guide band.png",
                          f"--model guide.cof {self.filter} --guide band.png",
                          "cof large.png {}.v")
        self.vips("relational_const band.png mask.png moreeq 128")
        self.learn("large.png --preset texture --mask mask.png", "masked.cof")
        self.assert_alike("--preset texture --mask mask.png",
                          f"--model masked.cof {self.filter}", "cof large.png {}.v")
        self.assert_alike("--preset texture --learn-from large.png --mask mask.png",
                          f"--model masked.cof {self.filter} --filter-downscale 1")

    def test_an_image_that_would_be_streamed(self):
        """Above 2^25 pixels the image is still processed as a whole, with or without a model."""
        self.vips("resize camera.png huge.v 11.5 --kernel nearest")
        self.learn("huge.v --preset subtle", "huge.cof")
        self.assert_alike("--preset subtle", "--preset subtle --model huge.cof", "cof huge.v {}.v")


# Filters an image on demand: reads a part of the result, then twice the whole of it.
READ_ON_DEMAND = """
import ctypes
vips = ctypes.CDLL("libvips.so.42")
vips.vips_image_new_from_file.restype = ctypes.c_void_p
vips.vips_init(b"test")
image, result, part = (ctypes.c_void_p() for _ in range(3))
image.value = vips.vips_image_new_from_file(b"in.v", None)
def call(name, *arguments):
    if vips.vips_call(name, *arguments, None) != 0:
        vips.vips_error_exit(None)
call(b"cof", image, ctypes.byref(result), b"model", b"m.cof")
call(b"crop", result, ctypes.byref(part), 700, 2500, 900, 1300)
for kept, name in ((part, b"part.v"), (result, b"one.v"), (result, b"two.v"), (part, b"again.v")):
    if vips.vips_image_write_to_file(kept, name, None) != 0:
        vips.vips_error_exit(None)
for kept in (part, result, image):
    vips.g_object_unref(kept)
vips.vips_shutdown()
"""

# Filters an image on demand and prints which of these parts can be computed.
READ_PARTS = """
import ctypes, sys, time
vips = ctypes.CDLL("libvips.so.42")
vips.vips_image_new_from_file.restype = ctypes.c_void_p
vips.vips_image_copy_memory.restype = ctypes.c_void_p
vips.vips_error_buffer.restype = ctypes.c_char_p
vips.vips_init(b"test")
image, result = (ctypes.c_void_p() for _ in range(2))
image.value = vips.vips_image_new_from_file(b"in.tif", None)
if vips.vips_call(b"cof", image, ctypes.byref(result), b"model", b"m.cof", None) != 0:
    vips.vips_error_exit(None)
for rectangle in sys.argv[1:]:
    part, pixels = ctypes.c_void_p(), ctypes.c_void_p()
    vips.vips_crop(result, ctypes.byref(part), *map(int, rectangle.split(",")), None)
    pixels.value = vips.vips_image_copy_memory(part)
    print("good" if pixels else "bad" if vips.vips_error_buffer() else "bad, without an error")
    time.sleep(0.5)  # while tiles below may be computed
    vips.vips_error_clear()
    for kept in (pixels, part):
        if kept:
            vips.g_object_unref(kept)
for kept in (result, image):
    vips.g_object_unref(kept)
vips.vips_shutdown()
"""


class OnDemand(ModuleTest):
    def test_parts_and_again(self):
        """Tiles are computed ahead only of those who read strips, and in each run."""
        self.vips("replicate coffee.png in.v 10 15")
        self.vips("copy in.v in.tif")
        self.cof("learn", "coffee.png", "-o", "m.cof")
        self.cof("apply", "m.cof", "in.tif", "want.tif")
        subprocess.run([sys.executable, "-c", READ_ON_DEMAND], cwd=self.folder, env=self.environment,
                       check=True, timeout=TIMEOUT)
        want = samples(self.folder / "want.tif")
        self.vips("crop want.tif want_part.v 700 2500 900 1300")
        for name in ("one.v", "two.v"):
            self.assertTrue(samples(self.folder / name) == want)
        for name in ("part.v", "again.v"):
            self.assertTrue(samples(self.folder / name) == samples(self.folder / "want_part.v"))

    def test_damaged(self):
        """A tile that fails, also ahead of its reader, fails for all who read it, and only for them."""
        self.vips("replicate coffee.png in.v 10 15")
        self.vips("cast in.v in.tif[tile,compression=deflate] uchar")
        self.cof("learn", "coffee.png", "-o", "m.cof")
        whole = (self.folder / "in.tif").read_bytes()
        first, last = (int(share * len(whole)) for share in (0.45, 0.9))  # from row 2700 on
        (self.folder / "in.tif").write_bytes(whole[:first] + bytes(last - first) + whole[last:])
        parts = {
            "0,0,6000,2500": "good",
            "1024,2850,600,200": "bad",
            "1024,2851,600,200": "bad",  # the same tile
            "0,0,6000,1000": "good",
            "0,2900,6000,200": "bad",
            "512,512,512,512": "good",
            "0,2000,6000,400": "good",
            "3000,2850,600,200": "bad",
        }
        done = subprocess.run([sys.executable, "-c", READ_PARTS, *parts], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.stdout.splitlines(), list(parts.values()), done.stderr)


class Help(ModuleTest):
    def listed(self, operation):
        """The properties of an operation. libvips prints at most 4095 bytes of help, so ask GObject."""
        done = subprocess.run([sys.executable, "-c", LIST_PROPERTIES, operation], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return set(done.stdout.split())

    @staticmethod
    def options(*groups):
        rows = re.findall(r"^OPTION_[A-Z_]+\((\w+), (\w+)", TABLE.read_text(), re.M)
        return {name.replace("_", "-") for name, group in rows if group in groups}

    def test_every_option(self):
        learning = {"in", "kind", "mask", "region", "exact-soft", "palette-from", "device"}
        learning |= self.options("GENERAL", "LEARN", "MODEL")
        self.assertIn("downscale", learning)
        self.assertEqual(self.listed("cof"), learning | self.options("FILTER") | set(
            "out report learn-from model model-blob guide labels matrix".split()))
        self.assertEqual(self.listed("cof_learn"), learning | {"model", "filename", "stats"})
        self.assertEqual(self.listed("cof_label"), {"in", "out", "model", "model-blob", "kind"})

    def test_words_and_ranges(self):
        """Of what libvips prints of the help. The words of the border are in an error message."""
        text = self.vips("cof").stdout
        self.assertIn("allowed: counts, marginals\n", text)
        self.assertIn("default: none\n\t\t\tallowed: subtle, texture, cartoon, flat, video, portrait, drawing, none\n", text)
        self.assertRegex(text, r"filter-window .* 0 = the learning window.*\n"
                               r"\s*default: 0\n\s*min: 0, max: 255\n")


class Kinds(ModuleTest):
    """What the bands of the input mean."""

    def setUp(self):
        super().setUp()
        self.vips("colourspace coffee.png linear.v scrgb")
        self.vips("cast coffee.png short.v short")

    def results(self, *lines):
        for i, line in enumerate(lines):
            self.vips(f"cof {line.format(f'{i}.v')}")
        return [(self.folder / f"{i}.v").read_bytes() for i in range(len(lines))]

    def test_automatic(self):
        for image, kind in (("coffee.png", "rgb"), ("camera.png", "grey"), ("linear.v", "rgb"),
                            ("short.v", "bands")):
            with self.subTest(image=image):
                one, other, auto = self.results(f"{image} {{}}", f"{image} {{}} --kind {kind}",
                                                f"{image} {{}} --kind auto")
                self.assertTrue(one == other == auto)

    def test_three_bands_that_are_no_colour(self):
        """The same as those of an image whose interpretation says so."""
        self.vips("copy linear.v xyz.v --interpretation xyz")
        self.vips("cof linear.v bands.v --kind bands")
        self.vips("cof xyz.v of_xyz.v")
        self.assertEqual(self.largest_difference("bands.v", "of_xyz.v"), 0)
        colour, bands = self.results("linear.v {}", "linear.v {} --kind bands")
        self.assertTrue(colour != bands)

    def test_learning_and_labels(self):
        self.vips("cof_learn linear.v --filename bands.cof --kind bands")
        self.vips("cof_label linear.v labels.png --model bands.cof --kind bands")
        self.vips("cof_label linear.v labels.png --model bands.cof", status=1)
        one, other = self.results("linear.v {} --kind bands",
                                  "linear.v {} --kind bands --model bands.cof")
        self.assertTrue(one == other)

    def largest_difference(self, one, other):
        self.vips(f"subtract {one} {other} difference.v")
        self.vips("abs difference.v absolute.v")
        return float(self.vips("max absolute.v").stdout)

    def test_native_space_averages_linear_light(self):
        """A matrix of ones makes a Gaussian filter, which bands have without any colour space."""
        self.vips("black zeros.v 4 4")
        self.vips("linear zeros.v ones.v 1 1")
        for options in ("", "--iterations 2", "--guide camera_like.png", "--method fast"):
            with self.subTest(options=options):
                self.vips("extract_band coffee.png camera_like.png 1")
                self.vips(f"cof linear.v bands.v --kind bands --matrix ones.v {options}")
                self.vips(f"cof linear.v native.v --space native --matrix ones.v {options}")
                self.vips(f"cof linear.v lab.v --matrix ones.v {options}")
                self.assertLess(self.largest_difference("native.v", "bands.v"), 1e-5)
                self.assertGreater(self.largest_difference("lab.v", "bands.v"), 1e-2)

    def test_wrong_number_of_bands(self):
        for image, kind, words in (
                ("coffee.png", "grey", "kind grey needs 1 band, but the image has 3"),
                ("coffee.png", "rgba", "kind rgba needs 4 bands, but the image has 3"),
                ("camera.png", "grey-alpha", "kind grey-alpha needs 2 bands, but the image has 1"),
                ("short.v", "rgb", "kind rgb needs 8-bit, 16-bit or float samples")):
            with self.subTest(image=image, kind=kind):
                done = self.vips(f"cof {image} out.v --kind {kind}", status=1)
                self.assertEqual(done.stderr.splitlines(), [f"cof: {words}"])


class RejectedInput(ModuleTest):
    def test_each_in_one_line(self):
        write_grey(self.folder / "small.pgm", 8, 8, [1] * 64)
        write_grey(self.folder / "grey.pgm", 600, 400, [1] * 240000)
        (self.folder / "text.cof").write_text("no model")
        self.vips("cof_learn coffee.png --filename m.cof")
        rows = [("--window 8", "odd"), ("--model text.cof", "not a .cof file"),
                ("--model nowhere.cof", "No such file"),
                ("--model m.cof --window 9", "learned already"),
                ("--mask small.pgm", "size"), ("--guide small.pgm", "size"),
                ("--labels small.pgm", "size"), ("--region '1 2'", "four numbers"),
                ("--update model --model m.cof", "update model"),
                ("--labels camera.png --guide camera.png", "not both"),
                ("--border wrap", "no member"), ("--border wrap", "clip, mirror, reflect101"),
                ("--matrix camera.png", "256 at most"),
                ("--preset soft", "no member"),
                ("--downscale 2 --labels grey.pgm", "labels cannot be downscaled"),
                ("--downscale 2 --update model", "with downscale"),
                ("--preset texture --downscale 2 --exact-soft", "exact_soft"),
                ("--preset cartoon --guide grey.pgm", "not with a guide"),
                ("--preset texture --model m.cof --window 9", "learned already"),
                ("--model m.cof --downscale 2", "learned already"),
                ("--model m.cof --softness 0", "learned already"),
                ("--learn-from 'coffee.png camera.png'", "differ in kind")]
        for options, words in rows:
            with self.subTest(options=options):
                done = self.vips(f"cof coffee.png out.png {options}", status=1)
                self.assertIn(words, done.stderr)
                self.assertFalse((self.folder / "out.png").exists())

    def test_options_of_the_model_apply_to_statistics(self):
        self.vips("cof_learn coffee.png --filename s.cof --stats")
        self.vips("cof coffee.png one.v --model s.cof --softness 0")
        self.vips("cof coffee.png other.v --softness 0")
        self.assert_same_files("one.v", "other.v")

    def test_images_of_two_kinds(self):
        """A failure of the last thread is not lost."""
        for _ in range(10):
            self.vips("cof_learn 'coffee.png camera.png' --filename m.cof", status=1)


if __name__ == "__main__":
    unittest.main()
