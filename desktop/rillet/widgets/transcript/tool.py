"""A tool call as the transcript shows it: a card, and under it, when it is opened, arguments and result.

Plain state; knows no widgets and runs nothing. Above: ``model``, ``arguments``. Below: ``blocks/tool_card`` and
``blocks/approval`` draw it, ``tool_handle`` changes it. Guarantees: the cost of a fragment does not depend on how many
came before; what is laid out of arguments and of a result is bounded (``SHOWN``), and what is left out is told; both
are kept whole.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from PySide6.QtCore import QCoreApplication

from rillet.core.types import parse_arguments
from rillet.widgets.transcript.arguments import LINE, ArgumentsPrinter
from rillet.widgets.transcript.attachments import ImageSection
from rillet.widgets.transcript.model import Section, Tile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rillet.core.types import ImagePart

ToolStatus: TypeAlias = Literal["writing", "written", "waiting", "running", "done", "failed", "denied", "stopped"]
"""``writing``: the arguments are on their way; ``written``: they are complete, and nothing runs; ``waiting``: for an
approval; ``denied``: by the person."""
Choice: TypeAlias = Literal["once", "chat", "folder", "always", "no"]

SHOWN = 128 << 10
"""Characters of arguments or of a result that are laid out; laying out ten times as much would stall the window."""
LINES = 2000
"""Lines of either that are laid out: a list of numbers has tens of thousands in as many characters."""
_SLICE, _STRIDE = 8 << 10, 1 << 10
_TAIL = 600
_SUMMARISED = 64 << 10
_SUMMARY = 200
_LONG = re.compile(rf"[^\n]{{{LINE}}}(?=[^\n]{{8}})")
_ESCAPED_END = re.compile(r"\n|(?<=\\n)(?!\n)")
"""A line end, or the place behind an escaped one where the layout has none."""
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\n$")
"""The escape itself, behind any number of escaped backslashes."""
_BACKTICKS = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that must not run before somebody agrees.

    Attributes:
        id: What the answer refers to.
        name: The tool that would run.
        arguments: Exactly the JSON text that it would be given.
        prompt: Why it is asked, as a sentence; "" for the usual one.
        shown: What would run as people write it (a command), everything in it visible; "": the arguments are laid out.
        diff: What it would change, as a unified diff.
        notes: What there is to know before one agrees, a sentence each.
        choices: What may be answered beside "no".
    """

    id: str
    name: str
    arguments: str
    prompt: str = ""
    shown: str = ""
    diff: str = ""
    notes: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ("once", "chat", "always")


@dataclass(frozen=True, slots=True)
class ApprovalAnswer:
    """What a person decided about a request: run it once, from now on in this chat or folder, always, or not."""

    request: ApprovalRequest
    choice: Choice

    @property
    def ok(self) -> bool:
        """Whether it may run now."""
        return self.choice != "no"


class ToolSection(Section):
    """A tool call. Its ``fold`` is the card; ``approval`` stands below it while an answer is awaited.

    Attributes:
        id: The provider's id of the call; "" while none is known.
        name: The tool.
        status: How far it is.
        seconds: How long it ran; None when not known.
        output: What it answered; None while it has not.
        images: Pictures that it answered with.
        request: What is asked before it may run.
        presented: Whether somebody has had that question before their eyes.
        cut: Whether the answer broke off before the arguments began: what is empty then is not ``{}``.
        since: ``time.monotonic()`` when it began to run.
    """

    def __init__(self, name: str, id: str = "", arguments: str = "", *, growing: bool = False) -> None:
        super().__init__("tool", growing=growing)
        self.id = id
        self.name = name
        self.status: ToolStatus = "writing" if growing else "written"
        self.seconds: float | None = None
        self.output: str | None = None
        self.images: tuple[ImagePart, ...] = ()
        self.request: ApprovalRequest | None = None
        self.presented = False
        self.cut = False
        self.card = self.fold = Tile("tool", self)
        self.approval = Tile("approval", self)
        self._arguments = [arguments] if arguments else []
        self._size = len(arguments)
        self._printer = ArgumentsPrinter()
        self._fresh: list[str] = []
        self._tail = ""
        self._inner: list[Section] = []
        self._parts: list[_Part] = []

    @property
    def arguments(self) -> str:
        """The JSON text so far, as sent."""
        if len(self._arguments) > 1:
            self._arguments = ["".join(self._arguments)]
        return self._arguments[0] if self._arguments else ""

    @property
    def size(self) -> int:
        """Characters of the arguments so far."""
        return self._size

    def append(self, text: str) -> list[Tile]:
        """Take the next fragment of the arguments; ``draw`` shows it."""
        self._arguments.append(text)
        self._fresh.append(text)
        self._size += len(text)
        return [self.card]

    def draw(self) -> bool:
        """Lay out a slice of what came since the last call, for the lines under a card; whether there is more.

        After ``SHOWN`` characters only the last ones count, as they are.
        """
        fresh = "".join(self._fresh)
        if self._size > SHOWN or not self.growing:
            self._fresh.clear()
            self._tail = (self._tail + fresh[-_TAIL:])[-_TAIL:]
            return False
        self._fresh = [fresh[_SLICE:]] if len(fresh) > _SLICE else []
        self._tail = (self._tail + self._printer.feed(fresh[:_SLICE]))[-_TAIL:]
        return bool(self._fresh)

    @property
    def undrawn(self) -> bool:
        """Whether ``draw`` has something to do."""
        return bool(self._fresh)

    def finish(self) -> list[Tile]:
        """No more arguments come."""
        if not self.growing:
            return []
        self.growing = False
        if self.status == "writing":
            self.status = "written"
        return [self.card]

    def set_status(self, status: ToolStatus) -> None:
        """The call is this far now."""
        self.status = status
        if status != "writing":
            self.finish()
        if status == "waiting":
            self.since = None  # (what a person takes to answer is no time of the tool's)
        else:
            self.request = None
        if status == "running" and self.since is None:
            self.since = time.monotonic()

    def set_result(
        self, output: str, status: ToolStatus, seconds: float | None, images: tuple[ImagePart, ...] = ()
    ) -> None:
        """It has ended."""
        if seconds is None and self.since is not None:
            seconds = time.monotonic() - self.since
        self.output = output
        self.images = images
        self.seconds = seconds
        self._inner.clear()
        self._parts.clear()
        self.set_status(status)

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.status in ("done", "failed", "denied", "stopped")

    @property
    def summary(self) -> str:
        """The arguments in one line: the first text among them as a rule."""
        if self.growing or self._size > _SUMMARISED:
            return " ".join("".join(self._arguments[:50])[:_SUMMARY].split())
        parsed = parse_arguments(self.arguments)
        texts = [value for value in (parsed or {}).values() if isinstance(value, str) and value.strip()]
        return " ".join((texts[0] if texts else self.arguments)[:_SUMMARY].split()) if parsed != {} else ""

    @property
    def told(self) -> str:
        """The call as Markdown, laid out within the same bounds as under its card."""
        arguments, _ = _laid_out(self.arguments)
        return fenced(f"{self.name} {arguments}", "")

    def excerpt(self, lines: int) -> list[str]:
        """The last lines of the arguments, laid out, while they are written; text in them has lines of its own."""
        return [_ESCAPE.sub(r"\1", line) for line in _ESCAPED_END.split(self._tail.rstrip("\n"))[-lines:]]

    # Tiles

    @property
    def segmented(self) -> bool:
        """There are always tiles, those under the card only after it was opened."""
        return True

    def tiles(self) -> Sequence[Tile]:
        """Everything but the card."""
        return [self.approval, *(tile for section in self._inner for tile in section.tiles())]

    def shown(self) -> Sequence[Tile]:
        """The card, what is asked, and arguments and result when it is open."""
        shown = [self.card] if self.request is None else [self.card, self.approval]
        if self.expanded and not self.growing:
            self._inner = self._inner or self._details()
            for section in self._inner:
                shown += section.tiles()
        return shown

    def _details(self) -> list[Section]:
        texts = [Section("markdown", part.markdown()) for part in self._laid_out_parts()]
        return [*texts, *map(ImageSection, self.images)]

    def _laid_out_parts(self) -> list[_Part]:
        """Arguments and result, as far as there are any; made once for both."""
        if not self._parts:
            if self._size:
                self._parts.append(_Part("json", *_laid_out(self.arguments)))
            if self.output:
                shown = _first_lines(self.output[:SHOWN])
                self._parts.append(_Part("result", _broken(shown), len(self.output) - len(shown)))
        return self._parts

    # Looking for words

    @property
    def texts(self) -> Sequence[str]:
        """Arguments and result as they are shown under the card; none while the arguments are written."""
        return [] if self.growing else [part.text for part in self._laid_out_parts()]

    def texts_if(self, holds: Callable[[str], bool]) -> Sequence[str]:
        """``texts``, laid out only if what is looked for is in them as they were sent."""
        return self.texts if holds(self.arguments) or holds(self.output or "") else []

    def place_in(self, part: int, start: int) -> tuple[Section, int]:
        """Inside the fence of that part."""
        self._inner = self._inner or self._details()
        section = self._inner[part]
        return section, _begin(section) + start

    def part_of(self, tile: Tile) -> tuple[int, int]:
        """The part whose fence it is in."""
        number = next((number for number, inner in enumerate(self._inner) if inner is tile.section), 0)
        return (number, max(0, tile.start - _begin(self._inner[number]))) if self._inner else (0, 0)


@dataclass(frozen=True, slots=True)
class _Part:
    """Arguments or a result, as they are shown.

    Attributes:
        language: What stands above it.
        text: It.
        left: How many characters had to be left out.
    """

    language: str
    text: str
    left: int

    def markdown(self) -> str:
        """A block of code, and what is to be said of the rest."""
        return fenced(self.text, self.language) + _told_of(self.left)


def _begin(section: Section) -> int:
    """Where the text of a part begins in its section, behind the line that opens its fence."""
    return section.text.index("\n") + 1


def _told_of(left: int) -> str:
    told = QCoreApplication.translate("ToolSection", "{count:,} more characters are not shown.")
    return f"\n{told.format(count=left)}\n" if left else ""


def _laid_out(arguments: str) -> tuple[str, int]:
    """The layout of arguments, as far as its bounds go, and how many characters are left."""
    printer = ArgumentsPrinter()
    pieces: list[str] = []
    lines = at = 0
    while at < min(len(arguments), SHOWN) and lines < LINES:
        end = min(at + _STRIDE, SHOWN)
        pieces.append(printer.feed(arguments[at:end]))
        lines += pieces[-1].count("\n")
        at = end
    return "".join(pieces), max(0, len(arguments) - at)


def _first_lines(text: str) -> str:
    """``text`` up to its line number ``LINES``."""
    lines = text.split("\n", LINES)
    return text if len(lines) <= LINES else text[: -len(lines[-1]) - 1]


def _broken(text: str) -> str:
    """``text`` with lines of at most ``LINE`` characters, or a few more."""
    return _LONG.sub(r"\g<0>\n", text)


def fenced(text: str, language: str) -> str:
    """``text`` as a Markdown code block, whatever is in it; lines of more than ``LINE`` characters are broken."""
    text = _broken(text)
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n"
