"""The list of providers."""

from __future__ import annotations

from datetime import date
from urllib.parse import urlsplit

import pytest

from rillet.core.net.loopback import is_loopback
from rillet.core.providers import envelope
from rillet.core.providers.builtin import BuiltinProvider, builtin_providers, entry, from_environment
from rillet.core.wire.codecs import codec_for

ALL = pytest.mark.parametrize("each", builtin_providers(), ids=lambda each: each.id)


def test_ids_and_names_are_each_their_own() -> None:
    known = builtin_providers()
    assert len(known) == 21
    for facts in ([each.id for each in known], [each.name for each in known]):
        assert len(set(facts)) == len(known)


def test_every_style_has_somebody_who_speaks_it() -> None:
    assert {each.style for each in builtin_providers()} == {
        "openai",
        "openai-responses",
        "anthropic",
        "gemini",
        "ollama",
    }


@ALL
def test_an_entry_is_reachable_with_a_key_or_local_without_one(each: BuiltinProvider) -> None:
    provider = each.provider("canary", base_url=None if each.base_url else "https://customer.openai.azure.com")
    url = urlsplit(provider.base_url)
    assert each.local == is_loopback(url.hostname or "")
    assert each.local == (each.key_page is None) == (not each.key_variables)
    assert url.scheme == ("http" if each.local else "https")
    assert not provider.base_url.endswith("/")
    assert each.source.startswith("https://")
    assert each.checked is None or date(2026, 11, 1) <= each.checked <= date.today()
    assert provider.think_tags == each.local
    codec = codec_for(provider.style)
    endpoint = {
        "openai": "/chat/completions",
        "openai-responses": "/responses",
        "anthropic": "/messages",
        "gemini": "/models/m:streamGenerateContent?alt=sse",
        "ollama": "/api/chat",
    }[provider.style]
    assert codec.chat_url(provider.base_url, "m", stream=True) == provider.base_url + endpoint
    sent = envelope.headers(provider, codec, "canary").values()
    assert sum(value in ("canary", "Bearer canary") for value in sent) == 1
    assert "canary" not in repr(provider)


def test_keys_come_from_the_environment_in_the_order_of_the_list() -> None:
    env = {"DEEPSEEK_API_KEY": "d", "ANTHROPIC_API_KEY": " a ", "GROQ_API_KEY": "", "PATH": "/bin"}
    providers = from_environment(env)
    assert [(each.id, each.api_key) for each in providers] == [("anthropic", "a"), ("deepseek", "d")]
    assert from_environment({}) == []


def test_one_key_of_openai_opens_both_its_styles() -> None:
    providers = from_environment({"OPENAI_API_KEY": "o"})
    assert [(each.id, each.style) for each in providers] == [
        ("openai", "openai"),
        ("openai-responses", "openai-responses"),
    ]
    assert providers[1].facts == "openai"


def test_a_key_is_not_sent_to_openai_when_its_variable_moves_the_address() -> None:
    env = {"OPENAI_API_KEY": "key of a gateway", "OPENAI_BASE_URL": "https://gateway.example/v1"}
    assert {each.base_url for each in from_environment(env)} == {"https://gateway.example/v1"}


@pytest.mark.parametrize(
    ("endpoint", "base_url"),
    [
        ("https://x.openai.azure.com/", "https://x.openai.azure.com/openai/v1"),
        ("https://x.openai.azure.com/openai/v1/", "https://x.openai.azure.com/openai/v1"),
        (
            "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
            "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
        ),
    ],
)
def test_azure_needs_its_customers_address_and_sends_the_key_its_own_way(endpoint: str, base_url: str) -> None:
    assert from_environment({"AZURE_OPENAI_API_KEY": "canary"}) == []
    (azure,) = from_environment({"AZURE_OPENAI_API_KEY": "canary", "AZURE_OPENAI_ENDPOINT": endpoint})
    assert azure.base_url == base_url
    headers = envelope.headers(azure, codec_for(azure.style), azure.api_key)
    assert headers["api-key"] == "canary"
    assert "authorization" not in headers


def test_where_there_is_no_list_of_models_the_entry_has_one() -> None:
    perplexity = entry("perplexity").provider("k")
    assert perplexity.default_model in perplexity.listed_models
    github = entry("github").provider("k")
    assert envelope.models_url(github, codec_for(github.style), github.base_url).endswith("/catalog/models")
    assert ("X-GitHub-Api-Version", "2022-11-28") in github.headers


def test_an_entry_is_found_by_its_id() -> None:
    assert entry("openai").provider("k").base_url == "https://api.openai.com/v1"
    with pytest.raises(KeyError):
        entry("nobody")
