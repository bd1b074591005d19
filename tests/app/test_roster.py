"""Which providers there are, and which key goes where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.app.roster import Roster
from rillet.core.config.settings import AddedProvider, EndpointSettings, NetworkSettings, Settings

if TYPE_CHECKING:
    from rillet.core.providers.provider import Provider

OPENAI = "https://api.openai.com/v1"


def known(settings: Settings, environment: dict[str, str] | None = None, **secrets: str) -> dict[str, Provider]:
    by_account = {name.replace("_", OPENAI): secret for name, secret in secrets.items()}
    roster = Roster(settings, environment or {}, lambda account: by_account.get(account or ""))
    return {each.id: each for each in roster.known}


def test_a_key_of_the_person_goes_before_one_of_the_environment() -> None:
    environment = {"OPENAI_API_KEY": "from-environment"}
    assert known(Settings(), environment)["openai"].api_key == "from-environment"
    assert known(Settings(), environment, _="kept")["openai"].api_key == "kept"


def test_an_added_provider_is_there_without_a_key() -> None:
    (provider,) = known(Settings(added=(AddedProvider("mistral", model="m"),))).values()
    assert (provider.id, provider.api_key, provider.default_model) == ("mistral", None, "m")


def test_a_moved_address_takes_no_key_of_the_old_server_along() -> None:
    environment = {"OPENAI_API_KEY": "sk-env"}
    moved = known(Settings(added=(AddedProvider("openai", "https://elsewhere.example/v1"),)), environment, _="kept")
    assert moved["openai"].base_url == "https://elsewhere.example/v1"
    assert moved["openai"].api_key is None
    beside = known(Settings(added=(AddedProvider("openai", "https://api.openai.com/v2"),)), environment)
    assert beside["openai"].api_key == "sk-env", "the same server"


def test_a_provider_without_an_address_is_none_until_it_has_one() -> None:
    assert "azure" not in known(Settings(added=(AddedProvider("azure"),)))
    assert known(Settings(added=(AddedProvider("azure", "https://me.openai.azure.com"),)))["azure"].base_url


def test_the_network_of_the_person_holds_for_all_of_them() -> None:
    network = NetworkSettings(
        proxy="url", proxy_url="http://proxy.example:3128", proxy_user="me", ca_file="/ca.pem", idle_timeout=30
    )
    settings = Settings(
        added=(AddedProvider("openai"),), endpoints=(EndpointSettings("https://x.example/v1"),), network=network
    )
    roster = Roster(settings, {}, {"proxy me@http://proxy.example:3128": "p@ss"}.get)  # type: ignore[arg-type]
    for provider in (*roster.known, *roster.entered):
        assert provider.network.proxy == "http://me:p%40ss@proxy.example:3128"
        assert provider.network.ca_file == "/ca.pem"
        assert provider.network.idle_timeout == 30
        assert "p@ss" not in repr(provider)


def test_a_saved_address_that_is_none_is_left_out() -> None:
    assert Roster(Settings(endpoints=(EndpointSettings("no address"),)), {}, lambda account: None).entered == []
