# SPDX-License-Identifier: BSD-2-Clause
"""Presets: sets of options for a purpose."""
import cv2

from figure import Figure, Panel, part, peak_ratio


def presets(work):
    image = work.photo("chelsea.png")
    work.shell("for preset in subtle texture cartoon; do\n"
               "    cof --preset $preset chelsea.png $preset.png\n"
               "done")
    shown = {name: work.image(f"{name}.png") for name in ("subtle", "texture", "cartoon")}
    return Figure(
        "three-presets", "Three presets",
        "A preset sets all options for a purpose, so there is no need to choose windows and "
        "palettes. subtle removes grain and the finest texture. texture removes texture and keeps "
        "boundaries, better than all other filters that we measured. cartoon paints flat patches "
        "of a few colours with clear edges.",
        [Panel("presets-subtle", shown["subtle"], "subtle",
               "The cat's fur is soft, its stripes are clear"),
         Panel("presets-texture", shown["texture"], "texture",
               "The fur is smooth, eyes and nose have sharp rims"),
         Panel("presets-cartoon", shown["cartoon"], "cartoon",
               "The cat, painted in flat patches")],
        "The preset texture removes the whiskers: the filter treats thin lines as texture.",
        slider=(Panel("presets-before", image, "before", "A cat with striped fur"),
                Panel("presets-after", shown["texture"], "texture",
                      "The cat without the texture of its fur")))


LARGE = '''import cv2
image = cv2.imread("coffee.png")
cv2.imwrite("large.png", cv2.resize(
    image, None, fx=5, fy=5,
    interpolation=cv2.INTER_CUBIC))'''


def sizes(work):
    """The crops show the same part of the small and the large image."""
    small = work.photo("coffee.png")
    work.python(LARGE)
    work.shell("cof --preset texture coffee.png small.png\n"
               "cof --preset texture large.png \\\n"
               "    large-preset.png\n"
               "cof --window 23 --iterations 8 --softness 0.5 \\\n"
               "    --method fast large.png large-pixels.png")
    done = work.image("small.png")
    as_small = {name: cv2.resize(work.image(f"{name}.png"), small.shape[1::-1],
                                 interpolation=cv2.INTER_AREA)
                for name in ("large-preset", "large-pixels")}
    near, far = (peak_ratio(as_small[name], done) for name in ("large-preset", "large-pixels"))
    return Figure(
        "sizes", "Presets scale with the size of the image",
        "The original image of the cup, 600 × 400 pixels, and an image that is five times as wide "
        "and high: 6 megapixels. A preset scales the windows with the image, learns from a "
        "downscaled copy and runs all passes but the last on it; the last pass runs at full size, "
        "so boundaries are as sharp as the large image. At the same size, the PSNR between both "
        f"results is {near:.0f} dB. With the window of the small image in pixels, the large image "
        "keeps its grain.",
        [Panel("sizes-small", part(done, (0, 140, 300, 200)), "small, preset texture",
               "The table is smooth"),
         Panel("sizes-large", part(as_small["large-preset"], (0, 140, 300, 200)),
               f"large, preset texture: {near:.0f} dB", "The table is equally smooth"),
         Panel("sizes-pixels", part(as_small["large-pixels"], (0, 140, 300, 200)),
               f"large, window of the small image: {far:.0f} dB", "The table still has its grain")])


FIGURES = [presets, sizes]
