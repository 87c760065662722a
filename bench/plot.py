# SPDX-License-Identifier: BSD-2-Clause
"""The plots of a benchmark, as SVG: python3 bench/plot.py bench/results.json docs/pictures

Written here and not with a plotting library, so that the files are small, the same on every
machine, and readable on light and dark pages: each brings its own white background.
"""
import json
import math
import pathlib
import sys
from xml.sax.saxutils import escape

from results import BILATERAL, EXACT, FAST, SIZE_NAMES, STAGES, Results

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 76, 24, 92, 60  # the margins around the area of the data
INK, FAINT, GRID = "#1f2328", "#59636e", "#e4e7eb"
COLOURS = {BILATERAL: "#7a7f87", EXACT: "#0072b2", FAST: "#d55e00"}
STAGE_COLOURS = {"colour": "#e69f00", "palette": "#cc79a7", "labels": "#56b4e9",
                 "count": "#009e73", "model": "#b8a100", "filter": "#0072b2", "store": "#d55e00",
                 "rest": "#c4c9d0"}


class Canvas:
    """Collects shapes and writes them as one SVG file."""

    def __init__(self, title, subtitle, height=HEIGHT):
        self.height = height
        self.title = title
        self.parts = []
        self.rectangle(0, 0, WIDTH, height, "#ffffff")
        self.text(24, 34, title, size=18, weight=600)
        self.text(24, 56, subtitle, colour=FAINT)

    def rectangle(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                          f'height="{height:.1f}" fill="{colour}"/>')

    def line(self, x1, y1, x2, y2, colour=GRID, width=1, dashes=""):
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{colour}" stroke-width="{width}"{dashed}/>')

    def curve(self, points, colour, dashes=""):
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                          f'stroke-width="{1.5 if dashes else 2.5}" stroke-linejoin="round"'
                          f'{dashed}/>')
        for x, y in points:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 if dashes else 4}" '
                              f'fill="{"#ffffff" if dashes else colour}" stroke="{colour}" '
                              f'stroke-width="1.5"/>')

    def text(self, x, y, text, size=13, colour=INK, anchor="start", weight=400, turn=0):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
                          f'text-anchor="{anchor}" font-weight="{weight}"{turned}>'
                          f'{escape(text)}</text>')

    def write(self, path):
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
            f'width="{WIDTH}" height="{self.height}" role="img" '
            f'font-family="system-ui, \'Segoe UI\', Helvetica, Arial, sans-serif">\n'
            f'<title>{escape(self.title)}</title>\n' + "\n".join(self.parts) + "\n</svg>\n")


class Axis:
    """From values to places on the canvas; logarithmic or from 0."""

    def __init__(self, low, high, start, end, logarithmic):
        self.bend = math.log if logarithmic else float
        self.low, self.high = self.bend(low), self.bend(high)
        self.start, self.end = start, end

    def __call__(self, value):
        share = (self.bend(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def decades(low, high):
    """1, 2, 5, 10, ... that lie between, one step beyond on either side."""
    steps = [digit * 10.0 ** power for power in range(-3, 7) for digit in (1, 2, 5)]
    first = max(i for i, step in enumerate(steps) if step <= low)
    last = min(i for i, step in enumerate(steps) if step >= high)
    return steps[first:last + 1]


def even_ticks(high, count=5):
    """0 and round steps up to the first that is not below `high`."""
    step = next(step for step in decades(high / count, high) if step >= high / count)
    return [step * i for i in range(math.ceil(high / step - 1e-9) + 1)]


def number(value):
    return f"{value:,.0f}".replace(",", "\u2009") if value >= 1 else f"{value:g}"


def draw_axes(canvas, x_axis, x_ticks, x_title, y_axis, y_ticks, y_title):
    """Ticks are (value, text)."""
    for value, text in y_ticks:
        canvas.line(x_axis.start - 14, y_axis(value), x_axis.end + 14, y_axis(value))
        canvas.text(x_axis.start - 22, y_axis(value) + 4.5, text, colour=FAINT, anchor="end")
    canvas.line(x_axis.start - 14, y_axis.start, x_axis.end + 14, y_axis.start, FAINT)
    for value, text in x_ticks:
        canvas.line(x_axis(value), y_axis.start, x_axis(value), y_axis.start + 5, FAINT)
        canvas.text(x_axis(value), y_axis.start + 21, text, colour=FAINT, anchor="middle")
    canvas.text((x_axis.start + x_axis.end) / 2, y_axis.start + 45, x_title, anchor="middle")
    canvas.text(22, (y_axis.start + y_axis.end) / 2, y_title, anchor="middle", turn=-90)


def draw_legend(canvas, x, y, entries):
    """Entries are (text, colour, dashes), side by side."""
    for text, colour, dashes in entries:
        canvas.line(x, y - 4.5, x + 26, y - 4.5, colour, 2 if dashes else 3, dashes)
        canvas.text(x + 33, y, text)
        x += 33 + 7.2 * len(text) + 22


def series_of(results, values, key, scale):
    """(name, dashes, points) of each filter with all threads and with one."""
    found = []
    for name in (BILATERAL, EXACT, FAST):
        for threads in reversed(results.values("threads")):
            points = []
            for value in values:
                seconds = results.median(name, threads=threads, **{key: value})
                if seconds:
                    points.append((value, scale(value, 1e3 * seconds)))
            if points:
                found.append((name, "6 4" if threads == 1 else "", points))
    return found


def line_chart(canvas, series, x_ticks, x_title, y_ticks, y_title, logarithmic):
    """Lines over a logarithmic x axis; threads of the machine drawn through, one thread dashed."""
    x_axis = Axis(x_ticks[0][0], x_ticks[-1][0], LEFT + 14, WIDTH - RIGHT - 14, True)
    y_axis = Axis(y_ticks[0], y_ticks[-1], HEIGHT - BOTTOM, TOP, logarithmic)
    draw_axes(canvas, x_axis, x_ticks, x_title, y_axis,
              [(tick, number(tick)) for tick in y_ticks], y_title)
    for name, dashes, points in series:
        canvas.curve([(x_axis(x), y_axis(y)) for x, y in points], COLOURS[name], dashes)
    names = list(dict.fromkeys(name for name, _, _ in series))
    entries = [(name, COLOURS[name], "") for name in names]
    if any(dashes for _, dashes, _ in series):
        entries.append(("1 thread", FAINT, "6 4"))
    draw_legend(canvas, 24, 80, entries)


def subtitle_of(results, text):
    machine = results.document["machine"]
    return f"{text}; {machine['threads']} threads, {machine['cpu']}"


def plot_windows(results, path):
    windows = results.values("window")
    series = series_of(results, windows, "window", lambda _, ms: ms)
    heights = [y for _, _, points in series for _, y in points]
    canvas = Canvas("Time against the size of the window",
                    subtitle_of(results, "1 megapixel, 8-bit RGB, learning included"))
    line_chart(canvas, series, [(window, str(window)) for window in windows],
               "side of the window, pixels", decades(min(heights), max(heights)),
               "time, ms (logarithmic)", True)
    canvas.write(path)


def plot_sizes(results, path):
    sizes = results.values("pixels")
    series = series_of(results, sizes, "pixels", lambda pixels, ms: ms / (pixels / 2 ** 20))
    heights = [y for _, _, points in series for _, y in points]
    canvas = Canvas("Time per megapixel against the size of the image",
                    subtitle_of(results, "window 15, 8-bit RGB, learning included"))
    line_chart(canvas, series, [(size, SIZE_NAMES[size]) for size in sizes],
               "size of the image (1 MP: 2\u00b2\u2070 pixels)", even_ticks(max(heights)),
               "time, ms per 2\u00b2\u2070 pixels", False)
    canvas.write(path)


def stage_bars(results):
    """(label, ms, [(colour, ms)...]) of every bar, at 1 megapixel and a window of 15."""
    bars = []
    for threads in results.values("threads"):
        how = "1 thread" if threads == 1 else f"{threads} threads"
        for name in (BILATERAL, EXACT, FAST):
            seconds = results.median(name, threads=threads)
            stages = results.stages(name, threads=threads)
            if not seconds:
                continue
            parts = [(COLOURS[name], 1e3 * seconds)]
            if stages:
                parts = [(STAGE_COLOURS[stage], 1e3 * stages[stage])
                         for stage in (*STAGES, "rest")]
            bars.append((f"{name.removeprefix('cv2.')}, {how}", 1e3 * seconds, parts))
        bars.append(None)  # a gap
    return bars[:-1]


def draw_bar(canvas, axis, y, height, total, parts):
    x = 0.0
    for colour, ms in parts:
        canvas.rectangle(axis(x), y, axis(x + ms) - axis(x), height, colour)
        x += ms
    canvas.text(axis(x) + 8, y + height / 2 + 4.5, f"{total:.{0 if total >= 10 else 1}f} ms")


def draw_stage_legend(canvas, x, y):
    for stage in (*STAGES, "rest"):
        canvas.rectangle(x, y - 11, 13, 13, STAGE_COLOURS[stage])
        canvas.text(x + 19, y, stage)
        x += 19 + 7.2 * len(stage) + 20


def plot_stages(results, path):
    bars = stage_bars(results)
    left, pitch, gap, thickness = 196, 36, 14, 24
    bottom = TOP + 12 + sum(pitch if bar else gap for bar in bars)
    ticks = even_ticks(max(bar[1] for bar in bars if bar))
    canvas = Canvas("Where the time goes",
                    subtitle_of(results, "1 megapixel, 8-bit RGB, window 15"), bottom + BOTTOM)
    axis = Axis(0, ticks[-1], left, WIDTH - RIGHT - 56, False)
    for tick in ticks:
        canvas.line(axis(tick), TOP + 6, axis(tick), bottom)
        canvas.text(axis(tick), bottom + 21, number(tick), colour=FAINT, anchor="middle")
    canvas.text((axis.start + axis.end) / 2, bottom + 45, "time, ms", anchor="middle")
    y = TOP + 14
    for bar in bars:
        if bar:
            canvas.text(left - 12, y + thickness / 2 + 4.5, bar[0], anchor="end")
            draw_bar(canvas, axis, y, thickness, *bar[1:])
        y += pitch if bar else gap
    draw_stage_legend(canvas, 24, 82)
    canvas.write(path)


def write_all(results, folder):
    """The paths that were written."""
    folder.mkdir(parents=True, exist_ok=True)
    plots = {"speed-windows.svg": plot_windows, "speed-sizes.svg": plot_sizes,
             "speed-stages.svg": plot_stages}
    for name, function in plots.items():
        function(results, folder / name)
    return [folder / name for name in plots]


if __name__ == "__main__":
    write_all(Results(json.loads(pathlib.Path(sys.argv[1]).read_text())),
              pathlib.Path(sys.argv[2]))
