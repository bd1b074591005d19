"""Why a file cannot be attached, as sentences that say what to do instead.

Pure. Below: everything in this package raises ``Unreadable``; the composer shows it, through the translators of the
application. Guarantee: every sentence is one of ``SENTENCES``; what varies stands in braces.
"""

from __future__ import annotations

from typing import Final

SENTENCES: Final = {
    "gone": "{name} cannot be read: {why}.",
    "folder": "{name} is a folder: attach it as a folder.",
    "special": "{name} is not a file but a device, a pipe or a socket.",
    "empty": "{name} is empty.",
    "large": "{name} has {size}: at most {most} can be attached. Attach a part of it.",
    "binary": "{name} is of a kind that no model reads. Attach it as PDF, image or text.",
    "archive": "{name} is an archive. Unpack it, and attach the files or the folder.",
    "photo": "{name} is a picture in a format that models do not take. Save it as JPEG or PNG, and attach that.",
    "pixels": "{name} has more pixels than are read here. Save a smaller copy, and attach that.",
    "office": "{name} is a document in a format that is not read here. Save it as PDF, docx or xlsx, and attach that.",
    "password": "{name} is protected by a password. Save a copy without one, and attach that.",
    "scanned": (
        "{name} has pages but no text: it was probably scanned. "
        "Choose a model that takes PDF files, attach pictures of its pages, or run text recognition on it first."
    ),
    "broken": "{name} is damaged. Open it in its own program, save it again, and attach that.",
    "bomb": "{name} unpacks to more than any document has, as files do that are made to do harm. It was not read.",
    "slow": "{name} took too long to read. Attach a part of it, or save it as text.",
    "failed": "{name} could not be read. Save it as PDF or text, and attach that.",
}
"""By what is wrong."""


class Unreadable(ValueError):
    """A file cannot be attached.

    Attributes:
        problem: What is wrong: a name in ``SENTENCES``.
        facts: What stands in for the braces.
    """

    def __init__(self, problem: str, **facts: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.facts = facts

    def named(self, name: str) -> Unreadable:
        """The same of the file ``name``."""
        return Unreadable(self.problem, **{**self.facts, "name": name})

    @property
    def user_message(self) -> str:
        """What is wrong, and what to do."""
        return SENTENCES[self.problem].format(**{"name": "The file", **self.facts})

    def __str__(self) -> str:
        return self.user_message


def size_text(size: int) -> str:
    """A number of bytes for people, in powers of a thousand as file managers count."""
    if size < 1000:
        return f"{size} B"
    value, unit = size / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value >= 999.5:
            value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"
