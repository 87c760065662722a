# SPDX-License-Identifier: BSD-2-Clause
"""The images that a model is learned from, as the library takes them."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union, cast

from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import RoiView, Slices, image_array, listed, roi_array, view_of

Images = Union[ArrayLike, Sequence[ArrayLike]]
Masks = Union[None, ArrayLike, Sequence[Optional[ArrayLike]]]


class TrainingImages:
    """The images to learn from, and where to learn."""

    def __init__(self, images: Images, mask: Masks, region: Optional[Slices],
                 channel_axis: Optional[int], kind: Optional[str]) -> None:
        several = listed(images)
        if not several:
            raise c.ArgumentError("there is no image to learn from", argument="images")
        one_each = several[0] is not images and isinstance(mask, (list, tuple))
        masks: List[Any] = list(cast(Any, mask)) if one_each else [mask] * len(several)
        if len(masks) != len(several):
            raise c.ArgumentError(f"there are {len(several)} images, but {len(masks)} masks",
                                  argument="mask")
        self.views = [view_of(image, channel_axis, kind=kind) for image in several]
        self.rois = [RoiView(view, one, region) for view, one in zip(self.views, masks)]

    @property
    def arguments(self) -> Tuple[Any, Any, int]:
        """Images, regions of interest and their number, for the library."""
        return image_array(self.views), roi_array(self.rois), len(self.views)

    @property
    def pixels(self) -> int:
        return sum(view.pixels for view in self.views)
