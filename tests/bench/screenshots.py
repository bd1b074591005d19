"""The pictures of the README: the real window, answered by a scripted server on loopback.

xvfb-run -a python tests/bench/screenshots.py resources/screenshots
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QTimer

sys.path.insert(0, str(Path(__file__).parents[1]))

from rillet.app.main import make_application
from rillet.app.services import Services
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config.settings import SettingsFile
from rillet.qt import Engine
from rillet.widgets.theme import palette
from support.fake_server import FakeServer, sse_end, sse_reasoning, sse_text, stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPixmap
    from PySide6.QtWidgets import QApplication

SIZE = (920, 760)
QUESTION = "How do I time a function in Python without fooling myself?"
THOUGHT = "Wall time is noisy; the minimum of several runs is the steadiest figure."
ANSWER = """Take the **minimum** of several runs: everything that disturbs a measurement makes it longer, nothing \
makes it shorter.

```python
from timeit import repeat

def best(function, runs=7, number=1000):
    return min(repeat(function, repeat=runs, number=number)) / number

print(f"{best(lambda: sorted(range(1000))) * 1e6:.1f} µs")
```

Three traps:

1. *Warm up first.* Caches, imports and lazy set-up belong to no run.
2. *Compare in one go.* Alternate the two versions, so that both see the same machine.
3. *Report a ratio.* It survives a change of machine; milliseconds do not.
"""


def main(folder: Path) -> None:
    """Write ``light.png`` and ``dark.png``."""
    app = make_application()
    for scheme in ("light", "dark"):
        with tempfile.TemporaryDirectory() as home:
            picture(app, "dark" if scheme == "dark" else "light", Path(home)).save(str(folder / f"{scheme}.png"))
    Engine.default().shutdown()


def picture(app: QApplication, scheme: palette.Scheme, home: Path) -> QPixmap:
    """The window after one answer."""
    theme = palette.apply(app, palette.tokens_for(scheme))
    services = Services(SettingsFile(home / "settings.json"), environment={})
    window = MainWindow(WindowState(home / "window.ini"), theme)
    window.resize(*SIZE)
    window.serve(services)
    window.show()
    pieces = [ANSWER[start : start + 9] for start in range(0, len(ANSWER), 9)]
    with FakeServer(stream(sse_reasoning(THOUGHT), sse_text(*pieces), sse_end())) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "a-larger-model"))
        window.view.composer.setText(QUESTION)
        window.view.composer.send()
        wait_until(
            lambda: not window.view.composer.isBusy() and not any(each.pending for each in window.view.handles())
        )
    wait_until(lambda: False, 300)
    shot = window.grab()
    window.close()
    services.close()
    return shot


def wait_until(done: Callable[[], bool], limit: int = 10_000) -> None:
    """Turn the event loop until ``done()``, or for ``limit`` milliseconds."""
    loop = QEventLoop()

    def look() -> None:
        if done():
            loop.quit()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(10)
    QTimer.singleShot(limit, loop.quit)
    loop.exec()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
