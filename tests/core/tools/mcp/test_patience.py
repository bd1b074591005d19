"""A limit that stands still while a person is asked."""

from __future__ import annotations

import asyncio

import pytest

from rillet.core.tools.mcp.patience import Patience

SHORT = 0.02
LONG = 60.0


async def test_it_ends() -> None:
    patience = Patience(SHORT)
    with pytest.raises(TimeoutError):
        async with patience:
            await asyncio.Event().wait()
    assert patience.is_over


async def test_a_pause_does_not_count() -> None:
    async with Patience(SHORT) as patience:
        with patience.pause(), patience.pause(), pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 5 * SHORT)
        assert not patience.is_over


async def test_what_was_left_before_a_pause_is_left_after_it() -> None:
    with pytest.raises(TimeoutError):
        async with Patience(SHORT) as patience:
            with patience.pause():
                pass
            await asyncio.Event().wait()


async def test_progress_renews_it_but_not_for_ever() -> None:
    with pytest.raises(TimeoutError):
        async with Patience(SHORT) as patience, asyncio.timeout(LONG):
            while True:
                patience.renew(most=5 * SHORT)
                await asyncio.sleep(0)


async def test_when_nobody_waits_there_is_nothing_to_pause() -> None:
    patience = Patience(LONG)
    states = [patience.is_running]
    async with patience:
        states.append(patience.is_running)
        pause = patience.pause()
        pause.__enter__()
    pause.__exit__(None, None, None)
    with patience.pause():
        patience.renew(LONG)
        states.append(patience.is_running)
    assert states == [False, True, False]


async def test_somebody_elses_timeout_is_not_its_own() -> None:
    async with Patience(LONG) as patience:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(SHORT):
                await asyncio.Event().wait()
        assert not patience.is_over
