"""Keys in the running program: where they are, and that nobody waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.app import coroutines, keys
from rillet.app.keys import account_of, is_same_server
from rillet.app.services import Services
from rillet.core.config import keychain
from rillet.core.config.keychain import Locked, NoKeychain, Untrusted
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from support.key_stores import FakeKeyStore, NullStore, PlainStore

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from typing import Any

    from pytestqt.qtbot import QtBot

ACCOUNT = "https://api.openai.com/v1"


@pytest.fixture
def start(qtbot: QtBot) -> Iterator[Callable[[], Services]]:
    """Starts the program's services anew, as after a quit."""
    started: list[Services] = []

    def load() -> Services:
        for before in started:
            before.keeper.close()
        file = SettingsFile(paths().settings)
        file.load()
        started.append(Services(file, environment={}))
        return started[-1]

    yield load
    for services in started:
        services.close()


def run(qtbot: QtBot, coroutine: Coroutine[Any, Any, object]) -> None:
    async def turn() -> None:
        await coroutine

    task = coroutines.start(turn())
    qtbot.waitUntil(task.done)


def key_of(services: Services, id: str) -> str | None:
    return next(each.api_key for each in services.providers if each.id == id)


def test_a_key_that_was_kept_comes_back_after_a_start_and_stands_in_no_file(
    start: Callable[[], Services], key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    services = start()
    services.add_provider("openai")
    run(qtbot, services.keys.keep(ACCOUNT, "sk-canary"))
    assert key_of(services, "openai") == "sk-canary"
    again = start()
    assert key_of(again, "openai") is None
    again.keys.start()
    qtbot.waitUntil(lambda: key_of(again, "openai") == "sk-canary")
    assert again.keys.home(ACCOUNT) == "store"
    assert key_store.secrets == {ACCOUNT: "sk-canary"}
    assert not [file for file in paths().config.rglob("*") if file.is_file() and b"canary" in file.read_bytes()]


def test_who_has_no_key_in_the_store_is_not_asked_for_its_password(
    start: Callable[[], Services], key_store: FakeKeyStore
) -> None:
    start().keys.start()
    assert key_store.calls == 0


def test_a_store_that_hangs_delays_a_first_question_by_two_seconds_at_most(
    start: Callable[[], Services], key_store: FakeKeyStore, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert keys.START_SECONDS <= 2
    monkeypatch.setattr(keys, "START_SECONDS", 0.05)
    first = start()
    first.add_provider("openai")
    run(qtbot, first.keys.keep(ACCOUNT, "sk-late"))
    key_store.gate.clear()
    again = start()
    again.keys.start()
    run(qtbot, again.keys.arrived())
    assert key_of(again, "openai") is None
    key_store.gate.set()
    qtbot.waitUntil(lambda: key_of(again, "openai") == "sk-late")


def test_a_locked_store_is_told_and_can_be_tried_again(
    start: Callable[[], Services], key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    first = start()
    first.add_provider("openai")
    run(qtbot, first.keys.keep(ACCOUNT, "sk"))
    key_store.locked = True
    again = start()
    run(qtbot, again.keys.load())
    assert isinstance(again.keys.trouble, Locked)
    assert again.keys.home(ACCOUNT) == "store", "locked is not missing"
    key_store.locked = False
    run(qtbot, again.keys.load())
    assert key_of(again, "openai") == "sk"


def test_without_a_store_a_key_lives_until_the_program_quits(
    start: Callable[[], Services], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keychain, "_configured", NullStore)
    services = start()
    services.add_provider("openai")
    run(qtbot, services.keys.keep(ACCOUNT, "sk"))
    assert isinstance(services.keys.trouble, NoKeychain)
    assert services.keys.home(ACCOUNT) == "session"
    assert key_of(services, "openai") == "sk"
    assert key_of(start(), "openai") is None


def test_a_plain_store_is_used_only_once_the_person_says_so_and_takes_what_is_held_then(
    start: Callable[[], Services], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = PlainStore()
    monkeypatch.setattr(keychain, "_configured", lambda: plain)
    services = start()
    run(qtbot, services.keys.keep(ACCOUNT, "sk"))
    assert isinstance(services.keys.trouble, Untrusted)
    assert plain.secrets == {}
    run(qtbot, services.keys.trust())
    assert plain.secrets == {ACCOUNT: "sk"}
    assert services.keys.trouble is None


def test_an_older_key_does_not_come_back_when_a_newer_one_could_not_be_kept(
    start: Callable[[], Services], key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    services = start()
    run(qtbot, services.keys.keep(ACCOUNT, "old"))
    key_store.locked = True
    run(qtbot, services.keys.keep(ACCOUNT, "new"))
    key_store.locked = False
    again = start()
    again.keys.start()
    assert again.keys.home(ACCOUNT) is None


def test_forgetting_that_fails_is_told(start: Callable[[], Services], key_store: FakeKeyStore, qtbot: QtBot) -> None:
    services = start()
    run(qtbot, services.keys.keep(ACCOUNT, "sk"))
    key_store.locked = True
    run(qtbot, services.keys.forget(ACCOUNT))
    assert services.keys.secret(ACCOUNT) is None
    assert isinstance(services.keys.trouble, Locked)
    assert services.keys.home(ACCOUNT) == "store"
    key_store.locked = False
    run(qtbot, services.keys.forget(ACCOUNT))
    assert key_store.secrets == {}
    assert services.keys.home(ACCOUNT) is None


def test_a_key_that_is_forgotten_while_it_is_being_kept_is_not_kept(
    start: Callable[[], Services], key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    services = start()
    key_store.gate.clear()
    keeping = coroutines.start(services.keys.keep(ACCOUNT, "sk"))
    qtbot.waitUntil(lambda: key_store.calls > 0)
    key_store.gate.set()
    run(qtbot, services.keys.forget(ACCOUNT))
    assert keeping.done()
    assert key_store.secrets == {}
    assert services.keys.home(ACCOUNT) is None


def test_a_hanging_store_does_not_delay_the_end(
    start: Callable[[], Services], key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    key_store.gate.clear()
    services = start()
    task = coroutines.start(services.keys.keep(ACCOUNT, "sk"))
    qtbot.waitUntil(lambda: key_store.calls > 0)
    coroutines.cancel_all()
    assert task.done()
    services.close()
    assert key_store.secrets == {}, "nobody has waited for the store, which goes on after 30 s"
    key_store.gate.set()


def test_a_key_belongs_to_one_server() -> None:
    assert account_of("https://api.openai.com/v1?api-version=3") == ACCOUNT
    assert is_same_server("https://a.example/v1", "https://a.example/v2")
    for other in ("http://a.example/v1", "https://b.example/v1", "https://a.example:444/v1"):
        assert not is_same_server("https://a.example/v1", other)
