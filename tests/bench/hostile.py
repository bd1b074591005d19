"""CPU of the GUI thread for each hostile message: ``python tests/bench/hostile.py``.

Shows every message of ``support.hostile`` in a chat view, from nothing to its last and first screen, and prints for
each carrier the mean and the worst in milliseconds of CPU of the main thread; then every message above the limit.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections import defaultdict
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[1]))

from PySide6.QtWidgets import QApplication

from rillet.widgets import ChatView
from rillet.widgets.theme.palette import apply
from rillet.widgets.theme.tokens import LIGHT
from support.hostile import Hostile, documents
from support.hostile.show import show
from support.views import ANSWER

LIMIT = 250.0
"""Milliseconds that a message may cost."""


def main() -> None:
    """Measure and print."""
    app = QApplication([])
    apply(app, LIGHT)
    view = ChatView()
    view.resize(900, 800)
    view.show()
    app.processEvents()
    show(view, Hostile("", ANSWER))
    gc.collect()
    gc.freeze()
    costs: dict[str, list[float]] = defaultdict(list)
    slow: list[tuple[float, Hostile]] = []
    for document in documents("http://127.0.0.1:1", "/nowhere/canary.png"):
        start = time.thread_time()
        show(view, document)
        app.processEvents()
        cost = (time.thread_time() - start) * 1000
        costs[document.carrier].append(cost)
        if cost > LIMIT:
            slow.append((cost, document))
    print(f"{'carrier':24} messages   mean  worst (ms)")
    for carrier, found in costs.items():
        print(f"{carrier:24} {len(found):8} {sum(found) / len(found):6.1f} {max(found):6.1f}")
    total = [cost for found in costs.values() for cost in found]
    print(f"{'all':24} {len(total):8} {sum(total) / len(total):6.1f} {max(total):6.1f}")
    print(f"{len(slow)} above {LIMIT:.0f} ms")
    for cost, document in sorted(slow, key=lambda item: -item[0]):
        print(f"  {cost:7.0f} ms  {document.carrier}, {document.place}, {len(document.text)} × {document.text[:50]!r}")


if __name__ == "__main__":
    main()
