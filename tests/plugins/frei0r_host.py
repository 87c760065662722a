# SPDX-License-Identifier: BSD-2-Clause
"""Helpers of the frei0r tests: a host that calls the plug-in, test videos, and the command's results.

COF names the command, COF_FREI0R the plugin, COF_LIBRARY the library (default: that of the build that
the command is in).
"""
import contextlib
import ctypes
import functools
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import (COF, ENVIRONMENT, FolderTest, PHOTOS, TIMEOUT,  # noqa: E402
                     write_rgb)
from presets import array_of, cof, np  # noqa: E402

LIBRARY = os.environ.get("COF_LIBRARY", pathlib.Path(COF).parents[1] / "src" / "libcof.so")
PLUGIN = pathlib.Path(os.environ["COF_FREI0R"]).resolve()
WIDTH, HEIGHT, FRAMES = 96, 64, 6
NAMES = ("preset strength window softness iterations fast relearn-interval adapt model "
         "colours size").split()
DEFAULTS = [b"none", 1, 0.15, 0.75, 0, 0, 0, 0, b"", 0.32, 0.25]
BOOL, DOUBLE, STRING = 0, 1, 4
TYPES = [STRING] + [DOUBLE] * 4 + [BOOL] + [DOUBLE] * 2 + [STRING, DOUBLE, DOUBLE]


class Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("author", ctypes.c_char_p), ("plugin_type", ctypes.c_int),
                ("color_model", ctypes.c_int), ("frei0r_version", ctypes.c_int),
                ("major_version", ctypes.c_int), ("minor_version", ctypes.c_int),
                ("num_params", ctypes.c_int), ("explanation", ctypes.c_char_p)]


class ParameterInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("explanation", ctypes.c_char_p)]


@functools.cache
def plugin():
    lib = ctypes.CDLL(str(PLUGIN))
    handle, number = ctypes.c_void_p, ctypes.c_int
    lib.f0r_construct.restype = handle
    lib.f0r_construct.argtypes = [ctypes.c_uint, ctypes.c_uint]
    lib.f0r_destruct.argtypes = [handle]
    lib.f0r_get_plugin_info.argtypes = [ctypes.POINTER(Info)]
    lib.f0r_get_param_info.argtypes = [ctypes.POINTER(ParameterInfo), number]
    lib.f0r_set_param_value.argtypes = lib.f0r_get_param_value.argtypes = [handle, handle, number]
    lib.f0r_update.argtypes = [handle, ctypes.c_double, handle, handle]
    lib.f0r_update2.argtypes = [handle, ctypes.c_double] + [handle] * 4
    return lib


def parameter_infos():
    info = Info()
    plugin().f0r_get_plugin_info(info)
    found = []
    for index in range(info.num_params):
        found.append(ParameterInfo())
        plugin().f0r_get_param_info(found[-1], index)
    return found


class Effect:
    """A plug-in instance."""

    def __init__(self, width=WIDTH, height=HEIGHT, **values):
        self.bytes = 4 * width * height
        self.handle = plugin().f0r_construct(width, height)
        self.set(**values)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        plugin().f0r_destruct(self.handle)

    def set(self, **values):
        for name, value in values.items():
            index = NAMES.index(name.replace("_", "-"))
            text = TYPES[index] == STRING
            held = ctypes.c_char_p(value) if text else ctypes.c_double(value)
            plugin().f0r_set_param_value(self.handle, ctypes.addressof(held), index)

    def get(self, name):
        index = NAMES.index(name.replace("_", "-"))
        held = ctypes.c_char_p() if TYPES[index] == STRING else ctypes.c_double()
        plugin().f0r_get_param_value(self.handle, ctypes.addressof(held), index)
        return held.value

    def update(self, frame, shift=0):
        """Filters a frame into another buffer. `shift` misaligns both buffers by some bytes."""
        source = ctypes.create_string_buffer(b"\0" * shift + frame, shift + self.bytes)
        target = ctypes.create_string_buffer(b"\xa5" * (self.bytes + 32), self.bytes + 32)
        plugin().f0r_update(self.handle, 0.0, ctypes.addressof(source) + shift,
                            ctypes.addressof(target) + 16 + shift)
        assert source.raw[shift:] == frame, "the input was written to"
        out, rest = target.raw[16 + shift:16 + shift + self.bytes], target.raw[:16 + shift]
        assert rest + target.raw[16 + shift + self.bytes:] == b"\xa5" * 32, "written beyond the frame"
        return out

    def update_in_place(self, frame):
        both = ctypes.create_string_buffer(frame, self.bytes)
        plugin().f0r_update(self.handle, 0.0, both, both)
        return both.raw

    def filter_frames(self, frames):
        return [self.update(frame) for frame in frames]


def fresh(frames, **values):
    """The frames filtered by a new instance, whose results InFfmpeg verifies."""
    with Effect(**values) as effect:
        return effect.filter_frames(frames)


@contextlib.contextmanager
def standard_error():
    """Captures standard error, also that of C code: a list of lines, filled at the end."""
    lines, kept = [], os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            lines += file.read().decode(errors="replace").splitlines()


def ffmpeg(*arguments, data=None, check=True):
    folder = {**ENVIRONMENT, "FREI0R_PATH": str(PLUGIN.parent)}
    done = subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], input=data,
                          env=folder, capture_output=True, timeout=TIMEOUT)
    if check and done.returncode != 0:
        raise RuntimeError(f"ffmpeg {arguments}: {done.stderr.decode()}")
    return done


def cut(video, size=(WIDTH, HEIGHT)):
    n = 4 * size[0] * size[1]
    return [video[i:i + n] for i in range(0, len(video), n)]


@functools.cache
def make_video(width=WIDTH, height=HEIGHT, frames=FRAMES, alpha=False, photo="coffee.png"):
    """A panned photograph with temporal noise, as a list of frames."""
    see_through = ",geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='clip(X*3+Y*2-60,0,255)'" if alpha else ""
    motion = f"zoompan=z='1.3+0.01*on':x='on*2':y='on':d=1:s={width}x{height}:fps=25"
    done = ffmpeg("-loop", 1, "-i", PHOTOS / photo, "-vf",
                  f"{motion},noise=alls=10:allf=t,format=rgba{see_through}", "-frames:v", frames,
                  "-f", "rawvideo", "-")
    return cut(done.stdout, (width, height))


def raw(size=(WIDTH, HEIGHT)):
    return ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{size[0]}x{size[1]}"]


def marked(frame, size=(WIDTH, HEIGHT)):
    """The frame with the border of red and black stripes that stands for a mistake."""
    width, height = size
    border = (min(size) + 15) // 16
    after = bytearray(frame)
    for y in range(height):
        for x in range(width):
            if not (border <= x < width - border and border <= y < height - border):
                i = 4 * (y * width + x)
                after[i:i + 4] = b"\xff\0\0\xff" if (x + y) // border % 2 == 0 else b"\0\0\0\xff"
    return bytes(after)


def write_model_of_labels(path):
    """Writes a model of labels, which only the library can make."""
    lib = ctypes.CDLL(str(LIBRARY))
    stats, model, saved, size = (ctypes.c_void_p() for _ in range(4))
    labels = (ctypes.c_uint8 * 256)(*(i % 3 for i in range(256)))
    image = (ctypes.c_uint64 * 16)(ctypes.addressof(labels), 16 | 16 << 32, 1)  # grey bytes
    for status in (lib.cof_stats_new(ctypes.byref(stats), None),
                   lib.cof_stats_set_labels(stats, 3, None),
                   lib.cof_stats_add_labels(stats, image, None, None),
                   lib.cof_model_new(ctypes.byref(model), stats, None),
                   lib.cof_model_save(model, ctypes.byref(saved), ctypes.byref(size), None)):
        if status != 0:
            raise RuntimeError("libcof")
    path.write_bytes(ctypes.string_at(saved, size.value))
    lib.cof_free(saved)
    lib.cof_model_free(ctypes.byref(model))
    lib.cof_stats_free(ctypes.byref(stats))


def image_of(frame, size=(WIDTH, HEIGHT)):
    """The array that the plug-in filters: without alpha if the frame is opaque."""
    image = array_of(frame, size)
    return image[:, :, :3] if image[:, :, 3].min() == 255 else image


def frame_of(image):
    missing = 4 - image.shape[2]
    return np.pad(image, ((0, 0), (0, 0), (0, missing)), constant_values=255).tobytes()


def filtered_with_preset(frames, preset, size=(WIDTH, HEIGHT), model=None, learning={}, **options):
    """The frames filtered by the Python package with a preset and a model (default: of the first
    frame). `learning` has options for the model, others are for the filter."""
    images = [image_of(frame, size) for frame in frames]
    model = model or cof.Model.fit(images[0], preset=preset, **learning)
    return [frame_of(model.apply(image, preset=preset, **options)) for image in images]


class VideoTest(FolderTest):
    def video(self, frames, *options, size=(WIDTH, HEIGHT), alpha=False):
        """The frames filtered by `cof video`."""
        pixels = "bgra" if alpha else "bgr0"
        ffmpeg(*raw(size), "-i", "-", "-c:v", "ffv1", "-pix_fmt", pixels, self.folder / "video.mkv",
               data=b"".join(frames))
        self.cof("video", *options, "--encode", f"-c:v ffv1 -pix_fmt {pixels}", "video.mkv", "smooth.mkv")
        done = ffmpeg("-i", self.folder / "smooth.mkv", "-f", "rawvideo", "-pix_fmt", "rgba", "-")
        return cut(done.stdout, size)

    def in_ffmpeg(self, frames, parameters="", size=(WIDTH, HEIGHT), filters="{}"):
        """The frames filtered by the plug-in in ffmpeg, which must print nothing."""
        effect = "frei0r=cof" + (f":{parameters}" if parameters else "")
        done = ffmpeg(*raw(size), "-i", "-", "-vf", filters.format(effect), "-f", "rawvideo", "-",
                      data=b"".join(frames))
        self.assertEqual(done.stderr, b"")
        return cut(done.stdout, size)

    def filtered_image(self, frame, size):
        """An opaque frame filtered by the command."""
        pixels = bytes(b for i, b in enumerate(frame) if i % 4 < 3)
        write_rgb(self.folder / "in.ppm", *size, pixels)
        after = self.cof("in.ppm", "out.ppm").read_bytes()[-len(pixels):]
        return b"".join(after[i:i + 3] + b"\xff" for i in range(0, len(after), 3))

    def assert_same(self, one, other):
        self.assertEqual(len(one), len(other))
        wrong = [i for i, (a, b) in enumerate(zip(one, other)) if a != b]
        self.assertEqual(wrong, [], "these frames differ")

    def save_image(self, frame, name, size=(WIDTH, HEIGHT)):
        ffmpeg(*raw(size), "-i", "-", "-pix_fmt", "rgb24", self.folder / name, data=frame)

    def model(self, *options, frame=None, name="m.cof"):
        self.save_image(frame or make_video()[2], "learn.png")
        self.cof("learn", "learn.png", *options, "-o", name)
        return str(self.folder / name).encode()
