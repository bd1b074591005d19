"""Keeping what was entered about a provider: its address, its key, its usual model.

Above: ``services``, ``keys``. Below: ``providers`` shows the fields. Knows no widget. Guarantee: another server is
never sent the key of the one before, and nobody's key stays behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rillet.app import coroutines
from rillet.app.keys import account_of, is_same_server
from rillet.core.providers.address import parse_address

if TYPE_CHECKING:
    from rillet.app.services import Services
    from rillet.core.providers.builtin import BuiltinProvider
    from rillet.core.providers.provider import Provider


@dataclass(frozen=True, slots=True)
class Entered:
    """What stands in the fields.

    Attributes:
        url: The address.
        key: A new key; empty: the one that is there.
        model: The usual model; empty: none.
    """

    url: str
    key: str
    model: str

    def changes(self, provider: Provider) -> bool:
        """Whether keeping it would change anything."""
        return bool(self.key) or (self.url, self.model) != (provider.base_url, provider.default_model or "")


def keep(services: Services, provider: Provider | None, entry: BuiltinProvider | None, entered: Entered) -> Provider:
    """Keep it: how the provider is now. ``provider`` None: ``entry`` is added.

    Raises:
        InvalidRequestError: that is no address; nothing was changed.
    """
    style = parse_address(entered.url).style
    model = entered.model or None
    if entry is not None:
        services.add_provider(entry.id, None if entered.url == entry.base_url else entered.url, model)
        kept = next(each for each in services.providers if each.id == entry.id)
    else:
        assert provider is not None, "one that has no entry is there already"
        kept = _move(
            services, provider, services.enter_endpoint(entered.url, None, model, style=style or provider.style)
        )
    key = entered.key
    account = account_of(kept.base_url)
    if provider is not None and (before := account_of(provider.base_url)) != account:
        if not key and is_same_server(before, account):
            key = services.keys.secret(before) or ""
        drop_key(services, provider.base_url)
    if key:
        services.keys.hold(account, key)
        coroutines.start(services.keys.keep(account, key))  # (it may ask for a password: a test need not wait)
    return kept


def drop_key(services: Services, base_url: str) -> None:
    """Forget the key of an address that nobody uses any more."""
    account = account_of(base_url)
    if all(account_of(each.base_url) != account for each in services.providers):
        coroutines.start(_forget(services, account))


def _move(services: Services, before: Provider, kept: Provider) -> Provider:
    """The one at another address takes the place of the one before, also where that was chosen."""
    was_chosen = services.choice.provider.id == before.id
    if kept.base_url != before.base_url:
        services.remove_provider(before)
        if was_chosen:
            services.choose(kept, kept.default_model)
    return kept


async def _forget(services: Services, account: str) -> None:
    await services.keys.forget(account)
