"""Killed at any moment, the program has lost nothing that it had promised.

``RILLET_KILLS`` says how often it is tried (50; a thousand take ten minutes).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rillet.core.store import drafts, messages
from rillet.core.store.store import Store

PROGRAM = Path(__file__).with_name("program.py")
KILLS = int(os.environ.get("RILLET_KILLS", "50"))
ROUNDS = 5
"""Kills on one file: what one left behind is what the next one finds."""
MOST_STREAM_LOST = 0.5
"""Seconds of a stream."""
MOST_DRAFT_LOST = 1.0


def killed(path: Path, seed: int, after: float) -> list[dict[str, Any]]:
    """Run the program, kill it in the middle: what it had told."""
    command = [sys.executable, str(PROGRAM), str(path), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]  # it has opened the store
        timer = subprocess.Popen(
            [sys.executable, "-c", f"import time, os; time.sleep({after}); os.kill({process.pid}, 9)"]
        )
        lines += process.stdout.readlines()
        timer.wait()
        assert process.wait() == -signal.SIGKILL
    return [json.loads(line) for line in lines if line.endswith("\n")]


def check(path: Path, told: list[dict[str, Any]]) -> None:
    """Everything that was told is there."""
    end = told[-1]["at"]

    async def look() -> tuple[int, dict[int, str], int]:
        store = await Store.open(path)
        try:
            found = {}
            for each in told:
                if "message" in each:
                    found[each["message"]] = (await store.read(messages.get, each["message"])).message.text
            return store.opening.recovered, found, len((await store.read(drafts.load, drafts.NEW_CHAT)).text)
        finally:
            await store.close()

    _, found, draft = asyncio.run(look())
    assert {each["message"]: each["text"] for each in told if "message" in each} == found
    assert draft >= max(
        (each["draft"] for each in told if "draft" in each and each["at"] <= end - MOST_DRAFT_LOST), default=0
    )
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("SELECT count(*) FROM messages WHERE status = 'writing'").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM journal").fetchone() == (0,)
        present = {id for (id,) in db.execute("SELECT id FROM chats")}
        assert present >= {each["chat"] for each in told if "chat" in each}
        for question, sent in _due(told, end).items():
            kept = max(
                (
                    len("".join(part["text"] for part in json.loads(parts)))
                    for (parts,) in db.execute(
                        "SELECT parts FROM messages WHERE parent_id = ? AND role = 'assistant'", (question,)
                    )
                ),
                default=0,
            )
            assert kept >= sent, f"of the answer to {question} {sent} characters were due and {kept} are there"


def _due(told: list[dict[str, Any]], end: float) -> dict[int, int]:
    """By question: how much of its answer must be there."""
    return {each["stream"]: each["sent"] for each in told if "stream" in each and each["at"] <= end - MOST_STREAM_LOST}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.timeout(60 + 4 * KILLS)
def test_nothing_that_was_promised_is_lost_at_any_of_many_random_moments(tmp_path: Path) -> None:
    dice = random.Random(20261130)
    busy = 0
    for kill in range(KILLS):
        path = tmp_path / f"{kill // ROUNDS}" / "rillet.db"
        told = killed(path, kill, after=dice.random() * 0.8)
        check(path, told)
        busy += len(told) > 1
    assert busy > KILLS // 10, "nearly always it was killed before it had promised anything"
