"""What turning Markdown into documents costs: ``python tests/bench/markdown.py``. Prints figures, asserts nothing.

First the segmenter: milliseconds for 1 MB of one kind, at once and in pieces of four characters, and the largest
segment. Then documents without a view: CPU of one frame (fifty characters: segmenter, update, layout) while 50 KB of
one kind arrive, in its first and last tenth, so that growth would show.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, TypeAlias

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from rillet.widgets.markdown import (
    Columns,
    Formulas,
    LiveCode,
    LiveFormula,
    LiveTable,
    LiveText,
    MathWriter,
    highlight,
    text_document,
    typeset,
)
from rillet.widgets.markdown.formulas import Key
from rillet.widgets.theme.palette import Theme, apply
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.segmenter import Segmenter

if TYPE_CHECKING:
    from rillet.widgets.transcript.segments import Block, Segment

    Live: TypeAlias = LiveText | LiveCode | LiveTable | LiveFormula

PROSE = "A sentence of a few words, with **strong** ones and `code`, that goes on for a while. "
CODE = 'def area(width: float) -> float:\n    """Of a square."""\n    return width * width  # exact\n\n\n'
LIST = "- An item with **strong** words and a [link](https://example.org) in it\n"
MIXED = f"## Heading\n\n{PROSE * 3}\n\n{LIST * 4}\n```python\n{CODE * 2}```\n\n> {PROSE}\n>\n> {PROSE}\n\n"
KINDS = {
    "mixed": MIXED,
    "paragraphs": PROSE * 5 + "\n\n",
    "one paragraph": PROSE,
    "one word": "word",
    "one list": LIST,
    "one quote": f"> {PROSE}\n>\n",
    "one code block": CODE,
    "one table": "| a cell | another | 12.5 |\n",
    "marked table": "| **a** cell | `another` [one](https://example.org) | $x^2$ |\n",
    "formulas": f"{PROSE} with $x^2$ and \\(y_1\\).\n\n$$\n\\frac{{1}}{{2}}\n$$\n\n",
}
TABLE = "| a | b | c |\n|---|---|--:|\n"
HEADS = {"one code block": "```python\n", "one table": TABLE, "marked table": TABLE}


def text_of(kind: str, size: int) -> str:
    """``size`` characters of ``kind``."""
    piece = KINDS[kind]
    return (HEADS.get(kind, "") + piece * (size // len(piece) + 1))[:size]


def print_segmenter() -> None:
    """Time for 1 MB of each kind."""
    print("segmenter, 1 MB            at once ms   by 4 characters ms   segments   largest")
    for kind in KINDS:
        text = text_of(kind, 1_000_000)
        whole, in_pieces = Segmenter(), Segmenter()
        start = time.thread_time()
        whole.feed(text)
        middle = time.thread_time()
        for at in range(0, len(text), 4):
            in_pieces.feed(text[at : at + 4])
        end = time.thread_time()
        largest = max(each.end - each.start for each in whole.segments)
        at_once, sliced = (middle - start) * 1000, (end - middle) * 1000
        print(f"{kind:25} {at_once:10.1f} {sliced:20.0f} {len(whole.segments):12} {largest:9}")


class Documents:
    """The live documents of one answer, each laid out after every update."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._segmenter = Segmenter()
        self._live: dict[Segment, Live] = {}
        self._columns: dict[Block, Columns] = {}
        self._formulas = Formulas()
        self._text = ""

    def frame(self, piece: str) -> float:
        """Milliseconds for one piece."""
        start = time.thread_time()
        first = self._segmenter.feed(piece)
        self._text += piece
        for segment in self._segmenter.segments[first:]:
            self._update(segment)
        return (time.thread_time() - start) * 1000

    def _update(self, segment: Segment) -> None:
        source = segment.text(self._text)
        live = self._live.get(segment) or self._make(segment)
        self._live[segment] = live
        if isinstance(live, LiveText):
            live.update(source, segment.stable - segment.start, growing=segment.growing)
        else:
            live.update(source)
        if isinstance(live, LiveCode) and not segment.open:
            live.finish()
        if isinstance(live, LiveTable):
            if not segment.continued:
                live.columns.take(source.split("\n")[2:])
            live.set_widths(live.columns.widths(680))
        live.document.setTextWidth(680)
        live.document.size()

    def _make(self, segment: Segment) -> Live:
        math = MathWriter(self._formulas, self._theme)
        block = segment.block
        if segment.kind == "text" or block is None:
            return LiveText(self._theme, references=self._segmenter.references, ordinal=segment.ordinal, math=math)
        if segment.kind == "math":
            return LiveFormula(self._theme, math=math)
        if segment.kind == "table":
            columns = self._columns.setdefault(block, Columns(block.head, self._theme))
            return LiveTable(columns, self._theme, continued=segment.continued, math=math)
        return LiveCode(block.language, self._theme)


def print_documents(theme: Theme) -> None:
    """CPU per frame while an answer of each kind arrives."""
    print("\ndocuments, 50 KB            mean   worst   first tenth   last tenth   ms per frame")
    for kind in KINDS:
        text = text_of(kind, 50_000)
        documents = Documents(theme)
        frames = [documents.frame(text[at : at + 50]) for at in range(0, len(text), 50)]
        tenth = len(frames) // 10
        first, last = sum(frames[:tenth]) / tenth, sum(frames[-tenth:]) / tenth
        print(f"{kind:25} {sum(frames) / len(frames):6.2f} {max(frames):7.1f} {first:13.2f} {last:12.2f}")


def print_formulas() -> None:
    """What a formula costs, off the GUI thread and on it."""
    typeset.warm_up()
    formulas = Formulas()
    print("\nformulas                    laid out ms   painted ms   KB")
    for tex in (r"x^2", r"\frac{-b \pm \sqrt{b^2 - 4ac}}{2a}", r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1}"):
        key = Key(tex, 16.0, "#000000", display=True)
        start = time.thread_time()
        drawing = typeset.typeset(tex, key.size, key.colour, display=True)
        assert drawing is not None
        middle = time.thread_time()
        formulas.image(key, drawing, 2.0, (200, 60), 0.0)
        end = time.thread_time()
        laid_out, painted = (middle - start) * 1000, (end - middle) * 1000
        print(f"{tex[:25]:25} {laid_out:12.1f} {painted:12.1f} {len(drawing.svg) / 1024:7.1f}")


def main() -> None:
    """Print everything."""
    app = QApplication(sys.argv[:1])
    theme = apply(app, LIGHT)
    text_document("*warm*", theme)
    highlight.warm_up()
    print_segmenter()
    print_documents(theme)
    print_formulas()


if __name__ == "__main__":
    main()
