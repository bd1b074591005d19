"""What of an error is written down: where it came from, and nothing that it quotes."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from rillet.app.crash.scrub import MOST_ERRORS, MOST_FRAMES, described, dumped, place, unquoted
from rillet.core.errors import AuthError

if TYPE_CHECKING:
    from collections.abc import Callable

CANARY = "sk-canary-4711-my secret diary"


class Thing:
    """Something that has no such attribute."""


def quoting_exception(error: BaseException) -> BaseException:
    error.add_note(CANARY)
    return error


def failing(name: str) -> NoReturn:
    raise KeyError(name)


def of_the_search() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"SELECT '{CANARY}' FROM \"{CANARY}\"")


def a_chain() -> None:
    try:
        failing(CANARY)
    except KeyError as error:
        raise ValueError(CANARY) from error


def a_group() -> NoReturn:
    raise ExceptionGroup(CANARY, [ValueError(CANARY), RuntimeError(CANARY)])


def of_the_network() -> NoReturn:
    raise AuthError(CANARY, provider=CANARY)


def broken_text() -> None:
    f"{CANARY}\ud800".encode()


def no_file() -> None:
    open(f"/nowhere/{CANARY}").close()  # noqa: PTH123 (it fails)


RAISES: dict[str, tuple[Callable[[], Any], str]] = {
    "a key": (lambda: failing(CANARY), "KeyError"),
    "a value": (lambda: int(CANARY), "ValueError"),
    "text": (broken_text, "UnicodeEncodeError: surrogates not allowed"),
    "a file": (no_file, "FileNotFoundError: ENOENT"),
    "a search": (of_the_search, "sqlite3.OperationalError: SQLITE_ERROR"),
    "a note": (lambda: (_ for _ in ()).throw(quoting_exception(RuntimeError(CANARY))), "RuntimeError"),
    "a chain": (a_chain, "ValueError"),
    "a group": (a_group, "ExceptionGroup"),
    "a provider": (of_the_network, "rillet.core.errors.AuthError"),
    "a refusal": (lambda: (_ for _ in ()).throw(TypeError(f"{CANARY}() takes no arguments")), "TypeError"),
}


def caught(work: Callable[[], Any]) -> BaseException:
    with pytest.raises(BaseException) as info:
        work()
    return info.value


@pytest.mark.parametrize("case", RAISES)
def test_nothing_that_an_error_quotes_is_written_down(case: str) -> None:
    work, head = RAISES[case]
    lines = list(described(caught(work)))
    assert lines[0] == head
    assert CANARY not in "\n".join(lines)
    assert "canary" not in "\n".join(lines)


def test_an_error_tells_its_places_and_what_led_to_it() -> None:
    lines = list(described(caught(a_chain)))
    assert [line for line in lines if not line.startswith(" ")] == ["ValueError", "KeyError"]
    assert any(line.startswith("    test_scrub.py:") and line.endswith(" in failing") for line in lines)


@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        (lambda: Thing().absent, "AttributeError: Thing has no absent"),  # type: ignore[attr-defined]
        (lambda: nowhere, "NameError: nowhere"),  # type: ignore[name-defined]  # noqa: F821
        (failing, "TypeError: failing() missing 1 required positional argument: 'name'"),
        (lambda: __import__("no_such_module"), "ModuleNotFoundError: no_such_module"),
    ],
)
def test_names_of_the_code_are_told(work: Callable[[], Any], sentence: str) -> None:
    assert next(iter(described(caught(work)))) == sentence


def test_no_error_is_too_long() -> None:
    def deep(count: int) -> None:
        if count:
            deep(count - 1)
        raise ValueError

    lines = list(described(caught(lambda: deep(500))))
    assert len(lines) <= MOST_FRAMES + 2
    endless = ValueError()
    endless.__context__ = endless
    assert len(list(described(endless))) == 1
    many = ExceptionGroup("", [ValueError() for _ in range(100)])
    assert len(list(described(many))) == MOST_ERRORS


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("/home/jane/.venv/lib/python3.12/site-packages/rillet/app/main.py", "rillet/app/main.py"),
        ("/usr/lib/python3.11/asyncio/base_events.py", "asyncio/base_events.py"),
        ("C:\\Users\\Jane\\Rillet\\lib\\site-packages\\rillet\\qt\\engine.py", "rillet/qt/engine.py"),
        ("/home/jane/secret plans/x.py", "x.py"),
        ("<string>", "<string>"),
    ],
)
def test_a_place_tells_no_folder_of_the_machine(path: str, short: str) -> None:
    assert place(path) == short
    assert dumped(f'  File "{path}", line 3 in f') == f'  File "{short}", line 3 in f'


def test_what_qt_says_is_kept_without_what_it_quotes() -> None:
    said = f"Could not load \"{CANARY}\", '{CANARY}': Bearer sk-canary-4711aaaa"
    assert unquoted(said).startswith("Could not load “…”, “…”: ")
    assert "canary-4711" not in unquoted(said).replace("sk-canary-…", "")


def test_every_frame_of_this_process_has_a_short_place() -> None:
    frame = sys._getframe()
    while frame.f_back is not None:
        assert not place(frame.f_code.co_filename).startswith("/")
        frame = frame.f_back
