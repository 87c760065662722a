#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files with several pages: stacks, animations and overviews. Pillow and tifffile read the results.
"""
import json
import subprocess
import unittest

from command import (COF, ENVIRONMENT, FolderTest, TIMEOUT, header, load_vips_modules, run_cof,
                     setUpModule, vips)
from tiff_files import Page, write_tiff

load_vips_modules(needed=False)
try:
    import numpy
    import tifffile
    from PIL import Image
except ImportError as missing:  # a suite that is skipped would look like one that passes
    raise unittest.SkipTest(f"{missing.name} is needed (python3-{missing.name.lower()})")

PAGES, HEIGHT, WIDTH = 5, 32, 40
PLAIN = ("--window", "7")
DELAYS = [100, 200, 300, 400, 500]


def stack(pages=PAGES, dtype="uint16"):
    """Pages that differ, and differ most where one ends and the next begins."""
    random = numpy.random.default_rng(1)
    x = numpy.arange(WIDTH)[None, None, :] // 8 * 20
    page = numpy.arange(pages)[:, None, None] % 2 * 60
    values = x + page + random.integers(0, 20, (pages, HEIGHT, WIDTH))
    return (values * (200 if dtype == "uint16" else 1)).astype(dtype)


class Pages(FolderTest):
    def write(self, name, data, **how):
        tifffile.imwrite(self.folder / name, data, photometric="minisblack", **how)

    def read(self, name):
        return tifffile.imread(self.folder / name)

    def assert_pages(self, name, wanted):
        with tifffile.TiffFile(self.folder / name) as file:
            pages = [page.asarray() for page in file.pages]
        numpy.testing.assert_array_equal(pages, wanted)

    def filtered(self, pages, *options):
        """Filters pages as files of their own."""
        for i, page in enumerate(pages):
            photometric = "rgb" if page.ndim == 3 else "minisblack"
            tifffile.imwrite(self.folder / f"page{i}.tif", page, photometric=photometric)
        names = [f"page{i}.tif" for i in range(len(pages))]
        self.cof(*PLAIN, *options, *names, "-o", "pages/")
        return numpy.array([self.read(f"pages/{name}") for name in names])


class Stacks(Pages):
    def test_windows_end_at_pages(self):
        """One model per page: the results are those of the pages alone."""
        self.write("in.tif", stack())
        self.cof(*PLAIN, "--learn-pages", "each", "in.tif", "out.tif")
        self.assert_pages("out.tif", self.filtered(stack()))

    def test_one_model(self):
        """By default, one model is learned from all pages, as `learn` does; or from some pages."""
        self.write("in.tif", stack())
        names = [f"p{i}.tif" for i in range(PAGES)]
        for name, page in zip(names, stack()):
            self.write(name, page)
        for options, pages in (((), range(5)), (("--learn-pages", "2-3"), (1, 2)),
                               (("--learn-pages", "4"), (3,))):
            with self.subTest(options=options):
                self.cof("learn", *PLAIN, *(f"p{i}.tif" for i in pages), "-o", "m.cof")
                self.cof(*PLAIN, *options, "--save-model", "saved.cof", "in.tif", "out.tif")
                self.assertEqual((self.folder / "saved.cof").read_bytes(),
                                 (self.folder / "m.cof").read_bytes())
                self.cof("--model", "m.cof", *names, "-o", "wanted/")
                self.assert_pages("out.tif", [self.read(f"wanted/{name}") for name in names])
        self.cof("apply", "m.cof", "in.tif", "applied.tif")
        self.assert_pages("applied.tif", self.read("out.tif"))
        for pages, some in (("all", names), ("2-3", names[1:3])):
            self.cof("learn", *PLAIN, "--pages", pages, "in.tif", "-o", "stack.cof")
            self.cof("learn", *PLAIN, *some, "-o", "files.cof")
            self.assertEqual((self.folder / "stack.cof").read_bytes(),
                             (self.folder / "files.cof").read_bytes())

    def test_chosen_pages(self):
        self.write("in.tif", stack())
        for option, pages in (("5", [4]), ("2-4", [1, 2, 3])):
            self.cof(*PLAIN, "--learn-pages", "each", "--pages", option, "in.tif", "out.tif")
            self.assert_pages("out.tif", self.filtered(stack()[list(pages)]))
        self.cof("--pages", "3", "in.tif", "out.png")
        with Image.open(self.folder / "out.png") as image:
            self.assertEqual(image.size, (WIDTH, HEIGHT))
        self.cof(*PLAIN, "--pages", "3-4", "--learn-pages", "1", "in.tif", "out.tif")
        self.write("first.tif", stack()[0])
        self.assert_pages("out.tif", self.filtered(stack()[2:4], "--learn-from", "first.tif"))

    def test_kinds(self):
        """Colour, float, 8 bits, planar colour; strips and compressed tiles; with a page for all."""
        random = numpy.random.default_rng(2)
        colour = random.integers(0, 255, (3, HEIGHT, WIDTH, 3), "uint8")
        for name, data, how in (
                ("rgb", colour, {"photometric": "rgb"}),
                ("tiles", stack(3, "uint8"), {"tile": (16, 16), "compression": "zlib"}),
                ("float", stack(3, "float32") / 256, {}),
                ("big-endian", stack(3), {"byteorder": ">", "bigtiff": True})):
            with self.subTest(kind=name):
                tifffile.imwrite(self.folder / "in.tif", data, **{"photometric": "minisblack"} | how)
                self.cof(*PLAIN, "--learn-pages", "each", "in.tif", "out.tif")
                self.assertEqual(self.read("out.tif").shape, data.shape)
                numpy.testing.assert_array_equal(self.read("out.tif"), self.filtered(data))

    def test_companions(self):
        """A guide or a mask has one page, or as many as the input."""
        self.write("in.tif", stack())
        self.write("guide.tif", stack()[::-1])
        self.write("one.tif", stack()[2])
        for guide, names in (("guide.tif", [f"g{i}.tif" for i in range(PAGES)]),
                             ("one.tif", ["one.tif"] * PAGES)):
            for i in (0, 3):
                self.write(f"g{i}.tif", stack()[::-1][i])
                self.write("page.tif", stack()[i])
                self.cof(*PLAIN, "--guide", names[i], "page.tif", f"wanted{i}.tif")
            self.cof(*PLAIN, "--learn-pages", "each", "--guide", guide, "in.tif", "out.tif")
            for i in (0, 3):
                numpy.testing.assert_array_equal(self.read("out.tif")[i], self.read(f"wanted{i}.tif"))
        self.write("few.tif", stack()[:3])
        self.assert_rejected("--guide few.tif in.tif out.tif", 1, "few.tif", "number of pages")
        self.cof("--pages", "2-3", "--guide", "few.tif", "in.tif", "out.tif")
        self.assert_rejected("--mask one.tif in.tif out.tif", 1, "one.tif", "single image to learn from")
        self.cof("--mask", "one.tif", "--learn-pages", "2", "in.tif", "out.tif")

    def test_streams(self):
        self.write("in.tif", stack())
        done = subprocess.run([COF, "--learn-pages", "each", *PLAIN, "-", "-"], env=ENVIRONMENT,
                              input=(self.folder / "in.tif").read_bytes(), capture_output=True,
                              timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        (self.folder / "out.tif").write_bytes(done.stdout)
        self.assert_pages("out.tif", self.filtered(stack()))

    def test_standard_output_that_is_a_file(self):
        """A shell opens it only for writing, but libtiff reads directories again."""
        self.write("in.tif", stack())
        with open(self.folder / "out.tif", "wb") as out:
            done = subprocess.run([COF, "--learn-pages", "each", *PLAIN, "in.tif", "-"],
                                  cwd=self.folder, env=ENVIRONMENT, stdout=out,
                                  stderr=subprocess.PIPE, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assert_pages("out.tif", self.filtered(stack()))

    def test_more_outputs(self):
        self.write("in.tif", stack())
        self.cof("--report", "r.json", "--residual", "residual.tif", "--side-by-side", "both.tif",
                 "in.tif", "out.tif")
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual((report["pages"], report["height"], len(report["run"])), (PAGES, HEIGHT, PAGES))
        self.assertEqual(self.read("residual.tif").shape, (PAGES, HEIGHT, WIDTH))
        both = self.read("both.tif")
        numpy.testing.assert_array_equal(both[:, :, :WIDTH], stack())
        numpy.testing.assert_array_equal(both[:, :, -WIDTH:], self.read("out.tif"))

    def test_rejected(self):
        self.write("in.tif", stack())
        self.assert_rejected("in.tif out.png", 1, "out.png: this format holds one page",
                             "in.tif has 5", "--pages N")
        self.assert_rejected("--residual r.jpg in.tif out.tif", 1, "r.jpg: this format holds one page")
        self.assert_rejected("--pages 6 in.tif out.tif", 1, "in.tif: has 5 pages", "no page 6")
        self.assert_rejected("--pages 4-6 in.tif out.tif", 1, "in.tif: has 5 pages", "no page 6")
        for value in ("0", "-1", "2-1", "1-", "x", "1,2", "", "each", "99999999999"):
            self.assert_rejected(f"--pages={value} in.tif out.tif", 2, "--pages must be all, N or N-M")
        self.assert_rejected("--learn-pages 0 in.tif out.tif", 2, "--learn-pages must be all, each, N")
        self.assert_rejected("--learn-pages each --save-model m.cof in.tif out.tif", 2, "--save-model")
        self.assert_rejected("--learn-pages 1 --learn-from in.tif in.tif out.tif", 2, "--learn-from")
        self.assert_rejected("--learn-pages 1 --update model in.tif out.tif", 2, "--update model")
        self.assert_rejected("select in.tif --stroke 5,5 -o out.png", 1, "in.tif: has 5 pages", "--pages N")
        self.assert_rejected("show in.tif -o out.png", 1, "in.tif: has 5 pages", "--pages N")
        self.cof("show", "--pages", "2", "in.tif", "-o", "out.png")
        self.assert_rejected("--pages 1 in.tif[page=0] out.tif", 1, "in.tif[page=0]", "--pages")

    def test_too_many(self):
        """A small file could hold millions, and libvips reads 4097 frames of a GIF."""
        frames = [Image.new("L", (1, 1), i % 2 * 255) for i in range(4097)]
        frames[0].save(self.folder / "in.gif", save_all=True, append_images=frames[1:])
        self.assert_rejected("in.gif out.gif", 1, "in.gif: has more than 4096 frames")
        write_tiff(self.folder / "in.tif", [Page(1, 1, 1, "B", [i % 2], planar=False) for i in range(10001)])
        self.assert_rejected("in.tif out.tif", 1, "in.tif: has 10001 pages", "10000")


class Descriptions(Pages):
    """What ImageJ, OME and tifffile say about the pages stays if it is true."""

    def description(self, name):
        with tifffile.TiffFile(self.folder / name) as file:
            return file.pages[0].description

    def kind(self, name):
        with tifffile.TiffFile(self.folder / name) as file:
            return file.series[0].kind, file.series[0].axes, file.series[0].shape

    def test_kept(self):
        for kind, data, how in (
                ("imagej", stack(4), {"imagej": True, "metadata": {"axes": "ZYX", "spacing": 2.5}}),
                ("imagej", stack(6).reshape(3, 2, HEIGHT, WIDTH),
                 {"imagej": True, "metadata": {"axes": "ZCYX"}}),
                ("ome", stack(4), {"ome": True, "metadata": {"axes": "TYX"}}),
                ("shaped", stack(4), {})):
            with self.subTest(kind=kind):
                self.write("in.tif", data, **how)
                self.cof("in.tif", "out.tif")
                before, after = self.kind("in.tif"), self.kind("out.tif")
                self.assertEqual(after, before)
                self.assertEqual(after[0], kind)
                self.assertEqual(self.read("out.tif").shape, data.shape)
        self.assertNotEqual(self.read("in.tif").tolist(), self.read("out.tif").tolist())

    def test_removed(self):
        """Fewer pages, other bands or another layout."""
        for kind in ("imagej", "ome", "shaped"):
            how = {} if kind == "shaped" else {kind: True}
            self.write("in.tif", stack(4), metadata={"axes": "ZYX"}, **how)
            for pages, shape in (("1", (HEIGHT, WIDTH)), ("1-2", (2, HEIGHT, WIDTH))):
                with self.subTest(kind=kind, pages=pages):
                    self.cof("--pages", pages, "in.tif", "out.tif")
                    self.assertEqual(self.read("out.tif").shape, shape)
                    self.assertEqual(self.description("out.tif"), "")
        self.cof("in.tif[page=0]", "out.tif", "--side-by-side", "both.tif")
        self.assertEqual(self.read("out.tif").shape, (HEIGHT, WIDTH))
        self.assertEqual(self.description("both.tif"), "")
        self.cof("in.tif", "out.tif", "--side-by-side", "both.tif")
        self.assertEqual(self.read("both.tif").shape[0], 4)
        self.assertEqual(self.description("both.tif"), "")
        planar = stack(3, "uint8")
        tifffile.imwrite(self.folder / "in.tif", planar, photometric="rgb", planarconfig="separate")
        self.cof("in.tif", "out.tif")
        self.assertEqual(self.read("out.tif").shape, (3, HEIGHT, WIDTH))

    def test_other_texts_stay(self):
        self.write("in.tif", stack(2), description="two views of a field", metadata=None)
        result = self.cof("--pages", "1", "in.tif", "out.tif")
        self.assertEqual(header(result, "image-description"), "two views of a field")

    def test_hidden_images(self):
        """ImageJ writes one directory for all images of a large stack."""
        self.write("in.tif", stack()[0], description="ImageJ=1.54f\nimages=900\nslices=900\n",
                   metadata=None)
        self.assert_rejected("in.tif out.tif", 1, "in.tif: has 900 images but 1 directories")


class Sizes(Pages):
    def test_pyramids(self):
        """Overviews are no pages, whether they are marked or not."""
        self.write("page.tif", stack(1)[0].repeat(4, 0).repeat(4, 1))
        wanted = self.cof("page.tif", "wanted.tif")
        vips("tiffsave", self.folder / "page.tif", self.folder / "marked.tif", "--pyramid", "--tile",
             "--tile-width", 16, "--tile-height", 16)
        with tifffile.TiffWriter(self.folder / "plain.tif") as file:
            for step in (1, 2, 4):
                file.write(self.read("page.tif")[::step, ::step], photometric="minisblack",
                           metadata=None)
        for name in ("marked.tif", "plain.tif"):
            with tifffile.TiffFile(self.folder / name) as file:
                self.assertGreater(len(file.pages), 1)
            done = run_cof([name, "out.tif"], self.folder)
            note = "its smaller pages, which are taken for overviews" if name == "plain.tif" else ""
            self.assertEqual((done.returncode, note in done.stderr, done.stderr.count("\n")),
                             (0, True, 1 if note else 0))
            self.assert_pages("out.tif", [self.read(wanted.name)])
        self.assert_rejected("--in-place plain.tif", 1, "plain.tif: --in-place would remove its smaller pages")

    def test_different_sizes(self):
        with tifffile.TiffWriter(self.folder / "in.tif") as file:
            for shape in ((40, 30), (30, 40), (20, 10)):
                file.write(numpy.arange(shape[0] * shape[1], dtype="uint16").reshape(shape),
                           photometric="minisblack", metadata=None)
        self.assert_rejected("in.tif out.tif", 1, "in.tif: has 3 pages of different sizes", "--pages N")
        self.assert_rejected("--pages 1-2 in.tif out.tif", 1, "in.tif: has 3 pages of different sizes")
        self.cof("--pages", "2", "in.tif", "out.tif")
        self.assertEqual(self.read("out.tif").shape, (30, 40))


class Animations(Pages):
    def write_animation(self, name):
        frames = [Image.fromarray(page).convert("RGB") for page in stack(dtype="uint8")]
        how = {"lossless": True} if name.endswith("webp") else {}
        frames[0].save(self.folder / name, save_all=True, append_images=frames[1:], duration=DELAYS,
                       loop=3, **how)

    def frames(self, name):
        """Frames, delays and the loop count."""
        with Image.open(self.folder / name) as image:
            arrays, delays = [], []
            for i in range(getattr(image, "n_frames", 1)):
                image.seek(i)
                image.load()
                arrays.append(numpy.asarray(image.convert("RGB")).astype(int))
                delays.append(image.info.get("duration"))
            return arrays, delays, image.info.get("loop")

    def test_frames_delays_and_loops(self):
        for name in ("a.gif", "a.webp"):
            with self.subTest(format=name):
                self.write_animation(name)
                self.cof(*PLAIN, name, f"out-{name}")
                frames, delays, loop = self.frames(f"out-{name}")
                self.assertEqual((len(frames), delays, loop), (PAGES, DELAYS, 3))
                self.cof(*PLAIN, "--pages", "2-4", name, f"some-{name}")
                frames, delays, loop = self.frames(f"some-{name}")
                self.assertEqual((len(frames), delays, loop), (3, DELAYS[1:4], 3))
                self.cof("--pages", "2", name, f"one-{name}")
                self.assertEqual(len(self.frames(f"one-{name}")[0]), 1)

    def test_windows_end_at_frames(self):
        """The last row of a frame is not mixed with the first row of the next, which is brighter."""
        self.write_animation("a.gif")
        self.cof("a.gif", "out.tif")
        for before, after in zip(self.frames("a.gif")[0], self.read("out.tif").astype(int)):
            rows = numpy.abs(after[..., :3] - before).max(axis=(1, 2))
            self.assertLess(rows.max(), 30)

    def test_batch(self):
        self.write_animation("a.gif")
        self.write("b.tif", stack())
        self.write("c.tif", stack(1)[0])
        self.cof("a.gif", "b.tif", "c.tif", "-o", "out/")
        self.assertEqual(len(self.frames("out/a.gif")[0]), PAGES)
        self.assertEqual(self.read("out/b.tif").shape, (PAGES, HEIGHT, WIDTH))
        self.assertEqual(self.read("out/c.tif").shape, (HEIGHT, WIDTH))


if __name__ == "__main__":
    unittest.main()
