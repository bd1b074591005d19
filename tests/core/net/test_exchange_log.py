"""What is kept of requests, and what never is."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from rillet.core.chat.desk import Desk
from rillet.core.chat.events import Placed
from rillet.core.chat.plan import Plan
from rillet.core.client import AsyncLlmClient
from rillet.core.errors import LlmError
from rillet.core.net.exchange_log import KEPT, MOST_BYTES, Exchange, ExchangeLog, Recording
from rillet.core.net.retry import RetryPolicy
from rillet.core.providers.provider import Provider
from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage, ChatRequest
from support.fake_server import FakeServer, answer, refused_port, respond

if TYPE_CHECKING:
    from pathlib import Path

KEY = "canary-0123456789"


def provider(url: str) -> Provider:
    return Provider("p", "openai", f"{url}/v1", api_key=KEY, default_model="m")


async def ask(client: AsyncLlmClient, text: str = "Hi") -> None:
    async for _ in client.stream(ChatRequest([ChatMessage.user(text)])):
        pass


async def exchanges(url: str, text: str = "Hi") -> tuple[Exchange, ...]:
    """What a log keeps of one question."""
    log = ExchangeLog()
    async with AsyncLlmClient(provider(url), retry=RetryPolicy.none()) as client:
        with log.watching() as watch:
            watch.begin_turn()
            watch.place(7)
            with suppress(LlmError):
                await ask(client, text)
    assert log.of([8]) == ()
    return log.of([7])


async def test_what_was_sent_and_what_came_is_kept_with_its_times() -> None:
    with FakeServer(answer("Hello", " there")) as server:
        (kept,) = await exchanges(server.url)
    assert (kept.method, kept.url, kept.status) == ("POST", f"{server.url}/v1/chat/completions", 200)
    assert '"content":"Hi"' in kept.body.replace(" ", "")
    assert kept.sent == len(kept.body)
    assert "Hello" in "".join(piece.text for piece in kept.pieces)
    assert kept.answered_after is not None
    assert kept.ended_after is not None
    assert 0 <= kept.answered_after <= kept.pieces[0].after <= kept.ended_after
    assert kept.is_whole
    assert not kept.error


async def test_a_key_is_nowhere_also_where_the_server_quotes_it() -> None:
    with FakeServer(respond(401, {"error": {"message": f"no such key: {KEY}"}}, {"X-Echo": KEY})) as server:
        (kept,) = await exchanges(server.url, f"my key is {KEY}")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(kept)
    assert kept.headers["authorization"] == "…"
    assert "no such key: …" in "".join(piece.text for piece in kept.pieces)


async def test_no_connection_is_an_exchange_with_a_reason() -> None:
    kept = (await exchanges(f"http://127.0.0.1:{refused_port()}"))[-1]
    assert kept.status is None
    assert kept.error


async def test_who_is_not_watched_leaves_nothing() -> None:
    log = ExchangeLog()
    with FakeServer(answer("Hello"), answer("again")) as server:
        async with AsyncLlmClient(provider(server.url)) as client:
            with log.watching() as watch:
                watch.begin_turn()
                watch.place(1)
            await ask(client)
    assert log.of([1]) == ()


def recording(content: bytes = b"{}") -> Recording:
    return Recording("POST", "http://x", {}, content, lambda text: text.replace("SECRET", "…"))


def test_large_bodies_are_counted_and_cut() -> None:
    large = recording(b"x" * (MOST_BYTES + 5))
    for _ in range(3):
        large.receive(b"y" * MOST_BYTES)
    kept = large.exchange()
    assert (kept.sent, len(kept.body), kept.is_whole) == (MOST_BYTES + 5, MOST_BYTES, False)
    assert (kept.received, sum(len(piece.text) for piece in kept.pieces)) == (3 * MOST_BYTES, MOST_BYTES)


def test_a_secret_across_two_reads_is_masked() -> None:
    torn = recording()
    torn.receive(b"it is SEC")
    torn.receive(b"RET.")
    assert "".join(piece.text for piece in torn.exchange().pieces) == "it is …."


def test_the_oldest_go_first() -> None:
    log = ExchangeLog()
    with log.watching() as watch:
        for number in range(KEPT + 1):
            watch.begin_turn()
            watch.place(number)
            watch.begin(recording())
    assert log.of([0]) == ()
    assert len(log.of(range(KEPT + 1))) == KEPT


async def test_an_answer_of_a_chat_finds_its_requests_by_its_message(tmp_path: Path) -> None:
    desk = await Desk.open(tmp_path / "chats.db")
    placed: list[int] = []
    try:
        with FakeServer(answer("one"), answer("two")) as server:
            chat = await desk.store.write(chats.create)
            parent = None
            for text in ("first", "second"):
                await desk.store.write(messages.add, chat, parent, ChatMessage.user(text))
                await desk.answer(
                    chat,
                    Plan(provider=provider(server.url)),
                    lambda event: placed.append(event.message_id) if isinstance(event, Placed) else None,
                )
                parent = placed[-1]
        assert len(placed) == 2
        for message_id, said in zip(placed, ("one", "two"), strict=True):
            (kept,) = desk.log.of([message_id])
            assert said in "".join(piece.text for piece in kept.pieces)
    finally:
        await desk.aclose()


async def test_what_was_sent_before_the_first_turn_belongs_to_its_message() -> None:
    log = ExchangeLog()
    with FakeServer(answer("A summary"), answer("Hello")) as server:
        async with AsyncLlmClient(provider(server.url)) as client:
            with log.watching() as watch:
                await ask(client, "Summarize")
                watch.begin_turn()
                watch.place(7)
                await ask(client)
    assert ["Summarize" in each.body for each in log.of([7])] == [True, False]
    log.forget([7])
    assert log.of([7]) == ()
