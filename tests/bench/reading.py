"""What reading a long conversation costs: ``python tests/bench/reading.py``.

Prints, for conversations of 2,000 (4 MB) and 20,000 messages, CPU of the main thread in milliseconds for opening,
finding, copying everything, selecting all, zoom, resize, and 600 steps up through text that nobody has seen; beside it
the pixels that anything in sight jumped, and the memory that visiting all of it adds. Garbage is collected between the
measurements, as the program collects it when nothing else is due.
"""

from __future__ import annotations

import gc
import os
import statistics
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from rillet.widgets.theme.palette import Theme, apply
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.finding import FindOptions
from rillet.widgets.transcript.model import Entry, Section
from rillet.widgets.transcript.view import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.widgets.transcript.model import Tile

PROSE = "A sentence of ordinary prose, with *emphasis*, `code` and a [link](https://example.org/), of usual length. "
ANSWER = f"""\
## A heading

{PROSE * 6}

- {PROSE}
- {PROSE}
  - {PROSE}

```python
def answer(question: str, *, tries: int = 3) -> int:
    \"\"\"Give the answer.\"\"\"
    return sum(ord(letter) for letter in question) % 42 or answer(question + "!", tries=tries - 1)
```

> {PROSE * 2}

{PROSE * 16}
"""


def main() -> None:
    """Measure and print."""
    app = QApplication([])
    theme = apply(app, LIGHT)
    warm = _transcript(theme)
    warm.reset(_conversation(6))
    warm.reading.finder.find("sentence", FindOptions())
    warm.reading.copy_all()
    _turn()
    gc.disable()
    gc.collect()
    gc.freeze()
    _measure(theme, 2_000)
    _measure(theme, 20_000)


def _measure(theme: Theme, count: int) -> None:
    entries = _conversation(count)
    sources = "\n\n".join(entry.source for entry in entries)
    view = _transcript(theme)
    print(f"\n{count:,} messages, {len(sources) / 1e6:.1f} MB")
    _print("open", [_cost(lambda: view.reset(entries))])
    finder, bar = view.reading.finder, view.verticalScrollBar()
    before = _resident()
    _visit(view)
    print(f"  memory after visiting 2,000: {_resident() - before:+.0f} MB")
    for text in ("Question 17?", "sentence", "e", "not to be found"):
        costs = [_cost(partial(finder.find, text, FindOptions())) for _ in range(5)]
        _print(f"find {text!r}, {finder.count:,} hits", costs)
        finder.clear()
    finder.find("Question", FindOptions())
    _print("next hit", [_cost(lambda: finder.step(97)) for _ in range(30)])
    finder.clear()
    _print("select everything", [_cost(view.reading.selector.select_all)])
    _print("copy the selection", [_cost(view.reading.copy)])
    print(f"    equal to the sources: {QGuiApplication.clipboard().text() == sources}")
    view.reading.selector.select(None)
    _print("copy the conversation", [_cost(view.reading.copy_all) for _ in range(5)])
    QGuiApplication.clipboard().clear()
    view.jump_to_latest()
    _steps_up(view)
    bar.setValue(bar.maximum() // 2)
    _turn()
    zooms = [theme.zoomed(factor) for factor in (1.1, 1.2, 1.5, 1.0) * 3]
    _print("zoom", [_cost(partial(view.set_theme, zoomed)) for zoomed in zooms])
    _print("resize", [_cost(partial(view.resize, width, 900)) for width in range(600, 900, 20)])
    view.reset()
    view.deleteLater()
    _turn()


def _visit(view: Transcript) -> None:
    """See the first lines of one message in three, up to two thousand."""
    for entry in view.entries[:2_000:3]:
        view.reveal_line(entry, entry.sections[0].tiles()[0], 0)
    view.jump_to_latest()
    _turn()


def _steps_up(view: Transcript) -> None:
    bar = view.verticalScrollBar()
    costs, jumps = [], 0
    for _ in range(600):
        places = _places(view)
        costs.append(_cost(lambda: bar.setValue(bar.value() - 120)))
        after = _places(view)
        jumps += any(after[tile] - places[tile] != 120 for tile in places.keys() & after.keys())
    _print("600 steps up, 120 px each", costs)
    print(f"    steps with a visible jump: {jumps}")


def _places(view: Transcript) -> dict[Tile, int]:
    return {
        tile: block.mapTo(view.viewport(), block.rect().topLeft()).y() for tile, block in view._stage.blocks.items()
    }


def _conversation(count: int) -> list[Entry]:
    pairs = ((_question(f"Question {i}? {PROSE * 2}"), _answer(f"Answer {i}\n\n{ANSWER}")) for i in range(count // 2))
    return [entry for pair in pairs for entry in pair]


def _question(text: str) -> Entry:
    return Entry("user", [Section("plain", text)])


def _answer(text: str) -> Entry:
    return Entry("assistant", [Section("markdown", text)])


def _transcript(theme: Theme) -> Transcript:
    view = Transcript(theme)
    view.resize(800, 900)
    view.show()
    _turn()
    return view


def _cost(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    QApplication.sendPostedEvents()
    _turn()
    return (time.thread_time() - start) * 1000


def _turn() -> None:
    """Paint what is due, without the idle work that timers of a few milliseconds would begin."""
    QTimer.singleShot(0, lambda: None)
    QApplication.processEvents()


def _resident() -> float:
    """Memory in use, in MB; 0 where the system does not say (it says so on Linux)."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if status.exists() else 0.0


def _print(name: str, costs: list[float]) -> None:
    gc.collect()
    ordered = sorted(costs)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"  {name:36} p50 {statistics.median(costs):6.1f}  p95 {p95:6.1f}  max {ordered[-1]:6.1f}")


if __name__ == "__main__":
    main()
