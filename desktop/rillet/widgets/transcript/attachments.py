"""Images and files of a message, as the transcript shows them: one tile each.

Above: ``model``. Below: ``blocks/image`` and ``blocks/file_chip`` draw them. Knows no widgets, decodes nothing.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from rillet.widgets.transcript.model import Section, Tile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.types import FilePart, ImagePart

_numbers = itertools.count()


class _Attachment(Section):
    """Something of a message that is no text."""

    tile: Tile

    @property
    def segmented(self) -> bool:
        """There is always the one tile."""
        return True

    def tiles(self) -> Sequence[Tile]:
        """The one tile."""
        return [self.tile]


class ImageSection(_Attachment):
    """An image.

    Attributes:
        part: The image.
        number: No other image of this program has it: what decoded pixels are cached under.
        natural: Width and height in its own pixels, once somebody looked; (0, 0) when it cannot be shown.
    """

    def __init__(self, part: ImagePart) -> None:
        super().__init__("image")
        self.part = part
        self.number = next(_numbers)
        self.natural: tuple[int, int] | None = None
        self.tile = Tile("image", self)


class FileSection(_Attachment):
    """A file."""

    def __init__(self, part: FilePart) -> None:
        super().__init__("file")
        self.part = part
        self.tile = Tile("file", self)
