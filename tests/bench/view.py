"""CPU of the transcript on the GUI thread: ``python tests/bench/view.py``.

Prints, for answers of several shapes, the mean and the worst frame of a stream of 50 KB in 1,000 frames (update,
layout and paint), the same for a tool call with 5 MB of arguments, and what opening, scrolling and switching the theme
cost in a conversation of 2,000 messages. Figures are CPU time of the main thread in milliseconds. Each stream runs
three times, and each of its frames counts as what it took at best: other processes, which share the caches, only ever
add. Garbage is collected between the streams, as the program collects it between the frames.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from rillet.widgets.chat_view import ChatView
from rillet.widgets.theme.palette import Theme, apply
from rillet.widgets.theme.tokens import DARK, LIGHT
from rillet.widgets.transcript.model import Entry, Foot, Section
from rillet.widgets.transcript.view import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE, FRAMES, RUNS = 50_000, 1_000, 3
PROSE = "A sentence of ordinary prose, with *emphasis*, `code` and a [link](https://example.org/), of usual length. "
MIXED = f"""\
## A heading

{PROSE * 4}

- {PROSE}
- {PROSE}
  - {PROSE}

```python
def answer(question: str, *, tries: int = 3) -> int:
    \"\"\"Give the answer.\"\"\"
    return sum(ord(letter) for letter in question) % 42 or answer(question + "!", tries=tries - 1)
```

> {PROSE * 2}

"""
MATH = "A sentence with $x^2 + y_1$ and \\(\\frac{a}{b}\\) in it.\n\n$$\n\\int_0^1 x\\,dx = \\frac{1}{2}\n$$\n\n"
TABLE_HEAD = "| Name | Value | **Remark** | Formula |\n|:--|--:|---|:-:|\n"
TABLE_ROW = "| a name of some words | 12,345.67 | with `code` in it | $x^2$ |\n"
ARGUMENTS = {
    "tool argument, 5 MB of text": json.dumps({"content": "def f(x):\n    return x  # a line of code\n" * 119_000}),
    "tool argument, 5 MB of numbers": "[" + "1," * 2_500_000,
    "tool argument, 5 MB of brackets": "[" * 5_000_000,
}
SHAPES = {
    "mixed": MIXED,
    "formulas": MATH,
    "one paragraph": PROSE,
    "one code block": 'print("a line of code", value + 1)  # and a comment\n',
    "one list": f"- {PROSE}\n",
    "one quote": f"> {PROSE}\n",
    "one table": TABLE_ROW,
}
HEADS = {"one code block": "```python\n", "one table": TABLE_HEAD}


def main() -> None:
    """Measure and print."""
    app = QApplication([])
    theme = apply(app, LIGHT)
    warm = _transcript(theme)
    warm.reset([_answer(MIXED)])
    _turn()
    gc.disable()
    gc.collect()
    gc.freeze()
    print(f"{'stream of 50 KB, 1,000 frames':34} total s   mean  worst  first→last tenth")
    for name, text in SHAPES.items():
        _report(name, partial(_stream, theme, HEADS.get(name, "") + text * (SIZE // len(text) + 1)))
    _report("table of 500 rows, a row a frame", partial(_rows, theme))
    for name, text in ARGUMENTS.items():
        _report(name, partial(_tool, text))
    _report("mixed, scrolled away", partial(_stream, theme, MIXED * (SIZE // len(MIXED) + 1), away=True))
    _long(theme)


def _stream(theme: Theme, text: str, *, away: bool = False) -> list[float]:
    view = _transcript(theme)
    view.reset([_answer(MIXED * 3)])
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    if away:
        view.verticalScrollBar().setValue(0)
    step = SIZE // FRAMES
    costs = [_cost(partial(view.grow, entry, "markdown", text[at : at + step])) for at in range(0, SIZE, step)]
    view.deleteLater()
    return costs


def _rows(theme: Theme) -> list[float]:
    view = _transcript(theme)
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    view.grow(entry, "markdown", TABLE_HEAD)
    rows = (TABLE_ROW.replace("12,345", f"{number},345") for number in range(500))
    costs = [_cost(partial(view.grow, entry, "markdown", row)) for row in rows]
    view.deleteLater()
    return costs


def _tool(arguments: str) -> list[float]:
    """A tool call of 5 MB that streams through a whole chat view, 40 characters a delta; at last its card is opened."""
    view = ChatView()
    view.resize(800, 900)
    view.show()
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "write", "")
    _turn()
    step = len(arguments) // FRAMES

    def frame(start: int) -> None:
        for at in range(start, min(start + step, len(arguments)), 40):
            handle.onToolCallDelta(0, None, None, arguments[at : min(at + 40, start + step)])
        handle.advance()

    costs = [_cost(partial(frame, at)) for at in range(0, len(arguments), step)]
    assert handle.toolCall(0).arguments == arguments
    handle.finish()
    handle.advance()
    call = handle.entry.sections[-1]
    costs.append(_cost(lambda: view.transcript.toggle_fold(handle.entry, call)))
    view.deleteLater()
    return costs


def _long(theme: Theme) -> None:
    pairs = ((_question(f"Question {i}? {PROSE * 3}"), _answer(f"Answer {i}\n\n{MIXED}")) for i in range(1000))
    entries = [entry for pair in pairs for entry in pair]
    view = _transcript(theme)
    print(f"\n2,000 messages, {sum(len(entry.source) for entry in entries) / 1e6:.1f} MB")
    print(f"  open                     {_cost(lambda: view.reset(entries)):7.1f}")
    bar = view.verticalScrollBar()
    _print_costs("scroll up 120 px", [_cost(lambda: bar.setValue(bar.value() - 120)) for _ in range(300)])
    _print_costs("and back", [_cost(lambda: bar.setValue(bar.value() + 120)) for _ in range(300)])
    jumps = [bar.maximum() * (i * 37 % 100) // 100 for i in range(60)]
    _print_costs("jump", [_cost(partial(bar.setValue, y)) for y in jumps])
    _print_costs("resize", [_cost(partial(view.resize, width, 900)) for width in range(600, 900, 20)])
    themes = [Theme.of(DARK), Theme.of(LIGHT)] * 5
    _print_costs("theme", [_cost(partial(view.set_theme, theme)) for theme in themes])
    print(f"  widgets {view._stage.widget_count}, documents {len(view._documents)}")


def _transcript(theme: Theme) -> Transcript:
    view = Transcript(theme)
    view.resize(800, 900)
    view.show()
    _turn()
    return view


def _answer(text: str) -> Entry:
    return Entry("assistant", [Section("markdown", text)])


def _question(text: str) -> Entry:
    return Entry("user", [Section("plain", text)])


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


def _report(name: str, stream: Callable[[], list[float]]) -> None:
    runs = []
    for _ in range(RUNS):
        runs.append(stream())
        _turn()
        gc.collect()
    costs = list(map(min, *runs))
    tenth = len(costs) // 10
    first, last = statistics.mean(costs[:tenth]), statistics.mean(costs[-tenth:])
    mean = statistics.mean(costs)
    print(f"  {name:32} {sum(costs) / 1000:7.2f} {mean:6.2f} {max(costs):6.1f}  {first:.2f} → {last:.2f}")


def _print_costs(name: str, costs: list[float]) -> None:
    ordered = sorted(costs)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"  {name:24} p50 {statistics.median(costs):6.1f}  p95 {p95:6.1f}  max {ordered[-1]:6.1f}")


if __name__ == "__main__":
    main()
