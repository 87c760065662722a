# SPDX-License-Identifier: BSD-2-Clause
"""What a figure is: words and pictures, no HTML and no files."""
import dataclasses
from typing import List, Optional, Tuple

import cv2
import numpy as np


@dataclasses.dataclass
class Panel:
    """One picture. A drawing is kept as it is (PNG), a photograph as a JPEG."""
    name: str
    picture: np.ndarray
    caption: str
    alt: str
    drawing: bool = False
    source: Optional[bytes] = None  # an SVG that a command wrote, instead of a picture
    span: int = 1  # columns; 0: all of them


@dataclasses.dataclass
class Figure:
    key: str
    title: str
    says: str
    panels: List[Panel]
    remark: str = ""
    slider: Optional[Tuple[Panel, Panel]] = None
    columns: int = 0  # on a wide screen; 0: as suits the number of panels
    steps: list = dataclasses.field(default_factory=list)


def in_colour(picture):
    return cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR) if picture.ndim == 2 else picture.copy()


def enlarged(picture, factor):
    """Each pixel becomes a square, so that it can be seen."""
    return cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_NEAREST)


def part(picture, place):
    x, y, width, height = place
    return np.ascontiguousarray(picture[y:y + height, x:x + width])


def framed(picture, places, colours, thickness=2):
    """With rectangles drawn into a copy."""
    marked = in_colour(picture)
    for (x, y, width, height), colour in zip(places, colours):
        cv2.rectangle(marked, (x, y), (x + width - 1, y + height - 1), colour, thickness)
    return marked


def with_border(picture, colour, thickness):
    return cv2.copyMakeBorder(in_colour(picture), *[thickness] * 4, cv2.BORDER_CONSTANT,
                              value=colour)


def zoomed(picture, places, factor, colours):
    """Parts one below the other, enlarged, each in the colour of its frame."""
    return np.vstack([with_border(enlarged(part(picture, place), factor), colour, 3)
                      for place, colour in zip(places, colours)])


def difference(picture, clean, gain):
    """Around middle grey."""
    values = 128 + gain * (picture.astype(float) - clean)
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def peak_ratio(picture, clean):
    """PSNR in dB."""
    return 10 * np.log10(255 ** 2 / np.mean((picture.astype(float) - clean) ** 2))
