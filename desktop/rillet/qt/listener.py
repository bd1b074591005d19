"""What a stream tells its listener, on the GUI thread.

Knows nothing of threads or HTTP. Above: ``client`` calls these methods. Below: the host overrides those it cares for,
or connects to the signals of ``StreamSignals``. The terminal response does not come here but through the
``AsyncResource``, after the last of these calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from rillet.core.errors import LlmError
    from rillet.core.types import Usage
    from rillet.qt.resource import AsyncResource

T = TypeVar("T")


class StreamingListener:
    """Override what you need: every method does nothing. Each delta is exactly one call, in the order of arrival."""

    patience: float = 0.0
    """Seconds that what arrives may wait for more; looked at when the stream begins.

    0: each delta comes as soon as it is there. Who draws only so often spares both threads most of their wake-ups with
    it: each delta is still a call, but they come in groups. What comes after a pause of that length never waits.
    """

    Adapter: ClassVar[type[StreamingListener]]
    """The same class, under the name that the specification gives to its no-op implementation."""

    def onContentDelta(self, textDelta: str) -> None:
        """The next piece of the visible text."""

    def onReasoningDelta(self, textDelta: str) -> None:
        """The next piece of the model's reasoning."""

    def onToolCallDelta(self, index: int, id: str | None, name: str | None, argumentsFragment: str) -> None:
        """The next piece of a tool call.

        Fragments of one ``index`` (from 0, in order of appearance) concatenate to its arguments as JSON text; some
        providers send them whole. ``name``, and ``id`` if the provider sent one, come with the first fragment only.
        """

    def onUsage(self, usage: Usage) -> None:
        """Token counts as known now; later ones replace earlier ones."""

    def onRetry(self, attempt: int, delaySeconds: float, error: LlmError) -> None:
        """Nothing of the answer had arrived when ``error`` came: attempt number ``attempt`` follows in that time."""

    def onRestart(self) -> None:
        """The provider began its answer anew: what came before is not part of it. Tool calls are counted on."""

    def onError(self, error: Exception) -> None:
        """The stream failed; called once, before the resource fails with the same object. Not called after a cancel."""


StreamingListener.Adapter = StreamingListener


class StreamSignals(QObject, StreamingListener):
    """The same as Qt signals, for ``connect`` and QML: pass it as the listener.

    Signals:
        contentDelta: The next piece of text.
        reasoningDelta: The next piece of reasoning.
        toolCallDelta: index, id or None, name or None, arguments fragment.
        usage: A ``Usage``.
        retry: attempt, seconds until then, the error before.
        restarted: The provider began its answer anew.
        error: The error that ends the stream.
        finished: The ``ChatResponse`` (after ``watch``).
        failed: The error, also ``Cancelled`` (after ``watch``).
    """

    contentDelta = Signal(str)
    reasoningDelta = Signal(str)
    toolCallDelta = Signal(int, object, object, str)
    usage = Signal(object)
    retry = Signal(int, float, object)
    restarted = Signal()
    error = Signal(object)
    finished = Signal(object)
    failed = Signal(object)

    def watch(self, resource: AsyncResource[T]) -> AsyncResource[T]:
        """Emit ``finished`` or ``failed`` when ``resource`` ends; returns it."""
        return resource.ready(self.finished.emit).except_(self.failed.emit)

    def onContentDelta(self, textDelta: str) -> None:
        """Emit ``contentDelta``."""
        self.contentDelta.emit(textDelta)

    def onReasoningDelta(self, textDelta: str) -> None:
        """Emit ``reasoningDelta``."""
        self.reasoningDelta.emit(textDelta)

    def onToolCallDelta(self, index: int, id: str | None, name: str | None, argumentsFragment: str) -> None:
        """Emit ``toolCallDelta``."""
        self.toolCallDelta.emit(index, id, name, argumentsFragment)

    def onUsage(self, usage: Usage) -> None:
        """Emit ``usage``."""
        self.usage.emit(usage)

    def onRetry(self, attempt: int, delaySeconds: float, error: LlmError) -> None:
        """Emit ``retry``."""
        self.retry.emit(attempt, delaySeconds, error)

    def onRestart(self) -> None:
        """Emit ``restarted``."""
        self.restarted.emit()

    def onError(self, error: Exception) -> None:
        """Emit ``error``."""
        self.error.emit(error)
