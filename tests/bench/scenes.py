"""Render the chat view in every state to PNGs, to be looked at: ``python tests/bench/scenes.py FOLDER``.

Each scene is drawn light and dark at 1× and 2× (a process each, because Qt reads the scale factor once). Needs a
display with fonts; under X ``xvfb-run -a`` will do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.widgets.chat_view import ChatView

ANSWER = """\
The integral has the closed form √π, and you can check it **numerically** in a few lines. See the
[composite trapezoid rule](https://en.wikipedia.org/wiki/Trapezoidal_rule) for why it converges so quickly here.

## In Python

```python
import math

def trapezoid(f, a: float, b: float, n: int = 1000) -> float:
    \"\"\"Composite trapezoid rule on [a, b] with n intervals; exact for straight lines and much else.\"\"\"
    h = (b - a) / n
    total = 0.5 * (f(a) + f(b))  # end points
    for i in range(1, n):
        total += f(a + i * h)
    return total * h

print(f"{trapezoid(lambda x: math.exp(-x * x), -8, 8):.12f}")
```

What to look at:

1. Choose the interval:
   - wide enough for the tails
   - symmetric around the mean
2. Choose `n` so that the step is smaller than the width of the peak
3. Compare numerically, not ~~by eye~~ by tolerance

> The error of the trapezoid rule is dominated by the end points, and there the integrand is already below
> machine precision.

| Method | Error | Calls |
|---|---:|---:|
| Trapezoid | 1.2e-13 | 1001 |
| Simpson | 4.4e-16 | 201 |

日本語の段落も、絵文字 🎉 も、普通に表示されます。
"""


def main() -> None:
    """Render everything, or, with a scene scale in the environment, the scenes at that scale."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if "SCENES_SCALE" in os.environ:
        _render(folder, os.environ["SCENES_SCALE"])
        return
    for scale in ("1", "2"):
        environment = {**os.environ, "QT_SCALE_FACTOR": scale, "SCENES_SCALE": scale}
        subprocess.run([sys.executable, __file__, str(folder)], env=environment, check=True)


def _render(folder: Path, scale: str) -> None:
    from PySide6.QtGui import QCursor
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from rillet.widgets.chat_view import ChatView
    from rillet.widgets.theme.palette import apply, tokens_for

    app = QApplication([])
    QCursor.setPos(5000, 5000)  # nothing is under the mouse
    for scheme in ("light", "dark"):
        apply(app, tokens_for(scheme))
        for name, (width, height, scene) in SCENES.items():
            view = ChatView()
            view.resize(width, height)
            view.show()
            scene(view)
            QTest.qWait(400)
            view.grab().save(str(folder / f"{name}-{scheme}-{scale}x.png"))
            view.deleteLater()
    app.processEvents()


def _question(view: ChatView) -> None:
    from rillet.core.types import ChatMessage

    view.addMessage(ChatMessage.user("How can I check the Gaussian integral?"))


def _empty(view: ChatView) -> None:
    view.composer.setFocus()


def _conversation(view: ChatView) -> None:
    from rillet.core.types import ChatMessage, ReasoningPart

    _question(view)
    thought = ReasoningPart("The user wants a check, so a numerical one is best.")
    view.addMessage(ChatMessage("assistant", (thought, *ChatMessage.assistant(ANSWER).parts)))


def _reading(view: ChatView) -> None:
    _conversation(view)
    view.transcript.verticalScrollBar().setValue(0)


def _reasoning(view: ChatView) -> None:
    from rillet.core.types import ChatMessage, ReasoningPart
    from rillet.widgets.blocks.fold import FoldBlock

    _question(view)
    thought = ReasoningPart("The user wants a check.\n\n- a *numerical* one is best\n- a proof is too long")
    view.addMessage(ChatMessage("assistant", (thought, *ChatMessage.assistant("It has the closed form √π.").parts)))
    fold = view.findChild(FoldBlock)
    assert fold is not None
    fold.click()


def _waiting(view: ChatView) -> None:
    _question(view)
    view.beginAssistantStream().setStatus("starting the built-in model…")
    view.composer.setText("A second question, typed while the first is answered.\nIt has two lines.")


def _streaming(view: ChatView) -> None:
    _question(view)
    handle = view.beginAssistantStream()
    handle.appendText(ANSWER[:700])


def _failed(view: ChatView) -> None:
    from rillet.core.errors import AuthError

    _question(view)
    handle = view.beginAssistantStream()
    handle.appendText("The integral has the closed form")
    handle.fail(AuthError("Incorrect API key provided: sk-…abcd", provider="OpenAI"))


def _stopped(view: ChatView) -> None:
    from rillet.core.errors import Cancelled

    _question(view)
    handle = view.beginAssistantStream()
    handle.appendText(ANSWER[:300])
    handle.fail(Cancelled())


SCENES: dict[str, tuple[int, int, Callable[[ChatView], None]]] = {
    "empty": (900, 680, _empty),
    "conversation": (900, 900, _conversation),
    "reading": (900, 900, _reading),
    "reasoning": (900, 500, _reasoning),
    "waiting": (900, 500, _waiting),
    "streaming": (900, 680, _streaming),
    "failed": (900, 500, _failed),
    "stopped": (900, 500, _stopped),
    "narrow": (420, 760, _reading),
}

if __name__ == "__main__":
    main()
