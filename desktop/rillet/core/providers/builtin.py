"""The providers that Rillet knows by name.

Facts only, from ``resources/providers.toml``; nothing is contacted. Above: ``provider``. Below: ``compatible`` and
``local_servers``, the program's model picker and the factories of ``qt/client``.
"""

from __future__ import annotations

import tomllib
from datetime import date
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from rillet.core.providers.provider import Provider
from rillet.data import read

if TYPE_CHECKING:
    from collections.abc import Mapping


class BuiltinProvider(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One provider that Rillet knows by name."""

    id: str
    name: str
    style: str
    base_url: str = ""
    """Empty: every customer has an address of his own."""
    path: str = ""
    """What follows such an address when it is only a host."""
    key_variables: tuple[str, ...] = ()
    """Environment variables that hold a key, the usual one first."""
    key_page: str | None = None
    """Where a key is made; None: no key is needed."""
    key_header: str | None = None
    headers: dict[str, str] = {}
    default_model: str | None = None
    url_variable: str | None = None
    """Environment variable that moves the address: a key that stands beside it belongs to that address only."""
    host_suffixes: tuple[str, ...] = ()
    """How the hosts of its customers end."""
    models_url: str | None = None
    models: tuple[str, ...] = ()
    """Its models, where there is no list to ask for."""
    facts: str | None = None
    """Whose models these are, when not its own: see ``Provider.facts``."""
    local: bool = False
    """A server on this machine; such servers often leave ``<think>`` tags in the text."""
    source: str
    checked: date | None = None

    def provider(self, api_key: str | None = None, *, base_url: str | None = None) -> Provider:
        """This entry as a provider to talk to."""
        return Provider(
            self.id,
            self.style,
            self._address(base_url) if base_url else self.base_url,
            api_key=api_key,
            default_model=self.default_model,
            headers=self.headers,
            think_tags=self.local,
            name=self.name,
            key_header=self.key_header,
            models_url=None if base_url else self.models_url,
            listed_models=self.models,
            facts=self.facts,
        )

    def is_at(self, authority: str) -> bool:
        """Whether this host, with its port if that is not the usual one, is the provider's."""
        return urlsplit(self.base_url).netloc == authority or authority.endswith(self.host_suffixes or ("\0",))

    def _address(self, base_url: str) -> str:
        base_url = base_url.rstrip("/")
        return base_url if urlsplit(base_url).path else base_url + self.path


@cache
def builtin_providers() -> tuple[BuiltinProvider, ...]:
    """All of them, in the order in which the program lists them."""
    text = read("providers.toml").decode()
    return msgspec.convert(tomllib.loads(text)["provider"], tuple[BuiltinProvider, ...])


def entry(id: str) -> BuiltinProvider:
    """The entry called ``id``; ``KeyError`` when there is none."""
    for known in builtin_providers():
        if known.id == id:
            return known
    raise KeyError(id)


def from_environment(env: Mapping[str, str]) -> list[Provider]:
    """The providers that ``env`` holds a key for, and an address where one is needed, in the order of the list."""
    providers = []
    for known in builtin_providers():
        key = next((key for name in known.key_variables if (key := env.get(name, "").strip())), None)
        moved = env.get(known.url_variable, "").strip() if known.url_variable else ""
        if key is not None and (moved or known.base_url):
            providers.append(known.provider(key, base_url=moved or None))
    return providers
