"""The event clock: what counts as silence, and what does not."""

from __future__ import annotations

import asyncio
import builtins

import pytest

from rillet.core.errors import TimedOutError
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.watch import EventClock

SHORT = 0.02


class Clock:
    """A time that only the test moves."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time

    async def waits(self, seconds: float) -> str:
        """An arrival that takes ``seconds`` of this clock and none of the real one."""
        self.time += seconds
        return "data"


async def never() -> None:
    await asyncio.Event().wait()


async def test_silence_before_the_first_event_ends_the_wait_and_cancels_it() -> None:
    clock = EventClock(NetworkProfile(first_event_timeout=SHORT))
    waiting = asyncio.ensure_future(never())
    with pytest.raises(TimedOutError, match=r"nothing new arrived for 0\.02 seconds"):
        await clock.wait(waiting)
    assert waiting.cancelled()


async def test_after_an_event_the_idle_limit_holds() -> None:
    clock = EventClock(NetworkProfile(first_event_timeout=None, idle_timeout=SHORT))
    assert await clock.wait(Clock().waits(0)) == "data"
    clock.event()
    with pytest.raises(TimedOutError):
        await clock.wait(never())


async def test_keep_alives_do_not_wind_the_clock_up() -> None:
    now = Clock()
    clock = EventClock(NetworkProfile(idle_timeout=10.0), now=now)
    clock.event()
    for _ in range(4):
        await clock.wait(now.waits(2.5))
    with pytest.raises(TimedOutError):
        await clock.wait(never())


async def test_an_event_winds_the_clock_up() -> None:
    now = Clock()
    clock = EventClock(NetworkProfile(idle_timeout=10.0), now=now)
    for _ in range(20):
        clock.event()
        assert await clock.wait(now.waits(9.0)) == "data"


async def test_the_time_of_a_slow_consumer_does_not_count() -> None:
    now = Clock()
    clock = EventClock(NetworkProfile(first_event_timeout=10.0, total_timeout=10.0), now=now)
    await clock.wait(now.waits(1.0))
    clock.event()
    now.time += 1_000_000.0
    assert await clock.wait(now.waits(1.0)) == "data"


async def test_the_time_spent_reading_what_is_no_event_counts() -> None:
    """Else a server that sends keep-alives as fast as it can would hold a client that reads for ever."""
    now = Clock()
    clock = EventClock(NetworkProfile(first_event_timeout=10.0), now=now)
    for _ in range(4):
        await clock.wait(now.waits(0.5))
        now.time += 2.0
    with pytest.raises(TimedOutError, match="nothing new arrived for 10 seconds"):
        await clock.wait(never())


async def test_the_limit_in_all_goes_on_through_events_and_attempts() -> None:
    now = Clock()
    clock = EventClock(NetworkProfile(total_timeout=10.0), now=now)
    for _ in range(5):
        await clock.wait(now.waits(2.0))
        clock.event()
        clock.restart()
    with pytest.raises(TimedOutError, match="not complete after 10 seconds"):
        await clock.wait(never())


async def test_a_new_attempt_has_all_its_time() -> None:
    now = Clock()
    clock = EventClock(NetworkProfile(first_event_timeout=10.0), now=now)
    await clock.wait(now.waits(9.0))
    clock.restart()
    assert await clock.wait(now.waits(9.0)) == "data"


async def test_a_hurried_clock_never_gains_time() -> None:
    clock = EventClock(NetworkProfile(first_event_timeout=None, idle_timeout=None))
    clock.hurry(SHORT)
    with pytest.raises(TimedOutError):
        await clock.wait(never())
    patient = EventClock(NetworkProfile(idle_timeout=SHORT))
    patient.hurry(3600.0)
    with pytest.raises(TimedOutError):
        await patient.wait(never())


async def test_without_limits_nothing_is_timed() -> None:
    clock = EventClock(NetworkProfile(first_event_timeout=None, idle_timeout=None))
    assert await clock.wait(Clock().waits(1_000_000.0)) == "data"


async def test_a_timeout_that_is_not_ours_passes_through() -> None:
    async def fails() -> None:
        raise builtins.TimeoutError("of the operating system")

    with pytest.raises(TimeoutError, match="operating system"):
        await EventClock(NetworkProfile()).wait(fails())


async def test_cancelling_is_not_a_timeout() -> None:
    task = asyncio.ensure_future(EventClock(NetworkProfile()).wait(never()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_one_timer_serves_many_waits_and_is_forgotten_at_the_end() -> None:
    clock = EventClock(NetworkProfile())
    loop = asyncio.get_running_loop()
    before = len(loop._scheduled)  # type: ignore[attr-defined]
    for _ in range(50):
        await clock.wait(Clock().waits(0))
        clock.event()
    assert len(loop._scheduled) == before + 1  # type: ignore[attr-defined]
    clock.close()
    assert [handle for handle in loop._scheduled if not handle.cancelled()] == []  # type: ignore[attr-defined]


async def test_a_shorter_limit_moves_the_timer_forward() -> None:
    clock = EventClock(NetworkProfile(first_event_timeout=3600.0, idle_timeout=SHORT))
    await clock.wait(Clock().waits(0))
    clock.event()
    with pytest.raises(TimedOutError):
        await clock.wait(never())


async def test_a_timer_that_rings_between_two_waits_harms_nobody() -> None:
    clock = EventClock(NetworkProfile())
    await clock.wait(Clock().waits(0))
    clock._alarm._ring()
    assert await clock.wait(Clock().waits(0)) == "data"
