"""A tool: what the model is told of it, and how it runs.

Knows no model, no transport and no policy. Above: ``core/types``, ``schema``. Below: ``native``, ``http``, ``skills``,
``mcp`` and ``builtin`` make tools, ``toolkit`` holds them and has each call judged, ``agent`` calls. Guarantees: no
tool is run with arguments that certainly break its schema; ``Tool.run`` returns a ``ToolResult`` whatever the tool
does; only a cancellation passes through.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal, TypeAlias

import msgspec

from rillet.core.tools.schema import problems, shortcut
from rillet.core.types import ImagePart, ToolSpec
from rillet.core.types.suspension import Answer, Request

log = logging.getLogger("rillet.tools")

NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What every provider takes as the name of a tool."""

Source: TypeAlias = Literal["native", "http", "skill", "mcp", "builtin"]
RunOn: TypeAlias = Literal["loop", "pool", "gui"]


class Effect(StrEnum):
    """What a call may do to the world, as we know it: nothing that a server says about itself counts."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    NETWORK = "network"


class ToolResult(msgspec.Struct, frozen=True):
    """What a call gave. A failure is a result too (``is_error``): the model reads it and goes on.

    Args:
        output: What the model reads.
        is_error: Whether the call failed.
        images: What the model sees beside it, where it can.
        metadata: For hosts, never for the model. ``pending`` holds the ``Request`` of a call that was suspended.
    """

    output: str
    is_error: bool = False
    images: tuple[ImagePart, ...] = ()
    metadata: Mapping[str, Any] = msgspec.field(default_factory=dict)

    @property
    def pending(self) -> Request | None:
        """What the call waits for, when it was suspended."""
        request = self.metadata.get("pending")
        return request if isinstance(request, Request) else None

    @classmethod
    def suspended(cls, request: Request) -> ToolResult:
        """The call waits for an answer to ``request``; it will run once more with that answer in its context."""
        return cls(request.prompt, metadata={"pending": request})


class ToolContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a call knows of the run it belongs to.

    Attributes:
        call_id: The id of the call.
        chat: The id of the conversation, for grants that hold for one chat.
        untrusted: Whether something that nobody here wrote (a page, a file, a tool's output) stands in the
            conversation.
        timeout: Seconds that the call may take; None: the tool's own limit.
        approval: What was answered when the policy asked whether this very call may run.
        answer: What was answered when the tool itself suspended.
        ask: Ask in the middle of a call (MCP elicitation). None: nobody is there; suspend instead.
        progress: Tell how far the call is: done, of how much, in words.
        on_gui: Runs a function on the GUI thread. None: there is no such thread.
        cancelled: Whether the run was stopped: for functions in a pool, which no cancellation reaches.
    """

    call_id: str = ""
    chat: str | None = None
    untrusted: bool = False
    timeout: float | None = None
    approval: Answer | None = None
    answer: Answer | None = None
    ask: Callable[[Request], Awaitable[Answer]] | None = None
    progress: Callable[[float, float | None, str], None] = lambda done, total, message: None
    on_gui: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None
    cancelled: Callable[[], bool] = lambda: False


Execute: TypeAlias = Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the toolkit holds it. Hosts make one with ``Tool.native`` or ``@tool``."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    execute: Execute = field(repr=False)
    _: KW_ONLY
    source: Source = "native"
    effects: frozenset[Effect] = frozenset()
    """Of a host's own function none: it runs because the host wrote it. Of a stranger's tool: all."""
    trusted_output: bool = False
    """Whether what it returns was written by the host or the user, so that it cannot steer the model."""
    run_on: RunOn = "loop"
    preview: Callable[[dict[str, Any]], Mapping[str, Any]] | None = field(default=None, repr=False)
    """What a call would do, for whoever is asked to approve it: ``diff`` (a unified diff), ``request`` (method and
    address), ``sandbox`` (how far it is confined, one sentence). Quick, and changes nothing; what it raises is told in
    their place."""

    _fits: Callable[[dict[str, Any]], bool] | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is no name for a tool: use 1 to 64 letters, digits, _ and -")
        object.__setattr__(self, "_fits", shortcut(self.input_schema))

    @property
    def spec(self) -> ToolSpec:
        """What the model is told."""
        return ToolSpec(self.name, self.description, self.input_schema)

    @classmethod
    def native(
        cls,
        name: str,
        description: str,
        schema: Mapping[str, Any],
        fn: Callable[..., Any],
        *,
        run_on: RunOn | None = None,
        effects: frozenset[Effect] = frozenset(),
        trusted_output: bool = False,
    ) -> Tool:
        """A tool from a function of the arguments (a dict), and of the ``ToolContext`` if it takes a second one.

        What it returns becomes text, as ``outputs`` describes. ``run_on``: "loop" for coroutine functions and "pool"
        for all others, if not said otherwise.

        Raises:
            ValueError: the name is none, or the function cannot run where it should.
        """
        from rillet.core.tools.native import native  # it builds on this module

        return native(name, description, schema, fn, run_on=run_on, effects=effects, trusted_output=trusted_output)

    def complaint(self, args: dict[str, Any]) -> str | None:
        """What is wrong with these arguments, for the model; None when nothing certainly is."""
        if self._fits is not None and self._fits(args):
            return None
        found = problems(self.input_schema, args, patterns=self.source in ("native", "builtin"))
        return f"the arguments of {self.name} are wrong: {'; '.join(found)}" if found else None

    async def run(self, args: dict[str, Any], ctx: ToolContext, *, checked: bool = False) -> ToolResult:
        """Call it. What it raises becomes an error result that the model can read.

        ``checked``: the caller knows already that there is no ``complaint`` about these arguments.
        """
        if not checked and (complaint := self.complaint(args)) is not None:
            return ToolResult(complaint, is_error=True)
        clock: asyncio.Timeout | None = None
        try:
            if ctx.timeout is None:
                result: Any = await self.execute(args, ctx)
            else:
                async with asyncio.timeout(ctx.timeout) as clock:
                    result = await self.execute(args, ctx)
            if not isinstance(result, ToolResult):
                raise TypeError(f"the tool gave a {type(result).__name__} instead of a ToolResult")
            return result
        except asyncio.CancelledError as error:
            if _is_being_cancelled():
                raise
            return self._failure(error)  # something that the tool waited for was cancelled, not the call
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a boundary: code of hosts and strangers)
            if clock is not None and clock.expired():
                return ToolResult(f"{self.name} did not end within {ctx.timeout:g} s", is_error=True)
            return self._failure(error)

    def _failure(self, error: BaseException) -> ToolResult:
        log.warning("the tool %s failed: %s", self.name, type(error).__name__)
        log.debug("%s", self.name, exc_info=error)  # may quote arguments, so nothing for an ordinary log
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return ToolResult(said, is_error=True)


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
