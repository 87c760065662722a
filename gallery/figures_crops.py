# SPDX-License-Identifier: BSD-2-Clause
"""What is seen at 100 %: photographs, the bilateral filter and CoF, in crops that are not
enlarged."""
import cv2
import numpy as np

import synthetic
from figure import Figure, Panel, difference, part

SIDE = 240  # of a crop; three of them stand beside each other on a screen
# What a crop shows, its photograph and place, its preset, and what CoF leaves.
CROPS = [
    ("fur", "Fur", "chelsea", (118, 38), "texture",
     "The fur is smooth; eyes and nose are as sharp as before"),
    ("cloth", "Cloth", "astronaut", (20, 230), "texture",
     "The suit has hardly a fold; badge, zip and straps are sharp"),
    ("wood", "Wood", "coffee", (360, 90), "texture",
     "The table is smooth; cup, saucer and spoon have sharp rims"),
    ("face", "A face", "astronaut", (110, 10), "portrait",
     "The skin is calm; eyes, teeth and hair are there"),
    ("foliage", "Foliage", "dandelion", (20, 20), "texture",
     "The seeds are one ball with a sharp rim, and the grass is calm"),
    ("leaves", "Leaves and grass", "grass", (100, 100), "texture",
     "Grey haze: no leaf is left"),
]
BILATERAL = '''import cv2
for name in ("chelsea", "astronaut", "coffee", "dandelion", "grass"):
    image = cv2.imread(f"{name}.png")
    result = cv2.bilateralFilter(image, -1, 240, 5)
    cv2.imwrite(f"{name}-bilateral.png", result)
image = cv2.imread("astronaut.png")
result = cv2.bilateralFilter(image, -1, 60, 2.5)
cv2.imwrite("face-bilateral.png", result)'''


def crops(work):
    for name in ("chelsea", "astronaut", "coffee", "dandelion", "grass"):
        work.photo(f"{name}.png")
    work.shell("for image in chelsea astronaut coffee dandelion grass; do\n"
               "    cof --preset texture $image.png $image-texture.png\n"
               "done\n"
               "cof --preset portrait astronaut.png astronaut-portrait.png")
    work.python(BILATERAL)
    panels = []
    for key, title, photo, place, preset, alt in CROPS:
        bilateral = "face" if key == "face" else photo
        for kind, file, caption, says in (
                ("photo", photo, f"{title}", f"{title}, as photographed"),
                ("bilateral", f"{bilateral}-bilateral", "bilateral filter",
                 f"{title} after the bilateral filter"),
                ("cof", f"{photo}-{preset}", f"CoF, {preset}", alt)):
            panels.append(Panel(f"crops-{key}-{kind}",
                                part(work.image(f"{file}.png"), (*place, SIDE, SIDE)), caption,
                                says))
    return Figure(
        "crops", "Photo, bilateral filter, CoF: at 100 %",
        "Pixels of the file, not enlarged. The bilateral filter has the setting that is best for "
        "it in docs/quality.md (colour 240, space 5), on the face a quarter of the colour and half "
        "the space. To smooth textures of such contrast, it has to average over boundaries. CoF "
        "smooths fur, cloth, wood and seeds, and keeps their boundaries. On the face, both do "
        "well: CoF calms the skin more, and paints hair in broader strokes.", panels,
        "Grass and clover show the limit: leaves and what is between them are the same greys, so "
        "all of it is one texture. Fine hair goes with the fur: most whiskers, and the stripes "
        "on the cat's cheek, are lost.", columns=3, exact=True,
        slider=(Panel("crops-before", work.image("chelsea-bilateral.png"), "bilateral",
                      "The cat after the bilateral filter: soft all over"),
                Panel("crops-after", work.image("chelsea-texture.png"), "CoF, texture",
                      "The cat without the texture of its fur, with clear eyes")))


SKY = '''import cv2
image = cv2.imread("noisy.png")
result = cv2.bilateralFilter(image, -1, 240, 5)
cv2.imwrite("bilateral.png", result)
result = cv2.fastNlMeansDenoisingColored(
    image, None, 8, 8, 7, 21)
cv2.imwrite("means.png", result)'''


def colour_error(image, clean, where):
    """The mean distance in CIE Lab from the clean image."""
    image, clean = (cv2.cvtColor(np.float32(values) / 255, cv2.COLOR_BGR2LAB)
                    for values in (image, clean))
    return np.linalg.norm(image - clean, axis=2)[where].mean()


PLACE_OF_RIDGE = (120, 0, SIDE, SIDE)


def skies(work):
    clean, sky = synthetic.sky()
    work.put("noisy.png", synthetic.noisy(clean, 8, 12))
    work.shell("cof --preset texture noisy.png texture.png\n"
               "cof --preset subtle noisy.png subtle.png")
    work.python(SKY)
    panels = []
    for name, title in (("noisy", "Noisy, σ 8"), ("bilateral", "Bilateral"),
                        ("means", "Non-local means"), ("subtle", "subtle"),
                        ("texture", "texture")):
        image = work.image(f"{name}.png")
        panels.append(Panel(f"skies-{name}", part(difference(image, clean, 6), PLACE_OF_RIDGE),
                            f"{title}: ΔE {colour_error(image, clean, sky):.1f}",
                            f"{title}: how it differs from the clean sky, six times as strong"))
    return Figure(
        "skies", "Calm skies",
        "What the filter does best. The panels show the difference from the image without noise, "
        "six times as strong; ΔE is its mean in the sky. A sky is a slow gradient, so a wide "
        "average is right for it, if it stops at the ridge. The bilateral filter blurs the ridge, and "
        "non-local means draw contours into the sky.", panels,
        "A rim of noise stays at the ridge, where refinement fits the result to the image. For "
        "images with fine detail elsewhere, subtle or portrait are the better compromise.",
        columns=3, exact=True,
        slider=(Panel("skies-before", work.image("noisy.png"), "noisy", "A sky with noise"),
                Panel("skies-after", work.image("texture.png"), "texture",
                      "The sky is calm, the ridge is sharp")))


FIGURES = [crops, skies]
