# SPDX-License-Identifier: BSD-2-Clause
"""Writes the results: tables, a plot of precision and recall, and JSON."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from filters import COF, NONE, OURS, words  # noqa: E402
from plot import BOTTOM, Axis, Canvas, HEIGHT, LEFT, RIGHT, TOP, WIDTH, draw_axes  # noqa: E402

COLOURS = ("#7a7f87", "#e69f00", "#56b4e9", "#009e73", "#b8a100", "#d55e00", "#cc79a7", "#5b4fa2",
           "#8c564b", "#17becf", "#4d7c0f", "#be123c", "#0f766e", "#a16207")


def by_f(result):
    return sorted(result["filters"].items(), key=lambda row: -row[1]["f"])


def photographs_table(result):
    lines = ["| filter | F | precision | recall | F, each its threshold | contrast | colour shift, "
             "median and 95 % | setting |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, row in by_f(result):
        title = f"**{name}**" if name in OURS else name
        lines.append(f"| {title} | {row['f']:.3f} | {row['precision']:.3f} | {row['recall']:.3f} | "
                     f"{row['f_each']:.3f} | {row['contrast']:.2f} | {row['shift_median']:.2f}, "
                     f"{row['shift_95']:.2f} | {words(row['setting'])} |")
    return lines + [""] + [f"{name}: leads {result['best_baseline']}, the best of the others, by "
                           f"{lead['lead']:.3f} (95 %: {lead['low']:.3f} to {lead['high']:.3f}) on "
                           f"{result['photographs']} photographs." for name, lead in result["leads"].items()]


def composites_table(result):
    lines = ["| filter | PSNR | at rims | beside rims | SSIM | setting |",
             "| --- | --- | --- | --- | --- | --- |"]
    for name, row in sorted(result["filters"].items(), key=lambda row: -row[1]["psnr"]):
        title = f"**{name}**" if name in OURS else name
        lines.append(f"| {title} | {row['psnr']:.2f} dB | {row['rim']:.2f} dB | "
                     f"{row['beside']:.2f} dB | {row['ssim']:.3f} | "
                     f"{words(row['setting'])} |")
    return lines


def explored_table(result):
    lines = ["| option | F of each value |", "| --- | --- |"]
    for option, found in result.items():
        best = max(score for _, score in found)
        cells = (f"**{value}: {score:.3f}**" if score == best else f"{value}: {score:.3f}"
                 for value, score in found)
        lines.append(f"| {option} | {', '.join(cells)} |")
    return lines


def draw(result, path):
    canvas = Canvas("Boundaries after each filter",
                    "precision over recall, over all thresholds of the detector; people's boundaries")
    x = Axis(0, 1, LEFT, WIDTH - RIGHT - 190, False)
    y = Axis(0, 1, HEIGHT - BOTTOM, TOP, False)
    ticks = [(step / 5, f"{step / 5:g}") for step in range(6)]
    draw_axes(canvas, x, ticks, "recall: of what people drew, how much is found", y, ticks,
              "precision: of what is found, how much people drew")
    shades = iter(COLOURS)
    for i, (name, row) in enumerate(by_f(result)):
        colour = {COF: "#0072b2", OURS[1]: "#003f66"}.get(name) or next(shades)
        canvas.parts.append(
            '<polyline points="' + " ".join(f"{x(r):.1f},{y(p):.1f}" for r, p in row["curve"]) +
            f'" fill="none" stroke="{colour}" stroke-width="{3 if name in OURS else 1.3}"'
            f'{" stroke-dasharray=" + chr(34) + "5 3" + chr(34) if name == NONE else ""}/>')
        top = TOP + 22 * i
        canvas.line(WIDTH - RIGHT - 165, top - 4.5, WIDTH - RIGHT - 145, top - 4.5, colour, 3)
        canvas.text(WIDTH - RIGHT - 138, top, f"{row['f']:.3f} {name}",
                    weight=600 if name in OURS else 400)
    canvas.write(path)


def write(result, folder):
    (folder / "quality.json").write_text(json.dumps(result, indent=1) + "\n")
    draw(result["photographs"], folder / "quality.svg")
    parts = [photographs_table(result["photographs"]), composites_table(result["composites"])]
    if "explored" in result:
        parts.append(explored_table(result["explored"]))
    text = "\n\n".join("\n".join(part) for part in parts) + "\n"
    (folder / "quality.md").write_text(text)
    print(text, end="")
