"""Who answers: one endpoint, the style it speaks, and how to reach it.

A value. Above: ``net/profile``. Below: ``client`` joins it with a codec and a transport. Decoding and error
classification depend on the style, never on the id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.local_server import LocalServer


@dataclass(frozen=True, slots=True)
class Provider:
    """One endpoint. The key is never part of the repr."""

    id: str
    style: str
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    default_model: str | None = None
    headers: Sequence[tuple[str, str]] | Mapping[str, str] = field(default=(), repr=False)
    """Sent with every request; values may hold secrets, so they are not in the repr either."""
    network: NetworkProfile = field(default_factory=NetworkProfile)
    think_tags: bool = False
    """Split a leading ``<think>…</think>`` of the answer into reasoning: for local servers that do not do it."""
    name: str | None = None
    """For people; the id when None."""
    key_header: str | None = None
    """The header that carries the key where it is not the style's own (Azure: "api-key")."""
    models_url: str | None = None
    """Where the list of models is, when it is not beside the other addresses."""
    listed_models: Sequence[str] = ()
    """The models of a provider that has no list to ask for."""
    facts: str | None = None
    """Whose models these are: the name under which ``facts`` knows them; None: the id."""
    server: LocalServer | None = None
    """A child process that serves this provider: it is started by the first request and knows the URL and the key."""

    def __post_init__(self) -> None:
        pairs = self.headers.items() if isinstance(self.headers, Mapping) else self.headers
        object.__setattr__(self, "listed_models", tuple(self.listed_models))
        object.__setattr__(self, "headers", tuple((str(name), str(value)) for name, value in pairs))

    @property
    def label(self) -> str:
        """The name for people."""
        return self.name or self.id
