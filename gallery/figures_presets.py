# SPDX-License-Identifier: BSD-2-Clause
"""Looks: options that go together, by name."""
import cv2

from figure import Figure, Panel, part, peak_ratio


def looks(work):
    image = work.photo("chelsea.png")
    work.shell("for look in subtle texture cartoon; do\n"
                "    cof --look $look chelsea.png $look.png\n"
                "done")
    shown = {name: work.image(f"{name}.png") for name in ("subtle", "texture", "cartoon")}
    return Figure(
        "three-looks", "Three looks",
        "Who does not want to think of windows and palettes takes a look: subtle takes away grain "
        "and the finest texture and leaves the rest; texture takes away texture and keeps "
        "boundaries, better than any other filter that we measured; cartoon paints in a few "
        "colours, in patches with clear edges.",
        [Panel("looks-subtle", shown["subtle"], "subtle", "The cat's fur is soft, stripes are clear"),
         Panel("looks-texture", shown["texture"], "texture",
               "The fur is gone, eyes and nose have their rims"),
         Panel("looks-cartoon", shown["cartoon"], "cartoon", "The cat, painted in patches")],
        "Whiskers go with texture: thin lines are texture to the filter.",
        slider=(Panel("looks-before", image, "before", "A cat with striped fur"),
                Panel("looks-after", shown["texture"], "texture", "The cat, without its fur")))


LARGE = '''import cv2
image = cv2.imread("coffee.png")
cv2.imwrite("large.png", cv2.resize(
    image, None, fx=5, fy=5,
    interpolation=cv2.INTER_CUBIC))'''


def sizes(work):
    """The crops show what the same pixels of the large image have become."""
    small = work.photo("coffee.png")
    work.python(LARGE)
    work.shell("cof --look texture coffee.png small.png\n"
                "cof --look texture large.png large-look.png\n"
                "cof --window 23 --iterations 8 --softness 0.5 \\\n"
                "    --method fast large.png large-pixels.png")
    done = work.image("small.png")
    as_small = {name: cv2.resize(work.image(f"{name}.png"), small.shape[1::-1],
                                 interpolation=cv2.INTER_AREA)
                for name in ("large-look", "large-pixels")}
    near, far = (peak_ratio(as_small[name], done) for name in ("large-look", "large-pixels"))
    return Figure(
        "sizes", "A large image shows what a small one does",
        "The cup as it is, 600 × 400, and five times as wide and high: 6 megapixels. A look makes "
        "windows as much larger as the image is, learns from a smaller copy, and makes all "
        "passes but the last there; the last puts the boundaries where the large image has "
        f"them. Shown at one size, both differ by {near:.0f} dB. With the small one's window in "
        "pixels, the large one keeps its grain.",
        [Panel("sizes-small", part(done, (0, 140, 300, 200)), "small, look texture",
               "The table is smooth"),
         Panel("sizes-large", part(as_small["large-look"], (0, 140, 300, 200)),
               f"large, look texture: {near:.0f} dB to it", "The table is as smooth"),
         Panel("sizes-pixels", part(as_small["large-pixels"], (0, 140, 300, 200)),
               f"large, the small one's window: {far:.0f} dB", "The table still has its grain")])


FIGURES = [looks, sizes]
