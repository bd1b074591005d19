"""What pasting costs on the GUI thread: ``QT_QPA_PLATFORM=offscreen python tests/bench/composer.py``.

CPU time of the main thread from the paste until everything that it caused was laid out and painted; beside it what a
plain ``QPlainTextEdit`` takes for the same.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from rillet.widgets.composer import Composer
from rillet.widgets.theme.palette import apply
from rillet.widgets.theme.tokens import LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = "lorem ipsum dolor sit amet "
PASTES = {
    "5 MB in one line": (WORDS * 200_000)[:5_000_000],
    "5 MB of ideographs in one line": "日本語の文章" * 277_778,
    "5 MB in lines of 80": "\n".join([(WORDS * 3)[:80]] * 61_728),
    "50 kB in one line": (WORDS * 2000)[:50_000],
    "2 kB": WORDS * 75,
}


def main() -> None:
    """Print a table."""
    app = QApplication([])
    theme = apply(app, LIGHT)
    print(f"{'paste':34}{'composer ms':>12}{'plain edit ms':>15}")
    for name, text in PASTES.items():
        data = QMimeData()
        data.setText(text)
        composer = Composer()
        composer.setTheme(theme)
        composer.resize(700, 120)
        composer.show()
        ours = min(_cpu(app, partial(composer._take, data)) for _ in range(3))
        plain = QPlainTextEdit()
        plain.resize(700, 120)
        plain.show()
        theirs = _cpu(app, partial(plain.insertFromMimeData, data))
        print(f"{name:34}{ours:12.1f}{theirs:15.1f}")
        composer.deleteLater()
        plain.deleteLater()


def _cpu(app: QApplication, act: Callable[[], object]) -> float:
    """Milliseconds of ``act`` and of what it leaves to the event loop."""
    app.processEvents()
    start = time.thread_time()
    act()
    app.processEvents()
    return (time.thread_time() - start) * 1000


if __name__ == "__main__":
    main()
