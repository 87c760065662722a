# SPDX-License-Identifier: BSD-2-Clause
"""The data of a figure: text and images, without HTML and files."""
import dataclasses
from typing import Dict, List, Optional, Tuple

import cv2
import numpy as np


@dataclasses.dataclass
class Panel:
    """One image. A drawing is kept as it is (PNG), a photograph as a JPEG."""
    name: str
    image: np.ndarray
    caption: str
    alt: str
    drawing: bool = False
    source: Optional[bytes] = None  # an SVG that a command wrote, instead of an image
    span: int = 1  # columns; 0: all of them
    chart: bool = False  # curves on white, which dark pages invert


@dataclasses.dataclass
class Figure:
    key: str
    title: str
    says: str
    panels: List[Panel]
    remark: str = ""
    slider: Optional[Tuple[Panel, Panel]] = None
    columns: int = 0  # on a wide screen; 0: as suits the number of panels
    exact: bool = False  # shown at 100 %, in the same columns on each screen
    steps: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Front:
    """What a page opens with: an image, and several results to compare it with."""
    key: str
    title: str
    before: Panel
    results: List[Panel]
    says: Dict[str, str]  # one sentence without a subject for each result, by its caption
    chosen: str  # the caption of the result that is shown first


def in_colour(image):
    return cv2.cvtColor(image, cv2.COLOR_GRAY2BGR) if image.ndim == 2 else image.copy()


def enlarged(image, factor):
    """Enlarges with nearest-neighbour interpolation."""
    return cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_NEAREST)


def part(image, place):
    x, y, width, height = place
    return np.ascontiguousarray(image[y:y + height, x:x + width])


def framed(image, places, colours, thickness=2):
    """With rectangles drawn into a copy."""
    marked = in_colour(image)
    for (x, y, width, height), colour in zip(places, colours):
        cv2.rectangle(marked, (x, y), (x + width - 1, y + height - 1), colour, thickness)
    return marked


def with_border(image, colour, thickness):
    return cv2.copyMakeBorder(in_colour(image), *[thickness] * 4, cv2.BORDER_CONSTANT,
                              value=colour)


def zoomed(image, places, factor, colours):
    """Parts one below the other, enlarged, each in the colour of its frame."""
    return np.vstack([with_border(enlarged(part(image, place), factor), colour, 3)
                      for place, colour in zip(places, colours)])


def difference(image, clean, gain):
    """Around middle grey."""
    values = 128 + gain * (image.astype(float) - clean)
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def peak_ratio(image, clean):
    """PSNR in dB."""
    return 10 * np.log10(255 ** 2 / np.mean((image.astype(float) - clean) ** 2))
