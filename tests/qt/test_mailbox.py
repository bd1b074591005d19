"""The crossing: order, one wake-up, a budget, and nested event loops."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QTimer

from rillet.qt import mailbox as module
from rillet.qt.mailbox import Mailbox

if TYPE_CHECKING:
    import pytest
    from pytestqt.qtbot import QtBot


def test_items_of_several_threads_arrive_on_the_owners_thread_each_once_in_order(qtbot: QtBot) -> None:
    received: list[tuple[int, object]] = []
    threads: set[int] = set()

    def receive(number: int, event: object) -> None:
        threads.add(threading.get_ident())
        received.append((number, event))

    mailbox = Mailbox(receive)

    def produce(number: int) -> None:
        for start in range(0, 5000, 10):
            mailbox.post(number, range(start, start + 10))

    producers = [threading.Thread(target=produce, args=(number,)) for number in range(1, 5)]
    for producer in producers:
        producer.start()
    qtbot.waitUntil(lambda: len(received) == 20_000)
    for producer in producers:
        producer.join()
    assert threads == {threading.get_ident()}
    for number in range(1, 5):
        assert [event for sender, event in received if sender == number] == list(range(5000))


def test_a_burst_costs_few_wakeups(qtbot: QtBot) -> None:
    received: list[object] = []
    mailbox = Mailbox(lambda _, event: received.append(event))
    wakeups: list[None] = []
    mailbox._wake.connect(lambda: wakeups.append(None))
    for number in range(1000):
        mailbox.post(1, (number,))
    assert len(wakeups) == 1
    qtbot.waitUntil(lambda: len(received) == 1000)
    assert len(wakeups) <= 3


def test_a_slice_ends_when_its_budget_is_spent_and_other_events_run(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUDGET", 0.0)
    order: list[str] = []
    mailbox = Mailbox(lambda _, event: order.append(str(event)))
    mailbox.post(1, range(3))
    QTimer.singleShot(0, mailbox, lambda: order.append("timer"))
    qtbot.waitUntil(lambda: len(order) == 4)
    assert order.index("timer") <= 2


def test_what_is_queued_arrives_inside_a_nested_loop_that_a_receiver_opens(qtbot: QtBot) -> None:
    received: list[object] = []
    loop = QEventLoop()

    def receive(_: int, event: object) -> None:
        received.append(event)
        if event == 0:
            loop.exec()
            received.append("loop left")
        elif event == 2:
            loop.quit()

    mailbox = Mailbox(receive)
    mailbox.post(1, (0, 1, 2))
    qtbot.waitUntil(lambda: "loop left" in received)
    assert received == [0, 1, 2, "loop left"]


def test_drain_empties_the_queue_on_the_spot(qtbot: QtBot) -> None:
    received: list[object] = []
    mailbox = Mailbox(lambda _, event: received.append(event))
    mailbox.post(1, range(100))
    mailbox.drain()
    assert received == list(range(100))
