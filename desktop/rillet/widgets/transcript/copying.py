"""What goes to the clipboard: messages and selections as Markdown, as plain text and as HTML, all at once.

    a whole message     its source, byte for byte, in both kinds of text
    whole blocks        their source; a table is tab-separated in plain text, code alone comes without its fence
    a cut block         as it reads in plain text, with formulas as TeX; as Markdown that says the same in the others

Above: ``selection``, ``model``, ``documents``, ``markdown.extract``. Below: ``view``. Guarantees: no document is built
for what is selected whole, and nothing is joined before somebody pastes, so that thousands of messages cost a list of
their texts; HTML names no picture to be loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Final

import msgspec
from PySide6.QtCore import QByteArray, QMimeData

from rillet.widgets.markdown.clipboard import MARKDOWN, tab_separated, table_texts
from rillet.widgets.markdown.document import sound
from rillet.widgets.markdown.extract import markdown_text, plain_text
from rillet.widgets.markdown.html import html_of, html_of_plain
from rillet.widgets.markdown.math import text_between
from rillet.widgets.transcript.model import TEXT, WIDGETS, Tile
from rillet.widgets.transcript.selection import END

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from PySide6.QtCore import QMetaType

    from rillet.widgets.transcript.documents import Documents
    from rillet.widgets.transcript.model import Entry, Section
    from rillet.widgets.transcript.selection import Selection

PLAIN: Final = "text/plain"
HTML: Final = "text/html"
LARGEST_HTML: Final = 50_000
"""Characters of source up to which there is HTML: writing it takes half a microsecond for each (20 ms for these)."""


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A run of copied text.

    Attributes:
        source: It as Markdown, or as it was typed if it is ``typed``.
        plain: It as plain text; None: as its source.
        typed: It is no Markdown but a person's text.
    """

    source: str
    plain: str | None = None
    typed: bool = False


class Copied(QMimeData):
    """Pieces of text in all flavours; each flavour is made when it is asked for."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        super().__init__()
        self._pieces = list(pieces)

    def _plain(self) -> str:
        return "\n\n".join([piece.source if piece.plain is None else piece.plain for piece in self._pieces])

    def _source(self) -> QByteArray:
        source = "\n\n".join([piece.source for piece in self._pieces])
        return QByteArray((source if source.isascii() else sound(source)).encode())

    def _html(self) -> str:
        return "\n".join(
            html_of_plain(piece.source) if piece.typed else html_of(piece.source) for piece in self._pieces
        )

    # Qt overrides

    def formats(self) -> list[str]:
        """What it can be pasted as."""
        lengths = accumulate(len(piece.source) for piece in self._pieces)
        small = all(length <= LARGEST_HTML for length in lengths)
        return [PLAIN, MARKDOWN, HTML] if small else [PLAIN, MARKDOWN]

    def hasFormat(self, mime: str) -> bool:
        """Whether it can be pasted as that."""
        return mime in self.formats()

    def retrieveData(self, mime: str, _kind: QMetaType | QMetaType.Type) -> str | QByteArray | None:
        """Make it."""
        match mime.partition(";")[0]:
            case "text/plain":
                return self._plain()
            case "text/markdown":
                return self._source()
            case "text/html" if self.hasFormat(HTML):
                return self._html()
            case _:
                return None


def pieces_of(entries: Iterable[Entry]) -> list[Piece]:
    """Whole messages, without their reasoning."""
    return [
        Piece(section.text, None, section.kind == "plain")
        for entry in entries
        for section in entry.sections
        if section.kind in TEXT
    ]


def pieces_in(selection: Selection, entries: Sequence[Entry], documents: Documents) -> Iterator[Piece]:
    """What is selected, in reading order."""
    first, last = selection.start.entry, min(selection.end.entry, len(entries) - 1)
    ends = (first,) if first == last else (first, last)
    for index in ends:
        if index != first:
            yield from pieces_of(entries[first + 1 : last])
        if _is_whole(selection, entries[index], documents):
            yield from pieces_of([entries[index]])
        else:
            yield from _Cutter(selection, entries[index], documents).pieces()


def _is_whole(selection: Selection, entry: Entry, documents: Documents) -> bool:
    """Whether everything that can be selected in ``entry`` is."""
    if selection.start <= (entry.index, 0, 0, 0) and (entry.index, END, END, END) <= selection.end:
        return True
    places = entry.places()
    if not places:
        return True
    return _takes_in(selection, places[0], 0) and _takes_in(
        selection, places[-1], _length(selection, places[-1], entry, documents)
    )


def _takes_in(selection: Selection, place: tuple[int, int, int], offset: int) -> bool:
    return selection.start <= (*place, offset) <= selection.end


def _length(selection: Selection, place: tuple[int, int, int], entry: Entry, documents: Documents) -> int:
    """Units in a tile's document; not asked where the selection ends elsewhere, for the document had to be built."""
    if place not in (selection.start[:3], selection.end[:3]):
        return 1
    return max(1, documents.get(entry.sections[place[1]].tiles()[place[2]]).characterCount() - 1)


@dataclass(slots=True)
class _Part:
    """The selected part of one tile."""

    tile: Tile
    low: int
    high: int
    whole: bool

    @property
    def block(self) -> object:
        """What it is a part of: a fence or table, a person's text, or by itself."""
        if self.tile.kind == "plain":
            return self.tile.section
        block = self.tile.segment.block if self.tile.segment is not None else None
        return block or self.tile


class _Cutter:
    """Cuts what is selected out of one entry."""

    def __init__(self, selection: Selection, entry: Entry, documents: Documents) -> None:
        self._selection = selection
        self._entry = entry
        self._documents = documents

    def pieces(self) -> list[Piece]:
        """What is selected of the entry."""
        groups = [
            (section, list(group))
            for number, section in enumerate(self._entry.sections)
            if (section.text or section.kind == "tool") and (section.fold is None or section.expanded)
            for _, group in groupby(self._parts(number, section), key=lambda part: part.block)
        ]
        alone = len(groups) == 1
        result: list[Piece] = []
        whole: list[_Part] = []
        for section, group in groups:
            tile = group[0].tile
            complete = tile.kind != "plain" and _is_complete(section, group)
            if whole and not (complete and tile.kind != "table" and whole[-1].tile.section is section):
                result.append(_run(whole))
                whole = []
            if not complete or (alone and tile.kind == "code"):
                result.append(self._cut(section, group, alone=alone))
            elif tile.kind == "table":
                source = _source(section, tile, group[-1].tile)
                result.append(Piece(source, tab_separated(table_texts(source))))
            else:
                whole += group
        return [*result, _run(whole)] if whole else result

    def _parts(self, number: int, section: Section) -> Iterator[_Part]:
        for index, tile in enumerate(section.tiles()):
            place = (self._entry.index, number, index)
            if tile.kind in WIDGETS or not self._selection.start[:3] <= place <= self._selection.end[:3]:
                continue
            length = _length(self._selection, place, self._entry, self._documents)
            span = self._selection.span(place, length)
            if span is not None:
                yield _Part(tile, *span, whole=span == (0, length))

    def _cut(self, section: Section, parts: list[_Part], *, alone: bool) -> Piece:
        tile = parts[0].tile
        if tile.kind == "text":
            document, low, high = self._documents.get(tile), parts[0].low, parts[0].high
            return Piece(markdown_text(document, low, high), plain_text(document, low, high))
        # Between two tiles of one block or of a person's text lies a line end that belongs to neither.
        text = "\n".join(part.tile.text if part.whole else self._plain(part) for part in parts)
        if tile.kind == "code":
            block = tile.segment.block if tile.segment is not None else None
            fence = block.fence if block is not None and block.fence else "```"
            lines = text.removesuffix("\n")
            fenced = f"{fence}{block.language if block is not None else ''}\n{lines}\n{fence}"
            return Piece(fenced, text if alone else fenced)
        return Piece(text, typed=tile.kind == "plain")

    def _plain(self, part: _Part) -> str:
        if part.tile.kind == "code":
            return text_between(self._documents.get(part.tile), part.low, part.high)
        return plain_text(self._documents.get(part.tile), part.low, part.high)


def _is_complete(section: Section, parts: list[_Part]) -> bool:
    """Whether the parts are all of a block, from end to end."""
    tile = parts[0].tile
    every = len(section.fence(tile)) if tile.segment is not None and tile.segment.block is not None else 1
    return len(parts) == every and all(part.whole for part in parts)


def _run(parts: list[_Part]) -> Piece:
    """Neighbouring blocks as they were written, with what lies between them."""
    section = parts[0].tile.section
    assert section is not None
    source = _source(section, parts[0].tile, parts[-1].tile)
    return Piece(source)


def _source(section: Section, first: Tile, last: Tile) -> str:
    """The source from ``first`` to ``last``, the lines of their fences included."""
    text = section.text
    start, end = first.start, last.end
    if first.kind == "code" and start:
        start = text.rfind("\n", 0, start - 1) + 1
    block = last.segment.block if last.kind == "code" and last.segment is not None else None
    if block is not None and text.startswith("\n", end):
        closing = text.find("\n", end + 1)
        line = text[end + 1 : closing if closing >= 0 else len(text)]
        if line.strip().startswith(block.fence):
            end += 1 + len(line)
    return text[start:end]
