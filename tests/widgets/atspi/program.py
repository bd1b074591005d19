"""A chat view that answers once, for a screen reader: streams when a line comes on the standard input, ends with it."""

from __future__ import annotations

import sys

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

from rillet.core.types import ChatMessage, ReasoningPart, TextPart
from rillet.widgets import ChatView
from rillet.widgets.theme.palette import apply
from rillet.widgets.theme.tokens import LIGHT

EARLIER = """\
A [link](https://example.org/), and \\(x^2\\).

| a | b |
|---|---|
| 1 | 2 |
"""
ANSWER = """\
Because of **this**. And of e.g. that too!

```python
print("code")
print("more")
```

Done now.
"""


class Program:
    """Streams ``ANSWER`` in small pieces, one for each turn of the event loop."""

    def __init__(self) -> None:
        self.view = ChatView()
        self.view.setWindowTitle("Rillet under test")
        self.view.resize(900, 1000)
        self.view.addMessages(
            [
                ChatMessage.user("Show me something"),
                ChatMessage("assistant", (ReasoningPart("A thought"), TextPart(EARLIER))),
                ChatMessage.user("Why?"),
            ]
        )
        self.view.show()
        self._handle = self.view.beginAssistantStream()
        self._left = [ANSWER[start : start + 5] for start in range(0, len(ANSWER), 5)]
        self._timer = QTimer(interval=2)
        self._timer.timeout.connect(self._go_on)
        self._input = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
        self._input.activated.connect(self._obey)

    def _obey(self) -> None:
        if sys.stdin.readline().strip() == "stream":
            self._timer.start()
        else:
            QApplication.quit()

    def _go_on(self) -> None:
        if self._left:
            self._handle.onContentDelta(self._left.pop(0))
        else:
            self._timer.stop()
            self._handle.finish()


if __name__ == "__main__":
    app = QApplication(["rillet-under-test"])
    apply(app, LIGHT)
    program = Program()
    app.exec()
