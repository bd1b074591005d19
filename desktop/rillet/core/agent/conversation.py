"""A conversation that remembers: each prompt goes on where the last one ended.

Above: ``run``, ``result``. Below: ``Agent.conversation`` makes one. Kept in memory by its owner, in no store.
Guarantee: what was said is remembered when its run has ended, never half; a run that failed or was stopped leaves no
trace.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rillet.core.agent.agent import Agent
    from rillet.core.agent.outlet import OnEvent
    from rillet.core.agent.result import RunResult
    from rillet.core.agent.seams import Toolbox
    from rillet.core.types import ChatMessage
    from rillet.core.types.suspension import Answer


class Conversation:
    """Send prompts; they are answered one after the other."""

    def __init__(self, agent: Agent, toolkit: Toolbox | None) -> None:
        self._agent = agent
        self._toolkit = toolkit
        self._messages: tuple[ChatMessage, ...] = ()
        self._door = asyncio.Lock()

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """What was said so far."""
        return self._messages

    async def send(self, prompt: str | ChatMessage, on_event: OnEvent | None = None) -> RunResult:
        """Say ``prompt`` and wait for what comes of it."""
        async with self._door:
            result = await self._agent.run(prompt, self._toolkit, self._messages, on_event=on_event)
            self._messages = result.messages
            return result

    async def resume(self, result: RunResult, answer: Answer, on_event: OnEvent | None = None) -> RunResult:
        """Answer what the last run waits for.

        Raises:
            ValueError: the conversation has gone on since.
        """
        async with self._door:
            if result.messages != self._messages:
                raise ValueError("the conversation has gone on: the answer comes too late")
            resumed = await self._agent.resume(result, answer, self._toolkit, on_event)
            self._messages = resumed.messages
            return resumed

    def reset(self) -> None:
        """Forget everything."""
        self._messages = ()
