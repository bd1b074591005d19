"""Formulas are laid out elsewhere, once, a few at a time; pictures are as fine as the screen."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import pytest
import shiboken6

from rillet.qt import Engine
from rillet.widgets.markdown import Formulas, formulas, typeset
from rillet.widgets.markdown.formulas import Key
from support.formulas import Drawn, Typesetter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.widgets.markdown.typeset import Drawing


def key(tex: str) -> Key:
    return Key(tex, 16.0, "#000000", display=False)


@pytest.fixture
def engine(qtbot: QtBot) -> Iterator[None]:
    yield
    Engine.default().shutdown()


def test_a_formula_is_asked_for_once_and_told_when_it_is_there(qtbot: QtBot) -> None:
    typesetter = Typesetter()
    made = Formulas(typesetter)
    told: list[frozenset[Key]] = []
    made.ready.connect(told.append)
    assert made.find(key("x")) is None
    assert made.find(key("x")) is None
    assert made.is_pending(key("x"))
    qtbot.waitUntil(lambda: bool(typesetter.asked))
    assert typesetter.asked == [key("x")]
    typesetter.release()
    assert told == [frozenset({key("x")})]
    assert made.find(key("x")) is not None
    assert not made.is_pending(key("x"))


def test_what_cannot_be_drawn_is_found_out_once(qtbot: QtBot) -> None:
    typesetter = Typesetter(instant=True)
    made = Formulas(typesetter)
    with qtbot.waitSignal(made.ready):
        made.find(key("bad"))
    assert made.find(key("bad")) is None
    assert not made.is_pending(key("bad"))
    assert typesetter.asked == [key("bad")]


def test_formulas_are_laid_out_one_by_one_with_a_turn_of_the_event_loop_between_them(qtbot: QtBot) -> None:
    typesetter = Typesetter()
    made = Formulas(typesetter)
    course: list[tuple[bool, int]] = []
    made.rested.connect(lambda: course.append((made.at_work, len(typesetter.asked))))
    for tex in ("a", "b"):
        made.find(key(tex))
    for count in (1, 2):
        course.append((made.at_work, len(typesetter.asked)))
        qtbot.waitUntil(lambda count=count: len(typesetter.asked) == count)  # type: ignore[misc]
        course.append((made.at_work, count))
        typesetter.release()
    assert course == [(False, 0), (True, 1), (False, 1), (False, 1), (True, 2), (False, 2)]


@pytest.mark.usefixtures("engine")
def test_other_threads_wait_less_for_their_turn_while_a_formula_is_laid_out(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    turns: list[float] = []
    monkeypatch.setattr(formulas, "typeset", lambda *_args, **_options: turns.append(sys.getswitchinterval()))
    usual = sys.getswitchinterval()
    made = Formulas()
    with qtbot.waitSignal(made.ready):
        made.find(key("x"))
    assert turns == [pytest.approx(formulas._TURN)]
    assert sys.getswitchinterval() == usual


def test_many_come_in_portions(qtbot: QtBot) -> None:
    typesetter = Typesetter(instant=True)
    made = Formulas(typesetter)
    told: list[int] = []
    made.ready.connect(lambda keys: told.append(len(keys)))
    for number in range(20):
        made.find(key(f"x_{number}"))
    qtbot.waitUntil(lambda: sum(told) == 20)
    assert told == [4, 4, 4, 4, 4]


def test_the_least_recently_used_drawings_go(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setattr(formulas, "_DRAWINGS", 2)
    made = Formulas(Typesetter(instant=True))
    for tex in ("a", "b"):
        with qtbot.waitSignal(made.ready):
            made.find(key(tex))
    assert made.find(key("a")) is not None
    with qtbot.waitSignal(made.ready):
        made.find(key("c"))
    assert made.find(key("a")) is not None
    assert made.find(key("b")) is None


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_picture_is_as_fine_as_the_screen_and_painted_once(qtbot: QtBot, ratio: float) -> None:
    made = Drawn()
    drawing = made.find(key("xyz"))
    assert drawing is not None
    image = made.image(key("xyz"), drawing, ratio, (30, 20), 2.0)
    assert (image.width(), image.height(), image.devicePixelRatio()) == (30 * ratio, 20 * ratio, ratio)
    assert image.pixelColor(int(6 * ratio), int(4 * ratio)).alpha() > 0
    assert image.pixelColor(0, 0).alpha() == 0
    assert made.image(key("xyz"), drawing, ratio, (30, 20), 2.0).cacheKey() == image.cacheKey()


@pytest.mark.usefixtures("engine")
def test_the_default_lays_out_on_a_thread_of_the_engine(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    threads: list[int] = []

    def spy(tex: str, size: float, colour: str, *, display: bool) -> Drawing | None:
        threads.append(threading.get_ident())
        return typeset.typeset(tex, size, colour, display=display)

    monkeypatch.setattr(formulas, "typeset", spy)
    made = Formulas()
    with qtbot.waitSignal(made.ready):
        made.find(key("x^2"))
    drawing = made.find(key("x^2"))
    assert drawing is not None
    assert drawing.width > 10
    assert threads
    assert threading.get_ident() not in threads


@pytest.mark.usefixtures("engine")
def test_a_formula_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    release = threading.Event()

    def slow(tex: str, *_args: object, **_options: object) -> None:
        if tex == "slow":
            release.wait(30)

    monkeypatch.setattr(formulas, "typeset", slow)
    monkeypatch.setattr(formulas, "_PATIENCE", 0.05)
    made = Formulas()
    made.find(key("slow"))
    made.find(key("quick"))
    with qtbot.waitSignal(made.ready):
        pass
    release.set()
    assert not made.is_pending(key("slow"))
    assert not made.is_pending(key("quick"))


def test_all_views_share_those_of_the_application(qtbot: QtBot) -> None:
    shared = Formulas.shared()
    assert Formulas.shared() is shared
    shiboken6.delete(shared)
    assert Formulas.shared() is not shared
