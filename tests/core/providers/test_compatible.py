"""Endpoints by address."""

from __future__ import annotations

import pytest

from rillet.core.errors import InvalidRequestError
from rillet.core.providers.compatible import compatible
from rillet.core.wire.codecs import codec_for


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
        ("api.anthropic.com", "https://api.anthropic.com/v1"),
        ("generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com/v1beta"),
        ("x.openai.azure.com", "https://x.openai.azure.com/openai/v1"),
        ("localhost:11434", "http://localhost:11434"),
        ("localhost:11434/v1", "http://localhost:11434/v1"),
        ("https://box.example/v1/messages", "https://box.example/v1"),
        ("http://box.lan:11434/api/chat", "http://box.lan:11434"),
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
    provider = compatible(typed)
    assert provider.base_url == base_url
    assert compatible(base_url, style=provider.style) == provider, "and its normal form is stable"


@pytest.mark.parametrize(
    ("typed", "style"),
    [
        ("https://api.example.com", "openai"),
        ("https://api.example.com/v1/chat/completions", "openai"),
        ("https://api.example.com/v1/responses", "openai-responses"),
        ("https://api.example.com/v1/messages", "anthropic"),
        ("https://api.example.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse", "gemini"),
        ("http://box.lan:11434/api/chat", "ollama"),
        ("https://api.openai.com/v1", "openai"),
        ("https://api.openai.com/v1/responses", "openai-responses"),
        ("https://api.anthropic.com", "anthropic"),
        ("https://api.anthropic.com/v1", "anthropic"),
        ("https://api.anthropic.com/v1/chat/completions", "openai"),
        ("https://generativelanguage.googleapis.com/v1beta", "gemini"),
        ("https://generativelanguage.googleapis.com/v1beta/openai", "openai"),
        ("localhost:11434", "ollama"),
        ("localhost:11434/v1", "openai"),
        ("https://x.openai.azure.com", "openai"),
    ],
)
def test_the_style_is_what_the_address_tells_or_the_known_providers(typed: str, style: str) -> None:
    provider = compatible(typed)
    assert provider.style == style
    assert codec_for(style).chat_url(provider.base_url, "m", stream=True).startswith(provider.base_url.split("?")[0])


def test_an_address_of_azure_is_known_as_such() -> None:
    provider = compatible("https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21", "k")
    assert (provider.key_header, provider.facts) == ("api-key", "openai")
    assert compatible("https://api.example.com").key_header is None
    assert compatible("https://openai.azure.com.example.com").key_header is None


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
    assert caught.value.user_message.startswith(("This is not", "The address"))


def test_a_password_in_the_address_is_refused_and_not_quoted() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        compatible("https://user:canary@api.example.com/v1")
    assert "canary" not in caught.value.user_message


@pytest.mark.parametrize("query", ["?key=canary", "?alt=sse&api_key=canary", "?access-token=canary", "?KEY=canary"])
def test_a_key_in_the_address_is_refused_and_not_quoted(query: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        compatible(f"https://api.example.com/v1{query}")
    assert "which belongs into its own field" in caught.value.user_message
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
