"""What the transcript shows: entries (messages), their sections, and the tiles that sections are cut into.

    Entry     one message: whose it is, its sections, what its foot says
    Section   a run of text of one kind: an answer in Markdown, a person's plain text, what stands under a fold
    Tile      the piece of an entry that one widget shows, with its height; a few KB at most, so that its cost is
    bounded

No widgets and no documents: ``documents`` builds those for tiles, ``layout`` gives tiles their heights. Above:
``segmenter`` cuts Markdown. Guarantee: the tiles depend on the text alone, not on the slices in which it arrived, and a
tile object stays the same while text grows behind it, so that heights and documents survive.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from rillet.widgets.transcript.segmenter import Segmenter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from datetime import date, datetime

    from rillet.core.types import Role
    from rillet.widgets.markdown import Columns
    from rillet.widgets.transcript.segmenter import Segment

SectionKind: TypeAlias = Literal["markdown", "plain", "reasoning", "discarded", "tool", "image", "file"]
TileKind: TypeAlias = Literal[
    "text", "code", "table", "math", "plain", "fold", "footer", "tool", "approval", "image", "file", "mark"
]
TEXT: Final = frozenset({"markdown", "plain"})
"""Sections that are what somebody said, and so what copying gives."""
FOLDED: Final = frozenset({"reasoning", "discarded"})
"""Markdown under a fold: what the model thought, and what it wrote before its provider began the answer anew."""
WIDGETS: Final = frozenset({"fold", "footer", "tool", "approval", "image", "file", "mark"})
"""Tiles without a document: their blocks draw themselves and say how tall they are."""

_PLAIN_PIECE = 4096


@dataclass(frozen=True, slots=True)
class Foot:
    """What stands under the text of an entry.

    Attributes:
        status: What is going on ("starting the built-in model…"), beside a pulse; only while ``busy``.
        busy: An answer is being written.
        error: Why the answer failed, as a sentence.
        details: What support may ask for about ``error``; folded.
        note: How the answer ended, when not as usual ("Stopped by you").
        retry: Whether asking again is offered.
        resume: Whether going on with an incomplete answer is offered.
        figures: What the answer took ("412 tokens · 38 tok/s").
        version, versions: This is version ``version`` (from 1) of so many.
    """

    status: str = ""
    busy: bool = False
    error: str = ""
    details: str = ""
    note: str = ""
    retry: bool = False
    resume: bool = False
    figures: str = ""
    version: int = 1
    versions: int = 1


@dataclass(frozen=True, slots=True)
class Mark:
    """A line below an entry that says something about all that stands above it.

    Attributes:
        text: What it says.
        detail: More of it, under the line.
        actions: What can be done about it: a key and the words for it, each.
    """

    text: str
    detail: str = ""
    actions: tuple[tuple[str, str], ...] = ()


class Shared:
    """What all tiles of one fence or table have in common on the screen.

    Attributes:
        first: The tile that it begins with.
        sideways: How many pixels it is scrolled from where reading begins.
        wrapped: Its lines are broken rather than scrolled.
        numbered: Its lines are numbered.
        columns: A table's columns, once somebody had to know.
    """

    __slots__ = ("columns", "first", "numbered", "sideways", "wrapped")

    def __init__(self) -> None:
        self.first: Tile | None = None
        self.sideways = 0
        self.wrapped = False
        self.numbered = False
        self.columns: Columns | None = None


class Tile:
    """A piece of an entry: one widget when in sight, a number of pixels otherwise.

    Attributes:
        kind: Which widget shows it.
        section: The text it is cut from; None for the footer.
        segment: What the segmenter says about it; None for tiles that are no Markdown.
        start, end: Its range in ``section.text``.
        height: Pixels, an estimate while ``exact`` is False.
        gap: Pixels between the tile above and this one.
        shared: What it has in common with the other tiles of its fence or table.
    """

    __slots__ = ("_end", "exact", "gap", "height", "kind", "section", "segment", "shared", "start")

    def __init__(
        self,
        kind: TileKind,
        section: Section | None = None,
        segment: Segment | None = None,
        start: int = 0,
        end: int = 0,
    ) -> None:
        self.kind = kind
        self.section = section
        self.segment = segment
        self.start = segment.start if segment else start
        self._end = end
        self.height = 0
        self.exact = False
        self.gap = 0
        self.shared = Shared()

    @property
    def end(self) -> int:
        """Where it ends in the source; grows while it is open."""
        return self.segment.end if self.segment else self._end

    @property
    def text(self) -> str:
        """What is to be drawn of its source: code without the indentation of its fence."""
        if self.section is None:
            return ""
        source = self.section.text
        return self.segment.text(source) if self.segment else source[self.start : self.end]

    @property
    def open(self) -> bool:
        """Whether text may still be added to it."""
        return self.segment is not None and self.segment.open

    @property
    def continued(self) -> bool:
        """Whether the tile above belongs to the same fence or table."""
        return self.segment is not None and self.segment.continued

    @property
    def more(self) -> bool:
        """Whether the tile below belongs to the same fence or table."""
        return self.segment is not None and self.segment.more


class Section:
    """A run of text of one kind. Markdown is cut into tiles on first need and then as it grows."""

    def __init__(self, kind: SectionKind, text: str = "", *, growing: bool = False) -> None:
        self.kind = kind
        self.text = text
        self.growing = growing
        self.expanded = False
        """Whether the fold is open, where there is one."""
        self.seconds: float | None = None
        """Reasoning only: how long it took; None when not known."""
        self.since: float | None = None
        """Reasoning only: ``time.monotonic()`` when it began; None when that was not seen."""
        self._segmenter: Segmenter | None = None
        self._tiles: list[Tile] = []
        self.fold = Tile("fold", self) if kind in FOLDED else None
        """The tile that opens and closes it, where it stands under a fold."""

    @property
    def references(self) -> dict[str, dict[str, str]]:
        """Link definitions found so far, as markdown-it's environment wants them."""
        return self._segmenter.references if self._segmenter else {}

    @property
    def segmented(self) -> bool:
        """Whether the tiles have been cut."""
        return self._segmenter is not None or bool(self._tiles)

    def append(self, text: str) -> list[Tile]:
        """Add text at the end; the tiles that changed or are new."""
        if self._segmenter is None:
            self._cut()
        self.text += text
        assert self._segmenter is not None
        return self._sync(self._segmenter.feed(text))

    def finish(self) -> list[Tile]:
        """No more text comes; the tiles that changed, the fold included."""
        if not self.growing:
            return []
        self.growing = False
        changed = [self.fold] if self.fold else []
        if self._segmenter is None:
            return changed
        changed += self._sync(self._segmenter.finish())
        if self.references:  # they may turn text far above into links
            known = set(changed)
            flowing = (tile for tile in self._tiles if tile.kind in ("text", "table") and tile not in known)
            changed += [tile for tile in flowing if "[" in tile.text]
        return changed

    def tiles(self) -> Sequence[Tile]:
        """All tiles, those under a closed fold too, without the fold itself."""
        if not self.segmented:
            self._cut()
        return self._tiles

    def known(self) -> Iterator[Tile]:
        """The tiles that have been cut so far, the fold included."""
        if self.fold is not None:
            yield self.fold
        if self.segmented:
            yield from self.tiles()

    def shown(self) -> Sequence[Tile]:
        """The tiles that take room: a fold first, and what is under it when it is open."""
        if self.fold is None:
            return self.tiles()
        return [self.fold, *self.tiles()] if self.expanded else [self.fold]

    # Looking for words

    @property
    def texts(self) -> Sequence[str]:
        """The texts in which words are looked for; several where it shows several."""
        return (self.text,)

    def texts_if(self, holds: Callable[[str], bool]) -> Sequence[str]:
        """``texts``, or nothing where they cost work and ``holds`` denies that they have what is looked for."""
        return self.texts

    def place_in(self, part: int, start: int) -> tuple[Section, int]:
        """The section whose tiles show text number ``part``, and where in its own text ``start`` is."""
        return self, start

    def part_of(self, tile: Tile) -> tuple[int, int]:
        """Which of ``texts`` a tile shows, and where in that it begins: the way back from ``place_in``."""
        return 0, tile.start

    # Parts

    def fence(self, tile: Tile) -> list[Tile]:
        """All tiles of the code block or table that ``tile`` is a part of."""
        assert tile.segment is not None
        return [other for other in self._tiles if other.segment and other.segment.block is tile.segment.block]

    def fence_text(self, tile: Tile) -> str:
        """The whole code that ``tile`` is a part of; where it was cut, what lies between (a line end) is put back."""
        tiles = self.fence(tile)
        between = [self.text[above.end : below.start] for above, below in pairwise(tiles)]
        return "".join(text + gap for text, gap in zip((tile.text for tile in tiles), [*between, ""], strict=True))

    def _cut(self) -> None:
        if self.kind == "plain":
            self._tiles = [Tile("plain", self, None, start, end) for start, end in _pieces(self.text)]
            return
        self._segmenter = Segmenter()
        self._segmenter.feed(self.text)
        if not self.growing:
            self._segmenter.finish()
        self._sync(0)

    def _sync(self, first: int) -> list[Tile]:
        """Give every segment from ``first`` on its tile; a tile is kept while its segment stays the same object."""
        assert self._segmenter is not None
        segments = self._segmenter.segments
        for index in range(first, len(segments)):
            if index == len(self._tiles):
                self._tiles.append(self._tile(index))
            elif self._tiles[index].segment is not segments[index]:
                self._tiles[index] = self._tile(index)
        del self._tiles[len(segments) :]
        return self._tiles[first:]

    def _tile(self, index: int) -> Tile:
        """The tile of a segment, when all those above have theirs."""
        assert self._segmenter is not None
        segment = self._segmenter.segments[index]
        tile = Tile(segment.kind, self, segment)
        if segment.block is not None:
            if segment.continued:
                tile.shared = self._tiles[index - 1].shared
            else:
                tile.shared.first = tile
        return tile


class Fit(NamedTuple):
    """What heights hold for.

    Attributes:
        width: That of the column.
        fonts: Counts the changes of fonts.
    """

    width: int
    fonts: int


class Entry:
    """One message of the transcript.

    Attributes:
        index: Its place in the transcript.
        mark: The line below it, if there is one.
        details_open: Whether the details of its error are unfolded.
        time: When it was written; None when not known.
        day: The day that begins with it, when its time is known and the entry before is of another day.
        height: Pixels; an estimate until its tiles are cut and measured.
        fit: What that height holds for; None before it is laid out.
        offsets: Where each tile begins, in pixels below the entry's top; parallel to ``tiles``.
        tiles: What it is made of from top to bottom, or None before anybody had to know.
    """

    def __init__(
        self,
        role: Role,
        sections: Sequence[Section] = (),
        foot: Foot | None = None,
        *,
        time: datetime | None = None,
    ) -> None:
        self.role = role
        self.time = time
        self.day: date | None = None
        self.sections = list(sections)
        self.foot = foot or Foot()
        self.footer = Tile("footer")
        self.mark: Mark | None = None
        self.mark_tile = Tile("mark")
        self.details_open = False
        self.index = -1
        self.height = 0
        self.fit: Fit | None = None
        self.tiles: list[Tile] | None = None
        self.offsets: list[int] = []

    @property
    def source(self) -> str:
        """What copying the entry gives: the text as written, without reasoning."""
        return "\n\n".join(section.text for section in self.sections if section.kind in TEXT)

    @property
    def has_source(self) -> bool:
        """Whether there is anything to copy."""
        return any(section.text and section.kind in TEXT for section in self.sections)

    @property
    def waiting(self) -> bool:
        """Whether an answer is on its way of which nothing can be read yet."""
        return self.foot.busy and not any(section.kind not in FOLDED for section in self.sections)

    def place_of(self, tile: Tile) -> tuple[int, int, int] | None:
        """Numbers of this entry, of a section and of ``tile`` in it; None for what is no text, or long gone."""
        for number, section in enumerate(self.sections):
            mine = section is tile.section or section.kind == "tool"
            if mine and tile.kind not in WIDGETS and tile in section.tiles():
                return self.index, number, section.tiles().index(tile)
        return None

    def places(self) -> list[tuple[int, int, int]]:
        """Numbers of this entry, of a section and of a tile in it, for all the text that can be read at the moment."""
        return [
            (self.index, number, index)
            for number, section in enumerate(self.sections)
            if section.fold is None or section.expanded
            for index, tile in enumerate(section.tiles())
            if tile.kind not in WIDGETS
        ]

    def append(self, kind: SectionKind, text: str) -> list[Tile]:
        """Add text at the end, in a new section when the last one is of another kind; the tiles that changed."""
        changed: list[Tile] = []
        if not self.sections or self.sections[-1].kind != kind:
            changed += self.finish()
            self.sections.append(Section(kind, growing=True))
        return changed + self.sections[-1].append(text)

    def add(self, section: Section) -> list[Tile]:
        """Add a section at the end; the tiles that changed."""
        changed = self.finish()
        self.sections.append(section)
        return [*changed, *section.shown()]

    def finish(self) -> list[Tile]:
        """The last section is complete; the tiles that changed."""
        return self.sections[-1].finish() if self.sections else []

    def flatten(self, changed: Collection[Tile] | None = None) -> int:
        """Put the tiles of all sections and the footer into one list, with the gaps between them.

        ``changed`` are the only ones that grew, came or went since it was done last; None: not known. Returns the index
        of the first tile whose place may be another now.
        """
        tiles: list[Tile] = []
        for section in self.sections:
            tiles += section.shown()
        tiles.append(self.footer)
        if self.mark is not None:
            tiles.append(self.mark_tile)
        first = 0
        if changed is not None and self.tiles is not None:
            first = _first_of(changed, tiles)
            if tiles[:first] != self.tiles[:first]:
                first = 0
        for above, tile in pairwise([tiles[first - 1] if first else None, *tiles[first:]]):
            assert tile is not None
            tile.gap = _gap(above, tile)
        self.tiles = tiles
        return first


def _first_of(changed: Collection[Tile], tiles: Sequence[Tile]) -> int:
    """Index of the first of ``tiles`` that is in ``changed``, or of the last of them all; usually near the end."""
    missing = set(changed)
    first = len(tiles) - 1
    for index in range(len(tiles) - 1, -1, -1):
        if not missing:
            break
        if tiles[index] in missing:
            missing.remove(tiles[index])
            first = index
    return first


def _gap(above: Tile | None, below: Tile) -> int:
    """Pixels between two tiles; a document does not count the margin below its last block, so it is given here."""
    if above is None or below.continued or (above.kind == "plain" and below.kind == "plain"):
        return 0
    if below.kind == "footer":
        return 4
    if above.section is not None and above.section is below.section and above.kind == "tool":
        return 8
    if above.section is not below.section and above.section is not None and above.section.kind in FOLDED:
        return 12 if above.kind == "fold" else 20  # an open fold ends where the text is no longer set in
    if above.kind == "text" and below.kind == "text" and above.section is below.section:
        return 4 if below.segment and below.segment.item else 10
    # Below a table or a formula is room for a scroll bar already.
    return 4 if above.kind in ("table", "math") else 12


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Ranges of about 4 KB, cut at a line end, which belongs to neither side; never more than three times that."""
    start = 0
    while len(text) - start > _PLAIN_PIECE * 3 // 2:
        newline = text.find("\n", start + _PLAIN_PIECE, start + 3 * _PLAIN_PIECE)
        end = newline if newline >= 0 else min(len(text), start + 3 * _PLAIN_PIECE)
        yield start, end
        start = end + (newline >= 0)
    if start < len(text) or start == 0:
        yield start, len(text)
