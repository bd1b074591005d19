"""One endpoint, and what of it nobody may see."""

from __future__ import annotations

from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider

PROVIDER = Provider(
    "p",
    "gemini",
    "https://api.example/v1?alt=sse&key=canary%2Bquery",
    " canary-key\n",
    headers={"Authorization": "Bearer canary-token"},
    network=NetworkProfile(
        proxy="http://canary-user:canary%40password@proxy:3128",
        headers={"X-Gateway": "canary-gateway"},
        client_key_password="canary-file",
    ),
    models_url="https://api.example/list?access_token=canary-list",
)


def test_every_secret_is_known_as_it_is_written_and_as_it_is_meant() -> None:
    assert PROVIDER.secrets >= {
        "canary-key",
        "Bearer canary-token",
        "canary-token",
        "canary-gateway",
        "canary-file",
        "canary%2Bquery",
        "canary+query",
        "canary-list",
        "canary-user:canary%40password",
        "canary%40password",
        "canary@password",
    }


def test_what_is_no_secret_is_not_hidden() -> None:
    assert "sse" not in PROVIDER.secrets
    assert "" not in PROVIDER.secrets
    assert Provider("p", "openai", "https://x.example/v1?api-version=2024-10-21").secrets == frozenset()
    assert Provider("p", "openai", "", network=NetworkProfile(proxy="system")).secrets == frozenset()


def test_the_repr_shows_everything_else() -> None:
    text = repr(PROVIDER)
    assert "canary" not in text
    assert text.startswith("Provider(id='p', style='gemini', base_url='https://api.example/v1?alt=sse&key=…', ")
    assert "headers" not in text.replace("models_url", "")


def test_a_provider_is_a_value_whatever_its_lists_were_made_of() -> None:
    one = Provider("p", "openai", "u", headers={"A": "1"}, listed_models=["m"])
    two = Provider("p", "openai", "u", headers=[("A", "1")], listed_models=("m",))
    assert one == two
    assert len({one, two}) == 1
