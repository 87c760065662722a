# SPDX-License-Identifier: BSD-2-Clause
"""The paper's figures on synthetic images: edges, context, regions, quantisation."""
import plots
import synthetic
from figure import Figure, Panel, difference, enlarged, framed, zoomed

RED, YELLOW, GREEN = (60, 60, 230), (0, 200, 240), (70, 180, 40)


def edge_strength(work):
    image = work.put("two-regions.png", synthetic.two_regions())
    work.shell("cof --save-model learned.cof two-regions.png smooth.png\n"
               "cof show learned.cof -o matrix.png")
    work.python('import cv2\n'
                'image = cv2.imread("two-regions.png", 0)\n'
                'for sigma in (30, 220):\n'
                '    result = cv2.bilateralFilter(image, 15, sigma, 3)\n'
                '    cv2.imwrite(f"bilateral-{sigma}.png", result)')
    places, colours = [(100, 140, 60, 40), (150, 60, 60, 40)], [RED, YELLOW]
    panels = []
    for name, title, alt in (
            ("two-regions", "Input", "Noise, a checkerboard and the step"),
            ("smooth", "CoF", "The checkerboard is flat grey, the step is sharp"),
            ("bilateral-30", "Bilateral, σ 30", "The step is sharp, the checkerboard is untouched"),
            ("bilateral-220", "Bilateral, σ 220",
             "The checkerboard is paler but visible, the step is blurred")):
        panels.append(Panel(f"edges-{name}", zoomed(work.image(f"{name}.png"), places, 6,
                                                    colours), f"{title}, enlarged", alt, True))
    panels.append(matrix_panel(
        work, "edges", "matrix", "M: values are averaged (red) or not (blue)",
        "Heat map of M: two pale red squares on the diagonal, small red spots in the corners"))
    return Figure(
        "edges", "The strength of an edge does not matter",
        "The step between the regions is 50 grey values high, the edges of the checkerboards 255. "
        "But black and white occur next to each other all over the checkerboards, so these are "
        "smoothed. The values of the two regions meet only along one line, so the step stays "
        "sharp. A bilateral filter that keeps the step keeps the checkerboards; one that smooths "
        "the checkerboards blurs the step.", panels,
        "A few grains of noise remain: their values are so rare that they hardly occur with any "
        "others. More passes, or fewer bins (--levels 64), leave fewer of them.",
        slider=(Panel("edges-before", enlarged(framed(image, places, colours, 1), 2), "before",
                      "Two noisy regions, dark and light, with checkerboards in them", True),
                Panel("edges-after",
                      enlarged(framed(work.image("smooth.png"), places, colours, 1), 2),
                      "after", "Both regions and all checkerboards are flat, the step is sharp",
                      True)), columns=6)


def matrix_panel(work, figure, name, caption, alt):
    """The heat map that `cof show` draws, without its title."""
    image = work.image(f"{name}.png")[44:524]
    return Panel(f"{figure}-{name}", image, caption, alt, True, span=2)


WEIGHTS = '''import cof, cv2, numpy as np
y, x = np.mgrid[-7:8, -7:8]
window = np.s_[53:68, 53:68]    # of the centre pixel
for name in ("lone-star", "galaxy"):
    image = cv2.imread(f"{name}.png", 0)
    smooth = cof.smooth(image, channel_axis=None)
    cv2.imwrite(f"{name}-cof.png", smooth)
    smooth = cv2.bilateralFilter(image, 15, 50, 2.96)
    cv2.imwrite(f"{name}-bilateral.png", smooth)
    model = cof.Model.fit(image, channel_axis=None)
    gauss = np.exp((x**2 + y**2) / (-2 * model.sigma**2))
    label = model.label(image, channel_axis=None)
    near, centre = label[window], label[60, 60]
    weight = gauss * model.matrix[centre, near]
    np.save(f"{name}-cof.npy", weight)
    apart = image[window] - float(image[60, 60])
    weight = gauss * np.exp(-apart**2 / (2 * 50**2))
    np.save(f"{name}-bilateral.npy", weight)'''


def context(work):
    work.put("lone-star.png", synthetic.lone_star())
    work.put("galaxy.png", synthetic.galaxy())
    work.python(WEIGHTS)
    panels = []
    for name, what in (("lone-star", "one star"), ("galaxy", "many stars")):
        panels.append(Panel(f"context-{name}", enlarged(work.image(f"{name}.png"), 3),
                            f"Input: {what}", f"Dark sky with {what}", True))
        for filter_name, title in (("bilateral", "Bilateral"), ("cof", "CoF")):
            stem = f"{name}-{filter_name}"
            panels.append(Panel(f"context-{stem}", enlarged(work.image(f"{stem}.png"), 3), title,
                                f"{title} of {what}", True))
            weights = plots.heat(work.array(f"{stem}.npy"), 24)
            panels.append(Panel(f"context-{stem}-weights", weights,
                                f"{title}: weights of the centre pixel",
                                "The window of the centre pixel, brighter where the weights "
                                f"of {title} are larger", True))
    return Figure(
        "context", "The role of context",
        "The star in the middle, and everything in the window of its centre pixel, is the same in "
        "both images, so the bilateral filter gives the same weights. CoF learns from the whole "
        "image: if black and white often occur near each other, they are averaged, and the sky "
        "turns grey.", panels,
        "Around the lone star CoF leaves a faint glow, unlike the bilateral filter: black and "
        "white occur near each other there, though rarely.", columns=5)


def regions(work):
    image = work.put("steps.png", synthetic.steps())
    work.shell("cof --save-model all.cof steps.png all.png\n"
               "cof --save-model flat.cof --region 56,20,32,60 \\\n"
               "    steps.png flat.png\n"
               "cof --save-model edge.cof --region 142,110,4,80 \\\n"
               "    steps.png edge.png\n"
               "for part in all flat edge; do\n"
               "    cof show $part.cof -o $part-matrix.png\n"
               "done")
    places = [(1, 1, 238, 198), (56, 20, 32, 60), (141, 110, 6, 80)]
    twice = [[2 * value for value in place] for place in places]
    panels = [Panel("regions-input", framed(enlarged(image, 2), twice, [RED, YELLOW, GREEN], 3),
                    "Input, and learning regions: red, yellow, green",
                    "Five noisy grey bands with three rectangles", True, span=3)]
    clean = synthetic.clean_steps()
    for name, title, alt in (
            ("all", "Learned from the whole image (red)",
             "All bands are flat, all steps are sharp"),
            ("flat", "Learned inside one band (yellow)", "One band is flat, the rest is unchanged"),
            ("edge", "Learned along one step (green)",
             "Two bands are flat and the step between them is blurred, the rest is unchanged")):
        result = work.image(f"{name}.png")
        shown = result.copy()
        shown[120:] = difference(result, clean, 5)[120:]
        panels.append(Panel(f"regions-{name}", enlarged(shown, 2), title, alt, True, span=2))
    panels.append(Panel("regions-noise", enlarged(difference(image, clean, 5), 2),
                        "Noise of the input, amplified 5 times",
                        "White noise around middle grey", True, span=3))
    panels = [panels[0], panels[4], panels[1], panels[2], panels[3]]
    for name, title in (("all", "all"), ("flat", "one band"), ("edge", "one step")):
        panels.append(matrix_panel(work, "regions", f"{name}-matrix", f"M of {title}",
                                   f"Heat map of M learned from {title}"))
    return Figure(
        "regions", "Learning from a region of the image",
        "Values that do not occur in the learning region are not averaged and remain unchanged, "
        "including their noise. A rectangle therefore selects what is smoothed: everything, one "
        "band, or one step and the bands beside it. The lower part of each result is its "
        "difference from the image without noise, amplified five times.", panels,
        "To smooth the step itself, the green rectangle has to be as narrow as 4 pixels: in a "
        "wider one, most pairs lie on the same side, and the step is a boundary again.", columns=6)


def quantisation(work):
    image = work.put("ramp.png", synthetic.ramp())
    work.shell("cof ramp.png exact.png\n"
               "cof --levels 32 --softness 0 ramp.png hard.png\n"
               "cof --levels 32 ramp.png soft.png\n"
               "cof --levels 8 --softness 0 ramp.png coarse-hard.png\n"
               "cof --levels 8 ramp.png coarse-soft.png")
    named = (("exact", "256 levels, exact"), ("hard", "32 levels, hard"),
             ("soft", "32 levels, soft"), ("coarse-hard", "8 levels, hard"),
             ("coarse-soft", "8 levels, soft"))
    results = {name: work.image(f"{name}.png") for name, _ in named}
    panels = []
    for name, title in named:
        shown = results[name].copy()
        shown[64:] = difference(results[name], image, 8)[64:]
        panels.append(Panel(f"quantisation-{name}", shown, title,
                            f"The filtered ramp, and its difference from the ramp, with {title}",
                            True))
    lines = [(title, results[name][64].astype(float) - image[64]) for name, title in named]
    panels.append(Panel("quantisation-profile", plots.profiles(lines),
                        "Along row 64: result minus input",
                        "Curves of the error: sawtooth with hard assignment, nearly flat with soft "
                        "assignment", True, span=0, chart=True))
    return Figure(
        "quantisation", "Effects of quantisation",
        "The filter should leave a ramp unchanged. If its 256 values are quantised to 32 bins with "
        "hard assignment, the ramp becomes a staircase. With soft assignment, a value also counts "
        "for neighbouring bins, and the stairs nearly vanish. The lower half of each image is the "
        "difference from the ramp, amplified eight times.", panels,
        "All variants have errors at both ends of the ramp, where the window has values on one "
        "side only.")


FIGURES = [edge_strength, context, regions, quantisation]
