"""A chat in the store of the program, answered by a scripted model that may use the tools of a folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rillet.core.agent.result import RunResult
from rillet.core.chat.answering import PENDING, Answering
from rillet.core.chat.plan import Plan
from rillet.core.providers.provider import Provider
from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage, Finished, TextDelta, ToolCallDelta
from rillet.core.types.suspension import Answer, Request

if TYPE_CHECKING:
    from pathlib import Path

    from rillet.core.chat.desk import Desk
    from rillet.core.store.keeping import Keeping
    from support.scripted import ScriptedModel

PROVIDER = Provider("p", "openai", "http://127.0.0.1:1/v1", default_model="m")


def calling(name: str, arguments: dict[str, Any]) -> list[Any]:
    return [ToolCallDelta(0, "c1", name, json.dumps(arguments)), Finished("tool_calls")]


def saying(text: str) -> list[Any]:
    return [TextDelta(text), Finished("stop")]


class Chat:
    """A chat with a scripted model, in a folder."""

    def __init__(self, desk: Desk, folder: Path, model: ScriptedModel, store: Keeping | None = None) -> None:
        self.desk = desk
        self.store = store or desk.store
        self.plan = Plan(provider=PROVIDER, tools=None, workspace=str(folder))
        self.model = model
        self.id = 0

    async def answering(self) -> Answering:
        return Answering(
            self.store,
            self.id,
            self.plan,
            model=self.model,
            toolbox=await self.desk.bench.toolbox(self.plan),
            tell=lambda event: None,
            price=lambda plan, model, usage: None,
        )

    async def ask(self, text: str) -> messages.Node:
        """What the chat ends with once it was answered, or waits."""
        if not self.id:
            self.id = await self.store.write(chats.create)
        line = await self.store.read(messages.path, self.id)
        parent = line[-1].id if line else None
        await self.store.write(messages.add, self.id, parent, ChatMessage.user(text))
        await (await self.answering()).answer()
        return await self.last()

    async def reply(self, node: messages.Node, **data: Any) -> messages.Node:
        answer = Answer(id=request_of(node).id, ok=bool(data), data=data or None)
        await (await self.answering()).resume(node, answer)
        return await self.last()

    async def last(self) -> messages.Node:
        return (await self.store.read(messages.path, self.id))[-1]


def request_of(node: messages.Node) -> Request:
    pending = RunResult.from_json(node.details[PENDING].encode()).pending
    assert pending is not None
    return pending.request
