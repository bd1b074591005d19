"""One question to a misbehaving server, and what must hold whatever it does.

The rules (issue 3): nothing hangs beyond the limit + 2 s; no exception goes unhandled; no partial answer is complete;
no cut call can be run; every character that arrived is kept; the key goes to the server that was named, once per
attempt that may be made, and into no message; the connection is closed at the end.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import traceback
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from chaos.behaviour import ANSWER, Body, Plan
from chaos.connections import trusted
from rillet.core.client import AsyncLlmClient
from rillet.core.errors import LlmError
from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest, ChatResponse, Delta, Finished, RetryNotice
from rillet.core.wire.fold import fold
from support.answers import base_path
from support.asking import AT_ONCE, KEY
from support.fake_server import FakeServer

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT: Final = 0.2
LONG: Final = 20.0
GRACE: Final = 2.0
REQUEST: Final = ChatRequest([ChatMessage.user("Weather in Tromsø?")], max_tokens=100)


@dataclass(frozen=True, slots=True)
class Result:
    """What a caller saw."""

    deltas: list[Delta]
    error: LlmError | None

    @property
    def response(self) -> ChatResponse | None:
        """What is shown: the answer, or what had arrived of it."""
        return fold(self.deltas) if self.error is None else self.error.partial


class Unhandled:
    """Collects what nobody caught while it is in force."""

    def __init__(self) -> None:
        self.found: list[Any] = []

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Take the place of every last hook."""
        hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
        sys.excepthook = lambda *details: self.found.append(details)
        threading.excepthook = self.found.append
        sys.unraisablehook = self.found.append
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: self.found.append(context))
        try:
            yield
        finally:
            sys.excepthook, threading.excepthook, sys.unraisablehook = hooks


async def ask(url: str, style: str, *, first: float, idle: float) -> Result:
    """Stream one answer to its end, with these limits.

    Raises:
        TimeoutError: it hung.
    """
    profile = NetworkProfile(
        proxy=None,
        ca_file=str(trusted().certificate) if url.startswith("https") else None,
        connect_timeout=first,
        first_event_timeout=first,
        idle_timeout=idle,
    )
    provider = Provider("chaos", style, url + base_path(style), KEY, "fake-1", network=profile)
    deltas: list[Delta] = []
    loop = asyncio.get_running_loop()
    async with (
        asyncio.timeout(first + GRACE) as deadline,
        AsyncLlmClient(provider, retry=AT_ONCE) as client,
        aclosing(client.stream(REQUEST)) as stream,
    ):
        try:
            async for delta in stream:
                deltas.append(delta)
                deadline.reschedule(loop.time() + idle + GRACE)
        except LlmError as error:
            return Result(deltas, error)
    return Result(deltas, None)


async def run(plan: Plan, body: Body) -> None:
    """Ask, and check everything."""
    unhandled = Unhandled()
    idle = SHORT if plan.silent else LONG
    first = SHORT if plan.silent and not plan.arrives else LONG  # on a busy machine what arrives takes its time
    with unhandled.watching(), contextlib.ExitStack() as stack:
        server = None if plan.at else stack.enter_context(FakeServer(*plan.scripts))
        url = stack.enter_context(plan.at()) if plan.at else server.url if server else ""
        result = await ask(url, body.style, first=first, idle=idle)
        if server is not None:
            assert server.wait_closed(), "a connection stayed open"
            asked = len(server.requests)
            assert asked == plan.requests or (asked == 0 and plan.silent)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert not unhandled.found
    assert not any(plan.decoys)
    check_end(plan, result)
    check_text(plan, result)
    check_calls(plan, body, result)
    check_secrets(result)


def check_end(plan: Plan, result: Result) -> None:
    """Complete, or an error of an expected kind; repeated as often as expected."""
    notices = [delta for delta in result.deltas if isinstance(delta, RetryNotice)]
    if plan.requests is not None:
        assert len(notices) == plan.requests - 1
    if plan.kinds:
        assert result.error is not None, f"marked complete: {result.response}"
        assert result.error.kind in plan.kinds, repr(result.error)
        assert not any(isinstance(delta, Finished) for delta in result.deltas)
        assert result.response is None or result.response.incomplete
    else:
        assert result.error is None, repr(result.error)
        assert isinstance(result.deltas[-1], Finished)
        assert result.response is not None
        assert not result.response.incomplete


def check_text(plan: Plan, result: Result) -> None:
    """Every character that arrived, and no other."""
    text = result.response.text if result.response else ""
    assert text == "".join(frame.text for frame in plan.arrives)


def check_calls(plan: Plan, body: Body, result: Result) -> None:
    """A call that can be run is the call that was meant, and all of it arrived."""
    calls = result.response.tool_calls if result.response else ()
    sent = [frame for frame in body.frames if frame.role == "call"]
    arrived = [frame for frame in plan.arrives if frame.role == "call"]
    assert ANSWER.call is not None
    for call in calls:
        assert call.parsed in (None, ANSWER.call.arguments)
        assert call.parsed is None or len(arrived) == len(sent)
    if not plan.kinds:
        assert [(call.name, call.parsed) for call in calls] == [(ANSWER.call.name, ANSWER.call.arguments)]


def check_secrets(result: Result) -> None:
    """The key is in nothing that could be shown or logged."""
    if result.error is not None:
        shown = "".join(traceback.format_exception(result.error))
        assert KEY not in f"{shown}{result.error.user_message}{result.error!r}{result.error.code}{result.error.type}"
