"""Runs the real program in a process of its own, with a person in it, a model to talk to and some thousand chats.

``use(…)`` is what tests and ``bench/ordinary_use`` call; run as a program this is the process with the person:
``python -m support.ordinary.use SECONDS PACE SEED FILES [CHORE…]``, which tells what was seen as JSON on stdout.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from array import array
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rillet
from support.apart import run_apart
from support.gui_loop import Block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from sqlite3 import Connection

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Day:
    """What was seen while somebody used the program.

    Attributes:
        seconds: How long it was used.
        cpu: Seconds of CPU of each slice of the GUI loop.
        late: Seconds that each tick of the GUI loop was late.
        idle: The same of a loop beside it that had nothing to do.
        blocks: The slices that were long.
        done: The chores that were done, in this order.
        failed: What could not be done: the chore, and why.
        errors: What the program raised meanwhile.
        unit: Seconds of CPU of a piece of work that is always the same, on the GUI thread at the end of the day.
    """

    seconds: float
    cpu: array[float]
    late: array[float]
    idle: array[float]
    blocks: list[Block]
    done: list[str]
    failed: list[tuple[str, str]]
    errors: list[str]
    unit: float


def use(
    *, seconds: float, pace: float = 1.0, chats: int = 3000, each: int = 20, seed: int = 1, chores: Sequence[str] = ()
) -> Day:
    """Have the program used for about so long; with chores named, for just these."""
    from support.fake_server import FakeServer
    from support.gui_loop import IdleLoop
    from support.ordinary.server import serve

    with tempfile.TemporaryDirectory() as folder, FakeServer(serve) as server:
        home, files = Path(folder, "home"), Path(folder, "files")
        files.mkdir()
        _fill_folder(files)
        _settle_in(home, server.url, chats, each)
        command = [
            sys.executable,
            "-m",
            "support.ordinary.use",
            str(seconds),
            str(pace),
            str(seed),
            str(files),
            *chores,
        ]
        # Bytecode is kept, as an installed program keeps it: compiling would be most of what importing costs.
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        variables = {
            "RILLET_HOME": str(home),
            "PYTHONPATH": path,
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONFAULTHANDLER": "1",
        }
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(Path(rillet.__file__).parent)], check=True)
        idle = IdleLoop()
        try:
            out = subprocess.run(
                command, env=os.environ | variables, stdout=subprocess.PIPE, check=True, cwd=ROOT
            ).stdout
        finally:
            waiting = idle.stop()
        told = json.loads(out)
    blocks = [Block(**{**block, "places": tuple(map(tuple, block["places"]))}) for block in told["blocks"]]
    return Day(
        told["seconds"],
        array("f", told["cpu"]),
        array("f", told["late"]),
        waiting,
        blocks,
        told["done"],
        [(chore, why) for chore, why in told["failed"]],
        told["errors"],
        told["unit"],
    )


def _settle_in(home: Path, url: str, chats: int, each: int) -> None:
    """Somebody who has used the program for a long time."""
    from rillet.core.store.store import Store

    home.mkdir()
    provider = url.removeprefix("http://") + "/v1"
    settings = {
        "provider": provider, "model": "model-1", "endpoints": [{"url": f"{url}/v1", "model": "model-1"}],
        "welcomed": True,
    }  # fmt: skip
    (home / "settings.json").write_text(json.dumps(settings), encoding="utf-8")

    async def fill() -> None:
        from bench import store as bench

        store = await Store.open(home / "rillet.db")
        for first in range(0, chats, 200):
            await store.write(bench.fill, first, min(200, chats - first), each)
        await store.write(_long_chats)
        await store.close()

    run_apart(fill())


def _long_chats(db: Connection) -> None:
    from bench.scenes import ANSWER
    from rillet.core.store import chats, messages
    from rillet.core.types import ChatMessage

    for title, count, text in (("Long", 400, ANSWER), ("One long answer", 2, ANSWER * 40)):
        chat, parent = chats.create(db, title=title), None
        for number in range(count):
            message = ChatMessage.assistant(text) if number % 2 else ChatMessage.user(f"Question {number}?")
            parent = messages.add(db, chat, parent, message)


def _fill_folder(folder: Path) -> None:
    from support.pictures import picture

    (folder / "notes.txt").write_text("A note.\n" * 100)
    (folder / "table.csv").write_text("a,b,c\n" + "1,2,3\n" * 5000)
    (folder / "picture.png").write_bytes(picture(3000, 2000))


class _Stand:
    """The person at the program, in this process."""

    def __init__(self, seconds: float, pace: float, seed: int, names: Sequence[str]) -> None:
        from PySide6.QtCore import QTimer

        from support.gui_loop import LoopWatch
        from support.ordinary.person import Person

        self._began = time.monotonic()
        self._seconds = seconds
        self.watch = LoopWatch()
        self.watch.doing = "start"
        self.person = Person(self._chores(random.Random(seed), names), self.watch, pace, self._leave)
        self._timer = QTimer()

    def _chores(self, chance: random.Random, names: Sequence[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
        from support.ordinary import chores_chat, chores_models, chores_tools

        known = (*chores_chat.CHORES, *chores_models.CHORES, *chores_tools.CHORES)
        chosen = [each for each in known if not names or each.__name__ in names]
        for _ in itertools.count():
            chance.shuffle(chosen)
            for chore in chosen:
                yield chore.__name__, chore
            if names or time.monotonic() - self._began > self._seconds:
                return

    def _leave(self) -> None:
        from PySide6.QtWidgets import QApplication

        from rillet.app.window import MainWindow

        self.watch.stop()
        self._ended = time.monotonic()
        self._unit = sorted(_work() for _ in range(9))[4]
        next(each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)).close()

    def told(self) -> dict[str, Any]:
        return {
            "seconds": self._ended - self._began,
            "cpu": self.watch.cpu.tolist(),
            "late": self.watch.late.tolist(),
            "blocks": [asdict(block) for block in self.watch.blocks],
            "done": self.person.done,
            "failed": self.person.failed,
            "errors": self.person.errors,
            "unit": self._unit,
        }


def _work() -> float:
    """What blocks are held against: it takes 10 ms of CPU where 100 ms are the limit."""
    began = time.thread_time()
    rows = [{"id": number, "text": f"{number:06}" * 4, "more": [number] * 8} for number in range(1600)]
    rows.sort(key=lambda row: str(row["text"])[::-1])
    assert len(json.loads(json.dumps(rows))) == len(rows)
    return time.thread_time() - began


def main(seconds: str, pace: str, seed: str, files: str, *names: str) -> int:
    """Use the program, and tell."""
    from rillet.app import main as program

    sys.argv[1:] = []
    app = program.make_application()
    app.setProperty("files", files)
    stand = _Stand(float(seconds), float(pace), int(seed), names)
    code = program.main()
    sys.stdout.write(json.dumps(stand.told()))
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
