# SPDX-License-Identifier: BSD-2-Clause
"""Scribbles, as a person would draw them."""
import cv2
import numpy as np

from commands import ROOT
from figure import in_colour

FOREGROUND, BACKGROUND = (40, 220, 250), (230, 120, 30)  # yellow and blue, as BGR


# Of astronaut.png.
ASTRONAUT = """
stroke 225,50 230,170 230,240 310,320:6
stroke 120,300 60,430:6
background-stroke 330,30 470,200:6
background-stroke 420,420:6
background-stroke 20,60 40,280:6
"""

# Of ihc.png: all glands, and the tissue between them.
GLANDS = """
stroke 40,40 60,200 130,240 225,165 205,80 130,120:6
stroke 270,40 275,120 330,220 410,260:6
stroke 340,40 400,100 430,180:6
stroke 20,190 70,250 100,350 90,490:6
stroke 285,350 275,390 290,440 325,480 355,440 360,390 330,350:6
background-stroke 190,295 205,400 235,495:6
background-stroke 180,275 272,222 310,280 430,325 430,495:6
background-stroke 475,40 480,200 495,400:6
background-stroke 10,330 15,490:6
background-stroke 312,90 362,180:3
"""


def parsed(text):
    """(kind, points, radius) of each stroke."""
    strokes = []
    for line in text.splitlines():
        kind, _, words = line.partition(" ")
        if kind in ("stroke", "background-stroke"):
            points, _, radius = words.partition(":")
            places = [tuple(map(int, point.split(","))) for point in points.split()]
            strokes.append((kind, places, int(radius or 4)))
    return strokes


def strokes_of(name):
    """Of a photograph, from the files that the tests use."""
    return parsed((ROOT / f"tests/data/select/{name}.txt").read_text())


def draw(image, points, radius, colour):
    for start, end in zip(points, points[1:] or points):
        cv2.line(image, start, end, colour, 2 * radius + 1)
    cv2.circle(image, points[0], radius, colour, -1)


def scribble(shape, strokes, kind):
    """White lines on black."""
    image = np.zeros(shape[:2], np.uint8)
    for each, points, radius in strokes:
        if each == kind:
            draw(image, points, radius, 255)
    return image


def shown_on(image, strokes):
    marked = in_colour(image)
    for kind, points, radius in strokes:
        draw(marked, points, radius, FOREGROUND if kind == "stroke" else BACKGROUND)
    return marked
