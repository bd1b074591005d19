"""The window over a store of very many chats: ``python tests/bench/many_chats.py [chats] [messages per chat]``.

Fills a store (a minute for 10,000 × 20). Printed are the first paint of the program beside that over no chats, started
alternately; then, in a window of this process, how long it takes until the list is there, until typed words are found
and until a chat is shown, and what scrolling the list through costs the GUI thread, each in ms.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import startup, store
from bench.transcripts import cost
from rillet.core.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.app.window import MainWindow

RUNS = 5
SCROLLS = 300
WORDS = (store.COMMON, store.RARE, store.ABSENT, "日本語", "積分", "xq")


async def fill(path: Path, count: int, each: int) -> None:
    """Make the store."""
    made = await Store.open(path)
    for first in range(0, count, 200):
        await made.write(store.fill, first, min(200, count - first), each)
    await made.close()


def main(count: int, each: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as full:
        os.environ["RILLET_HOME"] = full
        from rillet.core.config.paths import paths

        asyncio.run(fill(paths().store, count, each))
        print(f"{count:,} chats × {each} messages")
        report_first_paint(empty, full)
        report_window(count)


def report_first_paint(empty: str, full: str) -> None:
    """The fastest of a few starts each."""
    homes = {"no chats": empty, "all chats": full}
    paints: dict[str, list[float]] = {name: [] for name in homes}
    for number in range(RUNS + 1):
        for name, home in homes.items():
            paint = startup.run(startup.RILLET, home)["paint"]
            if number:  # (the first one compiles)
                paints[name].append(paint)
    none, many = (min(paints[name]) * 1e3 for name in homes)
    print(f"  first paint: over no chats {none:.0f}, over all {many:.0f}, ratio {many / none:.2f}")


def report_window(count: int) -> None:
    """What somebody at the window waits for."""
    from rillet.app import coroutines
    from rillet.app import main as program
    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.app.window_state import WindowState
    from rillet.core.config.paths import paths
    from rillet.core.config.settings import SettingsFile
    from rillet.widgets.theme import palette
    from rillet.widgets.theme.tokens import LIGHT

    app = program.make_application()
    settings = SettingsFile(paths().settings)
    settings.load()
    services = Services(settings, environment={})
    services.desk.open()
    window = MainWindow(WindowState(paths().window), palette.apply(app, LIGHT))
    window.resize(1000, 760)
    window.serve(services)
    window.show()
    bar = window.sidebar
    coroutines.start(services.library.load())
    report("the list is there", [until(lambda: bar.list.model().rowCount() >= count)])
    scroll = bar.list.verticalScrollBar()
    until(lambda: scroll.maximum() > count)
    places = [scroll.maximum() * number // SCROLLS for number in range(SCROLLS)]
    report("a scroll of the list, CPU", [cost(partial(scroll.setValue, place)) for place in places])
    for word in WORDS:
        report(f"search for {word!r}", [search(window, word) for _ in range(RUNS)])
    chance = random.Random(1)
    opened = [show(window, chat.id) for chat in chance.sample(list(services.library.chats), 20)]
    report("a chat is shown", opened)
    window.close()
    services.close()


def search(window: MainWindow, word: str) -> float:
    """From the last letter to the hits, the pause that waits for more letters apart."""
    from rillet.app.sidebar.sidebar import SEARCH_MS

    bar = window.sidebar
    window.searchChats()
    bar.field.setText(word)
    took = until(lambda: bar.list.model() is bar._hits and bar._searching is not None and bar._searching.done())
    bar.field.clear()
    until(lambda: bar.list.model() is bar._model)
    return took - SEARCH_MS


def show(window: MainWindow, chat_id: int) -> float:
    """From the choice to the messages."""
    window.sidebar.chatChosen.emit(chat_id)
    return until(lambda: window.sessions.current.chat_id == chat_id and bool(window.view.handles()))


def until(condition: Callable[[], bool]) -> float:
    """Milliseconds until something is so."""
    from PySide6.QtCore import QCoreApplication, QEventLoop

    began = time.perf_counter()
    while not condition():
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
        if time.perf_counter() - began > 60:
            raise TimeoutError("it did not come about")
    return (time.perf_counter() - began) * 1e3


def report(name: str, values: list[float]) -> None:
    """The spread of some values."""
    ordered = sorted(values)
    p95 = ordered[int(len(ordered) * 0.95)] if len(ordered) > 1 else ordered[0]
    print(f"  {name:30} p50 {statistics.median(ordered):6.1f}  p95 {p95:6.1f}  worst {ordered[-1]:6.1f}")


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:]]
    main(*(numbers or [10_000, 20]))
