"""CPU of the transcript on the GUI thread: ``python tests/bench/view.py``.

Prints, for answers of several shapes, the mean and the worst frame of a stream of 50 KB in 1,000 frames (update,
layout and paint), beside what ``QTextBrowser.setMarkdown`` takes for a quarter of it; the same for a tool call with
5 MB of arguments; the turns of the event loop after 50 KB came at once; then what ``reading.py`` prints of long
conversations. How it is measured: see ``transcripts``. Each stream runs three times, and each of its frames counts as
what it took at best. Garbage is collected between the streams, as the program collects it between the frames.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from PySide6.QtWidgets import QApplication, QTextBrowser

from bench import reading
from bench.transcripts import MATH, MIXED, PROSE, answer, cost, print_costs, settle, slices, transcript, turn
from rillet.widgets.chat_view import ChatView
from rillet.widgets.theme.palette import Theme, apply
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.model import Entry, Foot

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE, FRAMES, RUNS = 50_000, 1_000, 3
STEP = SIZE // FRAMES
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
    warm = transcript(theme)
    warm.reset([answer(MIXED)])
    settle()
    print(f"{'stream of 50 KB in 1,000 frames':36} total s   mean  worst  first→last tenth")
    for name, text in SHAPES.items():
        _report(name, partial(_stream, theme, HEADS.get(name, "") + text * (SIZE // len(text) + 1), SIZE))
    _report("mixed, 100 KB in 2,000 frames", partial(_stream, theme, MIXED * (2 * SIZE // len(MIXED) + 1), 2 * SIZE))
    _report("mixed, 12.5 KB in 250 frames", partial(_stream, theme, MIXED * (SIZE // len(MIXED)), SIZE // 4))
    _report("the same by QTextBrowser.setMarkdown", partial(_browser, MIXED * (SIZE // len(MIXED)), SIZE // 4))
    _report("table of 500 rows, a row a frame", partial(_rows, theme))
    for name, text in ARGUMENTS.items():
        _report(name, partial(_tool, text))
    _report("mixed, scrolled away", partial(_stream, theme, MIXED * (SIZE // len(MIXED) + 1), SIZE, away=True))
    print(f"\n{'50 KB at once through a chat view':36}")
    print_costs("turns of the event loop", _burst(MIXED * (SIZE // len(MIXED))))
    reading.measure(theme)


def _stream(theme: Theme, text: str, size: int, *, away: bool = False) -> list[float]:
    view = transcript(theme)
    view.reset([answer(MIXED * 3)])
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    if away:
        view.verticalScrollBar().setValue(0)
    costs = [cost(partial(view.grow, entry, "markdown", text[at : at + STEP])) for at in range(0, size, STEP)]
    view.deleteLater()
    return costs


def _browser(text: str, size: int) -> list[float]:
    """What takes no care: the whole text is parsed and laid out for every frame."""
    view = QTextBrowser()
    view.resize(800, 900)
    view.show()
    turn()
    costs = [cost(partial(view.setMarkdown, text[: at + STEP])) for at in range(0, size, STEP)]
    view.deleteLater()
    return costs


def _burst(text: str) -> list[float]:
    """Everything arrives in one delta, and is shown little by little."""
    view = ChatView()
    view.resize(800, 900)
    view.show()
    handle = view.beginAssistantStream()
    turn()
    costs = slices(partial(handle.onContentDelta, text), lambda: handle.entry.source == text)
    view.deleteLater()
    return [spent for spent in costs if spent > 1]


def _rows(theme: Theme) -> list[float]:
    view = transcript(theme)
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    view.grow(entry, "markdown", TABLE_HEAD)
    rows = (TABLE_ROW.replace("12,345", f"{number},345") for number in range(500))
    costs = [cost(partial(view.grow, entry, "markdown", row)) for row in rows]
    view.deleteLater()
    return costs


def _tool(arguments: str) -> list[float]:
    """A tool call of 5 MB that streams through a whole chat view, 40 characters a delta; at last its card is opened."""
    view = ChatView()
    view.resize(800, 900)
    view.show()
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "write", "")
    turn()
    step = len(arguments) // FRAMES

    def frame(start: int) -> None:
        for at in range(start, min(start + step, len(arguments)), 40):
            handle.onToolCallDelta(0, None, None, arguments[at : min(at + 40, start + step)])
        handle.advance()

    costs = [cost(partial(frame, at)) for at in range(0, len(arguments), step)]
    assert handle.toolCall(0).arguments == arguments
    handle.finish()
    handle.advance()
    call = handle.entry.sections[-1]
    costs.append(cost(lambda: view.transcript.toggle_fold(handle.entry, call)))
    view.deleteLater()
    return costs


def _report(name: str, stream: Callable[[], list[float]]) -> None:
    runs = []
    for _ in range(RUNS):
        runs.append(stream())
        turn()
        gc.collect()
    costs = list(map(min, *runs))
    tenth = len(costs) // 10
    first, last = statistics.mean(costs[:tenth]), statistics.mean(costs[-tenth:])
    mean = statistics.mean(costs)
    print(f"  {name:36} {sum(costs) / 1000:7.2f} {mean:6.2f} {max(costs):6.1f}  {first:.2f} → {last:.2f}")


if __name__ == "__main__":
    main()
