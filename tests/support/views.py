"""Conversations to show, and what a transcript shows of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.model import Entry, Section
from rillet.widgets.transcript.view import Transcript
from support.documents import described

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.markdown import Formulas
    from rillet.widgets.transcript.model import Tile, TileKind

ANSWER = """\
The first paragraph explains **what** is done, and it is long enough to need two lines at any width.

## A heading

1. one item
2. another, with `code`
   - nested

```python
def answer(question: str) -> int:
    \"\"\"A line that is so long that it has to be scrolled sideways, whatever the width of the window is.\"\"\"
    return 42
```

> A quote that goes on
> for two lines.

| a | b |
|---|---|
| 1 | 2 |

The [last] paragraph, with a [link](https://example.org/).
"""


def transcript(qtbot: QtBot, *, width: int = 800, height: int = 600, formulas: Formulas | None = None) -> Transcript:
    """An empty transcript on the screen."""
    view = Transcript(Theme.of(LIGHT), formulas=formulas)
    qtbot.addWidget(view)
    view.resize(width, height)
    view.show()
    return view


def question(text: str = "What is the answer?") -> Entry:
    """A person's message."""
    return Entry("user", [Section("plain", text)])


def answer(text: str = ANSWER, reasoning: str = "") -> Entry:
    """A model's message."""
    thought = [Section("reasoning", reasoning)] if reasoning else []
    return Entry("assistant", [*thought, Section("markdown", text)])


def conversation(count: int) -> list[Entry]:
    """So many messages, no two alike."""
    return [
        answer(f"Answer {i}\n\n{ANSWER * (1 + i % 3)}") if i % 2 else question(f"Question {i}?") for i in range(count)
    ]


def tops(view: Transcript) -> dict[Tile, int]:
    """Where each tile in sight begins, in pixels below the top of the viewport."""
    return {
        tile: block.mapTo(view.viewport(), block.rect().topLeft()).y() for tile, block in view._stage.blocks.items()
    }


def on_screen(view: Transcript) -> list[tuple[Any, ...]]:
    """Everything in sight, from top to bottom: place, size, and every block and format of its document."""
    result = []
    for tile, block in view._stage.blocks.items():
        place = block.mapTo(view.viewport(), block.rect().topLeft())
        document = described(block.text_view.document()) if block.text_view is not None else []
        result.append((place.y(), place.x(), block.width(), block.height(), tile.kind, document))
    return sorted(result, key=lambda item: item[:2])


def text_views(view: Transcript, kind: TileKind | None = None) -> list[TextView]:
    """What shows text in sight, of one kind of tile or of all, from top to bottom."""
    order = sorted(tops(view).items(), key=lambda item: item[1])
    shown = [view._stage.blocks[tile].text_view for tile, _ in order if kind in (None, tile.kind)]
    return [editor for editor in shown if editor is not None]


def text_on_screen(view: Transcript) -> str:
    """The text in sight, from top to bottom."""
    return "\n".join(editor.toPlainText() for editor in text_views(view))
