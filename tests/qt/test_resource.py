"""AsyncResource by itself: states, callbacks, all(), asFuture()."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QTimer

from rillet.core.errors import Cancelled, ServerError
from rillet.qt import AsyncResource, Engine

if TYPE_CHECKING:
    import concurrent.futures

    from pytestqt.qtbot import QtBot


@pytest.fixture
def resource(engine: Engine) -> AsyncResource[Any]:
    return AsyncResource(engine, lambda: True)


def test_a_new_resource_is_in_no_final_state(resource: AsyncResource[Any]) -> None:
    assert not resource.isDone()
    assert not resource.isReady()
    assert not resource.isCancelled()


def test_callbacks_come_in_order_and_never_inside_the_registration(qtbot: QtBot, resource: AsyncResource[Any]) -> None:
    order: list[str] = []
    resource.onResult(lambda value, error: order.append(f"first {value} {error}"))
    resource._settle("value")
    assert order == []
    assert resource.ready(lambda value: order.append(f"second {value}")) is resource
    assert order == []
    qtbot.waitUntil(lambda: len(order) == 2)
    assert order == ["first value None", "second value"]


def test_a_failure_reaches_except_and_on_result_only(qtbot: QtBot, resource: AsyncResource[Any]) -> None:
    seen: list[Any] = []
    error = ServerError("broken")
    resource.ready(lambda value: seen.append(("ready", value)))
    resource.except_(lambda error: seen.append(("except", error)))
    resource.onResult(lambda value, error: seen.append((value, error)))
    resource._settle(error=error)
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen == [("except", error), (None, error)]
    assert resource.isDone()
    assert not resource.isReady()


@pytest.mark.parametrize("register", ["ready", "except_", "onResult"])
def test_what_cannot_be_called_back_is_refused_at_once(resource: AsyncResource[Any], register: str) -> None:
    with pytest.raises(TypeError, match=rf"what {register}\(\) calls cannot be None"):
        getattr(resource, register)(None)


def test_its_repr_says_how_far_it_is(engine: Engine, resource: AsyncResource[Any]) -> None:
    failed, cancelled = AsyncResource[Any](engine, lambda: True), AsyncResource[Any](engine, lambda: True)
    assert repr(resource) == "<AsyncResource pending>"
    resource._settle("v", None)
    failed._settle(None, ValueError("why"))
    cancelled.cancel()
    assert [repr(each) for each in (resource, failed, cancelled)] == [
        "<AsyncResource finished>",
        "<AsyncResource failed: ValueError('why')>",
        "<AsyncResource cancelled>",
    ]


def test_it_ends_once(resource: AsyncResource[Any]) -> None:
    resource._settle("first")
    resource._settle("second")
    assert resource.get() == "first"


def test_none_is_a_value(qtbot: QtBot, resource: AsyncResource[Any]) -> None:
    seen: list[Any] = []
    resource.ready(seen.append)
    resource._settle(None)
    qtbot.waitUntil(lambda: seen == [None])
    assert resource.isReady()


def test_a_servers_499_is_a_failure_and_no_cancel(resource: AsyncResource[Any]) -> None:
    from rillet.core.errors import Cancelled

    resource._settle(error=Cancelled("client closed request", status=499))
    assert resource.isDone()
    assert not resource.isCancelled()


def test_all_gives_the_values_in_order(qtbot: QtBot, engine: Engine) -> None:
    parts: list[AsyncResource[Any]] = [AsyncResource(engine, lambda: True) for _ in range(3)]
    together = AsyncResource.all(*parts)
    for number in (2, 0, 1):
        parts[number]._settle(number)
    assert together.get(5) == [0, 1, 2]


def test_all_of_nothing_is_an_empty_list(qtbot: QtBot) -> None:
    assert AsyncResource.all().get(5) == []


def test_all_fails_with_the_first_failure_while_the_others_go_on(qtbot: QtBot, engine: Engine) -> None:
    parts: list[AsyncResource[Any]] = [AsyncResource(engine, lambda: True) for _ in range(3)]
    together = AsyncResource.all(*parts)
    first = ServerError("first")
    parts[1]._settle(error=first)
    parts[0]._settle(error=ServerError("second"))
    with pytest.raises(ServerError) as caught:
        together.get(5)
    assert caught.value is first
    assert not parts[2].isDone()
    assert not parts[2].isCancelled()


def test_cancelling_all_cancels_each(qtbot: QtBot, engine: Engine) -> None:
    parts: list[AsyncResource[Any]] = [AsyncResource(engine, lambda: True) for _ in range(2)]
    together = AsyncResource.all(*parts)
    assert together.cancel()
    assert all(part.isCancelled() for part in parts)


def test_a_future_carries_the_value(resource: AsyncResource[Any]) -> None:
    future = resource.asFuture()
    assert not future.done()
    resource._settle("value")
    assert future.result(0) == "value"


def test_a_future_carries_the_error(resource: AsyncResource[Any]) -> None:
    future = resource.asFuture()
    error = ServerError("broken")
    resource._settle(error=error)
    assert future.exception(0) is error


def test_cancelling_a_future_cancels_the_resource(resource: AsyncResource[Any]) -> None:
    future: concurrent.futures.Future[Any] = resource.asFuture()
    assert future.cancel()
    assert resource.isCancelled()
    resource._settle(error=ServerError("late"))
    assert future.cancelled()


def test_polling_get_leaves_no_waiters_behind(qtbot: QtBot, resource: AsyncResource[Any]) -> None:
    for _ in range(5):
        with pytest.raises(TimeoutError):
            resource.get(0)
    assert resource._waiters == []


@pytest.mark.parametrize("timeout", [1e7, float("inf")])
def test_get_takes_a_timeout_longer_than_a_timer_can_count(timeout: float, resource: AsyncResource[Any]) -> None:
    QTimer.singleShot(0, lambda: resource._settle("value"))
    assert resource.get(timeout) == "value"


def test_a_call_inside_a_call_of_the_same_thread_does_not_deadlock(qtbot: QtBot, engine: Engine) -> None:
    """As a signal handler does that comes while the lock is held."""
    seen: list[Any] = []
    resource: AsyncResource[Any]

    def canceller() -> bool:
        resource.onResult(lambda value, error: seen.append(value))
        return True

    resource = AsyncResource(engine, canceller)
    assert resource.cancel()
    resource._settle("value")
    qtbot.waitUntil(lambda: seen == ["value"])


def test_get_inside_get_inside_get_is_refused_before_the_stack_is_exhausted(resource: AsyncResource[Any]) -> None:
    refused: list[RecursionError] = []

    def deeper() -> None:
        QTimer.singleShot(0, deeper)
        try:
            resource.get()
        except RecursionError as error:
            refused.append(error)
            resource._settle("value")

    deeper()
    assert refused


def test_all_that_was_cancelled_after_a_failure_ends_cancelled(qtbot: QtBot, engine: Engine) -> None:
    failed: AsyncResource[Any] = AsyncResource(engine, lambda: True)
    alive: AsyncResource[Any] = AsyncResource(engine, lambda: True)
    together = AsyncResource.all(failed, alive)
    failed._settle(error=ServerError("broken"))  # and ``together`` has yet to hear of it
    assert together.cancel()
    alive._settle(error=Cancelled())
    with pytest.raises(Cancelled):
        together.get(10)
