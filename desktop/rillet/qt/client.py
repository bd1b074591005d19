"""Chat with a model from the GUI thread: requests go to the engine, deltas and results come back.

Above: ``core/client`` does the work on the engine thread. Below: the host, its listeners and callbacks. A request in
flight has two halves: ``_stream`` and its like run over there and hold nothing of the host; ``Request`` and
``StreamRequest`` (in ``request``) stay here and hold all of it. ``tests/qt/test_contract.py`` proves the nine
guarantees of the listener contract.
"""

from __future__ import annotations

import itertools
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

from PySide6.QtCore import QObject

from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatRequest, EmbeddingRequest
from rillet.core.types.expect import expect
from rillet.qt.engine import Engine
from rillet.qt.jobs import require_gui_thread
from rillet.qt.listener import StreamingListener
from rillet.qt.request import Household, Request, StreamRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rillet.core.client import AsyncLlmClient
    from rillet.core.net.retry import RetryPolicy
    from rillet.core.types import ChatResponse, Delta, EmbeddingResponse, Model
    from rillet.qt.engine import Outbox, Worker
    from rillet.qt.jobs import Work
    from rillet.qt.resource import AsyncResource

T = TypeVar("T")

CURE: Final = "write ChatRequest([ChatMessage.user(…)])"


class LlmClient(QObject):
    """A client of one provider. Make it on the GUI thread, with one of the class methods.

    Dropping it cancels nothing; ``close()`` or the end of its QObject parent does.
    """

    _numbers = itertools.count(1)

    def __init__(
        self,
        provider: Provider,
        *,
        retry: RetryPolicy | None = None,
        engine: Engine | None = None,
        parent: QObject | None = None,
    ) -> None:
        """See ``forProvider``."""
        require_gui_thread("An LlmClient")
        super().__init__(parent)
        self._provider = provider
        self._retry = retry
        self._engine = engine
        self._household = Household(self, next(self._numbers), provider.label, provider, retry)

    @classmethod
    def openai(cls, apiKey: str) -> LlmClient:
        """OpenAI itself. Each request names its model: there is no default."""
        from rillet.core.providers.builtin import entry

        return cls(entry("openai").provider(apiKey))

    @classmethod
    def anthropic(cls, apiKey: str) -> LlmClient:
        """Anthropic itself. Each request names its model: there is no default."""
        from rillet.core.providers.builtin import entry

        return cls(entry("anthropic").provider(apiKey))

    @classmethod
    def gemini(cls, apiKey: str) -> LlmClient:
        """Google's Gemini API. A request that names no model gets Gemini's latest Flash."""
        from rillet.core.providers.builtin import entry

        return cls(entry("gemini").provider(apiKey))

    @classmethod
    def ollama(cls, model: str) -> LlmClient:
        """Ollama on this machine; ``forProvider`` reaches one elsewhere."""
        from rillet.core.providers.builtin import entry

        local = entry("ollama").provider()
        return cls(replace(local, default_model=model, network=NetworkProfile(proxy=None)))

    @classmethod
    def localOpenAiCompatible(
        cls, baseUrl: str, apiKey: str | None = None, defaultModel: str | None = None
    ) -> LlmClient:
        """Any server that speaks OpenAI's Chat Completions, such as llama.cpp, LM Studio or vLLM.

        ``baseUrl`` is what stands before "/chat/completions", "/v1" included where the server has it.
        """
        return cls(
            Provider(
                "local-openai-compatible",
                "openai",
                baseUrl,
                api_key=apiKey,
                default_model=defaultModel,
                network=NetworkProfile(proxy=None),
                think_tags=True,
            )
        )

    @classmethod
    def forProvider(
        cls,
        provider: Provider,
        *,
        retry: RetryPolicy | None = None,
        engine: Engine | None = None,
        parent: QObject | None = None,
    ) -> LlmClient:
        """A client of ``provider``; ``retry`` None is the default policy, ``engine`` None the shared one."""
        expect(provider, Provider, "the provider", "write Provider(id, style, base_url, …)")
        return cls(provider, retry=retry, engine=engine, parent=parent)

    @property
    def provider(self) -> Provider:
        """Whom this client talks to."""
        return self._provider

    def chat(self, request: ChatRequest) -> AsyncResource[ChatResponse]:
        """Ask for the whole answer at once.

        Raises:
            RuntimeError: this is not the GUI thread. What goes wrong with the request comes through the resource.
        """
        expect(request, ChatRequest, "what chat sends", CURE)
        return self._start(self._request(), partial(_chat, request))

    def chatStream(self, request: ChatRequest, listener: StreamingListener) -> AsyncResource[ChatResponse]:
        """Ask for the answer piece by piece; the whole of it comes through the resource, after the last piece.

        A listener that is a QObject ends the stream with its own end.
        """
        expect(request, ChatRequest, "what chatStream sends", CURE)
        expect(
            listener,
            StreamingListener,
            "the listener",
            "it is an object of a class that derives from StreamingListener",
        )
        engine = self._engine or Engine.default()
        job = StreamRequest(self, self._household, engine, listener)
        return self._start(job, partial(_stream, request, listener.patience))

    def embed(self, request: EmbeddingRequest) -> AsyncResource[EmbeddingResponse]:
        """Ask for one vector per input, in their order; the inputs may be thousands (see ``EmbeddingResponse``)."""
        expect(request, EmbeddingRequest, "what embed sends", "write EmbeddingRequest([…], model)")
        return self._start(self._request(), partial(_embed, request))

    def models(self) -> AsyncResource[list[Model]]:
        """Ask which models the provider offers."""
        return self._start(self._request(), _models)

    def close(self) -> None:
        """Cancel every request of this client and give back its connections. A later request opens new ones."""
        self._household.dissolve()

    def lodge(self, engine: Engine) -> None:
        """Note that this client's connections may be open on ``engine``: somebody else's work uses them."""
        self._household.lodge(engine)

    def _request(self) -> Request[Any]:
        return Request(self, self._household, self._engine or Engine.default())

    def _start(self, request: Request[T], work: Callable[[AsyncLlmClient, Outbox], Awaitable[T]]) -> AsyncResource[T]:
        return request.start(with_client(self, lambda client, worker, outbox: work(client, outbox)))

    def tenant(self) -> Tenant:
        """Whose connections: what the engine thread needs to make them."""
        return Tenant(self._household.number, self._provider, self._retry)


class Tenant(NamedTuple):
    """Whose connections: what the engine thread needs to make them."""

    number: int
    provider: Provider
    retry: RetryPolicy | None


def with_client(owner: LlmClient, work: Callable[[AsyncLlmClient, Worker, Outbox], Awaitable[T]]) -> Work:
    """The work of a job that runs with the connections which all requests of ``owner`` share."""
    return partial(_with_client, owner.tenant(), work)


async def _with_client(
    tenant: Tenant,
    work: Callable[[AsyncLlmClient, Worker, Outbox], Awaitable[T]],
    worker: Worker,
    outbox: Outbox,
) -> T:
    """On the engine thread."""
    from rillet.core.client import AsyncLlmClient
    from rillet.core.net.retry import RetryPolicy

    client = worker.belongings.get(tenant.number)
    if client is None:
        client = AsyncLlmClient(tenant.provider, retry=tenant.retry or RetryPolicy())
        worker.belongings[tenant.number] = client
    return await work(cast("AsyncLlmClient", client), worker, outbox)


async def _stream(request: ChatRequest, patience: float, client: AsyncLlmClient, outbox: Outbox) -> ChatResponse:
    """On the engine thread: post every delta, read no further while too much is unread."""
    import asyncio

    from rillet.core.wire.fold import fold

    received: list[Delta] = []
    try:
        async with aclosing(client.batches(request, patience=patience)) as batches:
            async for deltas, size in batches:
                received += deltas
                if outbox.post(deltas, size):
                    await outbox.room()
    except asyncio.CancelledError:
        outbox.partial = fold(received)
        raise
    return fold(received)


async def _chat(request: ChatRequest, client: AsyncLlmClient, _outbox: Outbox) -> ChatResponse:
    return await client.chat(request)


async def _embed(request: EmbeddingRequest, client: AsyncLlmClient, _outbox: Outbox) -> EmbeddingResponse:
    return await client.embed(request)


async def _models(client: AsyncLlmClient, _outbox: Outbox) -> list[Model]:
    return await client.models()
