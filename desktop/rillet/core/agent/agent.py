"""The agent: a model, how it is to behave, and the ways to run it.

Above: ``session``, ``run``, ``setup``. Below: ``qt/agent`` runs one on the engine thread; any asyncio program can. All
ways are the same loop with the same hooks, tools and figures. Knows models and toolkits by their ``seams`` only;
``create`` alone brings a client of its own.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypedDict
from weakref import WeakValueDictionary

from rillet.core.agent.conversation import Conversation
from rillet.core.agent.conversations import MemoryConversationStore
from rillet.core.agent.events import StreamEvent
from rillet.core.agent.hooks import Hooks
from rillet.core.agent.in_process import InProcessModel
from rillet.core.agent.metrics import Metrics
from rillet.core.agent.outlet import Outlet
from rillet.core.agent.run import AgentRun
from rillet.core.agent.seams import require_toolbox
from rillet.core.agent.session import Session
from rillet.core.agent.setup import Job, Setup
from rillet.core.types import ChatMessage, ChatRequest
from rillet.core.types.expect import expect, expect_callable, named

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from types import TracebackType
    from typing import Unpack

    import httpx

    from rillet.core.agent.conversations import ConversationStore
    from rillet.core.agent.in_process import Generate
    from rillet.core.agent.metrics import OnMetric
    from rillet.core.agent.outlet import OnEvent
    from rillet.core.agent.result import RunResult
    from rillet.core.agent.seams import ModelStream, Toolbox, WaitFor
    from rillet.core.net.profile import NetworkProfile
    from rillet.core.net.retry import RetryPolicy
    from rillet.core.tools.tool import Tool, ToolContext, ToolResult
    from rillet.core.types import ChatResponse, ToolSpec
    from rillet.core.types.suspension import Answer


class Options(TypedDict, total=False):
    """How an agent is to behave; see ``Agent``."""

    system_prompt: str | None
    hooks: Hooks | None
    conversation_store: ConversationStore | None
    wait_for: WaitFor | None
    max_turns: int
    max_parallel_tools: int
    on_metric: OnMetric | None
    timeout: float | None
    base_request: ChatRequest | None
    request_params: Mapping[str, Any] | None
    on_gui: Callable[[Callable[[], Any]], Awaitable[Any]] | None


class Agent:
    """Calls a model, runs the tools it wants, and calls again until it has an answer.

    Args:
        client: Answers; an ``AsyncLlmClient`` or anything of that shape. It stays the caller's to close.
        system_prompt: Stands before every conversation, and is part of none.
        hooks: Where the host looks in, changes, or says no.
        conversation_store: Keeps the conversations that have an id. None: in memory.
        wait_for: Answers what a tool, or the policy, has to ask. None: such a run returns ``pending``.
        max_turns: How often one run may call the model.
        max_parallel_tools: How many calls of one answer run at a time.
        on_metric: Gets a record per model call, tool call and run.
        timeout: Seconds that one run may take. None: as long as it likes.
        base_request: What every request starts from: temperature, reasoning, limits; not its messages or tools.
        request_params: Merged last into the body of every request; never messages, tools or stream.
        on_gui: Runs a function on the GUI thread, for tools that ask for it.

    Attributes:
        conversation_store: As given.
    """

    def __init__(
        self,
        client: ModelStream,
        *,
        system_prompt: str | None = None,
        hooks: Hooks | None = None,
        conversation_store: ConversationStore | None = None,
        wait_for: WaitFor | None = None,
        max_turns: int = 10,
        max_parallel_tools: int = 8,
        on_metric: OnMetric | None = None,
        timeout: float | None = None,
        base_request: ChatRequest | None = None,
        request_params: Mapping[str, Any] | None = None,
        on_gui: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None,
    ) -> None:
        if max_turns < 1 or max_parallel_tools < 1:
            raise ValueError("max_turns and max_parallel_tools count from 1")
        if conversation_store is not None and not hasattr(conversation_store, "save"):
            raise TypeError(f"conversation_store cannot be {named(conversation_store)}: write ConversationFile(path)")
        self.conversation_store: ConversationStore = (
            MemoryConversationStore() if conversation_store is None else conversation_store
        )
        self._timeout = timeout
        self._request_params = dict(request_params or {})
        self._setup = Setup(
            model=client,
            base_request=self._shaped(base_request or ChatRequest(())),
            system_prompt=system_prompt,
            hooks=hooks or Hooks(),
            wait_for=wait_for,
            max_turns=max_turns,
            max_parallel=max_parallel_tools,
            metrics=Metrics(on_metric),
            on_gui=on_gui,
        )
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._owned = AsyncExitStack()

    @classmethod
    def create(
        cls,
        *,
        base_url: str,
        model: str,
        style: str = "openai",
        api_key: str | None = None,
        network: NetworkProfile | None = None,
        retry: RetryPolicy | None = None,
        body_transform: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """An agent with a client of its own, which ``aclose`` closes.

        ``base_url`` is what stands before "/chat/completions", "/v1" included where the server has it; ``style`` is
        "openai", "openai-responses", "anthropic", "gemini" or "ollama"; ``network`` holds proxy, certificates and time
        limits. The rest is as for ``Agent``.

        Raises:
            ValueError: there is no such style.
        """
        from rillet.core.client import DEFAULT_RETRY, AsyncLlmClient  # the network, for those who use it
        from rillet.core.net.profile import NetworkProfile
        from rillet.core.providers.provider import Provider

        provider = Provider("agent", style, base_url, api_key, model, network=network or NetworkProfile())
        client = AsyncLlmClient(
            provider, retry=retry or DEFAULT_RETRY, body_transform=body_transform, transport=transport
        )
        agent = cls(client, **options)
        agent._owned.push_async_callback(client.aclose)
        return agent

    @classmethod
    def in_process(cls, generate: Generate, model: str, **options: Unpack[Options]) -> Self:
        """An agent around a function of the host instead of an endpoint.

        ``generate`` gets the ``ChatRequest`` and gives a text, a ``ChatMessage`` or a ``ChatResponse``, or, as an
        ``async def`` that yields, texts and deltas. A plain function runs on a thread.
        """
        return cls(InProcessModel(generate, model), **options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close what ``create`` opened."""
        await self._owned.aclose()

    async def run(
        self,
        prompt: str | ChatMessage,
        toolkit: Toolbox | None = None,
        history: Iterable[ChatMessage] | None = None,
        *,
        on_event: OnEvent | None = None,
    ) -> RunResult:
        """The loop to its end. Remembers nothing: ``history`` is what was said before.

        Raises:
            LlmError: a model call failed, or the run took too long. What a hook raises comes as it is.
        """
        before = tuple(history or ())
        for message in before:
            expect(message, ChatMessage, "a message of the history", "write ChatMessage.user(…), or RunResult.messages")
        return await self._session(toolkit, Outlet(on_event)).run(_message(prompt), before)

    async def ask(
        self,
        prompt: str | ChatMessage,
        toolkit: Toolbox | None = None,
        id: str | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> RunResult:
        """As ``run``; with an ``id`` it goes on with that conversation, and saves it.

        ``on_text`` gets the text as it comes; a coroutine function is awaited.
        """
        return await self._session(toolkit, Outlet(_text_only(on_text)), id).run(_message(prompt))

    def stream(
        self,
        prompt: str | ChatMessage,
        toolkit: Toolbox | None = None,
        on_event: OnEvent | None = None,
        id: str | None = None,
    ) -> AgentRun:
        """The same run, told as it happens: await it, iterate over its events, or both.

        With an ``id`` it goes on with that conversation, and saves it once DONE was told.
        """
        session = self._session(toolkit, Outlet(on_event), id)
        return AgentRun(session, partial(session.run, _message(prompt)))

    def resume(
        self, pending_result: RunResult, answer: Answer, toolkit: Toolbox | None = None, on_event: OnEvent | None = None
    ) -> AgentRun:
        """Go on with a run that waits for an answer, in this process or another one.

        Calls that have ended are not run again; figures and turns are counted on. The result is the whole run's.

        Raises:
            ValueError: the run waits for nothing, or for another answer. Awaiting: its conversation has gone on.
        """
        pending = pending_result.pending
        if pending is None:
            raise ValueError("this run waits for nothing")
        if answer.id != pending.request.id:
            raise ValueError(f"the run waits for the answer to {pending.request.id!r}, not to {answer.id!r}")
        session = self._session(toolkit, Outlet(on_event), pending_result.id)
        return AgentRun(session, partial(session.resume, pending_result, answer))

    def hosted(
        self,
        client: ModelStream,
        *,
        wait_for: WaitFor | None,
        on_gui: Callable[[Callable[[], Any]], Awaitable[Any]] | None,
    ) -> Self:
        """The same agent with another client and somebody else to ask; conversations and figures stay shared."""
        other = copy(self)
        other._setup = replace(self._setup, model=client, wait_for=wait_for, on_gui=on_gui)
        other._owned = AsyncExitStack()
        return other

    def conversation(self, toolkit: Toolbox | None = None) -> Conversation:
        """A conversation that remembers what was said, for as long as it is held."""
        return Conversation(self, toolkit)

    async def translate(self, request: ChatRequest) -> ChatResponse:
        """One model call: no loop, and no tool is run. Hooks around model calls are called, retries are the client's.

        Raises:
            LlmError: it failed.
        """
        return await self._session(None, Outlet()).translate(self._shaped(request))

    def metrics(self) -> str:
        """The figures of all runs so far, in the text format that Prometheus reads."""
        return self._setup.metrics.text()

    def _session(self, toolkit: Toolbox | None, out: Outlet, id: str | None = None) -> Session:
        require_toolbox(toolkit)
        job = Job(setup=self._setup, toolbox=_NoTools() if toolkit is None else toolkit, out=out, chat=id)
        door = None if id is None else self._doors.setdefault(id, asyncio.Lock())
        return Session(job, self.conversation_store, door, self._timeout)

    def _shaped(self, request: ChatRequest) -> ChatRequest:
        if not self._request_params:
            return request
        return replace(request, extra_body={**(request.extra_body or {}), **self._request_params})


class _NoTools:
    """The toolkit of a run without tools."""

    specs: tuple[ToolSpec, ...] = ()
    skills_prompt = ""

    def find(self, name: str) -> Tool | None:
        return None

    async def call(self, name: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        raise AssertionError("no tool is found here, so none is called")


def _message(prompt: str | ChatMessage) -> ChatMessage:
    expect(prompt, (str, ChatMessage), "a prompt", "write a text, or ChatMessage.user(text, ImagePart(…))")
    return ChatMessage.user(prompt) if isinstance(prompt, str) else prompt


def _text_only(on_text: Callable[[str], object] | None) -> OnEvent | None:
    if on_text is None:
        return None
    expect_callable(on_text, "on_text")
    return lambda event: on_text(event.delta) if event.type is StreamEvent.Kind.TEXT else None
