# SPDX-License-Identifier: BSD-2-Clause
"""Presets: sets of options for a purpose."""
import pathlib
import sys

import cv2
import numpy as np

import synthetic
from figure import Figure, Front, Panel, enlarged, part, peak_ratio


PRESETS = ("subtle", "texture", "cartoon", "flat")
FACE = (140, 0, 190, 190)  # of the portrait


def front(work):
    """What the page opens with: a slider, and the presets to choose from."""
    image = work.photo("coffee.png")
    work.shell("for preset in subtle texture cartoon flat; do\n"
               "    cof --preset $preset coffee.png $preset.png\n"
               "done")
    alts = {"subtle": "The cup without grain; the grain of the wood is fainter",
            "texture": "The cup on a smooth table, with sharp rims",
            "cartoon": "The cup and the table in flat patches with clear edges",
            "flat": "The cup and the table as a few flat shapes"}
    return Front(
        "front", "Remove texture, keep boundaries",
        Panel("front-before", image, "before", "A cup of coffee on a wooden table with a clear grain"),
        [Panel(f"front-{name}", work.image(f"{name}.png"), name, alts[name]) for name in PRESETS],
        {"subtle": "removes grain and the finest texture",
         "texture": "removes texture and keeps boundaries",
         "cartoon": "paints flat patches of a few colours with clear edges",
         "flat": "leaves flat shapes, for vectorising and segmentation"}, chosen="texture")


def presets(work):
    image = work.photo("chelsea.png")
    work.shell("for preset in subtle texture cartoon flat; do\n"
               "    cof --preset $preset chelsea.png $preset.png\n"
               "done")
    shown = {name: work.image(f"{name}.png") for name in PRESETS}
    return Figure(
        "four-presets", "Presets for photographs",
        "A preset sets all options for a purpose, so there is no need to choose windows and "
        "palettes. subtle removes grain and the finest texture. texture removes texture and keeps "
        "boundaries, better than all other filters that we measured. cartoon paints flat patches "
        "of a few colours with clear edges. flat leaves shapes without any texture.",
        [Panel("presets-subtle", shown["subtle"], "subtle",
               "The cat's fur is soft, its stripes are clear"),
         Panel("presets-texture", shown["texture"], "texture",
               "The fur is smooth, eyes and nose have sharp rims"),
         Panel("presets-cartoon", shown["cartoon"], "cartoon",
               "The cat, painted in flat patches"),
         Panel("presets-flat", shown["flat"], "flat",
               "The cat as a few shapes of nearly one colour each")],
        slider=(Panel("presets-before", image, "before", "A cat with striped fur"),
                Panel("presets-after", shown["texture"], "texture",
                      "The cat without the texture of its fur")), columns=2)


def on_astronaut(work, preset, *more):
    """A portrait before and after, as a whole; and its face, with other options."""
    image = work.photo("astronaut.png")
    commands = [f"cof --preset {preset} astronaut.png {preset}.png"]
    commands += [f"cof --preset {preset} {options} \\\n    astronaut.png {name}.png"
                 for name, options in more]
    work.shell("\n".join(commands))
    return image, work.image(f"{preset}.png"), [work.image(f"{name}.png") for name, _ in more]


def subtle(work):
    before, after, _ = on_astronaut(work, "subtle")
    return Figure(
        "preset-subtle", "subtle: less grain",
        "For noisy photographs, before compression, sharpening or enlarging. Skin loses its grain "
        "and hair its finest strands; eyes, lips and silhouettes stay.",
        [Panel("subtle-face-before", enlarged(part(before, FACE), 2), "before", "The face of an astronaut"),
         Panel("subtle-face", enlarged(part(after, FACE), 2), "subtle",
               "The same face, with smoother skin; eyes and mouth are there")],
        slider=(Panel("subtle-before", before, "before", "A portrait of an astronaut"),
                Panel("subtle-after", after, "subtle", "The portrait, slightly smoother")))


def portrait(work):
    before, after, _ = on_astronaut(work, "portrait")
    return Figure(
        "preset-portrait", "portrait: calm skin",
        "For people. Skin becomes calm and keeps its shading; eyes, lips, teeth and hair stay. It "
        "also suits other photographs that should look calmer, not painted.",
        [Panel("portrait-face-before", enlarged(part(before, FACE), 2), "before",
               "The face of an astronaut"),
         Panel("portrait-face", enlarged(part(after, FACE), 2), "portrait",
               "The same face with calm skin; eyes, teeth and hair are there")],
        slider=(Panel("portrait-before", before, "before", "A portrait of an astronaut"),
                Panel("portrait-after", after, "portrait",
                      "The portrait with calm skin and a smooth wall")))


def texture(work):
    before, after, (faithful,) = on_astronaut(work, "texture", ("faithful", "--fidelity 1"))
    return Figure(
        "preset-texture", "texture: boundaries without texture",
        "For finding edges, for matching images, for a painted look. Hair, cloth and the pattern "
        "of the wall disappear; the outlines of the suit, the collar and the face stay sharp. "
        "Large areas keep their colours. A face must fill the picture: this one is small, and "
        "loses its shading and the colour of its lips. Use portrait for people. A smaller --size "
        "smooths less; --fidelity 1 filters what was removed once more and returns colours.",
        [Panel("texture-face-before", enlarged(part(before, FACE), 2), "before", "The face of an astronaut"),
         Panel("texture-face", enlarged(part(after, FACE), 2), "texture",
               "A pale face without shading; eyes and teeth are there"),
         Panel("texture-face-faithful", enlarged(part(faithful, FACE), 2), "texture, fidelity 1",
               "The face without texture, with a little more colour")],
        "Thin lines, such as whiskers, are removed like texture.",
        slider=(Panel("texture-before", before, "before", "A portrait of an astronaut"),
                Panel("texture-after", after, "texture",
                      "The portrait without texture, with sharp outlines")))


def cartoon(work):
    before, after, _ = on_astronaut(work, "cartoon")
    return Figure(
        "preset-cartoon", "cartoon: a few flat colours",
        "For posters and illustrations. Before each pass, every pixel gets the nearest of 24 "
        "colours again, so that patches become flat and their borders clear.",
        [Panel("cartoon-face-before", enlarged(part(before, FACE), 2), "before", "The face of an astronaut"),
         Panel("cartoon-face", enlarged(part(after, FACE), 2), "cartoon",
               "The face as patches of skin tones, with eyes and mouth")],
        "Glints on the skin become bright patches. Not for skies and other smooth gradients: they "
        "get contours. In videos, --steady 0.8 "
        "keeps noise from moving the borders.",
        slider=(Panel("cartoon-before", before, "before", "A portrait of an astronaut"),
                Panel("cartoon-after", after, "cartoon", "The portrait in flat patches")))


def flat(work):
    before, after, _ = on_astronaut(work, "flat")
    cells = work.photo("ihc.png")
    work.shell("cof --preset flat ihc.png cells.png")
    return Figure(
        "preset-flat", "flat: shapes for vectorising and segmentation",
        "A wide window and twelve passes leave each region nearly one colour, with its border in "
        "place. On shapes that are filled with textures, it comes closer to the flat shapes than "
        "all other filters that we measured.",
        [Panel("flat-cells-before", cells, "stained tissue", "Brown glands in blue tissue"),
         Panel("flat-cells", work.image("cells.png"), "flat",
               "Glands and tissue have one colour each; the small gland has holes")],
        "Nuclei inside a gland, which have the colour of the tissue, leave holes. Contrast "
        "is lower: skin and white turn greyer.",
        slider=(Panel("flat-before", before, "before", "A portrait of an astronaut"),
                Panel("flat-after", after, "flat",
                      "The portrait as flat shapes; skin and white are greyer")))


def drawing(work):
    grass = work.photo("grass.png")
    clean, rough = synthetic.drawing_on(grass)
    work.put("print.png", rough)
    work.shell("cof --preset texture print.png texture.png\n"
               "cof --preset drawing print.png drawing.png")
    captions = [f"{name}: {peak_ratio(image, clean):.1f} dB" for name, image in (
        ("print", rough), *((name, work.image(f"{name}.png")) for name in ("texture", "drawing")))]
    place = (0, 200, 320, 280)
    return Figure(
        "preset-drawing", "drawing: lines and lettering without paper",
        "For drawings, scans and maps on paper, cloth or walls. Colours that stand beside each "
        "other only where a line runs are kept apart, so lines and letters stay while the ground "
        "becomes flat. Figures are PSNRs to the drawing without the texture.",
        [Panel("drawing-print", part(rough, place), captions[0], "A drawing on a strong texture"),
         Panel("drawing-texture", part(work.image("texture.png"), place), captions[1],
               "The drawing on a blotchy ground, with frayed lines"),
         Panel("drawing-drawing", part(work.image("drawing.png"), place), captions[2],
               "The drawing on a flat ground, with clean lines and letters")],
        "Not for photographs: it leaves islands where colours change slowly. Strokes of one or two "
        "pixels, such as small print, are better left alone.",
        slider=(Panel("drawing-before", rough, "before", "A drawing on a strong texture"),
                Panel("drawing-after", work.image("drawing.png"), "drawing",
                      "The drawing on a flat ground")))


def video(work):
    before, after, _ = on_astronaut(work, "video")
    return Figure(
        "preset-video", "video: frames that do not flicker",
        "For noisy videos: a little noise hardly affects which values are mixed, so that a still "
        "scene stays still. cof video also averages over time where nothing moves. "
        "An eighth of the noise of a still scene remains; with subtle, more than a third.",
        [Panel("video-face-before", enlarged(part(before, FACE), 2), "before", "The face of an astronaut"),
         Panel("video-face", enlarged(part(after, FACE), 2), "video",
               "The same face, with smooth skin; eyes and mouth are as before")],
        slider=(Panel("video-before", before, "before", "A portrait of an astronaut"),
                Panel("video-after", after, "video", "The portrait without fine texture")))


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
               "cof --window 31 --sigma 5.5 --iterations 4 \\\n"
               "    --colours 128 --palettes 2 --softness 0.5 \\\n"
               "    --separation 0.2 --refine 2 --method fast \\\n"
               "    large.png large-pixels.png")
    done = work.image("small.png")
    as_small = {name: cv2.resize(work.image(f"{name}.png"), small.shape[1::-1],
                                 interpolation=cv2.INTER_AREA)
                for name in ("large-preset", "large-pixels")}
    near, far = (peak_ratio(as_small[name], done) for name in ("large-preset", "large-pixels"))
    return Figure(
        "sizes", "Presets scale with the size of the image",
        "The original image of the cup, 600 × 400 pixels, and an image that is five times as wide "
        "and high: 6 megapixels. A preset scales the windows with the image, learns from a "
        "downscaled copy and runs all passes on it; refinement makes boundaries as sharp as those of "
        "the large image. At the same size, the PSNR between both "
        f"results is {near:.0f} dB. With the window of the small image in pixels, the large image "
        "keeps its grain.",
        [Panel("sizes-small", part(done, (300, 60, 300, 200)), "small, preset texture",
               "The table is smooth"),
         Panel("sizes-large", part(as_small["large-preset"], (300, 60, 300, 200)),
               f"large, preset texture: {near:.0f} dB", "The table is equally smooth"),
         Panel("sizes-pixels", part(as_small["large-pixels"], (300, 60, 300, 200)),
               f"large, window of the small image: {far:.0f} dB", "The table still has its grain")])


SPOTS = '''import numpy as np, cv2
random = np.random.default_rng(1)
y, x = np.mgrid[:320, :320]
clean = np.full((320, 320), 120.0)
for _ in range(12):
    at, radius = random.uniform(20, 300, 2), random.uniform(6, 18)
    clean[np.hypot(x - at[0], y - at[1]) <= radius] = 6000
cv2.imwrite("spots.png", random.poisson(clean).astype(np.uint16))'''


def spots(work):
    work.python(SPOTS)
    work.shell("cof --preset texture --separation 0 \\\n    spots.png glow.png\n"
               "cof --preset texture spots.png after.png")

    def brightened(name):
        """The dark ground would be black; 16 bits, of which few are shown."""
        values = cv2.imread(str(work.folder / name), cv2.IMREAD_UNCHANGED).astype(float)
        return np.uint8(np.clip(255 * np.sqrt(values / 6500), 0, 255))
    return Figure(
        "bright-spots", "Bright spots do not glow",
        "A synthetic fluorescence image: discs of 6000 photons on a ground of 120, in 16 bits, "
        "shown brightened. Disc and ground occur together at each rim, so that many passes would "
        "mix them over a wide area. The presets keep apart what rarely occurs "
        "together (--separation).",
        [Panel("spots-before", brightened("spots.png"), "before", "Bright discs, noise",
               drawing=True),
         Panel("spots-glow", brightened("glow.png"), "texture, separation 0",
               "Each disc is surrounded by a glow", drawing=True),
         Panel("spots-after", brightened("after.png"), "texture",
               "The discs have sharp rims, and the noise is gone", drawing=True)])


def shapes(work):
    """One of the scenes of ./dev quality."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench" / "quality"))
    import images
    clean, rough = (np.ascontiguousarray(image[:, :, ::-1]) for image in images.scene(3)[:2])
    work.put("shapes.png", rough)
    work.shell("cof --preset flat shapes.png flat.png")
    after = work.image("flat.png")
    smoother = cv2.ximgproc.fastGlobalSmootherFilter(rough, rough, 6400, 8)
    near, far = peak_ratio(after, clean), peak_ratio(smoother, clean)
    return Figure(
        "textured-shapes", "Flat shapes without their textures",
        "Flat shapes that were filled with textures, one of the images of docs/quality.md. The "
        "preset flat finds the flat shapes better than the fast global smoother, the best of "
        "the other filters there, with the setting that is best for this image.",
        [Panel("shapes-before", enlarged(rough, 2), "textured shapes", "Shapes with textures"),
         Panel("shapes-flat", enlarged(after, 2), f"flat: {near:.1f} dB",
               "Flat shapes with sharp borders"),
         Panel("shapes-smoother", enlarged(smoother, 2), f"fast global smoother: {far:.1f} dB",
               "Flat shapes; some borders are blurred")])


FIGURES = [presets, subtle, portrait, texture, drawing, cartoon, flat, video, shapes, spots, sizes]
