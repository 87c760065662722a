# SPDX-License-Identifier: BSD-2-Clause
"""The paper's applications: a few scribbles mark the foreground."""
import cv2
import numpy as np

import scribbles
import synthetic
from commands import ROOT
from figure import Figure, Panel, framed

COLOURS = (scribbles.FOREGROUND, scribbles.BACKGROUND)


def put_scribbles(work, name, strokes):
    """Writes a photograph and its scribbles; returns the photograph without and with scribbles."""
    image = work.photo(f"{name}.png")
    work.put("object.png", scribbles.scribble(image.shape, strokes, "stroke"))
    work.put("rest.png", scribbles.scribble(image.shape, strokes, "background-stroke"))
    return image, scribbles.shown_on(image, strokes)


SELECT = ("cof select astronaut.png -o mask.png \\\n"
          "    --scribble object.png --background-scribble rest.png")
BY_HAND = ROOT / "tests/data/select/astronaut.png"


def overlap(mask):
    """Intersection over union with the mask that was drawn by hand, in percent."""
    mine, theirs = mask > 0, cv2.imread(str(BY_HAND), 0) > 0
    return round(100 * (mine & theirs).sum() / (mine | theirs).sum())


def mask(work):
    image, marked = put_scribbles(work, "astronaut", scribbles.parsed(scribbles.ASTRONAUT))
    work.shell(SELECT + "\ncof select astronaut.png -o alone.png --scribble object.png")
    found, alone = work.image("mask.png"), work.image("alone.png")
    cut = np.where(found[:, :, None] > 0, image, 255).astype(np.uint8)
    return Figure(
        "mask", "A few strokes become a mask",
        "The photograph is smoothed, which leaves the borders between textures. The mask ends on "
        "the strongest of them that separate the strokes on the object from those on the "
        "background. Colours that hardly occur with those of the object are background, too, where "
        "they reach the border of the image: strokes on the object alone are often enough.",
        [Panel("mask-scribbles", marked, "Input; foreground yellow, background blue",
               "An astronaut before a flag, a space shuttle model and a grey wall, with strokes"),
         Panel("mask-found", found, f"Mask: {overlap(found)} %", "The woman and her suit are white",
               True),
         Panel("mask-alone", alone, f"From the yellow strokes alone: {overlap(alone)} %",
               "A similar mask", True),
         Panel("mask-cut", cut, "The image inside the mask", "The astronaut on white")],
        "Percentages are intersection over union with a mask drawn by hand. More strokes correct "
        "what is wrong.")


def foreground_and_background(work):
    image, marked = put_scribbles(work, "ihc", scribbles.parsed(scribbles.GLANDS))
    work.shell("cof select ihc.png -o mask.png \\\n"
               "    --scribble object.png --background-scribble rest.png\n"
               "cof focus --mask mask.png ihc.png both.png\n"
               "cof focus --mask mask.png --background grey \\\n"
               "    ihc.png grey.png\n"
               "cof --iterations 5 --region 60,90,110,110 \\\n"
               "    ihc.png foreground.png\n"
               "cof --iterations 5 --region 400,310,100,190 \\\n"
               "    ihc.png background.png")
    places = [(60, 90, 110, 110), (400, 310, 100, 190)]
    panels = [Panel("choosing-scribbles", framed(marked, places, COLOURS, 3),
                    "Scribbles and two rectangles", "Tissue with scribbles and two rectangles"),
              Panel("choosing-mask", work.image("mask.png"), "Mask from the scribbles",
                    "The glands are white, the rest is black", True)]
    panels += [Panel(f"choosing-{name}", work.image(f"{name}.png"), title, alt)
               for name, title, alt in (
                   ("grey", "Background grey", "Brown glands, everything else is grey"),
                   ("foreground", "Learned in a gland (yellow rectangle)",
                    "The glands are smooth, the tissue is unchanged"),
                   ("background", "Learned in the tissue (blue rectangle)",
                    "The tissue is smooth, the glands are unchanged"))]
    return Figure(
        "choosing", "Foreground and background",
        "Two matrices are learned with the mask: one of the foreground and one of the background. "
        "The neighbours of a pixel then determine to which of the two it belongs. The foreground "
        "is kept; the background is smoothed or loses its colour. With the matrix of one rectangle "
        "alone, everything that resembles that rectangle is smoothed, wherever it is.", panels,
        "For the last two images, rectangles work better than the mask: M gives rare pairs the "
        "same weight as frequent ones, so a few wrong pixels in a mask are enough to smooth the "
        "other part too.",
        slider=(Panel("choosing-before", image, "before", "Stained tissue"),
                Panel("choosing-after", work.image("both.png"), "after",
                      "The glands with all their lines; the tissue around them is smooth")))


def recolour(work):
    image = work.photo("coffee.png")
    work.shell(
        'cof recolour coffee.png blue.png --colour "#2060c0" \\\n'
        '  --stroke "120,130 100,200 170,330" \\\n'
        '  --stroke "200,210 260,240 330,225" \\\n'
        '  --background-stroke "60,180 40,300" \\\n'
        '  --background-stroke "240,110 300,150 340,110" \\\n'
        '  --background-stroke "355,280 375,300"')
    return Figure(
        "recolour", "Changing a colour",
        "A mask can also be used to change a colour: lightness is kept, the hue becomes that of "
        "the new colour, and highlights stay white.", [],
        "The rim of the saucer keeps some red at the lower left.",
        slider=(Panel("recolour-before", image, "before", "A red cup and saucer"),
                Panel("recolour-after", work.image("blue.png"), "after",
                      "The cup and the saucer are blue, coffee and table are unchanged")))


def frames(work):
    image, marked = put_scribbles(work, "astronaut", scribbles.strokes_of("astronaut"))
    for number, frame in enumerate(synthetic.moving(image, 21), 1):
        work.put(f"frame-{number:02}.png", frame)
    work.shell(
        "ffmpeg -v error -i frame-%02d.png -c:v ffv1 video.mkv\n"
        "for how in smooth grey; do\n"
        "    cof video video.mkv $how.mkv --background $how \\\n"
        "        --scribble object.png \\\n"
        "        --background-scribble rest.png \\\n"
        "        --iterations 5 --encode \"-c:v ffv1\"\n"
        "    ffmpeg -v error -i $how.mkv -frames:v 1 \\\n"
        "        -vf \"select=eq(n\\,20)\" $how-21.png\n"
        "done")
    last = work.image("frame-21.png")
    return Figure(
        "video", "Video: twenty frames later",
        "The two matrices are learned from scribbles on frame 1 and used unchanged twenty frames "
        "later, after the camera has moved and come closer. (The video is a photograph that is "
        "panned and zoomed, with new noise in each frame.)",
        [Panel("video-scribbles", marked, "Frame 1 with scribbles", "The astronaut with scribbles"),
         Panel("video-input", last, "Frame 21", "The astronaut, closer and shifted"),
         Panel("video-smooth", work.image("smooth-21.png"), "Frame 21, background smoothed",
               "The background is smooth, the suit is sharp"),
         Panel("video-grey", work.image("grey-21.png"), "Frame 21, background grey",
               "The suit is in colour, everything else is grey; the face is pale")],
        "Frame 21 has no mask, only the learned models: parts of the skin, which shares colours "
        "with the wall, are taken for background.")


FIGURES = [mask, foreground_and_background, recolour, frames]
