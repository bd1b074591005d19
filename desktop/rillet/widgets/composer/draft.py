"""What is written but not sent, as a value: a host keeps one per chat.

Above: ``attachment``, ``incoming``. Below: ``composer`` gives and takes drafts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from rillet.widgets.composer.attachment import Attachment
    from rillet.widgets.composer.incoming import Incoming

Item: TypeAlias = "Attachment | Incoming"


def is_read(item: Item) -> TypeIs[Attachment]:
    """Whether it can be sent as it is; else it is still being read, or cannot be."""
    from rillet.widgets.composer.attachment import Attachment  # (here: a window without any opens sooner)

    return isinstance(item, Attachment)


@dataclass(frozen=True, slots=True)
class Draft:
    """Text, what is attached to it, and where the cursor stands (in UTF-16 units as Qt counts; None = at the end).

    What is still being read is among ``items`` only: it comes back into the same composer, and elsewhere by its path.
    """

    text: str = ""
    items: tuple[Item, ...] = ()
    cursor: int | None = None

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What was read."""
        return tuple(each for each in self.items if is_read(each))

    @property
    def incoming(self) -> tuple[Incoming, ...]:
        """What is still being read, or failed."""
        return tuple(each for each in self.items if not is_read(each))

    def __bool__(self) -> bool:
        """Whether there is anything worth keeping."""
        return bool(self.text or self.items)
