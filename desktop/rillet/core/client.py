"""Joins what stands above: a provider, the codec of its style, and the network.

A request takes this way: ``call`` writes it down, ``net`` sends it and repeats what may be repeated, every read of the
answer goes through the codec's decoder, and its deltas go to the caller. Knows neither the JSON of any provider nor
httpx. Above: ``wire``, ``net``, ``providers``, ``call``. Below: ``qt/client`` runs it on the engine thread; any asyncio
program can.

Guarantees: a stream ends with ``Finished``, or raises an ``LlmError`` whose ``partial`` holds everything that had
arrived. Nothing is sent again once the head of a successful answer was read. A cancelled task closes its socket. No
error quotes the key, whatever the provider says.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rillet.core.call import Call, chat_call, embed_call, models_call
from rillet.core.errors import InvalidRequestError, LlmError, NetworkError, forget_frames
from rillet.core.net.exchange_log import Recording, watching
from rillet.core.net.retry import Retries, RetryPolicy
from rillet.core.net.watch import EventClock
from rillet.core.providers.envelope import conceal
from rillet.core.providers.facts import FactBook
from rillet.core.types import Delta, Model, RetryNotice
from rillet.core.wire.codecs import codec_for, embedding_codec_for
from rillet.core.wire.fold import fold
from rillet.core.wire.redact import hide, redact
from rillet.core.wire.vectors import batches, joined

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
    from types import TracebackType

    import httpx

    from rillet.core.net.transport import Answer, Transport
    from rillet.core.providers.provider import Provider
    from rillet.core.types import ChatRequest, ChatResponse, EmbeddingRequest, EmbeddingResponse
    from rillet.core.wire.codec import EmbeddingCodec, StreamDecoder

log = logging.getLogger("rillet.client")

DEFAULT_RETRY: Final = RetryPolicy()
AFTER_FINISH = 5.0
"""Seconds to wait for counts and the end marker once the provider said why it stopped (some never send the marker)."""
DRAIN = 0.1
"""Seconds to read on behind the end marker: only a connection that was read to its end can be used again."""
ERROR_BODY_PATIENCE = 5.0
ERROR_BODY_LIMIT: Final = 1024 * 1024
BODY_LIMIT: Final = 128 * 1024 * 1024
PLENTY: Final = 16 * 1024
"""Bytes of a read behind which more may be waiting: it is asked for at once, however patient the caller is."""


class Batch(NamedTuple):
    """What one read from the network brought. ``size`` counts its bytes, those of keep-alives before it included."""

    deltas: list[Delta]
    size: int


class AsyncLlmClient:
    """A client of one provider, for one event loop. Connections are opened by the first request and then shared.

        async with AsyncLlmClient(Provider("local", "openai", "http://localhost:8080/v1")) as client:
            async for delta in client.stream(ChatRequest([ChatMessage.user("Hi")], model="a-model")):
                print(delta)

    ``body_transform`` gets every body as it would be sent and returns the one to send. ``transport`` takes the place of
    the network. ``patience`` is how many seconds pieces of an answer may wait for more, so that a read brings several:
    who draws or writes them down only so often is spared most of what a wake-up costs. What comes after such a time of
    silence, the first piece above all, never waits.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        retry: RetryPolicy = DEFAULT_RETRY,
        body_transform: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        patience: float = 0.0,
    ) -> None:
        self.provider = provider
        self.patience = patience
        self._codec = codec_for(provider.style)
        self._retry = retry
        self._body_transform = body_transform
        self._injected = transport
        self._secrets = set(provider.secrets)
        self._transport: Transport | None = None
        self._closed = False

    @property
    def default_model(self) -> str | None:
        """What answers when a request names no model."""
        return self.provider.default_model

    async def __aenter__(self) -> AsyncLlmClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection. A later request is a RuntimeError."""
        self._closed = True
        if self._transport is not None:
            await self._transport.aclose()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """The answer, piece by piece.

        Raises:
            LlmError: see ``batches``.
        """
        async with aclosing(self.batches(request)) as batches:
            async for batch in batches:
                for delta in batch.deltas:
                    yield delta

    async def batches(self, request: ChatRequest, *, patience: float | None = None) -> AsyncGenerator[Batch, None]:
        """The answer, read by read: what ``stream`` gives, for consumers that count what they have not consumed.

        ``patience`` None is the client's.

        Raises:
            LlmError: the request or the answer failed; ``partial`` holds what was yielded before.
        """
        received: list[Delta] = []
        clock = EventClock(self.provider.network)
        patience = self.patience if patience is None else patience
        try:
            call = chat_call(self.provider, self._codec, request, stream=True, transform=self._body_transform)
            async with aclosing(self._attempts(call, clock)) as attempts:
                async for event in attempts:
                    if isinstance(event, RetryNotice):
                        yield Batch([event], 0)
                        continue
                    async with event, aclosing(self._decoded(event, clock, patience)) as batches:
                        async for batch in batches:
                            received += batch.deltas
                            yield batch
        except LlmError as error:
            self._annotate(error, received)
            raise
        finally:
            clock.close()

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """The whole answer, asked for as one JSON value.

        Raises:
            LlmError: the request or the answer failed.
        """
        deltas: list[Delta] = []
        try:
            call = chat_call(self.provider, self._codec, request, stream=False, transform=self._body_transform)
            decoder = self._decoder()
            deltas += decoder.feed(await self._body(call))
            deltas += decoder.finish()
            if decoder.failure is not None:
                raise decoder.failure
        except LlmError as error:
            self._annotate(error, deltas)
            raise
        return fold(deltas)

    async def embed(self, request: EmbeddingRequest) -> EmbeddingResponse:
        """One vector per input, in as many requests as the provider's limits ask for, one after another.

        Raises:
            LlmError: a request failed, or its answer is no vectors; InvalidRequestError: this provider's style has no
                embeddings.
        """
        answers: list[EmbeddingResponse] = []
        try:
            codec = _embedding_codec(self.provider.style)
            for inputs in batches(request.inputs, most=codec.most_inputs, most_bytes=codec.most_bytes):
                call = embed_call(self.provider, codec, request, inputs, transform=self._body_transform)
                answers.append(codec.decode(await self._body(call), len(inputs)))
            return joined(answers, dimensions=request.dimensions)
        except LlmError as error:
            self._annotate(error)
            raise

    async def models(self) -> list[Model]:
        """The models that the provider lists, with what is known about them beyond that (see ``providers/facts``).

        Raises:
            LlmError: the request failed, or the answer is no such list.
        """
        try:
            models = [Model(id) for id in self.provider.listed_models]
            if not models:
                models = self._codec.decode_models(await self._body(models_call(self.provider, self._codec)))
        except LlmError as error:
            self._annotate(error)
            raise
        return FactBook.builtin().complete(self.provider, models)

    async def _attempts(self, call: Call, clock: EventClock) -> AsyncGenerator[RetryNotice | Answer, None]:
        """Send until it succeeds: a notice before each repetition, then the one successful answer."""
        retries = Retries(self._retry)
        while True:
            clock.restart()
            try:
                answer = await self._send(call, clock)
            except LlmError as error:
                pause = retries.pause(error)
                if pause is None:
                    raise
                self._annotate(error)
                log.info("attempt %d at %s in %.1f s: %s", retries.attempt, self.provider.label, pause, error)
                forget_frames(error)
                yield RetryNotice(retries.attempt, pause, error)
                await asyncio.sleep(pause)
            else:
                yield answer
                return

    async def _send(self, call: Call, clock: EventClock) -> Answer:
        """One attempt. The answer is a success, and still to be closed."""
        server = self.provider.server
        endpoint = self.provider if server is None else await server.endpoint()
        self._secrets.add(endpoint.api_key or "")
        url = call.url(endpoint.base_url)
        headers = call.all_headers(self._codec, self.provider, endpoint.api_key)
        recording = self._recording(call, url, headers)
        try:
            answer = await clock.wait(self._network().open(call.method, url, headers, call.content))
        except LlmError as error:
            if recording is not None:
                recording.failed(str(error))
            raise
        if recording is not None:
            answer.show_to(recording)
        if 200 <= answer.status < 300:
            return answer
        async with answer:
            try:
                async with asyncio.timeout(ERROR_BODY_PATIENCE):
                    body = await answer.read_all(ERROR_BODY_LIMIT)
            except (LlmError, TimeoutError):
                body = b""  # the status says more than a second failure would
        raise self._codec.decode_failure(answer.status, answer.headers, body)

    def _recording(self, call: Call, url: str, headers: Mapping[str, str]) -> Recording | None:
        """What somebody wants to see of an attempt; None: nobody does."""
        if (watch := watching()) is None:
            return None
        secrets = tuple(self._secrets)
        recording = Recording(call.method, url, headers, call.content, lambda text: redact(hide(text, secrets)))
        watch.begin(recording)
        return recording

    async def _decoded(self, answer: Answer, clock: EventClock, patience: float) -> AsyncGenerator[Batch, None]:
        """Read an answer to its end, whatever that is."""
        decoder = self._decoder()
        broken: LlmError | None = None
        size = 0
        wait = False
        while not decoder.ended and decoder.failure is None:
            if wait:
                await asyncio.sleep(patience)
            try:
                data = await clock.wait(answer.read())
            except LlmError as error:
                broken = error if self.provider.server is None else self.provider.server.explain(error)
                break
            if not data:
                break
            size += len(data)
            finish_seen = decoder.finish_seen
            wait = False
            if deltas := decoder.feed(data):
                clock.event()
                yield Batch(deltas, size)
                size = 0
                wait = patience > 0 and len(data) < PLENTY
            if decoder.finish_seen and not finish_seen:
                clock.hurry(AFTER_FINISH)
        if decoder.ended:
            await _drain(answer)
        if deltas := decoder.finish():
            yield Batch(deltas, size)
        if decoder.failure is not None:
            # "The end is missing" is true, but what broke says more; an error that the provider sent says most.
            raise broken if broken is not None and isinstance(decoder.failure, NetworkError) else decoder.failure

    async def _body(self, call: Call) -> bytes:
        """The whole body of the successful answer."""
        clock = EventClock(self.provider.network)
        with closing(clock):
            async with aclosing(self._attempts(call, clock)) as attempts:
                async for event in attempts:
                    if not isinstance(event, RetryNotice):
                        async with event:
                            return await clock.wait(event.read_all(BODY_LIMIT))
        raise AssertionError("attempts end with an answer or an error")

    def _decoder(self) -> StreamDecoder:
        return self._codec.decoder(think_tags=self.provider.think_tags)

    def _network(self) -> Transport:
        if self._closed:
            raise RuntimeError("this client was closed: its requests belong inside its async with, or before aclose()")
        if self._transport is None:
            from rillet.core.net.transport import Transport  # brings httpx: 0.2 s that only a request should cost

            self._transport = Transport(self.provider.network, transport=self._injected)
        return self._transport

    def _annotate(self, error: LlmError, received: Sequence[Delta] = ()) -> None:
        """Add what only the client knows, and take out what nobody else may."""
        error.provider = error.provider or self.provider.label
        conceal(error, self._secrets)
        if received and error.partial is None:
            error.partial = fold(received)


def _embedding_codec(style: str) -> EmbeddingCodec:
    try:
        return embedding_codec_for(style)
    except ValueError as error:
        raise InvalidRequestError(str(error), advice="Choose a provider that embeds texts.") from None


async def _drain(answer: Answer) -> None:
    """Read what follows the end marker, if it comes at once: usually nothing but the end of the body."""
    try:
        async with asyncio.timeout(DRAIN):
            while await answer.read():
                pass
    except (LlmError, TimeoutError):
        return  # the answer is complete; the connection is closed instead of kept
