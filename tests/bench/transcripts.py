"""What ``view.py`` and ``reading.py`` have in common: text, a transcript to show it in, and how its cost is measured.

Figures are CPU time of the main thread in milliseconds: other processes, which share its caches, add to it, but no
waiting does. Idle work of timers of a few milliseconds is left out, for it waits while anything else is due.
"""

from __future__ import annotations

import gc
import os
import statistics
import time
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from rillet.widgets.transcript.model import Entry, Section
from rillet.widgets.transcript.view import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.widgets.theme.palette import Theme

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


def transcript(theme: Theme) -> Transcript:
    """An empty one, on the screen."""
    view = Transcript(theme)
    view.resize(800, 900)
    view.show()
    turn()
    return view


def answer(text: str) -> Entry:
    """A message in Markdown."""
    return Entry("assistant", [Section("markdown", text)])


def question(text: str) -> Entry:
    """A message as somebody typed it."""
    return Entry("user", [Section("plain", text)])


def settle() -> None:
    """From here on garbage is collected when a measurement says so, as the program does when nothing else is due."""
    turn()
    gc.disable()
    gc.collect()
    gc.freeze()


def cost(work: Callable[[], object]) -> float:
    """What some work takes, with the painting that it brings about."""
    start = time.thread_time()
    work()
    QApplication.sendPostedEvents()
    turn()
    return (time.thread_time() - start) * 1000


def slices(work: Callable[[], object], done: Callable[[], bool]) -> list[float]:
    """What work takes that goes on in the event loop until it is ``done``: each time that nothing else can be done.

    The first is that of the call itself; the loop turns behind it, and what that brings is the next.
    """
    start = time.thread_time()
    work()
    costs = [(time.thread_time() - start) * 1000, cost(lambda: None)]
    while not done():
        costs.append(cost(lambda: None))
    return costs


def turn() -> None:
    """Paint what is due."""
    QTimer.singleShot(0, lambda: None)
    QApplication.processEvents()


def print_costs(name: str, costs: list[float]) -> None:
    """Print how they are spread."""
    gc.collect()
    ordered = sorted(costs)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"  {name:36} p50 {statistics.median(costs):6.1f}  p95 {p95:6.1f}  max {ordered[-1]:6.1f}")
