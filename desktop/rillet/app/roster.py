"""Which providers a person has set up, from the settings, the environment and the keys that are known.

Pure. Above: ``core/providers``, ``core/config``. Below: ``services``. Guarantee: a key goes to the server for which it
was given and to no other, however addresses are changed.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from rillet.app.keys import account_of, is_same_server
from rillet.core.config.network import profile_of, proxy_account
from rillet.core.errors import InvalidRequestError
from rillet.core.providers.builtin import builtin_providers, from_environment
from rillet.core.providers.compatible import compatible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rillet.core.config.settings import EndpointSettings, Settings
    from rillet.core.providers.provider import Provider

log = logging.getLogger("rillet.app")


class Roster:
    """The providers as things are now.

    Attributes:
        known: Those that Rillet knows by name and that have a key or were added, in the order of its list.
        entered: Those of which only an address was given, in the order in which it was.
    """

    def __init__(
        self, settings: Settings, environment: Mapping[str, str], secret: Callable[[str | None], str | None]
    ) -> None:
        self._settings = settings
        self._environment = environment
        self._secret = secret
        self._profile = profile_of(settings.network, secret(proxy_account(settings.network)))
        self.known = list(map(self.reached, self._known()))
        self.entered = list(map(self.reached, self._entered()))

    def reached(self, provider: Provider) -> Provider:
        """A provider with the network settings of the person, unless it is the program's own."""
        return provider if provider.server is not None else replace(provider, network=self._profile)

    def _known(self) -> Iterable[Provider]:
        keyed = {provider.id: provider for provider in from_environment(self._environment)}
        added = {each.id: each for each in self._settings.added}
        for known in builtin_providers():
            own, changed = keyed.get(known.id), added.get(known.id)
            if own is None and changed is None:
                continue
            usual = own or known.provider()
            url = changed.url if changed is not None and changed.url else usual.base_url
            if not url:
                continue
            provider = usual if url == usual.base_url else known.provider(base_url=url)
            inherited = usual.api_key if is_same_server(url, usual.base_url) else None
            key = self._secret(account_of(provider.base_url)) or inherited
            model = changed.model if changed is not None and changed.model else provider.default_model
            yield replace(provider, api_key=key, default_model=model)

    def _entered(self) -> Iterable[Provider]:
        for endpoint in self._settings.endpoints:
            if (provider := _endpoint(endpoint)) is not None:
                yield replace(provider, api_key=self._secret(account_of(provider.base_url)))


def _endpoint(endpoint: EndpointSettings) -> Provider | None:
    try:
        return compatible(endpoint.url, None, endpoint.model, style=endpoint.style)
    except InvalidRequestError as error:
        log.warning("a saved address is ignored: %s", error)
        return None
