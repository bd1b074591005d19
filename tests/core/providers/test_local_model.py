"""The built-in model among the providers."""

from __future__ import annotations

from rillet.core.providers.local_model import DESCRIPTION, NAME, local_provider
from rillet.core.providers.local_server import LocalServer


def test_it_is_a_provider_like_any_other_that_starts_its_own_server() -> None:
    provider = local_provider()
    assert (provider.id, provider.style, provider.label) == ("local", "openai", NAME)
    assert provider.think_tags
    assert isinstance(provider.server, LocalServer)
    assert not provider.server.is_running


def test_its_server_can_be_shared() -> None:
    server = LocalServer()
    assert local_provider(server).server is server


def test_loopback_never_goes_through_a_proxy() -> None:
    assert local_provider().network.proxy is None


def test_it_is_labelled_as_what_it_is() -> None:
    assert "often wrong" in DESCRIPTION
