"""Writes as the real program does, until it is killed: eight answers at once, edits, forks, deletions, a draft.

Tells on stdout, a line of JSON each, what is promised: what was acknowledged before, and of each stream how far it had
come (``sent``) at which time. Started by ``test_kill``: the path of the store, and a seed.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from rillet.core.chat.recorder import Recorder
from rillet.core.store import chats, drafts, messages
from rillet.core.store.drafts import SavedDraft
from rillet.core.store.store import Store
from rillet.core.types import ChatMessage, TextDelta

STREAMS = 8


def tell(**what: Any) -> None:
    """Promise something. One write, so that no line is cut."""
    sys.stdout.write(json.dumps({**what, "at": time.monotonic()}) + "\n")
    sys.stdout.flush()


class Chat:
    """A chat that somebody talks in without a pause."""

    def __init__(self, store: Store, number: int, seed: int) -> None:
        self._store = store
        self._number = number
        self._dice = random.Random(seed * 100 + number)

    async def talk(self) -> None:
        """Ask, be answered, change one's mind."""
        chat = await self._store.write_durably(chats.create, title=f"chat {self._number}")
        tell(chat=chat)
        head: int | None = None
        for turn in range(1_000_000):
            text = f"question {self._number}.{turn}"
            head = await self._store.write_durably(messages.add, chat, head, ChatMessage.user(text))
            tell(message=head, chat=chat, text=text)
            head = await self._answer(chat, head, turn)
            match self._dice.randrange(6):
                case 0:
                    await self._store.write_durably(messages.fork, chat, head)
                case 1:
                    line = await self._store.read(messages.path, chat)
                    head = self._dice.choice(line).parent_id
                    await self._store.write(messages.rewind, chat, head)
                case 2:
                    await self._store.write(messages.hide, [head])
                    await self._store.write(messages.hide, [head], hidden=False)
                case _:
                    pass

    async def _answer(self, chat: int, question: int, turn: int) -> int:
        recorder = Recorder(self._store, chat, question, lambda event: None, provider="p")
        recorder.begin("m")
        sent = ""
        for piece in range(self._dice.randrange(5, 60)):
            delta = f"{self._number}.{turn}.{piece} "
            sent += delta
            recorder.add(TextDelta(delta))
            tell(stream=question, sent=len(sent))
            await asyncio.sleep(self._dice.random() * 0.02)
        recorder.settle(ChatMessage.assistant(sent))
        await recorder.close()
        assert recorder.head is not None
        tell(message=recorder.head, chat=chat, text=sent)
        return recorder.head


async def write_drafts(store: Store) -> None:
    """Type without a pause."""
    for length in range(1, 1_000_000):
        await store.write(drafts.save, drafts.NEW_CHAT, SavedDraft("x" * length))
        tell(draft=length)
        await asyncio.sleep(0.1)


async def main(path: Path, seed: int) -> None:
    """Never ends by itself."""
    store = await Store.open(path)
    tell(recovered=store.opening.recovered)
    await asyncio.gather(write_drafts(store), *(Chat(store, number, seed).talk() for number in range(STREAMS)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
