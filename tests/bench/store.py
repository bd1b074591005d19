"""What a store of many chats costs: opening, the list, a chat, searches.

    python tests/bench/store.py [chats] [messages per chat]

Fills a file with made-up text (a minute or two for 10,000 × 20), then times each operation as the program does it, the
best and the worst of several runs, in ms.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rillet.core.store import chats, messages, search
from rillet.core.store.store import Store
from rillet.core.types import ChatMessage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from sqlite3 import Connection

RUNS = 7
WORDS = [
    "stream", "window", "river", "model", "answer", "question", "engine", "thread", "paper", "garden", "winter",
    "数値", "積分", "会話", "日本語", "привет", "Grüße", "naïve", "algorithm", "matrix", "integral", "coffee",
]  # fmt: skip
COMMON, RARE, ABSENT = "the", "quetzalcoatlus", "xyzzyplugh"


def sentence(dice: random.Random) -> str:
    """About four hundred characters."""
    return " ".join([COMMON, *(dice.choice(WORDS) for _ in range(60))])


def fill(db: Connection, first: int, count: int, each: int) -> None:
    """Chats with messages, in one transaction."""
    dice = random.Random(first)
    for number in range(first, first + count):
        chat = chats.create(db, title=f"Chat {number} about {dice.choice(WORDS)}")
        parent: int | None = None
        for place in range(each):
            text = sentence(dice) + (f" {RARE}" if number % 2500 == 7 and place == 3 else "")
            message = ChatMessage.user(text) if place % 2 == 0 else ChatMessage.assistant(text)
            parent = messages.add(db, chat, parent, message)


def megabytes(path: Path) -> float:
    """The size of a file."""
    return path.stat().st_size / 1e6


async def timed(name: str, work: Callable[[], Awaitable[Any]], tell: Callable[[Any], str] = lambda value: "") -> None:
    """Run it, and print the best and the worst."""
    times, value = [], None
    for _ in range(RUNS):
        started = time.perf_counter()
        value = await work()
        times.append((time.perf_counter() - started) * 1000)
    print(f"{name:34} best {min(times):8.1f}   worst {max(times):8.1f}   {tell(value)}")


async def main(count: int, each: int) -> None:
    """Fill, then measure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rillet.db")
        store = await Store.open(path)
        started = time.perf_counter()
        for first in range(0, count, 200):
            await store.write(fill, first, min(200, count - first), each)
        await store.close()
        print(f"{count} chats × {each} messages: {megabytes(path):.0f} MB, {time.perf_counter() - started:.0f} s")

        async def reopen() -> None:
            await (await Store.open(path)).close()

        await timed("open and close", reopen)
        store = await Store.open(path)
        await timed("the list", lambda: store.read(chats.overview), lambda found: f"{len(found)} chats")
        await timed("one chat", lambda: store.read(messages.path, count // 2), lambda line: f"{len(line)} messages")
        await timed("versions of a chat", lambda: store.read(messages.versions, count // 2))
        await timed("a question, durably", lambda: store.write_durably(
            messages.add, count // 2, None, ChatMessage.user("Hello")
        ))  # fmt: skip
        for name, text in {
            "a common word": COMMON,
            "a rare word": RARE,
            "a word that is nowhere": ABSENT,
            "two words": f"{RARE} {COMMON}",
            "a piece of a word": "etzalco",
            "three ideographs": "日本語",
            "two ideographs": "積分",
            "one ideograph": "積",
            "two letters": "xq",
        }.items():
            await timed(
                f"search: {name}",
                lambda text=text: store.read(search.search, text),  # type: ignore[misc]
                lambda found: f"{len(found.hits)} hits{'' if found.complete else ', not looked everywhere'}",
            )
        await timed("a backup", store.back_up)
        await store.close()


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:]]
    asyncio.run(main(*(numbers or [10_000, 20])))
