"""The factories: whom a client talks to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.qt import LlmClient

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("make", "style", "base_url", "label"),
    [
        (LlmClient.openai, "openai", "https://api.openai.com/v1", "OpenAI"),
        (LlmClient.anthropic, "anthropic", "https://api.anthropic.com/v1", "Anthropic"),
        (LlmClient.gemini, "gemini", "https://generativelanguage.googleapis.com/v1beta", "Google Gemini"),
    ],
)
def test_a_provider_with_a_name_needs_no_more_than_a_key(
    make: Callable[[str], LlmClient], style: str, base_url: str, label: str
) -> None:
    provider = make("canary").provider
    assert (provider.style, provider.base_url, provider.label) == (style, base_url, label)
    assert provider.api_key == "canary"
    assert "canary" not in repr(provider)
