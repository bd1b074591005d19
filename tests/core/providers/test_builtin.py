"""The list of providers, and endpoints by address."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from rillet.core.errors import InvalidRequestError
from rillet.core.net.proxy import is_loopback
from rillet.core.providers.builtin import BUILTIN, BuiltinProvider, compatible, entry, from_environment
from rillet.core.wire.codecs import codec_for


def test_ids_names_and_addresses_are_each_their_own() -> None:
    assert len(BUILTIN) == 18
    for facts in ([each.id for each in BUILTIN], [each.name for each in BUILTIN], [each.base_url for each in BUILTIN]):
        assert len(set(facts)) == len(BUILTIN)


@pytest.mark.parametrize("each", BUILTIN, ids=lambda each: each.id)
def test_an_entry_is_reachable_with_a_key_or_local_without_one(each: BuiltinProvider) -> None:
    url = urlsplit(each.base_url)
    assert each.local == is_loopback(url.hostname or "")
    assert each.local == (each.key_page is None)
    assert url.scheme == ("http" if each.local else "https")
    assert not each.base_url.endswith("/")
    assert each.source.startswith("https://")
    provider = each.provider("canary")
    assert provider.think_tags == each.local
    endpoint = {
        "openai": "/chat/completions",
        "anthropic": "/messages",
        "gemini": "/models/m:streamGenerateContent?alt=sse",
    }[provider.style]
    assert codec_for(provider.style).chat_url(provider.base_url, "m", stream=True) == each.base_url + endpoint
    assert "canary" not in repr(provider)


def test_keys_come_from_the_environment_in_the_order_of_the_list() -> None:
    env = {"DEEPSEEK_API_KEY": "d", "OPENAI_API_KEY": " o ", "GROQ_API_KEY": "", "PATH": "/bin"}
    providers = from_environment(env)
    assert [(each.id, each.api_key) for each in providers] == [("openai", "o"), ("deepseek", "d")]
    assert from_environment({}) == []


def test_a_key_is_not_sent_to_openai_when_its_variable_moves_the_address() -> None:
    env = {"OPENAI_API_KEY": "key of a gateway", "OPENAI_BASE_URL": "https://gateway.example/v1"}
    assert [each.base_url for each in from_environment(env)] == ["https://gateway.example/v1"]


def test_an_entry_is_found_by_its_id() -> None:
    assert entry("openai").provider("k").base_url == "https://api.openai.com/v1"
    with pytest.raises(KeyError):
        entry("nobody")


@pytest.mark.parametrize(
    ("typed", "base_url"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        (" https://api.example.com/v1/ \n", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions/", "https://api.example.com/v1"),
        ("https://api.example.com/v1/models", "https://api.example.com/v1"),
        ("HTTPS://API.Example.COM:443/V1", "https://api.example.com/V1"),
        ("api.example.com", "https://api.example.com/v1"),
        ("api.deepseek.com", "https://api.deepseek.com"),
        ("openrouter.ai", "https://openrouter.ai/api/v1"),
        ("localhost:8080", "http://localhost:8080/v1"),
        ("127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("192.168.1.7:8000", "http://192.168.1.7:8000/v1"),
        ("box.lan:8000", "http://box.lan:8000/v1"),
        ("workstation:8000", "http://workstation:8000/v1"),
        (
            "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1",
            "https://x.openai.azure.com/openai/deployments/d?api-version=1",
        ),
    ],
)
def test_an_address_is_understood_as_it_was_meant(typed: str, base_url: str) -> None:
    assert compatible(typed).base_url == base_url
    assert compatible(base_url).base_url == base_url, "and its normal form is stable"


@pytest.mark.parametrize(
    "typed",
    ["", "  ", "hello world", "http://", "https://:8080", "ftp://example.com", "javascript:alert(1)", "http://[::1",
     "https://a..b/v1", "https://host:port/v1", "https://host:99999", "https://host:0", "sk-canary\u200b key",
     "https://us er@host/", "<script>", "file:///etc/passwd"],
)  # fmt: skip
def test_nonsense_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        compatible(typed)
    assert "should look like https://api.example.com/v1" in caught.value.user_message


def test_a_password_in_the_address_is_refused_and_not_quoted() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        compatible("https://user:canary@api.example.com/v1")
    assert "canary" not in caught.value.user_message


def test_local_servers_may_leave_think_tags_in_the_text() -> None:
    assert compatible("localhost:8080").think_tags
    assert compatible("192.168.1.7:8000").think_tags
    assert not compatible("https://api.example.com/v1").think_tags


def test_two_endpoints_of_one_host_are_two_providers() -> None:
    first, second = compatible("https://a.example/one"), compatible("https://a.example/two", "key", "model")
    assert first.id != second.id
    assert first.label == second.label == "a.example"
    assert (second.api_key, second.default_model) == ("key", "model")
