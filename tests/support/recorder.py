"""A listener that writes down what it is told, and on which thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from rillet.qt import StreamingListener

if TYPE_CHECKING:
    from rillet.core.types import Usage


class Recorder(StreamingListener):
    """Records every call as ``(method, arguments)``."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.threads: set[int] = set()

    @property
    def texts(self) -> list[str]:
        """The text deltas."""
        return [arguments[0] for method, arguments in self.calls if method == "content"]

    @property
    def methods(self) -> list[str]:
        """The names of the calls, in order."""
        return [method for method, _ in self.calls]

    def onContentDelta(self, textDelta: str) -> None:
        self._note("content", textDelta)

    def onReasoningDelta(self, textDelta: str) -> None:
        self._note("reasoning", textDelta)

    def onToolCallDelta(self, index: int, id: str | None, name: str | None, argumentsFragment: str) -> None:
        self._note("tool", index, id, name, argumentsFragment)

    def onUsage(self, usage: Usage) -> None:
        self._note("usage", usage)

    def onRetry(self, attempt: int, delaySeconds: float, error: Exception) -> None:
        self._note("retry", attempt, delaySeconds, error)

    def onRestart(self) -> None:
        self._note("restart")

    def onError(self, error: Exception) -> None:
        self._note("error", error)

    def _note(self, method: str, *arguments: Any) -> None:
        self.threads.add(threading.get_ident())
        self.calls.append((method, arguments))
