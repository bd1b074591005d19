"""Who is there to talk to, and what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.app import coroutines
from rillet.app.services import Choice, Services
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from rillet.core.errors import InvalidRequestError
from rillet.core.providers.builtin import entry
from rillet.core.providers.local_server import LocalServer

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.core.providers.provider import Provider


def load(environment: dict[str, str] | None = None) -> Services:
    file = SettingsFile(paths().settings)
    file.load()
    return Services(file, environment=environment or {})


def anew(services: Services, environment: dict[str, str] | None = None) -> Services:
    """As after the next start."""
    services.keeper.close()
    return load(environment)


def test_the_built_in_model_comes_first_then_those_with_a_key(services: Services) -> None:
    assert [provider.id for provider in services.providers] == ["local", "openai", "openai-responses"]
    assert "openai" not in [entry.id for entry in services.keyless]
    assert "mistral" in [entry.id for entry in services.keyless]


def test_the_choice_is_told_and_remembered(services: Services, qtbot: QtBot) -> None:
    openai = services.providers[1]
    with qtbot.waitSignal(services.choiceChanged):
        services.choose(openai, "gpt-x")
    again = anew(services, {"OPENAI_API_KEY": "sk-test"})
    assert again.choice == Choice(openai, "gpt-x")


def test_a_choice_whose_key_is_gone_falls_back(services: Services) -> None:
    services.choose(services.providers[1], "gpt-x")
    assert anew(services).choice.provider.id == "local"


def test_without_the_built_in_model_the_first_provider_with_a_key_is_chosen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalServer, "missing", property(lambda _: "its engine is not installed"))
    assert load({"MISTRAL_API_KEY": "x"}).choice.provider.id == "mistral"
    assert load().choice.provider.id == "local"


def test_an_entered_address_is_kept_and_its_key_is_not(services: Services) -> None:
    provider = services.enter_endpoint("localhost:8080", "secret-key", "llama")
    assert provider.base_url == "http://localhost:8080/v1"
    assert provider in services.providers
    (again,) = [each for each in anew(services).providers if each.id == provider.id]
    assert "secret-key" not in paths().settings.read_text(encoding="utf-8")
    assert again.default_model == "llama"
    assert again.api_key is None


def test_entering_an_address_again_replaces_it(services: Services) -> None:
    first = services.enter_endpoint("http://localhost:8080/v1", None, "one")
    old = services.client(first)
    second = services.enter_endpoint("http://localhost:8080/v1", "key", "two")
    assert [each.default_model for each in services.providers if each.id == second.id] == ["two"]
    assert services.client(second) is not old
    assert len(anew(services).settings.endpoints) == 1


def test_providers_of_every_style_with_a_key_appear(qtbot: QtBot) -> None:
    keys = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GITHUB_API_KEY")
    services = load(dict.fromkeys(keys, "key") | {"AZURE_OPENAI_API_KEY": "key"})
    styles = [provider.style for provider in services.providers]
    assert styles == ["openai", "openai", "openai-responses", "anthropic", "gemini", "openai"]
    for provider in services.providers[1:]:
        assert services.client(provider).provider is provider
    services.close()


def test_the_style_of_an_entered_address_is_kept(services: Services) -> None:
    provider = services.enter_endpoint("http://box.lan:8000/v1/messages", None, "m")
    assert provider.style == "anthropic"
    (again,) = [each for each in anew(services).providers if each.id == provider.id]
    assert again == provider


def test_servers_on_this_machine_are_offered_while_they_run(
    services: Services, found_servers: list[Provider], qtbot: QtBot
) -> None:
    ollama = entry("ollama").provider()
    for running in ([ollama], []):
        found_servers[:] = running
        task = coroutines.start(_look(services))
        qtbot.waitUntil(task.done)
        assert [each for each in services.providers if each.id == "ollama"] == running
    services.choose(ollama, "llama3")
    assert anew(services).choice == Choice(ollama, "llama3"), "also before anybody has looked"


async def _look(services: Services) -> None:
    assert await services.look_for_local_servers()
    assert not await services.look_for_local_servers(), "nothing has changed"


def test_nonsense_is_refused_with_a_sentence(services: Services) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        services.enter_endpoint("not an address at all", None, None)
    assert caught.value.user_message
    assert len(services.providers) == 3


def test_a_provider_has_one_client(services: Services) -> None:
    assert services.client(services.providers[1]) is services.client(services.providers[1])


def test_a_disk_that_refuses_costs_the_memory_only(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: SettingsFile) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SettingsFile, "save", refuse)
    services.choose(services.providers[1], "gpt-x")
    assert services.choice.model == "gpt-x"
