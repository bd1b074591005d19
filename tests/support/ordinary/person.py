"""The person in front of the real program: one act at a time, each from the event loop, never faster than hands are.

What the person does is a chore: a generator of what to wait for, a number of seconds or until something is true. Knows
no chore (``chores``) and measures nothing (``support.gui_loop``).
"""

from __future__ import annotations

import sys
import time
import traceback
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QInputMethodEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from rillet.app.settings.dialog import SettingsDialog
from rillet.app.window import MainWindow
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from rillet.app.chats.session import Session
    from rillet.app.services import Services
    from rillet.widgets import ChatView
    from support.gui_loop import LoopWatch

Step: TypeAlias = "float | Callable[[], bool]"
Steps: TypeAlias = "Iterator[Step]"
W = TypeVar("W", bound=QWidget)

KEY = 0.035
"""Seconds between two keys."""
LOOK = 0.02
"""Seconds between two looks whether something is true."""
PATIENCE = 30.0
CTRL, SHIFT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)


class Hands:
    """What a person can do to the window, and see of it."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window

    @property
    def services(self) -> Services:
        services = self.window._services
        assert services is not None
        return services

    @property
    def session(self) -> Session:
        return self.window.sessions.current

    @property
    def view(self) -> ChatView:
        return self.window.view

    # Looking

    def top(self) -> QWidget:
        """The dialog that is open, else the window."""
        return QApplication.activeModalWidget() or QApplication.activePopupWidget() or self.window

    def named(self, kind: type[W], name: str, inside: QWidget | None = None) -> W:
        """The widget that a screen reader calls so; what was closed is looked over."""
        found = self.find(kind, name, inside)
        assert found is not None, f"there is no {kind.__name__} called {name!r}"
        return found

    def find(self, kind: type[W], name: str = "", inside: QWidget | None = None) -> W | None:
        """The same; None where there is none. Without a name any that can be seen."""
        roots = (
            [inside] if inside is not None else [each for each in QApplication.topLevelWidgets() if each.isVisible()]
        )
        for root in roots:
            for each in root.findChildren(kind):
                if each.isVisible() and (not name or name in (each.accessibleName(), _text(each))):
                    return each
        return None

    def is_settled(self) -> bool:
        """Whether no answer is under way here, and the last one is drawn."""
        return not self.view.composer.isBusy() and not any(each.pending for each in self.view.handles()[-2:])

    # Acting

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE, at: QWidget | None = None) -> None:
        """Press a key where the focus is."""
        window = QApplication.activeWindow() or self.window
        QTest.keyClick(at or _focus(window), key, modifiers)

    def click(self, widget: QWidget) -> None:
        """Click into the middle."""
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)

    def push(self, name: str, inside: QWidget | None = None) -> None:
        """Press the button that is called so."""
        self.click(self.named(Button, name, inside))

    def type(self, text: str, at: QWidget | None = None) -> Steps:
        """Type, key by key."""
        window = QApplication.activeWindow() or self.window
        field = at or _focus(window)
        for letter in text:
            if letter.isascii():
                QTest.keyClicks(field, letter)
            else:
                event = QInputMethodEvent()
                event.setCommitString(letter)
                QApplication.sendEvent(field, event)
            yield KEY

    def ask(self, text: str, *, wait: bool = True) -> Steps:
        """Write a question, send it, and read the answer."""
        self.view.setFocus()
        yield from self.type(text, self.view.composer.focusProxy())
        self.press(Qt.Key.Key_Return, at=self.view.composer.focusProxy())
        yield lambda: not self.view.composer.text()
        if wait:
            yield self.is_settled

    def leave_settings(self) -> Steps:
        """Close the settings, and go back to the window."""
        settings = self.window.findChild(SettingsDialog)
        assert settings is not None
        settings.close()
        self.window.activateWindow()
        yield self.window.isActiveWindow

    def new_chat(self) -> Steps:
        """Begin an empty chat."""
        self.window.activateWindow()
        yield self.window.isActiveWindow
        self.press(Qt.Key.Key_N, CTRL, self.view.composer.focusProxy())
        yield lambda: self.session.is_empty

    def scroll(self, widget: QWidget, notches: int) -> Steps:
        """Turn the wheel over a widget; negative: downwards."""
        middle = widget.rect().center()
        for _ in range(abs(notches)):
            step = QPoint(0, 120 if notches > 0 else -120)
            event = QWheelEvent(
                QPointF(middle), QPointF(widget.mapToGlobal(middle)), QPoint(), step,
                Qt.MouseButton.NoButton, NONE, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(widget, event)
            yield 0.03


class Person(QObject):
    """Does one chore after the other.

    Attributes:
        failed: What could not be done: the chore, and why.
        errors: What the program raised meanwhile.
        done: The chores that were done.
    """

    def __init__(
        self,
        chores: Iterator[tuple[str, Callable[[Hands], Steps]]],
        watch: LoopWatch,
        pace: float,
        then: Callable[[], Any],
    ) -> None:
        super().__init__()
        self.failed: list[tuple[str, str]] = []
        self.errors: list[str] = []
        self.done: list[str] = []
        self._chores = chores
        self._watch = watch
        self._pace = pace
        self._then = then
        self._hands: Hands | None = None
        self._steps: Steps = iter(())
        self._until: Callable[[], bool] | None = None
        self._deadline = 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._go_on)
        self._timer.start(100)
        self._before, sys.excepthook = sys.excepthook, self._note

    def _note(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """What the program raised while the person used it."""
        self._before(kind, error, trace)
        place = traceback.extract_tb(trace)[-1]
        self.errors.append(f"{self._watch.doing}: {kind.__name__} at {place.filename}:{place.lineno}: {error}")

    def _go_on(self) -> None:
        if self._hands is None:
            windows = [each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)]
            if windows and windows[0]._sessions is not None:
                self._hands = Hands(windows[0])
            self._timer.start(100)
            return
        try:
            if self._until is None or self._until():
                self._take(next(self._steps))
            elif time.monotonic() < self._deadline:
                self._timer.start(int(LOOK * 1e3))
            else:
                raise TimeoutError("this did not come about")
        except StopIteration:
            self._next()
        except Exception as error:  # noqa: BLE001 (whatever it is, the rest of the day goes on; it is told at the end)
            self._give_up(error)

    def _take(self, step: Step) -> None:
        if callable(step):
            self._until, self._deadline = step, time.monotonic() + PATIENCE
            self._timer.start(int(LOOK * 1e3))
        else:
            self._until = None
            self._timer.start(int(step * self._pace * 1e3))

    def _give_up(self, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        place = next((f"{each.name}:{each.lineno}" for each in reversed(frames) if "chores" in each.filename), "")
        frame = getattr(self._steps, "gi_frame", None)
        line = f"line {frame.f_lineno}" if frame is not None else place
        self.failed.append((self._watch.doing, f"{line}: {type(error).__name__}: {error}"))
        self.done.append(self._watch.doing)
        self._steps, self._until = self._tidy(), None
        self._timer.start(200)

    def _tidy(self) -> Steps:
        """Leave whatever is open."""
        assert self._hands is not None
        for _ in range(3):
            self._hands.press(Qt.Key.Key_Escape)
            yield 0.1

    def _next(self) -> None:
        self.done.append(self._watch.doing)
        assert self._hands is not None
        self._watch.doing, chore = next(self._chores, ("", None))
        if chore is None:
            self._then()
            return
        sys.stderr.write(f"{time.strftime('%X')} {self._watch.doing}\n")
        self._steps, self._until = chore(self._hands), None
        self._hands.window.activateWindow()  # (no window manager does it when a dialog has closed)
        self._timer.start(int(400 * self._pace))


def _focus(window: QWidget) -> QWidget:
    focus: QWidget | None = window.focusWidget()  # None where nothing has it, whatever the binding declares
    return window if focus is None else focus


def _text(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    return str(text()).replace("&", "") if callable(text) else ""
