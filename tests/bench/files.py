"""How long the GUI loop is held up while large things are attached: ``python tests/bench/files.py``.

A timer is to ring every 2 ms. Printed are by how much it was late (p99 and worst, in milliseconds) and the longest
stretch of CPU that the GUI thread took in one turn, which says the same without the noise of a busy machine; first of
an idle loop, then while a PDF of 50 MB, a text of 50 MB, a photo of 48 megapixels and a folder of 100,000 files are
attached, a box above all of them is clicked and the whole tree is opened.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Slot
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

sys.path.insert(0, str(Path(__file__).parents[1]))

from rillet.widgets.composer import Composer, Limits
from rillet.widgets.composer.folder_dialog import FolderDialog
from rillet.widgets.theme.palette import apply
from rillet.widgets.theme.tokens import LIGHT
from support.office import pdf
from support.pictures import picture

if TYPE_CHECKING:
    from collections.abc import Callable

EVERY = 2


class Heart(QObject):
    """Beats, and notes by how much it was late and how much CPU went by between two beats."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []
        self.busy: list[float] = []
        self._clock = QElapsedTimer()
        self._cpu = 0.0
        self._timer = QTimer(self, interval=EVERY)
        self._timer.timeout.connect(self._beat)

    def run(self, work: Callable[[], object], until: Callable[[], bool]) -> None:
        """Beat from just before ``work`` until it is done."""
        self._clock.start()
        self._cpu = time.thread_time()
        self._timer.start()
        work()
        while not until():
            QTest.qWait(5)
        self._timer.stop()

    @Slot()
    def _beat(self) -> None:
        self.late.append(self._clock.nsecsElapsed() / 1e6 - EVERY)
        self._clock.start()
        now = time.thread_time()
        self.busy.append((now - self._cpu) * 1e3)
        self._cpu = now


def measure(name: str, work: Callable[[], object], until: Callable[[], bool]) -> None:
    """Print one line."""
    heart = Heart()
    begun = time.monotonic()
    heart.run(work, until)
    late, busy = sorted(heart.late), sorted(heart.busy)
    print(
        f"{name:28}{time.monotonic() - begun:6.1f} s   late p99 {late[len(late) * 99 // 100]:6.1f}"
        f"   worst {late[-1]:6.1f}   most CPU in a turn {busy[-1]:6.1f} ms"
    )


def main() -> None:
    """Measure everything."""
    app = QApplication([])
    theme = apply(app, LIGHT)
    composer = Composer()
    composer.setTheme(theme)
    composer.setAttachmentLimits(Limits(each=100_000_000, total=400_000_000))
    composer.resize(700, 120)
    composer.show()
    QTest.qWait(300)
    folder = Path(tempfile.mkdtemp())
    lines = "\n".join(["some words on a line of a page"] * 40)
    (folder / "50 MB.pdf").write_bytes(pdf(*[lines] * 300, padding=50_000_000))
    (folder / "50 MB.txt").write_text("größe " * 7_200_000, encoding="utf-8")
    (folder / "photo.jpg").write_bytes(picture(8000, 6000, kind="JPG"))
    (folder / "small.txt").write_text("x")
    many = folder / "many"
    for number in range(1000):
        inner = many / f"{number // 50}" / f"{number % 50}"
        inner.mkdir(parents=True)
        for each in range(100):
            (inner / f"{each}.txt").write_text("x")

    def attach(name: str) -> None:
        composer.attachFiles([str(folder / name)])

    def is_read() -> bool:
        return not composer.isReading()

    waited = time.monotonic()
    measure("idle", lambda: None, lambda: time.monotonic() - waited > 3)
    for name in ("small.txt", "50 MB.pdf", "50 MB.txt", "photo.jpg"):  # (the first loads what the others need)
        measure(name, lambda name=name: attach(name), is_read)  # type: ignore[misc]  # bound at once
    print([(each.name, each.tokens(False)) for each in composer.attachments()])
    composer.attachFolder(str(many / "0"))
    first = composer.findChild(FolderDialog)
    assert first is not None
    while first.is_looking:
        QTest.qWait(10)
    first.reject()
    QTest.qWait(200)
    measure(
        "100,000 files",
        lambda: composer.attachFolder(str(many)),
        lambda: all(not each.is_looking for each in composer.findChildren(FolderDialog)),
    )
    dialog = next(each for each in composer.findChildren(FolderDialog) if each.isVisible())
    assert dialog.model.found == 100_000
    waited = time.monotonic()
    measure("… and a tick", lambda: _untick(dialog), lambda: time.monotonic() - waited > 1)
    assert dialog.model.ticked < 100_000
    dialog.reject()


def _untick(dialog: FolderDialog) -> None:
    from PySide6.QtCore import Qt

    dialog.model.setData(dialog.model.index(0, 0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)


if __name__ == "__main__":
    main()
