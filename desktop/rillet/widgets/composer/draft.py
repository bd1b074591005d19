"""What is written but not sent, as a value: a host keeps one per chat.

Free of Qt. Above: ``attachment``. Below: ``composer`` gives and takes drafts.
"""

from __future__ import annotations

from dataclasses import dataclass

from rillet.widgets.composer.attachment import Attachment


@dataclass(frozen=True, slots=True)
class Draft:
    """Text, what is attached to it, and where the cursor stands (in UTF-16 units as Qt counts; None = at the end)."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    cursor: int | None = None

    def __bool__(self) -> bool:
        """Whether there is anything worth keeping."""
        return bool(self.text or self.attachments)
