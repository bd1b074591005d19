"""What may be attached: how much, how many, and the sentence for the person where it is not.

Knows no widget. How much of a file is read at all is said by ``core/attachments/caps``. Below: ``tray`` asks before it
takes one more, and once it was read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from rillet.widgets.composer.attachment import Attachment

translate = QCoreApplication.translate

MEGABYTE: Final = 1_000_000


class AttachmentRefused(ValueError):
    """It cannot be attached; the text of the error is a sentence that says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What may be attached, in bytes. The defaults stay below what the large providers accept in one request."""

    each: int = 20 * MEGABYTE
    total: int = 30 * MEGABYTE
    count: int = 20


def check_size(name: str, size: int, limits: Limits) -> None:
    """Let it pass if it is neither empty nor too large.

    Raises:
        AttachmentRefused: it is.
    """
    if not size:
        raise AttachmentRefused(translate("Limits", "{name} is empty.").format(name=name))
    if size > limits.each:
        words = translate("Limits", "{name} has {size}: at most {most} can be attached.")
        raise AttachmentRefused(words.format(name=name, size=size_text(size), most=size_text(limits.each)))


def check_count(present: int, name: str, limits: Limits) -> None:
    """Let one more pass beside ``present`` others.

    Raises:
        AttachmentRefused: it is one too many.
    """
    if present >= limits.count:
        words = translate("Limits", "{name} is one too many: at most {count} attachments go with a message.")
        raise AttachmentRefused(words.format(name=name, count=limits.count))


def check_room(present: tuple[Attachment, ...], new: Attachment, limits: Limits, takes_files: bool = True) -> None:
    """Let ``new`` pass if it fits beside what is attached already.

    Raises:
        AttachmentRefused: it does not.
    """
    check_size(new.name, new.sent_size(takes_files), limits)
    check_count(len(present), new.name, limits)
    if sum(each.sent_size(takes_files) for each in present) + new.sent_size(takes_files) > limits.total:
        words = translate("Limits", "{name} does not fit: all attachments have at most {most}.")
        raise AttachmentRefused(words.format(name=new.name, most=size_text(limits.total)))


def distinct(name: str, taken: frozenset[str]) -> str:
    """``name``, with a number before its suffix where it is taken."""
    stem, suffix = PurePath(name).stem, PurePath(name).suffix
    number = 2
    while name in taken:
        name = f"{stem} {number}{suffix}"
        number += 1
    return name


def size_text(size: int) -> str:
    """A number of bytes for people."""
    for unit, factor in (("MB", MEGABYTE), ("kB", 1000)):
        if size >= factor:
            value = size / factor
            return f"{value:.0f} {unit}" if value >= 10 or value == int(value) else f"{value:.1f} {unit}"
    return translate("Limits", "{count} bytes").format(count=size)
