# SPDX-License-Identifier: BSD-2-Clause
"""The paper's figures of options: window, softness, updates, convergence."""
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
            ("window-15", "Window of 15 × 15", "Lines in the glands disappear, rims are sharp"),
            ("window-31", "Window of 31 × 31", "Slightly smoother than with 15 × 15")):
        image = enlarged(part(work.image(f"{name}.png"), place), 2)
        panels.append(Panel(f"window-{name}", image, title, alt))
    return Figure(
        "window", "Window size",
        "The window defines what counts as near. The larger it is, the larger are the details that "
        "are smoothed away: first the grain, then the fibres, then the lines inside the glands. "
        "What remains keeps its edges.", panels,
        "The weights decrease from the centre of the window: σ² = 2√w + 1, as in the paper. The "
        "step from 15 to 31 is therefore small; --sigma makes it larger.")


def hard_and_soft(work):
    place = (130, 50, 200, 180)
    image = work.photo("astronaut.png")
    work.shell("cof --iterations 5 --softness 0 astronaut.png hard.png\n"
               "cof --iterations 5 astronaut.png soft.png")
    close = [enlarged(part(work.image(name), place), 2)
             for name in ("astronaut.png", "hard.png", "soft.png")]
    return Figure(
        "softness", "Hard and soft assignment",
        "A palette of 32 colours divides the smooth shading of a cheek into steps. With hard "
        "assignment, each pixel belongs to one colour, and after five passes the steps show as "
        "islands with jagged rims. With soft assignment, the default, a value also counts for "
        "similar colours, and the shading stays smooth.",
        [Panel("softness-where", framed(image, [place], [RED], 3), "Input",
               "Portrait of an astronaut"),
         Panel("softness-input", close[0], "Enlarged", "The face of the astronaut"),
         Panel("softness-hard", close[1], "Hard (softness 0)",
               "Islands of flat colour in the face"),
         Panel("softness-soft", close[2], "Soft (softness 0.75)",
               "A smooth face, eyes and mouth blurred")],
        "A face is not a texture: five passes remove its features, and soft assignment removes "
        "more of them. See “Where it is not the right tool”.")


def iterative_and_rolling(work):
    place = (225, 270, 200, 230)
    image = work.photo("ihc.png")
    work.shell("cof --iterations 10 ihc.png iterative.png\n"
               "cof --iterations 10 --update model \\\n"
               "    ihc.png rolling.png")
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
        "rolling", "Iterative and rolling filtering",
        "Ten passes, with a model that is learned once from the input (iterative) or again before "
        "each pass (rolling, --update model). Rolling learns from an image that is smoother each "
        "time, so the remaining details look more and more like boundaries: rims become crisp, but "
        "spots of texture remain as well.", panels,
        "The paper prefers the iterative form, which is the default here.")


def convergence(work):
    image = work.photo("chelsea.png")
    work.shell("for passes in 1 3 10; do\n"
               "    cof --iterations $passes \\\n"
               "        chelsea.png passes-$passes.png\n"
               "done\n"
               "cof show --convergence --iterations 20 \\\n"
               "    chelsea.png -o convergence.svg")
    panels = []
    for passes, alt in ((1, "the fur is smoother"), (3, "the fur is gone, the stripes remain"),
                        (10, "large patches with sharp rims")):
        name = f"passes-{passes}"
        panels.append(Panel(f"convergence-{passes}", work.image(f"{name}.png"),
                            f"{passes} pass{'es' if passes > 1 else ''}", f"The cat: {alt}"))
    panels.append(Panel("convergence-curve", None,
                        "Mean squared change of each pass, in grey values",
                        "A curve that falls steeply at first, then slowly", True,
                        (work.folder / "convergence.svg").read_bytes(), span=0, chart=True))
    return Figure(
        "convergence", "Convergence",
        "Each pass changes less than the previous one: most of the work is done after three "
        "passes, and little changes after ten. --tolerance 0.5 stops automatically, here after "
        "five passes.", panels, columns=3,
        slider=(Panel("convergence-before", image, "before", "The face of a striped cat"),
                Panel("convergence-after", work.image("passes-3.png"), "3 passes",
                      "The cat without the texture of its fur")))


FIGURES = [window_size, hard_and_soft, iterative_and_rolling, convergence]
