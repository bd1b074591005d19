"""From exec to the first paint, beside a bare PySide6 window with one QTextBrowser, and the memory of the idle program.

    python tests/bench/startup.py

Both programs run alternately in one go, offscreen unless QT_QPA_PLATFORM says otherwise; the fastest of each counts
(machines are noisy). Bytecode is kept from a first run that does not count, as an installed program keeps it, whatever
PYTHONDONTWRITEBYTECODE says here: compiling the program anew costs 14 ms that the bare window never pays. Memory is the
proportional set size in MB (Linux): at the first paint, and once everything that the first answer needs was imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 9

COMMON = """
import os, sys, time
started = float(os.environ["STARTED"])
def tell():
    print("paint", time.monotonic() - started, flush=True)
    print("pss", pss(), flush=True)
def pss():
    try:
        with open("/proc/self/smaps_rollup") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("Pss:"))
    except OSError:
        return 0.0
"""

BARE = (
    COMMON
    + """
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QTextBrowser
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, leave)
        return False
def leave():
    tell()
    app.quit()
app = QApplication([])
window = QMainWindow()
browser = QTextBrowser()
browser.setPlainText("Hello")
window.setCentralWidget(browser)
window.resize(920, 760)
watch = Watch()
window.installEventFilter(watch)
window.show()
app.exec()
"""
)

RILLET = (
    COMMON
    + """
import gc
gc.disable()  # as rillet.__main__ does
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from rillet.app import main as program
from rillet.app.garbage import Collector
complete, freeze = program.Program.complete, Collector.freeze
def hooked(self):
    tell()
    complete(self)
def frozen(collector):
    freeze(collector)
    print("warm", pss(), flush=True)
    for window in QApplication.topLevelWidgets():
        window.close()
program.Program.complete, Collector.freeze = hooked, frozen
program.main()
"""
)


def run(code: str, home: str) -> dict[str, float]:
    """Run one program and return what it told."""
    environment = os.environ | {"STARTED": str(time.monotonic()), "RILLET_HOME": home}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(Path(home, "bytecode"))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, env=environment
    )
    pairs = (line.split() for line in done.stdout.splitlines())
    return {name: float(value) for name, value in pairs}


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as home:
        results: dict[str, list[dict[str, float]]] = {"bare": [], "rillet": []}
        run(BARE, home)
        run(RILLET, home)
        for _ in range(RUNS):
            results["bare"].append(run(BARE, home))
            results["rillet"].append(run(RILLET, home))
    bare, ours = (min(each["paint"] for each in results[name]) for name in ("bare", "rillet"))
    print(f"first paint  bare window {bare * 1e3:.0f} ms   rillet {ours * 1e3:.0f} ms   ratio {ours / bare:.2f}")
    medians = {key: sorted(each[key] for each in results["rillet"])[RUNS // 2] for key in ("pss", "warm")}
    bare_pss = sorted(each["pss"] for each in results["bare"])[RUNS // 2]
    print(
        f"PSS in MB    bare window {bare_pss:.0f}   rillet {medians['pss']:.0f}   after warming {medians['warm']:.0f}"
    )


if __name__ == "__main__":
    main()
