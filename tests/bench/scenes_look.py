"""Scenes of the composer and of scripts, and the looks in which scenes are drawn. Used by ``scenes.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.types import ChatMessage
from rillet.widgets.composer import attachment_of
from rillet.widgets.theme.options import ThemeOptions
from rillet.widgets.theme.typography import Typography

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.widgets.chat_view import ChatView

LOOKS = {
    "light": ThemeOptions(scheme="light"),
    "dark": ThemeOptions(scheme="dark"),
    "contrast-light": ThemeOptions(scheme="light", contrast="high"),
    "contrast-dark": ThemeOptions(scheme="dark", contrast="high"),
    "violet-compact": ThemeOptions(scheme="light", accent="#7446C8", typography=Typography(density="compact")),
    "orange-spacious": ThemeOptions(scheme="dark", accent="#B8560B", typography=Typography(density="spacious")),
    "large": ThemeOptions(scheme="light", typography=Typography(points=18.0)),
}
SHOWN_IN_EVERY_LOOK = ("conversation", "failed", "composer-chips")
"""The other scenes are drawn light and dark only."""

HEBREW = """\
האינטגרל שווה ל־√π, ואפשר לבדוק זאת **מספרית** בכמה שורות של Python.

1. בחרו קטע רחב דיו, למשל `[-8, 8]`
2. בחרו צעד קטן מרוחב הפסגה

```python
print(trapezoid(f, -8, 8))
```

An English paragraph stands on the left, and the next one on the right again.

> השגיאה נשלטת על ידי נקודות הקצה.
"""
CHINESE = """\
该积分有闭式解 **√π**，可以用几行 Python 代码进行数值验证。梯形法则在这里收敛得非常快，因为被积函数在端点处已经\
小于机器精度。

## 手順

1. 区間を選ぶ：裾が十分に収まる広さにする
2. `n` を、刻み幅がピークの幅より小さくなるように選ぶ

| 方法 | 오차 | 呼び出し |
|---|---:|---:|
| 台形公式 | 1.2e-13 | 1001 |

한국어 문단도 이모지 🎉 와 함께 올바르게 줄바꿈됩니다.
"""
CODE = """\
Three languages, a long line, and a fence without a name:

```rust
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let total: f64 = (0..1000).map(|i| (-(i as f64 / 125.0 - 4.0).powi(2)).exp()).sum(); // a line that is longer
    println!("{total:.12}");
    Ok(())
}
```

```json
{"name": "rillet", "answer": 42, "nested": [true, null, "text"]}
```

```
$ rillet --version
```
"""
TABLE = """\
| Method | Order | Error at n = 1000 | Calls | Remarks |
|:--|:-:|--:|--:|:--|
| Trapezoid | 2 | 1.2e-13 | 1001 | exponentially good here, because the ends vanish |
| Simpson | 4 | 4.4e-16 | 1001 | needs an even number of intervals |
| Gauss–Hermite | 2n−1 | 0 | 20 | **exact** for polynomials times the weight |
"""


MATH = r"""\
The Gaussian integral is \(\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}\), and a ticket costs $5 to $10.

$$\sum_{k=0}^{n} \binom{n}{k} x^k y^{n-k} = (x+y)^n$$

\[ \begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1} = \frac{1}{ad-bc} \begin{pmatrix} d & -b \\ -c & a \end{pmatrix} \]

1. In a list: $E = mc^2$
2. What cannot be drawn stays as it is: $\undefined{x}$

> A quote with code in it:
>
> ```python
> abs(trapezoid(f, -8, 8) - math.sqrt(math.pi)) < 1e-12
> ```
>
> and $\varepsilon$ behind it.
"""


def wait(milliseconds: int) -> None:
    """Let the program go on. (``QTest.qWait`` keeps other threads from running Python: no formula would be drawn.)"""
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _exchange(question: str, answer: str) -> Callable[[ChatView], None]:
    def scene(view: ChatView) -> None:
        view.addMessages([ChatMessage.user(question), ChatMessage.assistant(answer)])

    return scene


def _math(view: ChatView) -> None:
    _exchange("Show me formulas", MATH)(view)
    wait(1500)


def _chips(view: ChatView) -> None:
    view.addMessages([ChatMessage.user("Hello"), ChatMessage.assistant("Hello. What shall we look at?")])
    view.composer.attach(attachment_of(_png(), "a curve.png"))
    view.composer.attach(attachment_of(b"%PDF-1.7" * 20_000, "measurements of the second run.pdf"))
    view.composer.attach(attachment_of(b"word " * 20_000, "Pasted text.txt"))
    view.composer.setText("What do these have in common?")
    view.composer.setFocus()


def _refused(view: ChatView) -> None:
    _chips(view)
    view.composer.attach(attachment_of(bytes(25_000_000), "film.mp4"))


def _dropping(view: ChatView) -> None:
    _chips(view)
    view.composer._set_dropping(True)


def _commands(view: ChatView) -> None:
    _exchange("Hello", "Hello.")(view)
    about = [
        ("explain", "Say it in simple words"),
        ("summarise", "The conversation so far, in five points"),
        ("translate", "Into the language that follows"),
        ("review", "Look for mistakes"),
    ]
    view.composer.setCommands(about)
    view.activateWindow()
    view.composer.setFocus()
    wait(300)
    view.composer._field.insertPlainText("/")


def _png() -> bytes:
    from PySide6.QtCore import QBuffer, QByteArray
    from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter, QPen

    image = QImage(300, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("#8FA7B3"))
    painter = QPainter(image)
    painter.setPen(QPen(QColor("#0B7671"), 12))
    painter.drawEllipse(90, 40, 120, 120)
    painter.end()
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(buffer.data().data())


LOOK_SCENES: dict[str, tuple[int, int, Callable[[ChatView], QWidget | None]]] = {
    "rtl": (900, 700, _exchange("איך בודקים את האינטגרל של גאוס?", HEBREW)),
    "cjk": (900, 700, _exchange("高斯积分怎么验证？", CHINESE)),
    "math": (900, 760, _math),
    "code": (900, 700, _exchange("Show me code", CODE)),
    "table": (900, 520, _exchange("Compare the methods", TABLE)),
    "table-narrow": (420, 520, _exchange("Compare the methods", TABLE)),
    "composer-chips": (900, 480, _chips),
    "composer-narrow": (420, 560, _chips),
    "composer-refused": (900, 480, _refused),
    "composer-dropping": (900, 480, _dropping),
    "composer-commands": (900, 480, _commands),
}
