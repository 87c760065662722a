# SPDX-License-Identifier: BSD-2-Clause
"""Uses that the paper does not show."""
import synthetic
from figure import Figure, Panel, enlarged, part, peak_ratio


CARTOON = '''import cv2, numpy as np
flat = cv2.imread("flat.png")
grey = cv2.imread("smooth.png", 0)
ink = cv2.adaptiveThreshold(
    cv2.medianBlur(grey, 5), 255,
    cv2.ADAPTIVE_THRESH_GAUSSIAN_C,
    cv2.THRESH_BINARY, 9, 3)
cartoon = np.where(ink[..., None] == 0, flat // 3, flat)
cv2.imwrite("cartoon.png", cartoon)'''


def outlines(work):
    image = work.photo("astronaut.png")
    work.shell("cof --window 7 --iterations 3 astronaut.png smooth.png\n"
               "cof --softness 0 --colours 12 --iterations 4 \\\n"
               "    smooth.png flat.png")
    work.python(CARTOON)
    return Figure(
        "outlines", "Cartoon with outlines",
        "An artefact elsewhere is useful here: a small palette of 12 colours with hard assignment "
        "gives flat patches with clear edges. The outlines are found in the smoothed image, so "
        "they contain no texture.",
        [Panel("outlines-flat", work.image("flat.png"), "Flat patches",
               "The astronaut in flat colours"),
         Panel("outlines-smooth", work.image("smooth.png"), "Smoothed, for the outlines",
               "The astronaut, smooth")],
        "Small details suffer: the mouth has become dots.",
        slider=(Panel("outlines-before", image, "before", "The astronaut"),
                Panel("outlines-after", work.image("cartoon.png"), "after",
                      "The astronaut in flat colours with dark outlines")))


SEGMENT = '''import cv2, numpy as np
from skimage import segmentation
image = cv2.imread("ihc.png")
blurred = cv2.GaussianBlur(image, (0, 0), 4)
cv2.imwrite("gauss.png", blurred)
for name in ("ihc", "smooth", "gauss"):
    parts = segmentation.felzenszwalb(
        cv2.imread(f"{name}.png"),
        scale=300, sigma=0.5, min_size=100)
    np.save(f"{name}-parts.npy", parts)
    paint = [image[parts == i].mean(axis=0)
             for i in range(parts.max() + 1)]
    shown = 255 * segmentation.mark_boundaries(
        np.array(paint)[parts] / 255, parts, (0, 0, 0))
    cv2.imwrite(f"{name}-parts.png", np.rint(shown))'''


def segmenting(work):
    work.photo("ihc.png")
    work.shell("cof --iterations 10 ihc.png smooth.png")
    work.python(SEGMENT)
    panels = []
    for name, title, alt in (("ihc", "Unfiltered", "The glands are split into pieces"),
                             ("gauss", "After a Gaussian (σ 4)",
                              "A gland has merged with the tissue, double lines run along the "
                              "rims"),
                             ("smooth", "After CoF",
                              "Each gland is one segment, nuclei are segments")):
        count = int(work.array(f"{name}-parts.npy").max()) + 1
        panels.append(Panel(f"segmenting-{name}", work.image(f"{name}-parts.png"),
                            f"{title}: {count} segments", alt, True))
    return Figure(
        "segmenting", "Preprocessing for segmentation",
        "Felzenszwalb's segmentation with the same settings on three images. In the input, lines "
        "split the glands into pieces. After a blur, a gland merges with the tissue. After CoF, "
        "the glands are whole and their rims are in place.", panels,
        "A few slivers remain along the rims, where ten passes left a soft transition.")


TRACE = '''import cv2, numpy as np
for name in ("before", "after"):
    image, paths = cv2.imread(f"{name}.png"), []
    for blue, green, red in np.unique(
            image.reshape(-1, 3), axis=0).tolist():
        shape = (image == (blue, green, red)).all(axis=2)
        outlines, _ = cv2.findContours(
            np.uint8(shape), cv2.RETR_CCOMP,
            cv2.CHAIN_APPROX_NONE)
        lines = ("M" + " ".join(f"{x},{y}" for x, y in points)
                 for points in (cv2.approxPolyDP(
                     outline, 0.8, True)[:, 0]
                     for outline in outlines)
                 if len(points) > 2)
        colour = f"#{red:02x}{green:02x}{blue:02x}"
        paths.append(f'<path fill="{colour}" stroke="{colour}"'
                     f' fill-rule="evenodd" d="{"".join(lines)}"/>')
    height, width, _ = image.shape
    open(f"{name}.svg", "w").write(
        f'<svg xmlns="http://www.w3.org/2000/svg" '
        f'width="{width}" height="{height}">'
        + "".join(paths) + "</svg>")'''


def tracing(work):
    work.photo("coffee.png")
    work.shell("cof --strength 0 --posterise 12 --min-area 0 \\\n"
               "    coffee.png before.png")
    work.shell("cof --preset flat --posterise 12 coffee.png after.png")
    work.python(TRACE)
    drawings = {name: (work.folder / f"{name}.svg").read_bytes() for name in ("before", "after")}
    size = {name: len(drawing) / 1000 for name, drawing in drawings.items()}
    outlines = {name: drawing.count(b"M") for name, drawing in drawings.items()}
    return Figure(
        "tracing", "Preprocessing for vectorisation",
        "The outlines of twelve colours, as paths of an SVG. In the photograph, every grain of the "
        "wood becomes an outline. CoF leaves the outlines of objects, --posterise merges islands and "
        "gives anti-aliased borders no colours of their own, and the drawing is "
        f"{size['before'] / size['after']:.0f} times smaller.",
        [Panel("tracing-before", None, f"Unfiltered: {outlines['before']} outlines, "
               f"{size['before']:.0f} kB", "Thousands of specks", source=drawings["before"]),
         Panel("tracing-after", None, f"After CoF: {outlines['after']} outlines, "
               f"{size['after']:.0f} kB", "A drawing in flat colours", source=drawings["after"])],
        "Gradients become bands, which is unavoidable with twelve colours.")


TONE = '''import cv2, numpy as np
image = cv2.imread("coffee.png")
blurred = cv2.GaussianBlur(image, (0, 0), 8)
cv2.imwrite("gauss.png", blurred)
for name in ("smooth", "gauss"):
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
    base = cv2.imread(f"{name}.png")
    base = cv2.cvtColor(base, cv2.COLOR_BGR2LAB)[..., 0]
    detail = lab[..., 0] - base.astype(float)
    light = 128 + 0.6 * (base - 128.0) + 1.8 * detail
    lab[..., 0] = np.clip(light, 0, 255)
    result = cv2.cvtColor(lab, cv2.COLOR_LAB2BGR)
    cv2.imwrite(f"{name}-tone.png", result)'''


def tone(work):
    image = work.photo("coffee.png")
    work.shell("cof --iterations 3 --residual detail.png \\\n"
               "    coffee.png smooth.png")
    work.python(TONE)
    return Figure(
        "tone", "Base and detail: local contrast",
        "The smoothed image is the base layer; the residual is the detail layer. The contrast of "
        "the base is reduced to 0.6 and that of the detail increased to 1.8, which recovers the "
        "grain of the wood in the glare. With a Gaussian base, the same recipe causes dark and "
        "bright halos around cup and saucer.",
        [Panel("tone-base", work.image("smooth.png"), "Base", "The cup, without grain"),
         Panel("tone-detail", work.image("detail.png"), "Detail, around middle grey",
               "Grain and glints on grey"),
         Panel("tone-gauss", work.image("gauss-tone.png"), "Gaussian base: halos",
               "The cup with a dark halo on the table and a bright one on its rim")],
        slider=(Panel("tone-before", image, "before", "A cup of coffee with black shadows"),
                Panel("tone-after", work.image("smooth-tone.png"), "after",
                      "The shadows are lighter, the grain of the table is clear, there are no "
                      "halos")))


def denoising(work):
    clean = work.photo("chelsea.png")
    noisy = work.put("noisy.png", synthetic.noisy(clean.astype(float), 20, 7))
    work.shell("cof --window 5 --colours 64 noisy.png cof-5.png\n"
               "cof noisy.png cof-15.png")
    work.python('import cv2\n'
                'image = cv2.imread("noisy.png")\n'
                'result = cv2.bilateralFilter(image, 9, 50, 3)\n'
                'cv2.imwrite("bilateral.png", result)\n'
                'result = cv2.fastNlMeansDenoisingColored(\n'
                '    image, None, 10, 10, 5, 21)\n'
                'cv2.imwrite("means.png", result)')
    place = (110, 60, 200, 150)
    panels = []
    for name, title, alt in (("noisy", "Noisy, σ 20", "The cat with coarse noise"),
                             ("cof-5", "CoF, window 5", "The noise is gone, the stripes remain"),
                             ("cof-15", "CoF, window 15", "The noise and the fur are gone"),
                             ("bilateral", "Bilateral", "Some noise is left"),
                             ("means", "Non-local means",
                              "Some noise is left, the fur is kept in places")):
        image = work.image(f"{name}.png")
        panels.append(Panel(f"denoising-{name}", enlarged(part(image, place), 2),
                            f"{title}: {peak_ratio(image, clean):.1f} dB", alt))
    return Figure(
        "denoising", "Denoising that keeps structure",
        "Noise is a texture like any other: values that occur next to each other at random. A "
        "small window is sufficient and keeps more detail. Figures are peak signal-to-noise ratios "
        "against the clean photograph; larger is better.", panels,
        "CoF is on a par with non-local means here, with the best of a few settings tried for "
        "each. It is not primarily a denoiser: it removes the fur with the noise, and trained "
        "networks do better.",
        slider=(Panel("denoising-before", noisy, "noisy", "The cat with noise"),
                Panel("denoising-after", work.image("cof-5.png"), "window 5",
                      "The cat without noise")))


def radar(work):
    clean = synthetic.fields()
    work.put("radar.png", synthetic.speckled(clean, 4, 6))
    work.put("optical.png", synthetic.optical(clean))
    work.shell("cof --window 11 --levels 32 --iterations 3 \\\n"
               "    radar.png alone.png\n"
               "cof --guide optical.png --iterations 3 \\\n"
               "    radar.png guided.png")
    work.python('import cv2\n'
                'image = cv2.imread("radar.png", 0)\n'
                'smooth = cv2.GaussianBlur(image, (0, 0), 2.3)\n'
                'cv2.imwrite("gauss.png", smooth)')
    panels = [Panel("radar-optical", work.image("optical.png"),
                    "Optical image of the same place",
                    "Fields in dull colours with a little noise", True)]
    for name, title, alt in (("radar", "Radar, 4 looks", "Fields under strong speckle"),
                             ("gauss", "Gaussian, σ 2.3", "Blurred fields with some speckle"),
                             ("alone", "CoF", "Smooth fields with slightly soft rims"),
                             ("guided", "CoF with the optical guide",
                              "Flat fields with sharp rims")):
        image = work.image(f"{name}.png")
        panels.append(Panel(f"radar-{name}", image,
                            f"{title}: {peak_ratio(image, clean):.1f} dB", alt, True))
    return Figure(
        "radar", "Speckle, and a guide from another sensor",
        "A synthetic map of fields with the speckle of radar images. On its own, CoF is no better "
        "than a Gaussian with an optimised σ. With an optical image of the same place as a guide, "
        "which determines what is averaged, the fields become flat and their rims sharp, ready for "
        "registration or classification.", panels,
        "The scene is synthetic, and both sensors see the same boundaries; real pairs differ.")


def flash(work):
    bright = work.photo("coffee.png")
    clean, dim = synthetic.without_flash(bright)
    work.put("dim.png", dim)
    work.shell("cof --guide coffee.png dim.png guided.png\n"
               "cof dim.png alone.png")
    work.python('import cv2\n'
                'guide = cv2.imread("coffee.png")\n'
                'image = cv2.imread("dim.png")\n'
                'smooth = cv2.ximgproc.guidedFilter(guide, image, 6, 200)\n'
                'cv2.imwrite("reference.png", smooth)')
    place = (150, 60, 300, 210)
    panels = [Panel("flash-guide", part(bright, place), "Guide: with flash",
                    "The cup, bright and clean")]
    for name, title, alt in (("dim", "Without flash", "The cup, dim and noisy"),
                             ("alone", "CoF without the guide",
                              "The noise is gone, and so are the glints"),
                             ("guided", "CoF with the guide", "The cup, dim and clean"),
                             ("reference", "Guided filter",
                              "The cup, dim and clean, with its grain")):
        image = work.image(f"{name}.png")
        panels.append(Panel(f"flash-{name}", part(image, place),
                            f"{title}: {peak_ratio(image, clean):.1f} dB", alt))
    return Figure(
        "flash", "With and without flash",
        "An image without flash keeps the mood of the light but is noisy; one with flash is clean. "
        "The clean image is the guide, which determines what is averaged; the dim image is "
        "filtered.", panels,
        "The guided filter does better here: it can copy grain from the guide, while CoF smooths "
        "it away. (The dim image is made from the bright one, which suits the guided filter well.)",
        slider=(Panel("flash-before", dim, "without flash", "The whole image, dim and noisy"),
                Panel("flash-after", work.image("guided.png"), "after",
                      "The whole image, dim and clean")))


FIGURES = [outlines, segmenting, tracing, tone, denoising, radar, flash]
