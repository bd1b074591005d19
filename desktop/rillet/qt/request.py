"""The GUI half of a request in flight: what is to be told to the host, and everything of the host that this needs.

Above: ``jobs`` delivers events and the end on the GUI thread. Below: ``client`` makes requests. Knows nothing of how
the work is done. Guarantee: after ``cancel`` returned on the GUI thread the listener is not called again; after the
end, nothing of the host is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Slot

from rillet.core.errors import Cancelled
from rillet.core.types import ChatResponse, ReasoningDelta, Restarted, RetryNotice, TextDelta, ToolCallDelta, UsageDelta
from rillet.core.wire.fold import fold
from rillet.qt.reporter import Reporter
from rillet.qt.resource import AsyncResource

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.qt.engine import Engine
    from rillet.qt.jobs import Outcome, Work
    from rillet.qt.listener import StreamingListener

T = TypeVar("T")


class Household(QObject):
    """What one client has running, on the GUI thread.

    It outlives the client, to learn of its end, and the engine keeps it as long as connections of this client are open
    over there, so that the provider and the retry policy, which are the host's, are not released there.
    """

    _alive: ClassVar[set[Household]] = set()

    def __init__(self, client: QObject, number: int, label: str, *kept: object) -> None:
        super().__init__()
        self.number = number
        self.label = label
        self._kept = kept
        self._engines: set[Engine] = set()
        self._requests: set[Request[Any]] = set()
        self._alive.add(self)
        client.destroyed.connect(self.onClientDestroyed)

    def add(self, request: Request[Any], engine: Engine) -> None:
        """Note a request that was handed to ``engine``."""
        self._requests.add(request)
        self.lodge(engine)

    def lodge(self, engine: Engine) -> None:
        """Note that something of this client may live on ``engine``."""
        self._engines.add(engine)
        engine.admit(self.number, self)

    def discard(self, request: Request[Any]) -> None:
        """Forget a request that has ended."""
        self._requests.discard(request)

    def dissolve(self) -> None:
        """Cancel every request and have the connections closed."""
        for request in list(self._requests):
            request.resource.cancel()
        for engine in self._engines:
            engine.evict(self.number)
        self._engines.clear()

    @Slot()
    def onClientDestroyed(self) -> None:
        """The client's C++ half is gone."""
        self._alive.discard(self)
        self.dissolve()


class Request(Generic[T]):
    """The GUI half of one request: what is to be told to the host, and everything of the host that it needs."""

    def __init__(self, client: QObject, household: Household, engine: Engine) -> None:
        self.resource: AsyncResource[T] = AsyncResource(engine, self._stop)
        self._client = client  # kept: dropping a client cancels nothing
        self._household = household
        self._engine = engine
        self._number = 0
        self._silent = False

    def start(self, work: Work) -> AsyncResource[T]:
        """Hand the work to the engine."""
        self._work = work  # kept: what the host asked for is released here, not on the engine thread
        try:
            self._number = self._engine.start(self, work)
        except RuntimeError:
            self._release()
            raise
        self._household.add(self, self._engine)
        return self.resource

    def deliver(self, event: object) -> None:
        """Take an event; a request without a stream has none."""

    def cancel(self) -> bool:
        """Stop it, as the host would."""
        return self.resource.cancel()

    def end(self, outcome: Outcome) -> None:
        """Settle the resource. After this nothing holds the request, and with it the host's objects."""
        self._household.discard(self)
        settle = self.resource._settle
        error = outcome.error
        if self.resource._seal() or outcome.cancelled:
            settle(error=Cancelled(provider=self._household.label, partial=self._partial(outcome)))
        elif error is not None:
            failure = error if isinstance(error, Exception) else RuntimeError(repr(error))
            # Queued first, so that an onError which opens a dialog or calls get() does not hold it up.
            self._engine.post(lambda: settle(error=failure))
            self._failed(failure)
        else:
            settle(outcome.value)

    def _release(self) -> None:
        """Break the reference cycles: the host's objects are not to wait for a garbage collection on any thread."""
        self.resource._seal()

    def _failed(self, error: Exception) -> None:
        """Tell the host of an error before the resource fails with it."""

    def _partial(self, outcome: Outcome) -> ChatResponse | None:
        """What had arrived when it was cancelled."""
        return None

    def _stop(self) -> bool:
        self._silent = True
        self._engine.cancel(self._number)
        return True


class Hears(Protocol):
    """A listener, as far as every request with one knows it."""

    def onError(self, error: Exception) -> None:
        """The request failed."""


class ListenedRequest(Request[T]):
    """A request that tells a listener what happens. Its end comes with that of the listener, if that is a QObject."""

    def __init__(self, client: QObject, household: Household, engine: Engine, listener: Hears) -> None:
        super().__init__(client, household, engine)
        self._reporter = Reporter()
        self._hears = listener
        self._guard = _ListenerGuard(self, listener) if isinstance(listener, QObject) else None

    def end(self, outcome: Outcome) -> None:
        """Settle the resource; the listener may go its own way from now on."""
        super().end(outcome)
        self._release()

    def _failed(self, error: Exception) -> None:
        self._reporter.call("onError", self._hears.onError, error)

    def _release(self) -> None:
        super()._release()
        if self._guard is not None:
            self._guard.dismiss()


class StreamRequest(ListenedRequest[ChatResponse]):
    """A request whose deltas go to a listener."""

    def __init__(self, client: QObject, household: Household, engine: Engine, listener: StreamingListener) -> None:
        super().__init__(client, household, engine, listener)
        self._listener = listener

    def deliver(self, event: object) -> None:
        """Call the listener once for a delta."""
        listener = self._listener
        if self._silent:
            return
        kind = type(event)
        try:
            if kind is TextDelta:
                if text := event.text:  # type: ignore[attr-defined]  # (told by kind)
                    listener.onContentDelta(text)
            elif kind in _OTHER_CALLS:
                _OTHER_CALLS[kind](listener, event)
        except Exception as error:  # noqa: BLE001 (a boundary: code of the host)
            self._reporter.report(kind.__name__, error)

    def _partial(self, outcome: Outcome) -> ChatResponse | None:
        # A cancel that came after the end, but before the end was delivered, finds a value or an error here.
        return outcome.partial or outcome.value or getattr(outcome.error, "partial", None) or fold(())


class _ListenerGuard(QObject):
    """Cancels a stream when its listener, a QObject, is destroyed."""

    def __init__(self, request: ListenedRequest[Any], listener: QObject) -> None:
        super().__init__()
        self._request: ListenedRequest[Any] | None = request
        listener.destroyed.connect(self.onListenerDestroyed)

    def dismiss(self) -> None:
        self._request = None

    @Slot()
    def onListenerDestroyed(self) -> None:
        if self._request is not None:
            self._request.cancel()


def _tell_reasoning(listener: StreamingListener, delta: ReasoningDelta) -> None:
    if delta.text:
        listener.onReasoningDelta(delta.text)


def _tell_tool_call(listener: StreamingListener, delta: ToolCallDelta) -> None:
    listener.onToolCallDelta(delta.index, delta.id, delta.name, delta.arguments)


def _tell_usage(listener: StreamingListener, delta: UsageDelta) -> None:
    listener.onUsage(delta.usage)


def _tell_retry(listener: StreamingListener, delta: RetryNotice) -> None:
    listener.onRetry(delta.attempt, delta.delay, delta.error)


def _tell_restart(listener: StreamingListener, _delta: Restarted) -> None:
    listener.onRestart()


_OTHER_CALLS: dict[type, Callable[[StreamingListener, Any], None]] = {
    ReasoningDelta: _tell_reasoning,
    ToolCallDelta: _tell_tool_call,
    UsageDelta: _tell_usage,
    RetryNotice: _tell_retry,
    Restarted: _tell_restart,
}
"""Whole parts and the end have no method of their own: they come with the response."""
