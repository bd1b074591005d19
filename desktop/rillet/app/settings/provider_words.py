"""What is said about a provider and its key.

Above: ``keys``. Below: ``providers``. Pure but for the translation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from rillet.app.keys import account_of
from rillet.core.providers.builtin import builtin_providers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.app.keys import Keys
    from rillet.core.providers.builtin import BuiltinProvider
    from rillet.core.providers.provider import Provider

translate = QCoreApplication.translate


def entry_of(provider_id: str) -> BuiltinProvider | None:
    """What Rillet knows of a provider by itself."""
    return next((known for known in builtin_providers() if known.id == provider_id), None)


def variable_of(provider: Provider, environment: Mapping[str, str]) -> str | None:
    """The environment variable that this provider's key came from."""
    entry = entry_of(provider.id)
    if entry is None or provider.api_key is None:
        return None
    return next((name for name in entry.key_variables if environment.get(name, "").strip() == provider.api_key), None)


def key_sentence(provider: Provider, keys: Keys, environment: Mapping[str, str]) -> str:
    """Where the key of a provider is."""
    account = account_of(provider.base_url)
    home = keys.home(account)
    if provider.server is not None:
        return translate("ProviderWords", "It runs on this machine and needs no key.")
    if home == "store" and keys.secret(account) is None:
        return translate("ProviderWords", "The key is in the key store of this system, which has not given it out yet.")
    if home == "store":
        return translate("ProviderWords", "The key is in the key store of this system.")
    if home == "session":
        return translate("ProviderWords", "The key is kept until you quit.")
    if (variable := variable_of(provider, environment)) is not None:
        return translate("ProviderWords", "The key comes from the environment variable {name}.").format(name=variable)
    if provider.api_key:
        return translate("ProviderWords", "The key comes from the environment.")
    entry = entry_of(provider.id)
    if entry is not None and not entry.key_variables:
        return translate("ProviderWords", "No key is needed.")
    return translate("ProviderWords", "There is no key.")


def short_key_words(provider: Provider, keys: Keys, environment: Mapping[str, str]) -> str:
    """The same in two or three words, for a list."""
    home = keys.home(account_of(provider.base_url))
    if provider.server is not None:
        return translate("ProviderWords", "built in")
    if home == "store":
        return translate("ProviderWords", "key in the key store")
    if home == "session":
        return translate("ProviderWords", "key until you quit")
    if provider.api_key:
        return variable_of(provider, environment) or translate("ProviderWords", "key from the environment")
    return translate("ProviderWords", "no key")
