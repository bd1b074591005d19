"""Makes what is sent of a chat fit into the window of the model, by the rule of the chat.

Above: ``context`` says what goes along, ``summarizing`` asks a model, ``store``. Below: ``answering`` has it look
before a question is asked, and again before each further turn, for what tools give takes room, too. Guarantees: nothing
is taken out of the store; a summary is in the store before it is used, with what it covers and what it took; a turn is
sent whole or not at all; where a summary fails, or is stopped, nothing is sent and the question stays as it is.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rillet.core.agent.compaction import begins_a_turn, estimate, led_by
from rillet.core.agent.history import says_something
from rillet.core.agent.hooks import Compaction, Replacement
from rillet.core.chat.context import Ledger, grown, limit_of, spared, spec_tokens, weigh
from rillet.core.chat.events import Summarized, Summarizing
from rillet.core.chat.lean import as_sent
from rillet.core.chat.summarizing import summarize
from rillet.core.store import ledger, messages, summaries
from rillet.core.types import ChatMessage, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rillet.core.agent.seams import ModelStream, Toolbox
    from rillet.core.chat.events import ChatEvent
    from rillet.core.chat.plan import Plan
    from rillet.core.providers.provider import Provider
    from rillet.core.store.keeping import Keeping
    from rillet.core.store.messages import Node
    from rillet.core.types import ChatResponse, ToolSpec

_NOTHING: Final = ChatMessage("user", ())


class Fitting:
    """Serves one answer, or one summary that a person asked for."""

    def __init__(
        self,
        store: Keeping,
        chat_id: int,
        plan: Plan,
        *,
        toolbox: Toolbox | None,
        summarizer: ModelStream,
        tell: Callable[[ChatEvent], None],
        price: Callable[[Provider, Sequence[str | None], Usage], float | None],
    ) -> None:
        self._store = store
        self._chat_id = chat_id
        self._plan = plan
        self._toolbox = toolbox
        self._summarizer = summarizer
        self._tell = tell
        self._price = price
        self._line: Sequence[Node] = ()
        self._then: ChatMessage | None = None

    async def sent(self, line: Sequence[Node], *, then: ChatMessage | None = None) -> list[ChatMessage]:
        """What is sent of a chat that shows ``line`` and ends with a question.

        ``then``: what is asked instead, behind an answer that the chat ends with; it is kept nowhere.

        Raises:
            SummaryFailed: there should be a summary, and there is none.
        """
        self._line, self._then = line, then
        weighed = await self._weigh()
        if weighed.due:
            weighed = await self._summarized(weighed)
        return [*self._messages(weighed, line), *([] if then is None else [then])]

    async def before_llm(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], model: str | None, turn: int
    ) -> Replacement | None:
        """Look whether what tools gave has left too little room (a hook of the agent).

        Raises:
            SummaryFailed: as ``sent``.
        """
        limit, before = limit_of(self._plan), estimate(messages)
        if limit is None or self._plan.rule == "keep" or before + sum(map(spec_tokens, tools)) <= limit:
            return None
        begins = (at for at, each in enumerate(messages) if begins_a_turn(each) and each != self._then)
        start = max(begins, default=0)
        weighed = await self._weigh()
        if not weighed.turns:
            return None
        weighed = grown(weighed, max(0, estimate(messages[start:]) - weighed.turns[-1].tokens))
        if weighed.due:
            weighed = await self._summarized(weighed)
        earlier = [node for node in self._line if node.id not in weighed.turns[-1].ids]
        while earlier and not _ends_a_turn(earlier[-1]):
            earlier.pop()  # asked and never answered: it became one with the question that stands behind it
        head = [each for each in messages[:start] if each.role == "system"]
        shorter = [*head, *self._messages(weighed, earlier), *messages[start:]]
        after = estimate(shorter)
        if after >= before:
            return None
        summary = weighed.summary
        made = Compaction(summary.text, before, after) if summary is not None else None
        return Replacement(shorter, compaction=made)

    async def summarize(self) -> int:
        """Summarize what is oldest, though there may be room: the id of the summary.

        Raises:
            SummaryFailed: there is none.
            ValueError: there is nothing that could be summarized.
        """
        weighed = spared(await self._weigh())
        if not weighed.due:
            raise ValueError("there is nothing to summarize: the last question and what is pinned stay as they are")
        summary = (await self._summarized(weighed)).summary
        assert summary is not None
        return summary.id

    async def _weigh(self) -> Ledger:
        if not self._line:
            self._line = await self._store.read(messages.path, self._chat_id)
        known = await self._store.read(summaries.of_chat, self._chat_id)
        return weigh(self._line, self._plan, self._toolbox, known)

    def _messages(self, weighed: Ledger, line: Sequence[Node]) -> list[ChatMessage]:
        """Those of ``line`` that go along, the summary before them."""
        hidden, summary = weighed.hidden, weighed.summary
        last = weighed.turns[-1].ids if weighed.turns else ()
        sent = [
            as_sent(node.message, self._plan, is_last=node.id in last, by=node.provider)
            for node in line
            if node.id not in hidden
        ]
        if summary is None:
            return sent
        if sent and begins_a_turn(sent[0]):
            return [led_by(summary.text, sent[0]), *sent[1:]]
        return [led_by(summary.text, _NOTHING), *sent]

    async def _summarized(self, weighed: Ledger) -> Ledger:
        """Have the turns that are due summarized, and what was summarized before with them: how it stands now."""
        plan, due = self._plan, {id for turn in weighed.due for id in turn.ids}
        asked = plan.summarizer
        provider = plan.provider if asked is None else asked.provider
        name = plan.model if asked is None else asked.model
        window = plan.window if asked is None else asked.window
        self._tell(Summarizing(len(weighed.due), name or provider.default_model))
        old = [node.message for node in self._line if node.id in due]
        covers = set(due)
        if weighed.summary is not None:
            old[0] = led_by(weighed.summary.text, old[0])
            covers |= weighed.summary.covers
        answers: list[ChatResponse] = []
        begun = asyncio.get_running_loop().time()
        try:
            text = await summarize(self._summarizer, name, old, window=window, note=answers.append)
        finally:
            details = await self._enter(answers, provider, name)
        details["seconds"] = round(asyncio.get_running_loop().time() - begun, 3)
        model = (answers[-1].model if answers else None) or name or provider.default_model
        made = await self._store.write_durably(
            summaries.add, self._chat_id, covers, text, provider=provider.id, model=model, details=details
        )
        self._tell(Summarized(made))
        last = weighed.turns[-1].tokens
        again = await self._weigh()
        return grown(again, last - again.turns[-1].tokens)

    async def _enter(self, answers: Sequence[ChatResponse], provider: Provider, name: str | None) -> dict[str, Any]:
        """Note in the ledger what answers of the summarizer took, also where no summary came of them."""
        usages = [(answer.model or name or "", answer.usage) for answer in answers if answer.usage is not None]
        costs = [self._price(provider, (model, name), usage) for model, usage in usages]
        for (model, usage), cost in zip(usages, costs, strict=True):
            enter = _entry(usage, provider.id, model, self._chat_id, cost)
            await asyncio.shield(self._store.write(enter))
        details: dict[str, Any] = {"usages": [msgspec.to_builtins(usage) for _, usage in usages]}
        if known := [cost for cost in costs if cost is not None]:
            details["cost"] = sum(known)
        return details


def _entry(usage: Usage, provider: str, model: str, chat_id: int, cost: float | None) -> Callable[[Any], None]:
    return lambda db: ledger.enter(db, usage, provider=provider, model=model, chat_id=chat_id, cost=cost)


def _ends_a_turn(node: Node) -> bool:
    return node.message.role != "user" and says_something(node.message.parts)
