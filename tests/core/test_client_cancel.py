"""Stop, in every phase: the socket is closed and nothing is left behind."""

from __future__ import annotations

import asyncio
import gc
import threading
from contextlib import aclosing

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.net.retry import RetryPolicy
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest, Delta, Finished, RetryNotice, TextDelta
from support.fake_server import (
    FakeServer,
    Script,
    answer,
    drip,
    hold,
    respond,
    sse_end,
    sse_text,
    stream,
    unanswered_port,
)

HELLO = ChatRequest([ChatMessage.user("Hello")])


def client_of(url: str, retry: RetryPolicy | None = None) -> AsyncLlmClient:
    return AsyncLlmClient(Provider("fake", "openai", f"{url}/v1", "key", "fake-1"), retry=retry or RetryPolicy.none())


class Reader:
    """Reads a stream in a task and tells of every delta."""

    def __init__(self, client: AsyncLlmClient) -> None:
        self.deltas: asyncio.Queue[Delta] = asyncio.Queue()
        self.task = asyncio.create_task(self._read(client))

    async def _read(self, client: AsyncLlmClient) -> None:
        async with aclosing(client.stream(HELLO)) as deltas:
            async for delta in deltas:
                self.deltas.put_nowait(delta)

    async def cancel(self) -> None:
        """Cancel twice, as a closing program does on top of the user's Stop."""
        self.task.cancel()
        await asyncio.sleep(0)
        self.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await self.task


async def test_before_the_connection_is_made() -> None:
    with unanswered_port() as port:
        async with client_of(f"http://127.0.0.1:{port}") as client:
            reader = Reader(client)
            for _ in range(20):
                await asyncio.sleep(0)
            assert not reader.task.done()
            await reader.cancel()


@pytest.mark.parametrize("script", [hold, stream(hold), stream(drip(b": ping\n\n"))], ids=["head", "body", "drip"])
async def test_before_the_first_delta(script: Script) -> None:
    with FakeServer(script) as server:
        async with client_of(server.url) as client:
            reader = Reader(client)
            assert await asyncio.to_thread(server.wait_requests)
            await reader.cancel()
            assert await asyncio.to_thread(server.wait_closed)


async def test_between_two_deltas() -> None:
    with FakeServer(stream(sse_text("Hello"), hold)) as server:
        async with client_of(server.url) as client:
            reader = Reader(client)
            assert await reader.deltas.get() == TextDelta("Hello")
            for _ in range(5):
                await asyncio.sleep(0)
            await reader.cancel()
            assert await asyncio.to_thread(server.wait_closed)


async def test_during_the_pause_before_a_repetition() -> None:
    with FakeServer(respond(503, b"busy", {"Retry-After": "50"})) as server:
        async with client_of(server.url, RetryPolicy()) as client:
            reader = Reader(client)
            notice = await reader.deltas.get()
            assert isinstance(notice, RetryNotice) and notice.delay == 50.0
            await reader.cancel()
        assert server.wait_closed()
    assert len(server.requests) == 1


async def test_while_waiting_for_the_end_after_the_end_marker() -> None:
    with FakeServer(stream(sse_text("Hello"), sse_end(), hold)) as server:
        async with client_of(server.url) as client:
            reader = Reader(client)
            assert await reader.deltas.get() == TextDelta("Hello")
            await reader.cancel()
            assert await asyncio.to_thread(server.wait_closed)


async def test_after_the_end_there_is_nothing_left_to_cancel() -> None:
    with FakeServer(answer("Hello")) as server:
        async with client_of(server.url) as client:
            reader = Reader(client)
            await reader.task
            assert not reader.task.cancel()
            assert isinstance([reader.deltas.get_nowait() for _ in range(2)][-1], Finished)
        assert server.wait_closed()


async def test_leaving_the_loop_early_closes_the_socket() -> None:
    with FakeServer(stream(sse_text("Hello"), hold)) as server:
        async with client_of(server.url) as client:
            async with aclosing(client.stream(HELLO)) as deltas:
                async for _ in deltas:
                    break
            assert await asyncio.to_thread(server.wait_closed)
            async for _ in client.stream(HELLO):
                break  # without aclosing: the generator is closed when it is collected
            gc.collect()
            assert await asyncio.to_thread(server.wait_closed)


async def test_stopping_fifty_streams_closes_fifty_sockets() -> None:
    with FakeServer(stream(sse_text("Hello"), hold)) as server:
        async with client_of(server.url) as client:
            readers = [Reader(client) for _ in range(50)]
            for reader in readers:
                await reader.deltas.get()
            assert server.open_connections == 50
            await asyncio.gather(*(reader.cancel() for reader in readers))
            assert await asyncio.to_thread(server.wait_closed)


async def test_stopping_one_stream_leaves_the_others_alone() -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("Hello"), gate, sse_text(" world"), sse_end())) as server:
        async with client_of(server.url) as client:
            first, second = Reader(client), Reader(client)
            await first.deltas.get()
            await second.deltas.get()
            await first.cancel()
            gate.set()
            assert await second.deltas.get() == TextDelta(" world")
            await second.task
