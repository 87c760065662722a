# SPDX-License-Identifier: BSD-2-Clause
"""The paper's figures of settings: window, softness, repetition, convergence."""
from figure import Figure, Panel, enlarged, framed, part

RED = (60, 60, 230)


def window_size(work):
    place = (210, 130, 250, 250)
    work.photo("ihc.png")
    work.shell("for side in 3 5 15 31; do\n"
                "    cof --window $side --iterations 3 \\\n"
                "        ihc.png window-$side.png\n"
                "done")
    panels = []
    for name, title, alt in (
            ("ihc", "Input", "Part of stained tissue: brown glands, blue nuclei, fibres"),
            ("window-3", "Window of 3 × 3", "The grain of the fibres is gone"),
            ("window-5", "Window of 5 × 5", "Fibres are gone, lines in the glands are thinner"),
            ("window-15", "Window of 15 × 15", "Lines in the glands melt, rims are sharp"),
            ("window-31", "Window of 31 × 31", "A little smoother still")):
        image = enlarged(part(work.image(f"{name}.png"), place), 2)
        panels.append(Panel(f"window-{name}", image, title, alt))
    return Figure(
        "window", "The size of the window",
        "The window says what counts as near. The larger it is, the larger are the things that "
        "are smoothed away: first the grain, then fibres, then the lines inside the glands. What "
        "remains keeps its edges.", panels,
        "The weights inside the window fade from its middle: σ² = 2√w + 1, as in the paper. So "
        "the step from 15 to 31 is a small one; --sigma makes it larger.")


def hard_and_soft(work):
    place = (130, 50, 200, 180)
    image = work.photo("astronaut.png")
    work.shell("cof --iterations 5 --softness 0 astronaut.png hard.png\n"
                "cof --iterations 5 astronaut.png soft.png")
    close = [enlarged(part(work.image(name), place), 2)
             for name in ("astronaut.png", "hard.png", "soft.png")]
    return Figure(
        "softness", "Hard against soft",
        "A palette of 32 colours cuts the smooth shading of a cheek into pieces. Hard: each "
        "pixel belongs to one colour, and after five passes the cuts are seen as islands with "
        "jagged rims. Soft, which is the default: a colour counts for similar ones, and the "
        "shading stays whole.",
        [Panel("softness-where", framed(image, [place], [RED], 3), "Input",
               "Portrait of an astronaut"),
         Panel("softness-input", close[0], "Enlarged", "The face of the astronaut"),
         Panel("softness-hard", close[1], "Hard (softness 0)",
               "Islands of flat colour in the face"),
         Panel("softness-soft", close[2], "Soft (softness 0.75)",
               "A smooth face, eyes and mouth blurred")],
        "A face is no texture: five passes take its features away, and softness takes more of "
        "them. See what it is not the right tool for.")


def iterative_and_rolling(work):
    place = (225, 270, 200, 230)
    image = work.photo("ihc.png")
    work.shell("cof --iterations 10 ihc.png iterative.png\n"
                "cof --iterations 10 --rolling ihc.png rolling.png")
    panels = [Panel("rolling-where", framed(image, [place], [RED], 3), "Input",
                    "Stained tissue with a frame around one gland")]
    for name, title, alt in (
            ("ihc", "Input, enlarged", "One gland with dark lines"),
            ("iterative", "Iterative: learned once", "The gland is flat, nuclei are pale"),
            ("rolling", "Rolling: learned before each pass",
             "The rim is sharper, spots remain in the gland")):
        result = work.image(f"{name}.png")
        panels.append(Panel(f"rolling-{name}", enlarged(part(result, place), 2), title, alt))
    return Figure(
        "rolling", "Iterative against rolling",
        "Ten passes, with what was learned once from the input, or learned anew before each pass. "
        "Rolling sees an image that is smoother each time, so what is left looks ever more like "
        "a boundary: rims turn crisp, but spots of texture stay as well.", panels,
        "The paper prefers the iterative form, and it is our default.")


def convergence(work):
    image = work.photo("chelsea.png")
    work.shell("for passes in 1 3 10; do\n"
                "    cof --iterations $passes \\\n"
                "        chelsea.png passes-$passes.png\n"
                "done\n"
                "cof show --convergence --iterations 20 \\\n"
                "    chelsea.png -o convergence.svg")
    panels = []
    for passes, alt in ((1, "the fur is smoother"), (3, "the fur is gone, stripes are left"),
                        (10, "large patches with sharp rims")):
        name = f"passes-{passes}"
        panels.append(Panel(f"convergence-{passes}", work.image(f"{name}.png"),
                            f"{passes} pass{'es' if passes > 1 else ''}", f"The cat: {alt}"))
    panels.append(Panel("convergence-curve", None,
                        "Mean square change of each pass, in grey values",
                        "A curve that falls steeply at first, then slowly", True,
                        (work.folder / "convergence.svg").read_bytes(), span=0))
    return Figure(
        "convergence", "Convergence",
        "Each pass changes less than the one before: most of the work is "
        "done after three, and little happens after ten. --until 0.5 stops "
        "by itself, here after five.", panels, columns=3,
        slider=(Panel("convergence-before", image, "before", "The face of a striped cat"),
                Panel("convergence-after", work.image("passes-3.png"), "3 passes",
                      "The cat without its fur's texture")))


FIGURES = [window_size, hard_and_soft, iterative_and_rolling, convergence]
