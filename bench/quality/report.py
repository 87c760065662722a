# SPDX-License-Identifier: BSD-2-Clause
"""Writes the results: tables, a plot of precision and recall, and JSON."""
import itertools
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from filters import COF, NONE, words  # noqa: E402
from plot import BOTTOM, Axis, Canvas, HEIGHT, LEFT, RIGHT, TOP, WIDTH, draw_axes  # noqa: E402
from scores import GOALS  # noqa: E402

OURS = ("#0072b2", "#003f66", "#3f8fd0", "#7fb2e5")
COLOURS = ("#7a7f87", "#e69f00", "#56b4e9", "#009e73", "#b8a100", "#d55e00", "#cc79a7", "#5b4fa2",
           "#8c564b", "#17becf", "#4d7c0f", "#be123c", "#0f766e", "#a16207")


# The columns of the table of all measures, then those of each alone.
SUMMARY = {"boundaries": {"F": "f", "colour shift": "shift_95"},
           "shapes": {"at rims": "rim", "rims ± 1": "near", "inside": "inside", "all": "all"},
           "drawings": {"PSNR": "psnr", "SSIM": "ssim"}}
COLUMNS = {"boundaries": {"F": "f", "precision": "precision", "recall": "recall",
                          "F, threshold per image": "f_each", "contrast": "contrast",
                          "colour shift, median": "shift_median", "95 %": "shift_95"},
           "shapes": {**SUMMARY["shapes"], "SSIM": "ssim"}, "drawings": SUMMARY["drawings"]}
# How the scores are written; decibels else.
FORMS = {"f": ".3f", "precision": ".3f", "recall": ".3f", "f_each": ".3f", "ssim": ".3f",
         "contrast": ".2f", "shift_median": ".2f", "shift_95": ".2f"}


def cells(row, columns):
    return [format(row[measure], FORMS.get(measure, ".2f")) for measure in columns.values()]


def ranked(result, measure):
    """The rows, best first."""
    return sorted(result[measure]["filters"].items(), key=lambda row: -row[1][GOALS[measure]])


def table(head, rows):
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]


def bold(title, row):
    return f"**{title}**" if row["ours"] else title


def summary_table(result):
    """One line for each filter, with all measures."""
    measured = [measure for measure in SUMMARY if measure in result]
    head = ["filter"] + [f"{measure}: {name}" if i == 0 else name for measure in measured
                         for i, name in enumerate(SUMMARY[measure])]
    rows = []
    for title, row in ranked(result, measured[0]):
        found = (cells(result[measure]["filters"][title], SUMMARY[measure]) for measure in measured)
        rows.append([bold(title, row), *itertools.chain(*found)])
    return table(head, rows)


def measure_table(result, measure):
    rows = [[bold(title, row), *cells(row, COLUMNS[measure]), words(row["setting"])]
            for title, row in ranked(result, measure)]
    lines = table(["filter", *COLUMNS[measure], "setting"], rows)
    leads = result[measure].get("leads", {})
    return lines + [""] * bool(leads) + [
        f"- {name}: leads {result[measure]['best_baseline']}, the best of the others, by "
        f"{lead['lead']:.3f} (95 %: {lead['low']:.3f} to {lead['high']:.3f}) on "
        f"{result[measure]['images']} photographs." for name, lead in leads.items()]


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
    shades, of_ours = itertools.cycle(COLOURS), itertools.cycle(OURS)
    rows = ranked(result, "boundaries")
    step = min(22, (HEIGHT - BOTTOM - TOP) / len(rows))
    for i, (name, row) in enumerate(rows):
        colour = next(of_ours if row["ours"] else shades)
        width = 3 if row["ours"] else 1.3
        canvas.parts.append(
            '<polyline points="' + " ".join(f"{x(r):.1f},{y(p):.1f}" for r, p in row["curve"]) +
            f'" fill="none" stroke="{colour}" stroke-width="{width}"'
            f'{" stroke-dasharray=" + chr(34) + "5 3" + chr(34) if name == NONE else ""}/>')
        top = TOP + step * i
        canvas.line(WIDTH - RIGHT - 165, top - 4.5, WIDTH - RIGHT - 145, top - 4.5, colour, 3)
        canvas.text(WIDTH - RIGHT - 138, top, f"{row['f']:.3f} {name}",
                    weight=600 if row["ours"] else 400)
    canvas.write(path)


def write(result, folder):
    (folder / "quality.json").write_text(json.dumps(result, indent=1) + "\n")
    parts = [summary_table(result)]
    parts += [measure_table(result, measure) for measure in COLUMNS if measure in result]
    if "boundaries" in result:
        draw(result, folder / "quality.svg")
    if "explored" in result:
        parts.append(explored_table(result["explored"]))
    text = "\n\n".join("\n".join(part) for part in parts) + "\n"
    (folder / "quality.md").write_text(text)
    print(text, end="")
