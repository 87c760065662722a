# SPDX-License-Identifier: BSD-2-Clause
"""Helpers of the command's tests: running it, writing and reading images.

COF names the command to test (default: build/cli/cof beside the sources). libvips makes and reads
the images; everything is written into a temporary folder.
"""
import array
import functools
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from vips_calls import call as vips, header

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTOS = ROOT / "tests" / "data" / "photos"
COF = os.path.abspath(os.environ.get("COF", ROOT / "build" / "cli" / "cof"))
NOBODY = 65534
# Loading the modules of libvips takes half of the time of a short command, so only tests of files do.
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "VIPSHOME": "/nonexistent"}
TIMEOUT = 60
VALUE_OPTIONS = """--window --sigma --colours --levels --softness --normalise --mask --region
    --labels --filter-window --filter-sigma --iterations --border --space --variant
    --threads --method --accuracy --learn-from --palette-from --model --save-model --matrix --tolerance
    --guide --output --quality --max-pixels --format --residual --side-by-side --report --raw --kind
    --nodata --pages --learn-pages --range --seed --sampling --preset --size --downscale --filter-downscale
    --update --fidelity --refine --strength --detail --palettes --separation
    --posterise --min-area --apply-mask --reader --allow-reader --bands --filter-bands --co --device""".split()
PLAIN_OPTIONS = ["--recursive", "--skip-existing", "--exact-soft", "--in-place", "--quiet", "--overviews", "--help",
                 "--version"]
WIDTH, HEIGHT = 48, 40
# What measures results, and not memory, need not run again under the sanitizers.
measures = unittest.skipIf("COF_SANITIZED" in os.environ, "measured without sanitizers")


def load_vips_modules(needed=True):
    """For tests of formats such as AVIF and JPEG XL, and of what all loaders say about a file.

    Tests of files that do not need the modules load them as users do, but not with sanitizers.
    """
    if needed or "COF_SANITIZED" not in os.environ:
        ENVIRONMENT.pop("VIPSHOME", None)


def run_cof(arguments, folder, **how):
    return subprocess.run([COF, *map(str, arguments)], cwd=folder, env=ENVIRONMENT, timeout=TIMEOUT,
                          capture_output=True, text=True, **how)


def shape(path):
    """Such as '48x40 uchar, 3 bands, srgb'."""
    return header(path).rpartition(", ")[0]


def write_grey(path, width, height, values):
    path.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + bytes(values))


def write_rgb(path, width, height, values):
    path.write_bytes(b"P6\n%d %d\n255\n" % (width, height) + bytes(values))


def noise(count, seed=1, low=0, high=255):
    source = random.Random(seed)
    return [source.randint(low, high) for _ in range(count)]


def write_samples(path, bands, type_code, interpretation, seed=1):
    """Noise in any band format, as the file that the path's ending asks for."""
    values = noise(WIDTH * HEIGHT * bands, seed)
    scale = {"B": lambda v: v, "H": lambda v: v * 257, "f": lambda v: v / 255}[type_code]
    form = {"B": "uchar", "H": "ushort", "f": "float"}[type_code]
    raw = path.with_suffix(".raw")
    raw.write_bytes(array.array(type_code, map(scale, values)).tobytes())
    vips("rawload", raw, path, WIDTH, HEIGHT, bands, "--format", form,
         "--interpretation", interpretation)
    raw.unlink()


def samples(path, type_code="B"):
    raw = path.with_name(path.name + ".raw")
    vips("rawsave", path, raw)
    values = array.array(type_code, raw.read_bytes())
    raw.unlink()
    return values


def write_rectangle(path, x, y, width, height):
    """An image that is white inside the rectangle and black outside."""
    write_grey(path, WIDTH, HEIGHT,
               (255 * (x <= i < x + width and y <= j < y + height)
                for j in range(HEIGHT) for i in range(WIDTH)))


def crop_photo(path, width=WIDTH, height=HEIGHT):
    vips("crop", PHOTOS / "chelsea.png", path, 120, 90, width, height)


@functools.cache
def photo_bytes():
    with tempfile.TemporaryDirectory(prefix="cof-test-") as folder:
        path = pathlib.Path(folder) / "photo.png"
        crop_photo(path)
        return path.read_bytes()


def write_photo(path):
    path.write_bytes(photo_bytes())


def snapshot(folder):
    """The contents of a folder: bytes for files, None for folders and links to nothing."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*")}


class FolderTest(unittest.TestCase):
    """Gives each test its own temporary folder."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cof-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def cof(self, *arguments, **how):
        """Runs the command, which must succeed without output; returns the path of the result."""
        done = run_cof(arguments, self.folder, **how)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), arguments)
        return self.folder / str(arguments[-1])

    def cof_bytes(self, *arguments):
        """The bytes of the file that the command makes of in.png."""
        return self.cof(*arguments, "in.png", "result.png").read_bytes()

    def assert_rejected(self, arguments, status, *words):
        """Expects one error line with these words, and no new files."""
        before = sorted(os.listdir(self.folder))
        done = run_cof(arguments.split(), self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, r"\Acof: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


def setUpModule():
    if not shutil.which("vipsheader"):
        raise unittest.SkipTest("the tool vipsheader is needed (libvips-tools)")
    if not os.access(COF, os.X_OK):
        raise FileNotFoundError(f"no command {COF}; the environment variable COF names it")
