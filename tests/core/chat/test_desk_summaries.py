"""A summary by hand, at the desk: where it is kept, who waits for it, and how it is stopped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rillet.core.agent.compaction import HEADING
from rillet.core.chat.desk import Desk
from rillet.core.chat.plan import Plan
from rillet.core.providers.provider import Provider
from rillet.core.store import chats, ledger, messages, summaries
from rillet.core.types import ChatMessage
from support.fake_server import FakeServer, answer, hold, stream
from support.traces import traces

if TYPE_CHECKING:
    from pathlib import Path

    from rillet.core.store.keeping import Keeping

SAYS = ChatMessage.assistant("a" * 400)


def plan_for(server: FakeServer) -> Plan:
    return Plan(provider=Provider("p", "openai", f"{server.url}/v1", default_model="m"))


async def talk(store: Keeping, questions: int) -> int:
    """A chat with so many questions and answers."""
    chat = await store.write(chats.create)
    last = None
    for number in range(questions):
        last = await store.write(messages.add, chat, last, ChatMessage.user(f"{number}" * 400))
        last = await store.write(messages.add, chat, last, SAYS)
    return chat


async def test_the_summary_of_a_temporary_chat_is_in_memory_and_goes_with_it_when_it_is_kept(tmp_path: Path) -> None:
    with FakeServer(answer("Short.")) as server:
        desk = await Desk.open(tmp_path / "chats.db")
        chat = await talk(desk.temporary, 3)
        made = await desk.summarize(chat, plan_for(server), lambda event: None)
        [summary] = await desk.temporary.read(summaries.of_chat, chat)
        assert (summary.id, summary.text) == (made, "Short.")
        assert await desk.store.read(summaries.of_chat, chat) == []
        assert traces(tmp_path, "Short.") == []
        assert (await desk.context(chat, plan_for(server))).summary == summary
        moved = await desk.keep(chat)
        weighed = await desk.context(moved.chat_id, plan_for(server))
        assert weighed.summary is not None
        assert weighed.summary.covers == {moved.ids[id] for id in summary.covers}
        await desk.aclose()


async def test_a_question_that_is_asked_meanwhile_waits_for_the_summary(tmp_path: Path) -> None:
    gate = asyncio.Event()
    with FakeServer(answer("Short."), answer("Well.")) as server:
        desk = await Desk.open(tmp_path / "chats.db")
        chat = await talk(desk.store, 3)
        plan = plan_for(server)
        summarizing = asyncio.create_task(desk.summarize(chat, plan, lambda event: gate.set()))
        await gate.wait()
        with pytest.raises(ValueError, match="being written"):
            await desk.summarize(chat, plan, lambda event: None)
        line = await desk.store.read(messages.path, chat)
        await desk.store.write(messages.add, chat, line[-1].id, ChatMessage.user("And?"))
        await desk.answer(chat, plan, lambda event: None)
        assert summarizing.done()
        sent = server.requests[1].json["messages"]
        assert "Short." in str(sent[0]["content"])
        assert HEADING in str(sent[0]["content"])
        assert (await desk.store.read(ledger.spent, chat)).answers == 0, "no usage was told, so none is known"
        await desk.aclose()


async def test_closing_the_desk_stops_a_summary_and_leaves_none(tmp_path: Path) -> None:
    gate = asyncio.Event()
    with FakeServer(stream(hold)) as server:
        desk = await Desk.open(tmp_path / "chats.db")
        chat = await talk(desk.store, 3)
        summarizing = asyncio.create_task(desk.summarize(chat, plan_for(server), lambda event: gate.set()))
        await gate.wait()
        await desk.aclose()
        with pytest.raises(asyncio.CancelledError):
            await summarizing
    desk = await Desk.open(tmp_path / "chats.db")
    assert await desk.store.read(summaries.of_chat, chat) == []
    await desk.aclose()
