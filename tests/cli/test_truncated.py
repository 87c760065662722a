#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files that end early: refused, or all pixels of the whole file, whatever the number of threads.

Each file is cut at 30 places, is 1 to 40 rows high, and is read with 1 to 8 threads. The test takes a
sample in which each format is cut at each place, and all heights and numbers of threads occur.
COF_CUTS=N takes N combinations at random instead, and COF_CUTS=all takes all, which lasts for hours.
"""
import concurrent.futures
import functools
import io
import itertools
import os
import pathlib
import random
import shutil
import sys
import tempfile
import unittest

from command import PHOTOS, ROOT, FolderTest, load_vips_modules, run_cof, setUpModule, vips
from rasters import np, read

sys.path.insert(0, str(ROOT / "tests" / "corpus"))
# pylint: disable=wrong-import-position
from PIL import Image
import encoders
# pylint: enable=wrong-import-position

WIDTH, HEIGHTS, THREADS, PLACES = 61, range(1, 41), range(1, 9), 30
CUTS = os.environ.get("COF_CUTS", "sample")
STEP = 5 if "COF_SANITIZED" in os.environ else 1  # every fifth one with sanitizers
load_vips_modules()


@functools.cache
def scene():
    """Part of a photograph, without its profile and texts."""
    with Image.open(PHOTOS / "chelsea.png") as image:
        return np.asarray(image.convert("RGB"))[90:90 + HEIGHTS[-1], 120:120 + WIDTH]


def write_scene(path, height):
    Image.fromarray(scene()[:height]).save(path)


def by_vips(options=""):
    def make(photo, folder, suffix):
        vips("copy", photo, f"{folder / 'made'}{suffix}{options}")
        return (folder / f"made{suffix}").read_bytes()
    return make


def by_pillow(kind, pages=1, **options):
    def make(photo, _folder, _suffix):
        out = io.BytesIO()
        with Image.open(photo) as image:
            image.load()
        more = [image.rotate(180) for _ in range(pages - 1)]
        image.save(out, kind, **({"save_all": True, "append_images": more} if more else {}), **options)
        return out.getvalue()
    return make


def by_encoder(encode, kind, *options):
    def make(photo, _folder, _suffix):
        with Image.open(photo) as image:
            values = np.asarray(image)
        return encode(values.astype(kind) / kind(255) if kind == np.float32 else values, *options)
    return make


FORMATS = {
    "PNG": (".png", by_vips()),
    "PNG, interlaced": (".png", by_vips("[interlace]")),
    "PNG, 16 bits": (".png", by_vips("[bitdepth=16]")),
    "JPEG": (".jpg", by_vips("[Q=90]")),
    "JPEG, progressive": (".jpg", by_vips("[Q=90,interlace]")),
    "GIF": (".gif", by_vips()),
    "GIF, animated": (".gif", by_pillow("GIF", 3)),
    "WebP": (".webp", by_vips()),
    "WebP, lossless": (".webp", by_vips("[lossless]")),
    "WebP, animated": (".webp", by_pillow("WEBP", 3)),
    **{f"TIFF, {compression}, {layout}": (".tif", by_vips(f"[compression={compression},{options}]"))
       for compression in ("none", "lzw", "deflate", "jpeg")
       for layout, options in (("strips", ""), ("tiles", "tile,tile_width=16,tile_height=16"))},
    "TIFF, pages": (".tif", by_pillow("TIFF", 3, compression="tiff_lzw")),
    "PPM": (".ppm", by_vips()),
    "PFM": (".pfm", by_encoder(encoders.pfm, np.float32)),
    "HEIC": (".heic", by_vips()),
    "AVIF": (".avif", by_vips("[effort=0]")),
    "JPEG XL": (".jxl", by_vips("[effort=3]")),
    "JPEG XL, lossless": (".jxl", by_vips("[lossless,effort=3]")),
    "Radiance": (".hdr", by_vips()),
    "FITS": (".fits", by_vips()),
    "OpenEXR": (".exr", by_encoder(encoders.exr, np.float32)),
    "BMP": (".bmp", by_pillow("BMP")),
    "JPEG 2000": (".jp2", by_pillow("JPEG2000", num_resolutions=1)),
    "JPEG 2000, libvips": (".jp2", by_vips("[lossless]")),
}


@functools.cache
def whole(name, height):
    suffix, make = FORMATS[name]
    with tempfile.TemporaryDirectory(prefix="cof-test-") as folder:
        photo = pathlib.Path(folder, "photo.png")
        write_scene(photo, height)
        return make(photo, pathlib.Path(folder), suffix)


def length_of(place, size):
    """Of the file that is left: from 1 byte to all but the last one."""
    return 1 + (size - 2) * place // (PLACES - 1)


def sample():
    """TIFF files have half of the cuts in strips, and half in tiles."""
    for number, name in enumerate(FORMATS):
        places = range(PLACES)
        if name.startswith("TIFF") and name != "TIFF, pages":
            places = places[name.endswith("tiles")::2]
        for place in places[::STEP]:
            yield name, place, HEIGHTS[(7 * place + number) % len(HEIGHTS)], THREADS[(place + number) % len(THREADS)]


def combinations():
    if CUTS == "sample":
        return list(sample())
    found = list(itertools.product(FORMATS, range(PLACES), HEIGHTS, THREADS))
    return found if CUTS == "all" else random.Random().sample(found, int(CUTS))


class Truncated(FolderTest):
    def in_own_folder(self, run, *arguments):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        try:
            return run(folder, *arguments)
        finally:
            shutil.rmtree(folder)

    def pixels_of_whole(self, name, height):
        def decode(folder):
            path = folder / f"whole{FORMATS[name][0]}"
            path.write_bytes(whole(name, height))
            done = run_cof(["--threads", "1", "--strength", "0", path.name, "out.tif"], folder)
            return read(folder / "out.tif") if done.returncode == 0 else None
        return self.in_own_folder(decode)

    def problem(self, name, place, height, threads):
        """What the command does wrong, or None."""
        def run(folder):
            data = whole(name, height)
            path = folder / f"cut{FORMATS[name][0]}"
            path.write_bytes(data[:length_of(place, len(data))])
            done = run_cof(["--threads", threads, "--strength", "0", path.name, "out.tif"], folder)
            if done.returncode == 0:
                wanted = self.pixels_of_whole(name, height)
                return None if np.array_equal(read(folder / "out.tif"), wanted) else "accepted"
            lines = done.stderr.splitlines()
            if done.returncode != 1 or len(lines) != 1 or not lines[0].startswith(f"cof: {path.name}: "):
                return f"status {done.returncode}: {done.stderr}"
            return None if os.listdir(folder) == [path.name] else f"left: {os.listdir(folder)}"
        return self.in_own_folder(run)

    def test_cut_files(self):
        chosen = combinations()
        for name, _, height, _ in chosen:
            whole(name, height)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for combination, problem in zip(chosen, pool.map(lambda c: self.problem(*c), chosen)):
                with self.subTest(combination=combination):
                    self.assertIsNone(problem)
        if CUTS != "sample":
            print(f"{len(chosen)} runs")

    def test_whole_files(self):
        """What is cut above is right before."""
        for name in FORMATS:
            with self.subTest(format=name):
                found = self.pixels_of_whole(name, HEIGHTS[-1])
                self.assertIsNotNone(found)
                self.assertEqual(found.shape[:2], (HEIGHTS[-1], WIDTH))
                self.assertGreater(found.std(), 0)

    def test_every_role_of_an_image(self):
        """libvips decodes 16 rows as one part."""
        for name, height in zip(list(FORMATS)[::STEP], itertools.cycle((16, 40, 9))):
            data = whole(name, height)
            cut = self.folder / f"cut{FORMATS[name][0]}"
            cut.write_bytes(data[:len(data) * 2 // 3])
            write_scene(self.folder / "good.png", height)
            for line in ("learn {} -o model.cof", "show {} -o sheet.png", "--learn-from {} good.png out.png"):
                with self.subTest(format=name, height=height, line=line):
                    self.assert_rejected(line.format(cut.name), 1, f"cof: {cut.name}: ")
            cut.unlink()


if __name__ == "__main__":
    unittest.main()
