#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cof video` on clips that ffmpeg makes: a panned photograph with temporal noise."""
import math
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest

import command
from command import (COF, ENVIRONMENT, FolderTest, PHOTOS, TIMEOUT, measures, run_cof, samples, write_grey,
                     setUpModule as need_vips)

LOSSLESS = "-c:v ffv1 -pix_fmt gbrp"
WIDTH, HEIGHT, FRAMES, RATE = 192, 128, 32, 25
PAN = f"zoompan=z='1.3+0.003*on':x='on':y='on/2':d=1:s={WIDTH}x{HEIGHT}:fps={RATE}"
STAND = f"zoompan=z=1.3:x=20:y=20:d=1:s={WIDTH}x{HEIGHT}:fps={RATE}"
NOISE = "noise=alls=10:allf=t"


def setUpModule():
    need_vips()
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        raise unittest.SkipTest("ffmpeg is needed")


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, arguments)], check=True,
                   timeout=TIMEOUT)


clips = {}  # those made so far, as bytes: several tests use the same


def make_clip(path, photo="coffee.png", motion=PAN, frames=FRAMES, options=()):
    """A clip with sound, a title and BT.709 colour tags."""
    key = (path.suffix, photo, motion, frames, *options)
    if key not in clips:
        encode_clip(path, photo, motion, frames, options)
        clips[key] = path.read_bytes()
    path.write_bytes(clips[key])


def encode_clip(path, photo, motion, frames, options):
    ffmpeg("-loop", 1, "-i", PHOTOS / photo, "-f", "lavfi", "-i", "sine=440:sample_rate=48000",
           "-vf", f"{motion},{NOISE}", "-t", frames / RATE, "-c:v", "libx264", "-crf", 10,
           "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709",
           "-color_trc", "bt709", "-color_range", "tv", "-metadata", "title=Cup", "-c:a", "aac",
           *options, path)


def facts(path):
    keys = ("codec_type,codec_name,width,height,pix_fmt,avg_frame_rate,color_space,color_range,"
            "color_transfer,color_primaries")
    done = subprocess.run(["ffprobe", "-v", "error", "-show_entries",
                           f"stream={keys}:format=duration:format_tags=title", "-of",
                           "default=noprint_wrappers=1", path],
                          capture_output=True, text=True, check=True, timeout=TIMEOUT)
    return done.stdout.splitlines()


def frames_of(path, size=WIDTH * HEIGHT * 3):
    """All frames, as bytes of RGB."""
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-sws_flags",
                           "accurate_rnd+full_chroma_int+full_chroma_inp", "-f", "rawvideo",
                           "-pix_fmt", "rgb24", "-"], capture_output=True, check=True,
                          timeout=TIMEOUT)
    return [done.stdout[i:i + size] for i in range(0, len(done.stdout), size)]


def mean_difference(one, other):
    return sum(abs(a - b) for a, b in zip(one, other)) / len(one)


def psnr(one, other):
    error = sum((a - b) ** 2 for a, b in zip(one, other)) / len(one)
    return 10 * math.log10(255 ** 2 / error) if error else math.inf


class VideoTest(FolderTest):
    def clip(self, name="clip.mp4", **how):
        make_clip(self.folder / name, **how)
        return name

    def video(self, *arguments):
        """Runs the command and returns the frames."""
        self.cof("video", *arguments, "--encode", LOSSLESS, self.clip_name, "out.mkv")
        return frames_of(self.folder / "out.mkv")

    def setUp(self):
        super().setUp()
        self.clip_name = self.clip()

    def save_frame(self, frame, name, size=(WIDTH, HEIGHT)):
        raw = self.folder / "frame.rgb"
        raw.write_bytes(frame)
        ffmpeg("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-i", raw,
               self.folder / name)

    def filtered(self, frame, *arguments, size=(WIDTH, HEIGHT)):
        """The same frame, filtered as an image."""
        self.save_frame(frame, "frame.png", size)
        self.cof(*arguments, "frame.png", "filtered.png")
        return bytes(samples(self.folder / "filtered.png"))

    def test_all_but_the_images_stays(self):
        self.cof("video", "clip.mp4", "out.mp4")
        self.assertEqual(facts(self.folder / "out.mp4"), facts(self.folder / "clip.mp4"))
        self.assertEqual(len(frames_of(self.folder / "out.mp4")), FRAMES)

    def test_frames_are_images(self):
        before = frames_of(self.folder / "clip.mp4")
        after = self.video("--save-model", "m.cof")
        self.assertEqual(len(after), FRAMES)
        for number in (0, 1, FRAMES // 2, FRAMES - 1):
            self.assertTrue(self.filtered(before[number], "apply", "m.cof") == after[number], number)
        self.assertTrue(self.video("--model", "m.cof", "--threads", 3) == after)
        self.assertTrue(self.video("--threads", 1) == after)

    @measures
    def test_a_model_is_good_for_long(self):
        own = self.video("--learn-frame", 21)[20]
        first = self.video("--learn-frame", 1)[20]
        print(f"frame 21, model of frame 1 against its own: {psnr(first, own):.1f} dB", flush=True)
        self.assertGreaterEqual(psnr(first, own), 34)

    @measures
    def test_nothing_flickers(self):
        self.clip_name = self.clip("still.mp4", motion=STAND, frames=20)
        before = frames_of(self.folder / "still.mp4")
        for options in ((), ("--adapt", "0.2")):
            after = self.video(*options)
            flicker = [sum(mean_difference(a, b) for a, b in zip(frames, frames[1:])) / (len(frames) - 1)
                       for frames in (before, after)]
            print(f"flicker {flicker[0]:.2f} before, {flicker[1]:.2f} after", flush=True)
            self.assertLess(flicker[1], flicker[0])

    def test_a_video_that_starts_black(self):
        """Black frames are skipped for learning unless requested; adaptation detects their end."""
        ffmpeg("-i", self.folder / "clip.mp4", "-vf", "tpad=start=3:color=black", "-an", "-c:v", "ffv1",
               "-pix_fmt", "gbrp", self.folder / "black.mkv")
        self.clip_name = "black.mkv"
        usual, fourth = self.video(), self.video("--learn-frame", 4)
        self.assertTrue(usual == fourth)
        self.assertFalse(self.video("--learn-frame", 1) == fourth)
        self.assertTrue(self.video("--adapt", "0.1")[3] == fourth[3])

    def assert_frames_are_images(self, size, *options):
        """All frames with one model, and the first frame with adaptation, are filtered as images."""
        before = frames_of(self.folder / self.clip_name, size[0] * size[1] * 3)
        self.cof("video", *options, "--save-model", "m.cof", "--encode", LOSSLESS, self.clip_name,
                 "out.mkv")
        after = frames_of(self.folder / "out.mkv", size[0] * size[1] * 3)
        self.assertEqual(len(after), len(before))
        self.save_frame(before[0], "frame.png", size)
        self.cof("learn", *options, "frame.png", "-o", "frame.cof")
        self.assertEqual((self.folder / "frame.cof").read_bytes(),
                         (self.folder / "m.cof").read_bytes())
        filtering = () if "--downscale" in options else options  # a model stores the factor
        for number in (0, len(before) - 1):
            filtered = self.filtered(before[number], "apply", "m.cof", *filtering, size=size)
            self.assertTrue(filtered == after[number], number)
        self.cof("video", *options, "--adapt", "0.5", "--encode", LOSSLESS, self.clip_name,
                 "followed.mkv")
        followed = frames_of(self.folder / "followed.mkv", size[0] * size[1] * 3)
        self.assertTrue(followed[0] == after[0])
        self.assertFalse(followed[-1] == after[-1])

    @measures
    def test_presets(self):
        """Presets follow the frame size: these frames are downscaled by 2."""
        size = (960, 720)
        motion = PAN.replace(f"{WIDTH}x{HEIGHT}", "960x720")
        self.clip_name = self.clip("large.mp4", motion=motion, frames=2)
        for preset in ("texture", "cartoon"):
            with self.subTest(preset=preset):
                self.assert_frames_are_images(size, "--preset", preset)

    def test_downscaled(self):
        self.clip_name = self.clip("short.mp4", frames=4)
        self.assert_frames_are_images((WIDTH, HEIGHT), "--downscale", 3)

    def test_adaptation_follows_the_video(self):
        self.clip("second.mp4", photo="astronaut.png", frames=10)
        self.clip("first.mp4", frames=10)
        (self.folder / "list.txt").write_text("file first.mp4\nfile second.mp4\n")
        ffmpeg("-f", "concat", "-i", self.folder / "list.txt", "-c", "copy",
               self.folder / "both.mp4")
        self.clip_name = "both.mp4"
        before, after = frames_of(self.folder / "both.mp4"), self.video("--adapt", "0.1")
        self.assertEqual(len(after), len(before))
        self.assertTrue(after[0] == self.filtered(before[0]))
        cut = max(range(1, len(before)), key=lambda i: mean_difference(before[i - 1], before[i]))
        self.assertTrue(after[cut] == self.filtered(before[cut]))  # relearned after the cut
        self.assertFalse(after[5] == self.filtered(before[5]))

    def test_foreground(self):
        choice = ["--stroke", "96,64:24", "--background-stroke", "8,8 8,120:4"]
        self.clip_name = self.clip("short.mp4", frames=4)
        after = self.video(*choice, "--background", "grey")
        chroma = [max(after[0][3 * i:3 * i + 3]) - min(after[0][3 * i:3 * i + 3])
                  for i in (5, 64 * WIDTH + 96)]
        self.assertLess(chroma[0] * 2, chroma[1])
        self.cof("video", "short.mp4", "x.mp4", *choice, "--save-model", "pair.cof")
        self.assertEqual(len(self.video("--model", "pair.cof", "--background", "tint=#0000ff")), 4)
        self.save_frame(frames_of(self.folder / "short.mp4")[0], "frame.png")
        self.cof("focus", "frame.png", "focus.png", *choice, "--save-model", "still.cof")
        self.assertTrue((self.folder / "still.cof").read_bytes() ==
                        (self.folder / "pair.cof").read_bytes())
        write_grey(self.folder / "s.pgm", WIDTH, HEIGHT,
                   [255 * (48 < i % WIDTH < 120) for i in range(WIDTH * HEIGHT)])
        one = self.video("--scribble", "s.pgm@2")
        two = self.video("--scribble", "s.pgm@2", "--scribble", "s.pgm@4", "--dilate", 2, "--gap", 5)
        self.assertEqual((len(one), len(two)), (4, 4))
        self.assertFalse(one[3] == two[3])

    def test_an_encoder_that_has_enough(self):
        self.cof("video", "clip.mp4", "out.mkv", "--encode", "-frames:v 10 -c:v ffv1")
        self.assertEqual(len(frames_of(self.folder / "out.mkv")), 10)

    def test_pixels_that_are_not_square(self):
        ffmpeg("-i", self.folder / "clip.mp4", "-t", 0.4, "-vf", "setsar=16/11",
               self.folder / "wide.mp4")
        self.cof("video", "wide.mp4", "out.mp4")
        told = subprocess.run(["ffprobe", "-v", "error", "-show_entries",
                               "stream=sample_aspect_ratio", "-of", "csv=p=0",
                               self.folder / "out.mp4"], capture_output=True, text=True, check=True)
        self.assertIn("16:11", told.stdout)

    def test_deep_and_grey_videos(self):
        for pixels in ("yuv420p10le", "yuv422p", "gray", "gray10le", "yuva420p", "bgra"):
            with self.subTest(pixels):
                ffmpeg("-i", self.folder / "clip.mp4", "-t", 0.12, "-c:v", "ffv1", "-pix_fmt",
                       pixels, self.folder / "in.mkv")
                self.cof("video", "in.mkv", "out.mkv", "--encode", "-c:v ffv1")
                self.assertIn(f"pix_fmt={pixels}", facts(self.folder / "out.mkv"))


class Kept(FolderTest):
    """What of a video comes out as it was, and the notes about what does not."""

    MOTION = PAN.replace(f"{WIDTH}x{HEIGHT}", "96x64")
    FAST = "--window", 3, "--colours", 4

    def make(self, name, *options, frames=6):
        if not (self.folder / "in.mp4").exists():
            make_clip(self.folder / "in.mp4", frames=20, motion=self.MOTION)
        ffmpeg("-i", self.folder / "in.mp4", "-frames:v", frames, *options, self.folder / name)

    def video(self, line, *notes):
        """Each of the notes names the output."""
        done = run_cof(["video", *self.FAST, *line.split()], self.folder)
        output = line.split()[1]
        self.assertEqual((done.returncode, done.stderr),
                         (0, "".join(f"cof: note: {output}: {note}\n" for note in notes)), line)
        return self.folder / output

    def stream(self, path, entries, kind="v", reader=()):
        done = subprocess.run(["ffprobe", "-v", "error", *reader, "-select_streams", kind, "-of",
                               "default=noprint_wrappers=1:nokey=1", "-show_entries", entries, path],
                              capture_output=True, text=True, check=True, timeout=TIMEOUT)
        return done.stdout.split()

    def times(self, path):
        """From the first sound or image on."""
        start = self.stream(path, "format=start_time")[0].replace("N/A", "0")
        return [round(float(time) - float(start), 3)
                for time in self.stream(path, "frame=best_effort_timestamp_time")]

    def assert_times(self, path, expected, error=0.0021):
        found = self.times(path)
        self.assertEqual(len(found), len(expected), path)
        for one, other in zip(found, expected):
            self.assertLess(abs(one - other), error, (path, found, expected))

    def raw(self, path, pixels, *decoder):
        done = subprocess.run(["ffmpeg", "-v", "error", *decoder, "-i", path, "-fps_mode", "passthrough",
                               "-f", "rawvideo", "-pix_fmt", pixels, "-"], capture_output=True,
                              check=True, timeout=TIMEOUT)
        return done.stdout

    def test_codecs(self):
        """The input's where the format holds it and no option chooses another."""
        for name, codec, *options in (
                ("a.mp4", "hevc hvc1", "-c:v", "libx265", "-x265-params", "log-level=error", "-tag:v", "hvc1"),
                ("a.mov", "prores apch", "-c:v", "prores_ks", "-profile:v", "hq", "-pix_fmt", "yuv422p10"),
                ("a.webm", "vp9", "-c:v", "libvpx-vp9", "-c:a", "libopus"),
                ("a.mpg", "mpeg2video", "-c:v", "mpeg2video"), ("a.avi", "mjpeg", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p")):
            with self.subTest(codec):
                self.make(name, *options)
                out = self.video(f"{name} out-{name}")
                found = self.stream(out, "stream=codec_name,codec_tag_string,pix_fmt")
                self.assertEqual(found, self.stream(self.folder / name,
                                                    "stream=codec_name,codec_tag_string,pix_fmt"))
                self.assertTrue(set(codec.split()) <= set(found), found)
        self.video("a.mov o.mp4", "the codec is h264: ffmpeg cannot write prores to this format")
        self.cof("video", *self.FAST, "--encode", "-c:v mpeg4", "a.mov", "p.mp4")
        self.make("one.mp4", "-c:v", "libx264", "-an", frames=1)
        out = self.video("one.mp4 one.png", "the codec is png: ffmpeg cannot write h264 to this format")
        self.assertEqual(out.read_bytes()[1:4], b"PNG")

    def test_alpha(self):
        shape = "format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*X/W'"
        self.make("a.mov", "-vf", shape, "-c:v", "prores_ks", "-profile:v", 4444, "-pix_fmt", "yuva444p10")
        self.make("a.webm", "-vf", shape, "-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", "-an")
        self.make("a.mkv", "-vf", shape, "-c:v", "png", "-pix_fmt", "rgba")
        vp9 = "-c:v", "libvpx-vp9"
        for line, before, after in (("a.mov o.mov", (), ()), ("a.webm o.webm", vp9, vp9),
                                    ("a.mkv p.mov", (), ())):
            with self.subTest(line):
                out = self.video(line)
                one = self.raw(self.folder / line.split()[0], "rgba", *before)[3::4]
                other = self.raw(out, "rgba", *after)[3::4]
                self.assertEqual(len(one), len(other))
                self.assertGreater(max(one) - min(one), 200)
                self.assertLess(mean_difference(one, other), 2)
        lost = "alpha is lost: the codec or the format cannot hold it"
        self.video("a.webm o.mp4", lost)
        self.video("a.mov q.mp4", "the codec is h264: ffmpeg cannot write prores to this format", lost)
        self.make("opaque.mkv", "-c:v", "ffv1", "-pix_fmt", "yuva420p", "-an")
        self.video("opaque.mkv r.flv", "the codec is flv1: ffmpeg cannot write ffv1 to this format")

    def test_times(self):
        """Those of a variable rate, in step with the sound."""
        self.make("a.mkv", "-vf", "select='lt(n,6)+not(mod(n,4))'", "-fps_mode", "vfr", frames=10)
        expected = self.times(self.folder / "a.mkv")
        for one, other in zip(expected, (0, 1, 2, 3, 4, 5, 8, 12, 16)):
            self.assertAlmostEqual(one - expected[0], other / RATE, delta=0.0021)
        for line in ("a.mkv o.mp4", "a.mkv p.mkv --strength 0"):
            with self.subTest(line):
                out = self.video(line)
                self.assert_times(out, expected)
                self.assertEqual(len(self.raw(out, "gray")), 96 * 64 * len(expected))

    def test_delays(self):
        for name, options in (("a.gif", ("-an",)), ("a.apng", ("-an", "-f", "apng"))):
            with self.subTest(name):
                self.make(name, "-vf", "select='lt(n,4)+not(mod(n,3))'", "-fps_mode", "vfr", *options,
                          "-final_delay", "70" if name == "a.gif" else "7/10", frames=7)
                out = self.video(f"{name} out-{name}")
                self.assert_times(out, self.times(self.folder / name), 0.011)
                self.assertEqual(self.stream(out, "packet=duration_time")[-1], "0.700000")

    def test_a_late_start(self):
        self.make("a.mkv", "-c:v", "mpeg4")
        ffmpeg("-itsoffset", 0.5, "-i", self.folder / "a.mkv", "-i", self.folder / "a.mkv", "-map", "0:v",
               "-map", "1:a", "-c", "copy", self.folder / "late.mkv")
        self.assertGreater(self.times(self.folder / "late.mkv")[0], 0.4)
        for line in ("late.mkv o.mp4", "late.mkv p.mkv --strength 0"):
            with self.subTest(line):
                self.assert_times(self.video(line), self.times(self.folder / "late.mkv"))

    def test_identity(self):
        """With --strength 0 nothing is converted."""
        for pixels in ("yuv420p", "yuv422p10le", "yuva444p10le", "gray"):
            with self.subTest(pixels):
                self.make("a.mkv", "-vf", "noise=alls=60:allf=t", "-c:v", "ffv1", "-pix_fmt", pixels)
                out = self.video("a.mkv o.mkv --strength 0")
                self.assertEqual(self.stream(out, "stream=codec_name,pix_fmt"), ["ffv1", pixels])
                self.assertTrue(self.raw(out, pixels) == self.raw(self.folder / "a.mkv", pixels))
                self.assertEqual(self.times(out), self.times(self.folder / "a.mkv"))

    def make_turned(self, name, angle, frames):
        """ffmpeg 6 and later have an option for that; before, it was metadata."""
        known = subprocess.run(["ffmpeg", "-h", "full"], capture_output=True, text=True, timeout=TIMEOUT).stdout
        newer = "-display_rotation" in known
        self.make("in.mkv", "-c", "copy", frames=frames)
        ffmpeg(*(("-display_rotation:v", -angle) if newer else ()), "-i", self.folder / "in.mkv", "-c", "copy",
               *(() if newer else ("-metadata:s:v", f"rotate={angle}")), self.folder / name)

    def test_rotation(self):
        self.make_turned("a.mp4", 90, 6)
        for line in ("a.mp4 o.mp4", "a.mp4 p.mp4 --strength 0"):
            self.assertEqual(self.stream(self.video(line), "stream=width,height:stream_side_data=rotation"),
                             ["64", "96"])
        for angle in (45, 89.5, 90.6):  # ffprobe and ffmpeg round an angle differently
            self.make_turned("b.mp4", angle, 1)
            self.cof("video", "--strength", 0, "--steady", 0.01, "--encode", "-c:v ffv1", "b.mp4", "q.mkv")
            out = self.folder / "q.mkv"
            size = "x".join(self.stream(out, "stream=width,height"))
            ffmpeg("-i", self.folder / "b.mp4", "-s", size, "-c:v", "ffv1", self.folder / "r.mkv")
            one, other = (self.raw(path, "rgb24") for path in (out, self.folder / "r.mkv"))
            self.assertEqual(len(one), len(other))
            self.assertLess(mean_difference(one, other), 3, angle)

    def test_sound_and_subtitles(self):
        (self.folder / "s.srt").write_text("1\n00:00:00,050 --> 00:00:00,200\nhello\n")
        self.make("a.mp4", "-c", "copy")
        ffmpeg("-i", self.folder / "a.mp4", "-i", self.folder / "s.srt", "-map", 0, "-map", 1, "-c:v", "copy",
               self.folder / "a.mkv")
        for line, kinds, *notes in (
                ("a.mkv o.mkv", ["video", "audio", "subtitle"]),
                ("a.mkv o.mp4", ["video", "audio", "subtitle"],
                 "the text of subtitles is re-encoded, since the format cannot hold it as it is"),
                ("a.mkv o.gif", ["video"], "sound is lost: the format cannot hold it",
                 "the text of subtitles is lost: the format cannot hold it",
                 "the codec is gif: ffmpeg cannot write h264 to this format")):
            with self.subTest(line):
                out = self.video(line, *notes)
                done = subprocess.run(["ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries",
                                       "stream=codec_type", out], capture_output=True, text=True)
                self.assertEqual(done.stdout.split(), kinds)

    def test_errors_of_encoders_are_not_damage(self):
        self.make("a.mp4", "-c", "copy")
        ffmpeg("-i", self.folder / "in.mp4", "-c:v", "libwebp_anim", "-an", self.folder / "a.webp")
        for arguments, *words in ((("a.mp4", "o.mp4", "--encode", "-c:v gone"), "o.mp4", "gone"),
                                  (("a.mp4", "o.mp4", "--encode", "-c:v libx264 -profile:v x"), "o.mp4"),
                                  (("a.mp4", "o.avi", "--encode", "-c:v h263"), "o.avi", "size"),
                                  (("a.webp", "o.mp4"), "a.webp", "WebP", "without 'video'")):
            with self.subTest(arguments):
                done = run_cof(["video", *arguments], self.folder)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r"\Acof: [^\n]+\n\Z")
                self.assertNotIn("damage", done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
                self.assertEqual(list(self.folder.glob("o.*")), [])


class Followed(FolderTest):
    """Strokes on one frame hold for those after it."""
    WIDTH, HEIGHT, FRAMES, CUT = 160, 96, 12, 8
    RED = (200, 40, 40)

    def place(self, frame):
        return 14 + 8 * frame if frame < self.CUT else 60

    def colour(self, frame, x, y):
        """A red square moves to the right; another stands, and after the cut all is blue."""
        left = self.place(frame)
        if left <= x < left + 30 and 20 <= y < 50 and frame < self.CUT or \
                120 <= x < 150 and 60 <= y < 90:
            return self.RED
        return (40, 120, 60 + y) if frame < self.CUT else (60, 60, 220 - y)

    def setUp(self):
        super().setUp()
        noise = random.Random(1)
        data = bytearray()
        for frame in range(self.FRAMES):
            for y in range(self.HEIGHT):
                for x in range(self.WIDTH):
                    data += bytes(value + noise.randint(-5, 5) for value in self.colour(frame, x, y))
        (self.folder / "in.raw").write_bytes(data)
        ffmpeg("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{self.WIDTH}x{self.HEIGHT}", "-i",
               self.folder / "in.raw", "-c:v", "ffv1", "-pix_fmt", "gbrp", self.folder / "in.mkv")

    def coloured(self, *options):
        """For each frame, the shares of the moving and of the standing square that have colour."""
        self.cof("video", "in.mkv", "out.mkv", "--background", "grey", "--encode", LOSSLESS, *options)
        frames = frames_of(self.folder / "out.mkv", self.WIDTH * self.HEIGHT * 3)
        self.assertEqual(len(frames), self.FRAMES)

        def share(frame, left, top):
            at = [3 * ((top + j) * self.WIDTH + left + i) for i in range(3, 27) for j in range(3, 27)]
            return sum(max(frame[i:i + 3]) - min(frame[i:i + 3]) > 60 for i in at) / len(at)

        return [(share(frame, self.place(i), 20), share(frame, 120, 60))
                for i, frame in enumerate(frames)]

    STROKES = ("--stroke", "20,35 38,35:3", "--background-stroke", "80,10 100,90:3")

    found = None  # the result of the strokes, which several tests look at

    def with_strokes(self):
        Followed.found = Followed.found or self.coloured(*self.STROKES)
        return Followed.found

    def test_an_object_that_moves(self):
        for moving, standing in self.with_strokes()[:self.CUT]:
            self.assertGreater(moving, 0.97)
            self.assertLess(standing, 0.03)

    @measures
    def test_threads_do_not_matter(self):
        self.assertTrue(self.coloured(*self.STROKES, "--threads", 1) == self.with_strokes())

    def test_after_a_cut_colours_decide(self):
        shares = self.with_strokes()
        self.assertTrue(all(standing > 0.9 for _, standing in shares[self.CUT:]), shares)

    def test_a_frame_in_the_middle(self):
        """Before the frame with the strokes, colours decide; so they do with the models alone."""
        shares = self.coloured("--learn-frame", 4, "--stroke", "45,35 60,35:3",
                               "--background-stroke", "100,10 100,90:3", "--save-model", "pair.cof")
        self.assertTrue(all(min(both) > 0.9 for both in shares[:3]), shares)
        self.assertTrue(all(moving > 0.97 and standing < 0.03
                            for moving, standing in shares[3:self.CUT]), shares)
        alone = self.coloured("--model", "pair.cof")
        self.assertTrue(all(min(both) > 0.9 for both in alone[:self.CUT]), alone)


class Steady(FolderTest):
    """Averaging over time, with --strength 0, so that the filter changes nothing."""
    WIDTH, HEIGHT, SHARE, SIGMA = 96, 64, 0.8, 6
    SAMPLES = WIDTH * HEIGHT * 3
    # A mean in which each frame has the share 1 - s of what is left has (1 - s) / (1 + s) of the
    # variance; after 12 frames the first one has hardly a share.
    FRAMES, LEFT = 16, math.sqrt((1 - SHARE) / (1 + SHARE))

    def background(self, x, y):
        """Stripes, whose edges noise must not hide."""
        return (60 + 100 * (x // 16 % 2), 90 + y, 150 - 40 * (y // 16 % 2))

    def scene(self, colour=lambda frame, x, y: None):
        """Frames without noise. `colour` replaces that of a pixel."""
        return [[value for y in range(self.HEIGHT) for x in range(self.WIDTH)
                 for value in colour(frame, x, y) or self.background(x, y)]
                for frame in range(self.FRAMES)]

    def filtered(self, scene, *options, unit=1):
        """The noisy frames of a scene, and those of the command."""
        noise = random.Random(1)
        noisy = [[min(max(round(unit * (value + noise.gauss(0, self.SIGMA))), 0), unit * 255)
                  for value in frame] for frame in scene]
        kind, code = ("rgb48le", "H") if unit > 1 else ("rgb24", "B")
        raw = ["-f", "rawvideo", "-pix_fmt", kind]
        (self.folder / "in.raw").write_bytes(b"".join(struct.pack(f"<{len(f)}{code}", *f) for f in noisy))
        ffmpeg(*raw, "-s", f"{self.WIDTH}x{self.HEIGHT}", "-i", self.folder / "in.raw", "-c:v", "ffv1",
               "-pix_fmt", "gbrp16le" if unit > 1 else "gbrp", self.folder / "in.mkv")
        self.cof("video", "in.mkv", "out.mkv", "--encode", "-c:v ffv1", *options)
        ffmpeg("-i", self.folder / "out.mkv", *raw, self.folder / "out.raw")
        data = (self.folder / "out.raw").read_bytes()
        found = struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
        self.assertEqual(len(found), self.FRAMES * self.SAMPLES)
        return noisy, [found[i:i + self.SAMPLES] for i in range(0, len(found), self.SAMPLES)]

    def error(self, frame, scene, unit=1, among=None):
        errors = [(a / unit - b) ** 2 for i, (a, b) in enumerate(zip(frame, scene))
                  if among is None or among(i // 3 % self.WIDTH, i // 3 // self.WIDTH)]
        return math.sqrt(sum(errors) / len(errors))

    def test_still(self):
        scene = self.scene()
        for unit in (1, 257):
            with self.subTest(unit=unit):
                before, after = self.filtered(scene, "--strength", 0, "--steady", self.SHARE, unit=unit)
                self.assertTrue(list(after[0]) == before[0])
                left = [self.error(after[i], scene[i], unit) / self.error(before[i], scene[i], unit)
                        for i in range(12, self.FRAMES)]
                self.assertTrue(all(self.LEFT * 0.9 < share < self.LEFT * 1.25 for share in left), left)

    def test_without_it_nothing_changes(self):
        before, after = self.filtered(self.scene(), "--strength", 0)
        self.assertTrue([list(frame) for frame in after] == before)

    def test_a_preset_for_video(self):
        scene = self.scene()
        results = [self.filtered(scene, "--preset", "video", *options)[1]
                   for options in ((), ("--steady", 0.8), ("--steady", 0))]
        self.assertTrue(results[0] == results[1])
        flicker = [self.error(frames[-1], frames[-2]) for frames in results]
        self.assertLess(flicker[0], 0.6 * flicker[2])

    def test_motion(self):
        """A square moves: it is nowhere else than in the frame itself."""
        def inside(frame, x, y):
            return 8 + 4 * frame <= x < 24 + 4 * frame and 20 <= y < 44

        def left_behind(frame, x, y):
            return 8 + 4 * (frame - 3) <= x < 8 + 4 * frame and 20 <= y < 44

        scene = self.scene(lambda frame, x, y: (230, 200, 20) if inside(frame, x, y) else None)
        before, after = self.filtered(scene, "--strength", 0, "--steady", self.SHARE)
        for frame in (6, 12):
            for place in (inside, left_behind):
                at = lambda x, y: place(frame, x, y)  # noqa: E731
                self.assertLess(self.error(after[frame], scene[frame], among=at),
                                1.5 * self.error(before[frame], scene[frame], among=at))

    def test_a_slow_pan(self):
        """Fine texture that moves by a pixel is not taken for noise."""
        wall = random.Random(2)
        texture = [[wall.gauss(0, 1) for _ in range(self.WIDTH + self.FRAMES + 2)]
                   for _ in range(self.HEIGHT)]

        def colour(frame, x, y):
            row = texture[y]
            return (120 + 20 * (row[x + frame] + row[x + frame + 1]),) * 3

        scene = self.scene(colour)
        before, after = self.filtered(scene, "--strength", 0, "--steady", self.SHARE)
        for frame in (1, 2, 5, 10, 15):
            self.assertLess(self.error(after[frame], scene[frame]),
                            1.05 * self.error(before[frame], scene[frame]))

    def test_a_cut(self):
        """The first frame of a new scene is not mixed with the one before."""
        cut = 8
        scene = self.scene(lambda frame, x, y: (x * 37 % 251, (x * y * 3) % 251, (x + y) * 61 % 251)
                           if frame >= cut else None)
        before, after = self.filtered(scene, "--strength", 0, "--steady", self.SHARE)
        self.assertTrue(list(after[cut]) == before[cut])
        self.assertFalse(list(after[cut - 1]) == before[cut - 1])


class RejectedInput(FolderTest):
    def setUp(self):
        super().setUp()
        make_clip(self.folder / "clip.mp4", frames=30)

    def test_wrong_usage_and_bad_files(self):
        write_grey(self.folder / "none.pgm", WIDTH, HEIGHT, [0] * WIDTH * HEIGHT)
        write_grey(self.folder / "small.pgm", 9, 9, [1] * 81)
        (self.folder / "text.mp4").write_text("not a video")
        os.mkfifo(self.folder / "pipe")
        make_clip(self.folder / "short.mp4", frames=2)
        self.cof("video", "short.mp4", "pair.mp4", "--stroke", "96,64:24", "--save-model", "pair.cof")
        ffmpeg("-i", self.folder / "clip.mp4", "-vn", self.folder / "sound.m4a")
        for line, status, *words in (
                ("video clip.mp4", 2, "output"),
                ("video clip.mp4 clip.mp4", 2, "is an input and an output"),
                ("video - x.mp4", 2, "files"),
                ("video clip.mp4 x.mp4 --adapt 2", 2, "--adapt"),
                ("video clip.mp4 x.mp4 --adapt 0.1 --learn-frame 3", 2, "--adapt"),
                ("video clip.mp4 x.mp4 --learn-frame 0", 2, "--learn-frame"),
                ("video clip.mp4 x.mp4 --background blue", 2, "--background"),
                ("video clip.mp4 x.mp4 --adapt 0.1 --background grey", 2, "--adapt"),
                ("video clip.mp4 x.mp4 --encode ' --quiet", 2, "--encode"),
                ("video clip.mp4 x.mp4 --stroke 9,9 --threshold 5", 2, "--threshold"),
                ("video clip.mp4 x.mp4 --update model", 2, "--update model"),
                ("video clip.mp4 x.mp4 --preset subtle --stroke 9,9", 2, "--preset", "--stroke"),
                ("video clip.mp4 x.mp4 --downscale 2 --mask none.pgm", 2, "--downscale", "--mask"),
                ("video clip.mp4 x.mp4 --preset subtle --model pair.cof", 1, "pair.cof", "--preset"),
                ("video clip.mp4 /dev/null", 1, "/dev/null", "not a file"),
                ("video pipe x.mp4", 1, "pipe", "not a file"),
                ("video clip.mp4 x.m3u8", 1, "x.m3u8", "playlist"),
                ("video clip.mp4 x.MPD", 1, "x.MPD", "playlist"),
                ("video clip.mp4 x.png", 1, "x.png", "one image", ".gif", "ffmpeg"),
                ("video clip.mp4 x.jpg", 1, "x.jpg", "one image"),
                ("video clip.mp4 x.mp4 --scribble s@5 --background-stroke 1,1", 1, "1,1",
                 "object"),
                ("video clip.mp4 x.mp4 --background grey", 1, "grey", "scribbles"),
                ("video clip.mp4 x.mp4 --learn-frame 99", 1, "clip.mp4", "no frame 99"),
                ("video gone.mp4 x.mp4", 1, "gone.mp4", "No such file"),
                ("video text.mp4 x.mp4", 1, "text.mp4", "not a video"),
                ("video sound.m4a x.mp4", 1, "sound.m4a", "no video stream"),
                ("video clip.mp4 x.mp4 --scribble none.pgm", 1, "none.pgm", "black"),
                ("video clip.mp4 x.mp4 --scribble small.pgm@2", 1, "small.pgm", "size"),
                ("video clip.mp4 x.mp4 --scribble none.pgm@99", 1, "no frame 99"),
                ("video clip.mp4 x.mp4 --scribble none.pgm@9 --scribble none.pgm@9", 1, "another"),
                ("video clip.mp4 x.mp4 --stroke 9,9 --background-scribble none.pgm@9", 1, "none.pgm",
                 "object"),
                ("video clip.mp4 x.mp4 --stroke 9,9 --gap -1", 2, "--gap"),
                ("video clip.mp4 x.mp4 --model text.mp4", 1, "text.mp4"),
                ("video clip.mp4 folder/x.mp4", 1, "folder/x.mp4"),
                ("video clip.mp4 x.nonsense", 1, "x.nonsense"),
                ("video clip.mp4 x.mp4 --encode=-c:v=nonsense", 1, "x.mp4")):
            with self.subTest(line):
                self.assert_rejected(line, status, *words)

    def test_no_ffmpeg(self):
        done = subprocess.run([COF, "video", "clip.mp4", "x.mp4"], cwd=self.folder,
                              env={**ENVIRONMENT, "PATH": "/nowhere"}, capture_output=True,
                              text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (1, "cof: ffprobe: is not installed\n"))
        self.assertFalse((self.folder / "x.mp4").exists())

    def fake(self, body):
        """An ffmpeg that dies where it encodes: a folder for the PATH."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "ffmpeg").write_text(f"#!/bin/sh\n{body}\nexec {shutil.which('ffmpeg')} \"$@\"\n")
        (tools / "ffmpeg").chmod(0o755)
        return {**ENVIRONMENT, "PATH": f"{tools}{os.pathsep}{ENVIRONMENT['PATH']}"}

    def fake_probe(self, body):
        path = self.folder / "tools" / "ffprobe"
        path.write_text(f"#!/bin/sh\nprobe={shutil.which('ffprobe')}\n{body}\n")
        path.chmod(0o755)

    def assert_nothing_left(self, done, *words):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Acof: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir() if "x.mp4" in p.name or
                          p.name.startswith(".cof")], [])

    def run_with(self, environment, **how):
        return subprocess.run([COF, "video", "clip.mp4", "x.mp4"], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=TIMEOUT, **how)

    def test_an_encoder_that_dies(self):
        environment = self.fake('case "$*" in *" -y "*) head -c 100000 >/dev/null; '
                                'echo it broke >&2; exit 3;; esac')
        self.assert_nothing_left(self.run_with(environment), "x.mp4", "it broke")
        full = "[error] No space left on device"  # when the codec is tried: no reason to drop the sound
        environment = self.fake(f'case "$*" in *" -shortest "*) echo "{full}" >&2; exit 1;; esac')
        self.assert_nothing_left(self.run_with(environment), "x.mp4", "No space left")

    def test_a_decoder_that_dies(self):
        """Nothing is wrong with the file, nor where ffmpeg does not know an option."""
        for body, words in (("head -c 1000000 /dev/zero; echo it broke >&2; exit 3", "it broke"),
                            ("echo \"[error] Unrecognized option 'vsync'.\" >&2; exit 8", "vsync")):
            with self.subTest(words):
                done = self.run_with(self.fake(f'case "$*" in *"rgb24 -") {body};; esac'))
                self.assert_nothing_left(done, "clip.mp4", words)
                self.assertNotIn("damage", done.stderr)

    def test_a_decoder_that_fails_at_once(self):
        environment = self.fake('case "$*" in *select=*) echo "[h264 @ 0x1] [error] it broke" >&2; exit 1;; esac')
        self.assert_nothing_left(self.run_with(environment), "cannot decode frame 1: it broke")

    @measures
    def test_pixel_formats(self):
        """Frames are decoded with the depth, grey and alpha of the video, in all formats of ffmpeg."""
        formats = subprocess.run(["ffmpeg", "-v", "error", "-pix_fmts"], capture_output=True, text=True).stdout
        environment = self.fake('echo "$*" >&2; exit 1')
        self.fake_probe('[ -s probed ] || $probe "$@" > probed; sed "s/^pix_fmt=.*/pix_fmt=$PIXELS/" probed')
        rows = [row.split() for row in formats.partition("-----")[2].splitlines() if row]
        kinds = {}  # without byte orders, subsampling of chroma, and formats without depths of their own
        for _, name, _, _, depths in rows:
            kinds.setdefault(re.sub(r"\d+p|be$|le$", "", name), (name, [*map(int, depths.split("-"))]))
        for name, depths in kinds.values():
            if depths == [0] or name.startswith(("pal8", "bayer")):
                continue
            expected = ("gray", "gray16le") if name.startswith("gray") else \
                ("rgba", "rgba64le") if len(depths) % 2 == 0 else ("rgb24", "rgb48le")
            done = self.run_with({**environment, "PIXELS": name})
            self.assertIn(f"-pix_fmt {expected[max(depths) > 8]} -", done.stderr, name)

    def test_times_that_overflow(self):
        """They count as unknown; the frames then have the rate in the header."""
        environment = self.fake("")
        self.fake_probe('$probe "$@" | sed -E "s/^(pts|best_effort_timestamp)=0$/\\1=-9223372036854775807/"')
        done = self.run_with(environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(frames_of(self.folder / "x.mp4"))
        self.assertIn(f"avg_frame_rate={RATE}/1", facts(self.folder / "x.mp4"))

    def test_a_disk_that_is_full(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        self.assert_nothing_left(self.run_with(ENVIRONMENT, preexec_fn=limit), "x.mp4")

    def test_an_encoder_that_hides_its_failure(self):
        """It says that the disk is full, writes part of the video, and exits with 0."""
        for text in ("[error] Error writing trailer of x: No space left on device", "[error] it broke"):
            environment = self.fake(
                f'case "$*" in *" -y "*) for last; do :; done; shift $(($# - 1)); '
                f'head -c 600000 | {shutil.which("ffmpeg")} -v error -y -f rawvideo -pix_fmt rgb24 '
                f'-s {WIDTH}x{HEIGHT} -i - -c:v ffv1 -f matroska "$last"; cat >/dev/null; '
                f'echo "{text}" >&2; exit 0;; esac')
            self.assert_nothing_left(self.run_with(environment), "x.mp4", text.split("] ")[1])

    def test_an_encoder_that_talks(self):
        """Some encoders print lines of information, whatever ffmpeg is told."""
        self.cof("video", "clip.mp4", "out.mkv", "--encode", "-c:v libx265 -preset ultrafast")
        environment = self.fake('case "$*" in *" -y "*) echo "codec [info]: hello" >&2; esac')
        self.assertEqual(self.run_with(environment).returncode, 0)

    def test_an_encoder_that_writes_nothing(self):
        self.assert_rejected("video clip.mp4 x.mp4 --encode=-fnull", 1, "x.mp4")
        done = run_cof(["video", "clip.mp4", "x.mp4", "--encode", "-f null"], self.folder)
        self.assert_nothing_left(done, "x.mp4", "wrote no video")

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([COF, "video", "--iterations", "200", "clip.mp4", "x.mp4"],
                                       cwd=self.folder, env=ENVIRONMENT, stderr=subprocess.PIPE, start_new_session=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            while not any(self.folder.glob(".cof-*")):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            time.sleep(0.3)
            os.killpg(process.pid, number)  # as Ctrl-C does
            self.assertEqual(process.communicate(timeout=TIMEOUT)[1], b"")
            self.assertEqual(process.returncode, 128 + number)
            time.sleep(0.5)
            self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".cof")
                              or p.name == "x.mp4"], [])

    def test_no_folder_for_temporary_files(self):
        self.assertEqual(self.run_with({**ENVIRONMENT, "TMPDIR": "/nonexistent"}).returncode, 0)

    def test_killed(self):
        """The decoder and the encoder end with the command, and the next run removes the rest."""
        process = subprocess.Popen([COF, "video", "--iterations", "200", "clip.mp4", "x.mp4"], cwd=self.folder,
                                   env=ENVIRONMENT)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        end = time.monotonic() + TIMEOUT
        while not any(self.folder.glob(".cof-*")) or len(children.read_text().split()) < 2:
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
        pids = children.read_text().split()
        process.kill()
        process.wait(timeout=TIMEOUT)
        while any(self.is_alive(pid) for pid in pids):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        self.assertEqual(len(list(self.folder.glob(".cof-*"))), 1)
        self.cof("video", "clip.mp4", "y.mp4")
        self.assertEqual(list(self.folder.glob(".cof-*")), [])

    @staticmethod
    def is_alive(pid):
        """Zombies that nobody waits for are not."""
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False


@measures
class DamagedVideos(FolderTest):
    """A file that is cut or changed is refused, and a good one never."""

    def setUp(self):
        super().setUp()
        make_clip(self.folder / "clip.mp4", frames=20, motion=PAN.replace(f"{WIDTH}x{HEIGHT}", "96x64"),
                  options=("-movflags", "faststart"))

    def make(self, name, *options):
        ffmpeg("-i", self.folder / "clip.mp4", *options, self.folder / name)
        return name

    def video(self, name, *options):
        return run_cof(["video", "--window", 3, "--colours", 4, name, "out.mkv", "--encode",
                        "-c:v mpeg4 -q:v 3", *options], self.folder)

    def assert_good(self, name):
        done = self.video(name)
        self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def assert_damaged(self, name, keep=False):
        """Refused with one line, and filtered on request with another."""
        before = sorted(os.listdir(self.folder))
        done = self.video(name)
        self.assertEqual(done.returncode, 1, name)
        self.assertRegex(done.stderr, rf"\Acof: {name}: is damaged: [^\n]+; see --keep-damaged\n\Z")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        if not keep:
            return
        done = self.video(name, "--keep-damaged")
        self.assertEqual(done.returncode, 0, (name, done.stderr))
        self.assertRegex(done.stderr, rf"\Acof: note: {name}: is damaged: [^\n]+\n\Z")
        (self.folder / "out.mkv").unlink()

    def change(self, name, change):
        path = self.folder / f"bad-{name}"
        path.write_bytes(change((self.folder / name).read_bytes()))
        return path.name

    def test_good_files(self):
        """Among them: variable frame rates, an edit list, a cut at an open GOP, fragments."""
        names = [self.make("a.mkv", "-c", "copy"), self.make("a.avi", "-c:v", "mpeg4"),
                 self.make("a.gif", "-an"), self.make("a.webm", "-c:v", "vp8", "-an"),
                 self.make("a.ts", "-c", "copy"), self.make("mjpeg.avi", "-c:v", "mjpeg", "-an"),
                 self.make("fragments.mp4", "-c", "copy", "-movflags", "frag_keyframe+empty_moov")]
        for suffix in ("mp4", "mkv", "avi"):
            names.append(self.make(f"variable.{suffix}", "-vf", "select='not(mod(n,3))+eq(mod(n,7),1)'",
                                   "-fps_mode", "vfr", "-c:v", "libx264" if suffix != "avi" else "mpeg4"))
        ffmpeg("-ss", 0.3, "-i", self.folder / "clip.mp4", "-c", "copy", self.folder / "edits.mp4")
        self.make("open.mp4", "-c:v", "libx264", "-x264-params", "open-gop=1:keyint=8")
        for suffix in ("mp4", "mkv"):
            ffmpeg("-ss", 0.4, "-i", self.folder / "open.mp4", "-c", "copy", self.folder / f"cut.{suffix}")
        for name in [*names, "edits.mp4", "cut.mp4", "cut.mkv"]:
            with self.subTest(name):
                self.assert_good(name)

    def test_truncated_files(self):
        for name in ("clip.mp4", self.make("a.mkv", "-c", "copy"), self.make("a.avi", "-c:v", "mpeg4"),
                     self.make("a.gif", "-an"),
                     self.make("fragments.mp4", "-c", "copy", "-movflags", "frag_keyframe+empty_moov")):
            with self.subTest(name):
                self.assert_damaged(self.change(name, lambda b: b[:len(b) * 6 // 10]), name == "a.mkv")

    def test_changed_bytes(self):
        def change(data):
            source, data = random.Random(1), bytearray(data)
            for _ in range(60):
                data[source.randrange(len(data) // 8, len(data) * 7 // 8)] = source.randrange(256)
            return bytes(data)
        for name in ("clip.mp4", self.make("a.avi", "-c:v", "mpeg4"), self.make("a.gif", "-an"),
                     self.make("mjpeg.avi", "-c:v", "mjpeg", "-an")):
            with self.subTest(name):
                self.assert_damaged(self.change(name, change), name == "clip.mp4")

    def test_playlists_are_not_followed(self):
        self.make("secret.ts", "-c", "copy")
        for name, text in (("hls.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:2,\n{}\n#EXT-X-ENDLIST\n"),
                           ("concat.mp4", "ffconcat version 1.0\nfile {}\n"),
                           ("http.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:2,\n"
                                        "http://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n")):
            (self.folder / name).write_text(text.format("secret.ts"))
            with self.subTest(name):
                self.assert_rejected(f"video {name} x.mp4", 1, name, "playlist")


if __name__ == "__main__":
    command.TIMEOUT = 300
    unittest.main()
