"""What reading a long conversation costs: ``python tests/bench/reading.py``.

Prints, for conversations of 2,000 (4 MB) and 20,000 messages, what opening, finding, copying, selecting everything,
zoom, resize, jumps, another theme, and 600 steps up through text that nobody has seen cost (see ``transcripts``), with
the pixels that anything in sight jumped, and the memory that visiting all of it adds. Finding goes on in the event loop
until all is counted: its figures are those of the longest slice. Then what opening one message of 1 MB costs, and
streaming its end.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from bench.transcripts import (
    MATH,
    MIXED,
    PROSE,
    answer,
    cost,
    print_costs,
    question,
    settle,
    slices,
    transcript,
    turn,
)
from rillet.widgets.theme.palette import Theme, apply
from rillet.widgets.theme.tokens import DARK, LIGHT
from rillet.widgets.transcript.finding import FindOptions
from rillet.widgets.transcript.model import Entry, Foot

if TYPE_CHECKING:
    from rillet.widgets.transcript.model import Tile
    from rillet.widgets.transcript.view import Transcript

ANSWER = f"{MIXED}{PROSE * 18}\n"
MEGABYTE = 1_000_000
LARGE = {
    "mixed": MIXED,
    "code": 'print("a line of code", value + 1)  # and a comment\n',
    "prose": PROSE,
    "a word": "x",
    "a list": f"- {PROSE}\n",
    "a table": "| a name of some words | 12,345.67 | with `code` in it |\n",
    "formulas": MATH,
}
HEADS = {"code": "```python\n", "a table": "| Name | Value | **Remark** |\n|:--|--:|---|\n"}


def main() -> None:
    """Measure and print."""
    app = QApplication([])
    theme = apply(app, LIGHT)
    warm = transcript(theme)
    warm.reset(_conversation(6))
    warm.reading.finder.find("sentence", FindOptions())
    warm.reading.copy_all()
    settle()
    measure(theme)


def measure(theme: Theme) -> None:
    """Measure and print, in an application that has shown a conversation before."""
    _conversation_of(theme, 2_000)
    _conversation_of(theme, 20_000)
    print(f"\n{'one message of 1 MB':36}    open    its end, 10 KB in 200 frames: mean, worst")
    for name, text in LARGE.items():
        _large(theme, name, HEADS.get(name, "") + text * (MEGABYTE // len(text)))


def _conversation_of(theme: Theme, count: int) -> None:
    entries = _conversation(count)
    sources = "\n\n".join(entry.source for entry in entries)
    view = transcript(theme)
    print(f"\n{count:,} messages, {len(sources) / 1e6:.1f} MB")
    print_costs("open", [cost(lambda: view.reset(entries))])
    finder, bar = view.reading.finder, view.verticalScrollBar()
    before = _resident()
    _visit(view)
    print(f"  memory after visiting 2,000: {_resident() - before:+.0f} MB")
    for text in ("Question 17?", "sentence", "e", "not to be found"):
        runs = [_find(view, text) for _ in range(5)]
        total = sum(map(sum, runs)) / len(runs)
        print_costs(f"find {text!r}, {finder.count:,} hits", list(map(max, runs)))
        print(f"    all of its slices: {total:.1f}")
        finder.clear()
    _find(view, "Question")
    steps = [slices(partial(finder.step, 97), lambda: not finder.coming) for _ in range(30)]
    print_costs("next hit", list(map(max, steps)))
    finder.clear()
    print_costs("select everything", [cost(view.reading.selector.select_all)])
    print_costs("copy the selection", [cost(view.reading.copy)])
    print(f"    equal to the sources: {QGuiApplication.clipboard().text() == sources}")
    view.reading.selector.select(None)
    print_costs("copy the conversation", [cost(view.reading.copy_all) for _ in range(5)])
    QGuiApplication.clipboard().clear()
    view.jump_to_latest()
    _steps_up(view)
    bar.setValue(bar.maximum() // 2)
    turn()
    zooms = [theme.zoomed(factor) for factor in (1.1, 1.2, 1.5, 1.0) * 3]
    themes = [Theme.of(DARK), Theme.of(LIGHT)] * 5
    print_costs("theme", [cost(partial(view.set_theme, theme)) for theme in themes])
    jumps = [bar.maximum() * (step * 37 % 100) // 100 for step in range(60)]
    print_costs("jump", [cost(partial(bar.setValue, y)) for y in jumps])
    print_costs("zoom", [cost(partial(view.set_theme, zoomed)) for zoomed in zooms])
    print_costs("resize", [cost(partial(view.resize, width, 900)) for width in range(600, 900, 20)])
    view.reset()
    view.deleteLater()
    turn()


def _visit(view: Transcript) -> None:
    """See the first lines of one message in three, up to two thousand."""
    for entry in view.entries[:2_000:3]:
        view.reveal_line(entry, entry.sections[0].tiles()[0], 0)
    view.jump_to_latest()
    turn()


def _steps_up(view: Transcript) -> None:
    bar = view.verticalScrollBar()
    costs, jumps = [], 0
    for _ in range(600):
        places = _places(view)
        costs.append(cost(lambda: bar.setValue(bar.value() - 120)))
        after = _places(view)
        jumps += any(after[tile] - places[tile] != 120 for tile in places.keys() & after.keys())
    print_costs("600 steps up, 120 px each", costs)
    print(f"    steps with a visible jump: {jumps}")


def _places(view: Transcript) -> dict[Tile, int]:
    return {
        tile: block.mapTo(view.viewport(), block.rect().topLeft()).y() for tile, block in view._stage.blocks.items()
    }


def _conversation(count: int) -> list[Entry]:
    pairs = ((question(f"Question {i}? {PROSE * 2}"), answer(f"Answer {i}\n\n{ANSWER}")) for i in range(count // 2))
    return [entry for pair in pairs for entry in pair]


def _find(view: Transcript, text: str) -> list[float]:
    finder = view.reading.finder
    return slices(partial(finder.find, text, FindOptions()), lambda: finder.complete and not finder.coming)


def _large(theme: Theme, name: str, text: str) -> None:
    view = transcript(theme)
    entry = Entry("assistant", foot=Foot(busy=True))
    opened = cost(lambda: view.reset([entry])) + cost(partial(view.grow, entry, "markdown", text[:-10_000]))
    end = text[-10_000:]
    costs = [cost(partial(view.grow, entry, "markdown", end[at : at + 50])) for at in range(0, 10_000, 50)]
    print(f"  {name:34}{opened:8.1f}{sum(costs) / len(costs):8.1f}{max(costs):8.1f}")
    view.deleteLater()
    turn()


def _resident() -> float:
    """Memory in use, in MB; 0 where the system does not say (it says so on Linux)."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if status.exists() else 0.0


if __name__ == "__main__":
    main()
